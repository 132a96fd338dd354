import Apus
import ApusGraph

/// The name and type of a value.
public struct ValueInfoProto: Sendable, Hashable {
  /// The value's name.
  public var name: String
  /// Nil when the producer declared none.
  public var type: GraphValueType?
  /// What its author says of it; Apus does not use it.
  public var docString: String
  /// What the type stands for, which is written again with it.
  var denotations = TypeDenotations()

  /// A value to be declared in a graph or function.
  public init(name: String, type: GraphValueType? = nil, docString: String = "") {
    self.name = name
    self.type = type
    self.docString = docString
  }
}

extension ValueInfoProto: ONNXMessage {
  package static let messageName = "ValueInfoProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init(name: "")
    var denoted: DenotedType?
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.string(field)
      case 2: try reader.message(field, into: &denoted)
      case 3: docString = try reader.note(field)
      default: try reader.skip(field)
      }
    }
    if let denoted { (type, denotations) = (denoted.type, denoted.denotations) }
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    try writer.string(1, name)
    if let type { try writer.message(2, DenotedType(type: type, denotations: denotations)) }
    try writer.optionalString(3, docString)
  }
}
