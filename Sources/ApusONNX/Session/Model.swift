import Apus
import FoundationEssentials

/// A model as its file has it: the messages, and the graph made of them.
public struct Model: Sendable {
  public let proto: ModelProto
  /// The graph with functions written out, nothing rewritten.
  public let graph: Graph
  /// What is unusual and not wrong, a sentence each: a newer version of the format, for example.
  public let warnings: [String]

  /// Reads the `.onnx` file at `url`. Weights stay in the mapped file.
  /// - Throws: ``FileError``, ``ONNXFileError`` for a file that is no model, ``ONNXError/graph(_:)``.
  public init(contentsOf url: URL, access: FileAccess = .mapped) throws {
    try self.init(path: url.systemPath, access: access)
  }

  /// Reads the `.onnx` file at `path`. Weights stay in the mapped file.
  /// - Throws: ``FileError``, ``ONNXFileError`` for a file that is no model, ``ONNXError/graph(_:)``.
  public init(path: String, access: FileAccess = .mapped) throws {
    try self.init(.read(contentsOf: path, access: access))
  }

  /// - Throws: ``ONNXError/graph(_:)``.
  public init(_ proto: ModelProto) throws {
    self.proto = proto
    var builder = GraphBuilder(functions: proto.functions, opsets: proto.opsetImports)
    graph = try builder.build(proto.graph)
    warnings = proto.warnings
  }

  /// The paths of the files beside the model's own of which tensors were read so far, sorted; after a session was made
  /// of the model, all that its results depend on.
  public var externalFiles: [String] { proto.source?.externalPaths ?? [] }
}
