/// Why bytes are not the JSON that was expected, and where.
public struct JSONError: ApusError, Hashable, Sendable {
  /// The byte at which reading stopped, counted from the start of the JSON text.
  public let offset: Int
  /// What is wrong there.
  public let reason: Reason

  package init(offset: Int, reason: Reason) {
    (self.offset, self.reason) = (offset, reason)
  }

  /// What JSON text can have wrong with it.
  public enum Reason: Hashable, Sendable {
    /// The text ends inside a value.
    case unexpectedEnd
    /// Something else stands where `expected` was needed.
    case expected(String)
    /// Text follows the value.
    case trailingText
    /// A control character inside a string, or an escape that JSON does not have.
    case badString
    /// A string that is not valid UTF-8, or half of a surrogate pair.
    case badUnicode
    /// A number that JSON does not allow, such as `01` or `.5`.
    case badNumber
    /// An integer beyond the range of `Int`.
    case numberOutOfRange
    /// Arrays and objects nested deeper than the limit.
    case tooDeep(limit: Int)
    /// A key or a string longer than is allowed in that place.
    case tooLong(byteCount: Int, limit: Int)
    /// A key or a name with more combining marks in a row than any text has.
    case tooManyMarks(limit: Int)
    /// An object with the same key twice.
    case duplicateKey(String)
  }
}

extension JSONError: CustomStringConvertible {
  /// What is wrong, and at which byte of the text.
  public var description: String { "\(reason) at byte \(offset)" }
}

extension JSONError.Reason: CustomStringConvertible {
  /// What is wrong, without the place.
  public var description: String {
    switch self {
    case .unexpectedEnd: "the JSON text ends inside a value"
    case .expected(let what): "\(what) was expected"
    case .trailingText: "text follows the end of the JSON value"
    case .badString: "a string with a control character or an unknown escape"
    case .badUnicode: "a string that is not valid Unicode"
    case .badNumber: "a malformed number"
    case .numberOutOfRange: "a number beyond 64 bits"
    case .tooDeep(let limit): "more than \(limit) nested arrays and objects"
    case .tooLong(let byteCount, let limit): "a string of \(byteCount) bytes; at most \(limit) are allowed here"
    case .tooManyMarks: "a string with \(MarkRun.message)"
    case .duplicateKey(let key): "the key \"\(key)\" twice in one object"
    }
  }
}

extension JSONError {
  /// ``Fault/data``: the text is malformed or too large.
  public var fault: Fault { .data }
}
