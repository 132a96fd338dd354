import Apus
import ApusGraph

/// An operator that a model defines itself, as a graph of others.
public struct FunctionProto: Sendable {
  /// The operator that nodes name to call it.
  public var name: String
  /// The set of operators it belongs to; nodes name it as well.
  public var domain: String
  /// Which of several functions of one name it is.
  public var overload: String
  /// The names of the values it takes, within the function.
  public var inputs: [String]
  /// The names of the values it gives, within the function.
  public var outputs: [String]
  /// The names of attributes without default values.
  public var attributes: [String]
  /// The attributes that have default values, with these.
  public var attributeDefaults: [AttributeProto]
  /// The function's body, in an order in which it can run.
  public var nodes: [NodeProto]
  /// The versions that the body's operators are meant in.
  public var opsetImports: [OperatorSetID]
  /// Types of values within the body, as far as the producer declared them.
  public var valueInfo: [ValueInfoProto]
  /// What its author says of it; Apus does not use it.
  public var docString: String
  /// Pairs of the producer's own; Apus does not use them.
  public var metadata: [StringStringEntry]

  /// Any body; whether its values and operators exist is checked when a graph is made of the model.
  public init(
    name: String, domain: String = "", overload: String = "", inputs: [String] = [], outputs: [String] = [],
    attributes: [String] = [], attributeDefaults: [AttributeProto] = [], nodes: [NodeProto] = [],
    opsetImports: [OperatorSetID] = [], valueInfo: [ValueInfoProto] = [], docString: String = "",
    metadata: [StringStringEntry] = []
  ) {
    self.name = name
    self.domain = domain
    self.overload = overload
    self.inputs = inputs
    self.outputs = outputs
    self.attributes = attributes
    self.attributeDefaults = attributeDefaults
    self.nodes = nodes
    self.opsetImports = opsetImports
    self.valueInfo = valueInfo
    self.docString = docString
    self.metadata = metadata
  }
}

extension FunctionProto: ONNXMessage {
  package static let messageName = "FunctionProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init(name: "")
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.string(field)
      case 4: inputs.append(try reader.string(field))
      case 5: outputs.append(try reader.string(field))
      case 6: attributes.append(try reader.string(field))
      case 7: nodes.append(try reader.message(field))
      case 8: docString = try reader.note(field)
      case 9: opsetImports.append(try reader.message(field))
      case 10: domain = try reader.string(field)
      case 11: attributeDefaults.append(try reader.message(field))
      case 12: valueInfo.append(try reader.message(field))
      case 13: overload = try reader.string(field)
      case 14: metadata.append(try reader.message(field))
      default: try reader.skip(field)
      }
    }
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    try writer.string(1, name)
    for input in inputs { try writer.string(4, input) }
    for output in outputs { try writer.string(5, output) }
    for attribute in attributes { try writer.string(6, attribute) }
    try writer.messages(7, nodes)
    try writer.optionalString(8, docString)
    try writer.messages(9, opsetImports)
    try writer.string(10, domain)
    try writer.messages(11, attributeDefaults)
    try writer.messages(12, valueInfo)
    try writer.optionalString(13, overload)
    try writer.messages(14, metadata)
  }
}
