import ApusGraph

/// A pair of texts: an entry of the metadata of a model, graph or node.
public struct StringStringEntry: Sendable, Hashable {
  public var key: String
  public var value: String

  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

extension StringStringEntry: ProtobufMessage {
  package static let messageName = "StringStringEntryProto"

  package init(from reader: inout ProtobufReader) throws(ProtobufError) {
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
