/// Where and why bytes are not the protocol buffer message they should be.
public struct ProtobufError: ApusError, Hashable, Sendable {
  /// The message that was being read: `NodeProto`.
  public let message: String
  /// The number of the field that was being read; nil between fields.
  public let field: Int?
  /// Where in the file the field begins.
  public let offset: Int
  /// What is wrong there.
  public let reason: Reason

  package init(message: String, field: Int?, offset: Int, reason: Reason) {
    self.message = message
    self.field = field
    self.offset = offset
    self.reason = reason
  }

  /// What a message can have wrong with it.
  public enum Reason: Hashable, Sendable {
    /// The message ends in the middle of something.
    case truncated(expected: String)
    /// A number of more than 64 bits.
    case numberTooLong
    /// A field whose number is zero or larger than any.
    case badFieldNumber(UInt64)
    /// One of the two kinds of encoding that no version of the format has.
    case badWireType(Int)
    /// A known field in another encoding than its own.
    case wrongWireType(found: String, expected: String)
    /// A field longer than what is left of its message.
    case lengthBeyondEnd(length: UInt64, available: Int)
    /// A list of fixed-size numbers whose length is not a multiple of their size.
    case partialElement(length: Int, elementSize: Int)
    /// A field that may occur once and occurs again.
    case repeated
    /// The end of a group that did not begin, or of another one.
    case strayGroupEnd
    /// Messages within messages beyond the limit.
    case tooDeep(limit: Int)
    /// A text that is not UTF-8.
    case notUTF8
    /// A text with more combining marks in a row than any has.
    case tooManyMarks(limit: Int)
  }
}

extension ProtobufError: CustomStringConvertible {
  /// The message, the field, the byte, and what is wrong.
  public var description: String {
    "\(message)\(field.map { ", field \($0)" } ?? ""), byte \(offset): \(reason)"
  }
}

extension ProtobufError.Reason: CustomStringConvertible {
  /// What is wrong, without the place.
  public var description: String {
    switch self {
    case .truncated(let expected): "ends where \(expected) was expected"
    case .numberTooLong: "a number of more than 64 bits"
    case .badFieldNumber(let number): "\(number) is not the number of a field"
    case .badWireType(let type): "\(type) is not a kind of encoding"
    case .wrongWireType(let found, let expected): "is encoded as \(found), where \(expected) was expected"
    case .lengthBeyondEnd(let length, let available): "a length of \(length) bytes, where \(available) are left"
    case .partialElement(let length, let size): "\(length) bytes are not a multiple of the element size, \(size) bytes"
    case .repeated: "occurs twice, where one was expected"
    case .strayGroupEnd: "the end of a group that did not begin"
    case .tooDeep(let limit): "more than \(limit) messages within one another"
    case .notUTF8: "a text that is not UTF-8"
    case .tooManyMarks: "a text with \(MarkRun.message)"
    }
  }
}

extension ProtobufError {
  /// ``Fault/data``: the bytes are damaged, or of another format.
  public var fault: Fault { .data }
}
