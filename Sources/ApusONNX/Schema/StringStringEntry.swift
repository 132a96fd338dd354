import Apus
import ApusGraph

/// A pair of texts: an entry of the metadata of a model, graph or node.
public struct StringStringEntry: Sendable, Hashable {
  /// The entry's name.
  public var key: String
  /// The entry's text.
  public var value: String

  /// A pair to be written.
  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

extension StringStringEntry: ONNXMessage {
  package static let messageName = "StringStringEntryProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init(key: "", value: "")
    while let field = try reader.next() {
      switch field.number {
      case 1: key = try reader.note(field)
      case 2: value = try reader.note(field)
      default: try reader.skip(field)
      }
    }
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    try writer.string(1, key)
    try writer.string(2, value)
  }
}
