import Apus
import ApusGraph
import FoundationEssentials

/// An ONNX model: the messages of its file, and the graph made of them.
public struct ONNXModel: GraphModel {
  /// The messages of the file, as they were read.
  public let proto: ModelProto
  /// The graph with functions written out, nothing rewritten.
  public let graph: Graph
  /// What is unusual about the file and not wrong, a sentence each; see ``ModelProto/warnings``.
  public let warnings: [String]
  private let forms: [String: ValueForm]

  /// Reads the `.onnx` file at `url`. Weights stay in the mapped file.
  /// - Throws: ``FileError``, ``FileFormatError`` for a file of another format, ``ONNXFileError`` for a damaged one,
  ///   ``GraphError/graph(_:)``.
  public init(contentsOf url: URL, access: FileAccess = .mapped) throws {
    try self.init(path: url.systemPath, access: access)
  }

  /// Reads the `.onnx` file at `path`. Weights stay in the mapped file.
  /// - Throws: ``FileError``, ``FileFormatError`` for a file of another format, ``ONNXFileError`` for a damaged one,
  ///   ``GraphError/graph(_:)``.
  public init(path: String, access: FileAccess = .mapped) throws {
    try self.init(.read(contentsOf: path, access: access))
  }

  /// Reads a model that is already in memory, whose bytes are copied; `name` is what messages call it.
  /// - Parameter folder: where files lie that hold tensors of the model; nil when it has none.
  /// - Throws: ``FileError/empty(path:)`` for no bytes, ``FileFormatError`` for another format, ``ONNXFileError`` for a
  ///   damaged one, ``GraphError/graph(_:)``.
  public init(bytes: UnsafeRawBufferPointer, name: String, folder: String? = nil) throws {
    try self.init(.read(bytes: bytes, name: name, folder: folder))
  }

  /// - Throws: ``GraphError/graph(_:)``; ``ONNXFileError`` where a file that holds tensors is missing.
  public init(_ proto: ModelProto) throws {
    self.proto = proto
    var builder = GraphBuilder(
      functions: proto.functions, opsets: proto.opsetImports, producer: proto.producerName)
    graph = try builder.build(proto.graph)
    forms = graph.zipMapForms
    warnings = proto.warnings
  }

  /// A dictionary for what ZipMap gives: the scores of a classifier, a row for each example and a column for each of the
  /// keys; nil for all else.
  public func form(of value: String) -> ValueForm? { forms[value] }

  /// The pairs that the producer wrote into the file; of two with one key, the later.
  public var metadata: [String: String] {
    Dictionary(proto.metadata.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
  }

  /// What `apus inspect` shows of the file beside its graph: versions, operator sets, producer, parameters.
  public var summary: ModelSummary {
    var summary = ModelSummary(format: "ONNX", version: proto.irVersion, parameters: ParameterCensus(proto.graph))
    summary.operatorSets = proto.opsetImports.map {
      ModelSummary.OperatorSet(domain: $0.domain.isEmpty ? "ai.onnx" : $0.domain, version: $0.version)
    }
    summary.producer = [proto.producerName, proto.producerVersion].filter { !$0.isEmpty }.joined(separator: " ")
    summary.domain = proto.domain
    summary.version = proto.modelVersion
    summary.text = proto.docString
    summary.metadata = proto.metadata.map { ($0.key, $0.value) }
    summary.functionCount = proto.functions.count
    return summary
  }

  /// The paths of the files beside the model's own that were named by its tensors so far read.
  public var externalFiles: [String] { proto.source?.externalPaths ?? [] }

  /// - Throws: ``FileError/shrank(path:)``.
  public func checkFiles() throws { try proto.source?.checkFiles() }
}
