import Apus
import ApusGraph

/// A value or none, as a file holds it.
public struct OptionalProto: Sendable {
  /// The value's name; it may be empty.
  public var name: String
  /// The value; nil for none.
  public var content: SequenceProto.Element?

  /// A value to be written, or none.
  public init(name: String = "", content: SequenceProto.Element? = nil) {
    self.name = name
    self.content = content
  }

  /// The value; `element` is the type that is declared of it.
  /// - Throws: ``ONNXFileError``.
  public func value(element: GraphValueType) throws -> GraphValue {
    .optional(try content?.value(expecting: element), element: element)
  }
}

extension OptionalProto: ONNXMessage {
  package static let messageName = "OptionalProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init()
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.note(field)
      case 3: content = .tensor(try reader.message(field))
      case 4: content = .sparseTensor(try reader.message(field))
      case 5: content = .sequence(try reader.message(field))
      case 6:
        try reader.skip(field)
        content = .map
      case 7: content = .optional(try reader.message(field))
      default: try reader.skip(field)
      }
    }
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    try writer.optionalString(1, name)
    try writer.int64(2, content?.kind ?? 0)
    if let content { try writer.message(content.field, content) }
  }
}
