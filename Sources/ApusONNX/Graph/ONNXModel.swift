import Apus
import ApusGraph
import FoundationEssentials

/// An ONNX model: the messages of its file, and the graph made of them.
public struct ONNXModel: GraphModel {
  public let proto: ModelProto
  /// The graph with functions written out, nothing rewritten.
  public let graph: Graph
  public let warnings: [String]

  /// Reads the `.onnx` file at `url`. Weights stay in the mapped file.
  /// - Throws: ``FileError``, ``ONNXFileError`` for a file that is no model, ``GraphError/graph(_:)``.
  public init(contentsOf url: URL, access: FileAccess = .mapped) throws {
    try self.init(path: url.systemPath, access: access)
  }

  /// Reads the `.onnx` file at `path`. Weights stay in the mapped file.
  /// - Throws: ``FileError``, ``ONNXFileError`` for a file that is no model, ``GraphError/graph(_:)``.
  public init(path: String, access: FileAccess = .mapped) throws {
    try self.init(.read(contentsOf: path, access: access))
  }

  /// - Throws: ``GraphError/graph(_:)``.
  public init(_ proto: ModelProto) throws {
    self.proto = proto
    var builder = GraphBuilder(functions: proto.functions, opsets: proto.opsetImports)
    graph = try builder.build(proto.graph)
    warnings = proto.warnings
  }

  public var metadata: [String: String] {
    Dictionary(proto.metadata.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
  }

  public var externalFiles: [String] { proto.source?.externalPaths ?? [] }
}
