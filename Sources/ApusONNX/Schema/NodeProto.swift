import Apus
import ApusGraph

/// One use of an operator or function.
public struct NodeProto: Sendable {
  /// The node's name, for messages; it may be empty.
  public var name: String
  /// The operator: `Conv`, `MatMul`.
  public var opType: String
  /// The set of operators it belongs to; empty for the standard's own.
  public var domain: String
  /// Which of several functions of one name is meant.
  public var overload: String
  /// The names of the values it takes; empty where an optional one is omitted.
  public var inputs: [String]
  /// The names of the values it gives; empty for an optional output that is not wanted.
  public var outputs: [String]
  /// The operator's constants, by name.
  public var attributes: [AttributeProto]
  /// What its author says of it; Apus does not use it.
  public var docString: String
  /// Pairs of the producer's own; Apus does not use them.
  public var metadata: [StringStringEntry]

  /// Any operator and operands; whether they exist is checked when a graph is made of the model.
  public init(
    name: String = "", opType: String, domain: String = "", overload: String = "", inputs: [String] = [],
    outputs: [String] = [], attributes: [AttributeProto] = [], docString: String = "",
    metadata: [StringStringEntry] = []
  ) {
    self.name = name
    self.opType = opType
    self.domain = domain
    self.overload = overload
    self.inputs = inputs
    self.outputs = outputs
    self.attributes = attributes
    self.docString = docString
    self.metadata = metadata
  }
}

extension NodeProto: ONNXMessage {
  package static let messageName = "NodeProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init(opType: "")
    while let field = try reader.next() {
      switch field.number {
      case 1: inputs.append(try reader.string(field))
      case 2: outputs.append(try reader.string(field))
      case 3: name = try reader.note(field)
      case 4: opType = try reader.string(field)
      case 5: attributes.append(try reader.message(field))
      case 6: docString = try reader.note(field)
      case 7: domain = try reader.string(field)
      case 8: overload = try reader.string(field)
      case 9: metadata.append(try reader.message(field))
      default: try reader.skip(field)
      }
    }
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    for input in inputs { try writer.string(1, input) }
    for output in outputs { try writer.string(2, output) }
    try writer.optionalString(3, name)
    try writer.string(4, opType)
    try writer.messages(5, attributes)
    try writer.optionalString(6, docString)
    try writer.optionalString(7, domain)
    try writer.optionalString(8, overload)
    try writer.messages(9, metadata)
  }
}
