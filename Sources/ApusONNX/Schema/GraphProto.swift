import Apus
import ApusGraph

/// Nodes in an order in which they can run, and the values that go in, come out and are constant.
public struct GraphProto: Sendable {
  /// The graph's name, for people.
  public var name: String
  /// The operations; each reads inputs, constants and results of earlier nodes.
  public var nodes: [NodeProto]
  /// Constants, each named as the value it gives.
  public var initializers: [TensorProto]
  /// Constants given by the elements that are not zero.
  public var sparseInitializers: [SparseTensorProto]
  /// The values it takes; one that is also among ``initializers`` has that as its default.
  public var inputs: [ValueInfoProto]
  /// The values it gives.
  public var outputs: [ValueInfoProto]
  /// Types of values in between, as far as the producer declared them.
  public var valueInfo: [ValueInfoProto]
  /// What its author says of it; Apus does not use it.
  public var docString: String
  /// Pairs of the producer's own; Apus does not use them.
  public var metadata: [StringStringEntry]

  /// Any nodes and values; whether they fit is checked when a graph is made of the model.
  public init(
    name: String = "", nodes: [NodeProto] = [], initializers: [TensorProto] = [],
    sparseInitializers: [SparseTensorProto] = [], inputs: [ValueInfoProto] = [], outputs: [ValueInfoProto] = [],
    valueInfo: [ValueInfoProto] = [], docString: String = "", metadata: [StringStringEntry] = []
  ) {
    self.name = name
    self.nodes = nodes
    self.initializers = initializers
    self.sparseInitializers = sparseInitializers
    self.inputs = inputs
    self.outputs = outputs
    self.valueInfo = valueInfo
    self.docString = docString
    self.metadata = metadata
  }
}

extension GraphProto: ONNXMessage {
  package static let messageName = "GraphProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init()
    while let field = try reader.next() {
      switch field.number {
      case 1: nodes.append(try reader.message(field))
      case 2: name = try reader.note(field)
      case 5: initializers.append(try reader.message(field))
      case 10: docString = try reader.note(field)
      case 11: inputs.append(try reader.message(field))
      case 12: outputs.append(try reader.message(field))
      case 13: valueInfo.append(try reader.message(field))
      case 15: sparseInitializers.append(try reader.message(field))
      case 16: metadata.append(try reader.message(field))
      default: try reader.skip(field)
      }
    }
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    try writer.messages(1, nodes)
    try writer.string(2, name)
    try writer.messages(5, initializers)
    try writer.optionalString(10, docString)
    try writer.messages(11, inputs)
    try writer.messages(12, outputs)
    try writer.messages(13, valueInfo)
    try writer.messages(15, sparseInitializers)
    try writer.messages(16, metadata)
  }
}
