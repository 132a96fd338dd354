import Apus
import ApusGraph

/// A version of a set of operators that a model or function is written against.
public struct OperatorSetID: Sendable, Hashable {
  /// Empty for the operators of the standard itself.
  public var domain: String
  /// The version, from 1 on; the standard counts its own and `ai.onnx.ml` separately.
  public var version: Int64

  /// A version of the operators of `domain`.
  public init(domain: String = "", version: Int64) {
    self.domain = domain
    self.version = version
  }
}

extension OperatorSetID: ONNXMessage {
  package static let messageName = "OperatorSetIdProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init(version: 0)
    while let field = try reader.next() {
      switch field.number {
      case 1: domain = try reader.string(field)
      case 2: version = try reader.int64(field)
      default: try reader.skip(field)
      }
    }
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    // An empty domain is written too: some readers ask for the field.
    try writer.string(1, domain)
    try writer.int64(2, version)
  }
}
