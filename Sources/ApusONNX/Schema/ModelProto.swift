import Apus
import ApusGraph

/// A model: a graph, the operators and functions it is written in, and who made it.
///
/// Training information, device configurations and fields that the standard does not have are ignored when a model
/// is read; a model that is written again comes without them.
public struct ModelProto: Sendable {
  /// The version of the format; 0 when the file does not say.
  public var irVersion: Int64
  /// The program that wrote the file, such as `pytorch`.
  public var producerName: String
  /// That program's version, in its own notation.
  public var producerVersion: String
  /// Whose model it is, as a reversed host name by custom.
  public var domain: String
  /// The model's own version, as its author counts.
  public var modelVersion: Int64
  /// What its author says of it; `apus inspect` shows it.
  public var docString: String
  /// The operators that nodes name. Never empty after reading: a model that imports none means version 1.
  public var opsetImports: [OperatorSetID]
  /// Pairs of the producer's own; see ``ONNXModel/metadata``.
  public var metadata: [StringStringEntry]
  /// The network.
  public var graph: GraphProto
  /// Operators that the model defines itself; nodes of the graph and of other functions may name them.
  public var functions: [FunctionProto]
  /// What is unusual about a model that was read, a sentence each: versions newer than Apus knows, for example.
  public var warnings: [String] = []
  /// What the model was read from.
  var source: FileSource?

  /// A model to be written, or to be run through ``ONNXModel/init(_:)``.
  public init(
    irVersion: Int64 = 10, producerName: String = "", producerVersion: String = "", domain: String = "",
    modelVersion: Int64 = 0, docString: String = "", opsetImports: [OperatorSetID],
    metadata: [StringStringEntry] = [], graph: GraphProto, functions: [FunctionProto] = []
  ) {
    self.irVersion = irVersion
    self.producerName = producerName
    self.producerVersion = producerVersion
    self.domain = domain
    self.modelVersion = modelVersion
    self.docString = docString
    self.opsetImports = opsetImports
    self.metadata = metadata
    self.graph = graph
    self.functions = functions
  }
}

extension ModelProto {
  /// The newest version of the format that Apus knows.
  public static let newestIRVersion: Int64 = 14
  /// The newest version that Apus knows of the operators of each domain of the standard.
  public static let newestOpsets: [String: Int64] = ["": 28, "ai.onnx.ml": 5]

  /// The operators of a model that imports none, and warnings about what is newer than Apus.
  private mutating func checkVersions() {
    if irVersion > Self.newestIRVersion {
      warnings.append(
        "the model is written in version \(irVersion) of the format; Apus knows versions up to \(Self.newestIRVersion)")
    }
    if opsetImports.isEmpty {
      // The field came with version 3 of the format.
      if irVersion >= 3 { warnings.append("the model imports no operators; version 1 of the standard's is assumed") }
      opsetImports = [OperatorSetID(version: 1)]
    }
    for opset in opsetImports {
      // `ai.onnx` is the long name of the empty domain.
      let domain = opset.domain == "ai.onnx" ? "" : opset.domain
      if let newest = Self.newestOpsets[domain], opset.version > newest {
        warnings.append(
          "the model uses version \(opset.version) of the operators of \(domain.isEmpty ? "ai.onnx" : domain); "
            + "Apus knows versions up to \(newest)")
      }
    }
  }
}

extension ModelProto: ONNXMessage {
  package static let messageName = "ModelProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init(irVersion: 0, opsetImports: [], graph: GraphProto())
    var graph: GraphProto?
    while let field = try reader.next() {
      switch field.number {
      case 1: irVersion = try reader.int64(field)
      case 2: producerName = try reader.note(field)
      case 3: producerVersion = try reader.note(field)
      case 4: domain = try reader.note(field)
      case 5: modelVersion = try reader.int64(field)
      case 6: docString = try reader.note(field)
      case 7: try reader.message(field, into: &graph)
      case 8: opsetImports.append(try reader.message(field))
      case 14: metadata.append(try reader.message(field))
      case 25: functions.append(try reader.message(field))
      default: try reader.skip(field)
      }
    }
    guard let graph else { throw reader.failure(.truncated(expected: "a graph"), nil) }
    self.graph = graph
    checkVersions()
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    try writer.int64(1, irVersion)
    try writer.optionalString(2, producerName)
    try writer.optionalString(3, producerVersion)
    try writer.optionalString(4, domain)
    if modelVersion != 0 { try writer.int64(5, modelVersion) }
    try writer.optionalString(6, docString)
    try writer.message(7, graph)
    try writer.messages(8, opsetImports)
    try writer.messages(14, metadata)
    try writer.messages(25, functions)
  }
}
