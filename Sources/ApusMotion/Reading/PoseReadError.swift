/// A line of a pose file that cannot be used, and why.
public struct PoseReadError: Error, Sendable, Equatable {
  /// What is wrong with the line.
  public enum Reason: Sendable, Equatable {
    /// The line is longer than the reader's limit, in bytes.
    case lineTooLong(limit: Int)
    /// The line is not what its format asks for; columns count bytes from 1.
    case malformed(column: Int, message: String)
    /// A field or a column is absent and there is no default for it.
    case missingField(String)
    /// A field or a column occurs twice.
    case duplicateField(String)
    /// A field does not hold what it should.
    case wrongValue(field: String, found: String, expected: String)
    /// A CSV row has another number of fields than its header.
    case wrongColumnCount(found: Int, expected: Int)
    /// The line was read, but the frame in it cannot be used.
    case invalidFrame(PoseFrameError.Reason)
  }

  /// The line's number in the input, from 1.
  public let line: Int
  /// The index, from 0, of the frame on that line; nil for a line that holds none, such as a CSV header.
  public let frameIndex: Int?
  public let reason: Reason

  public init(line: Int, frameIndex: Int?, reason: Reason) {
    self.line = line
    self.frameIndex = frameIndex
    self.reason = reason
  }
}

extension PoseReadError: CustomStringConvertible {
  public var description: String {
    let place = frameIndex.map { "line \(line) (frame \($0))" } ?? "line \(line)"
    return "\(place): \(reason)"
  }
}

extension PoseReadError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .lineTooLong(let limit):
      "longer than \(limit) bytes"
    case .malformed(let column, let message):
      "column \(column): \(message)"
    case .missingField(let field):
      "\(field) is missing"
    case .duplicateField(let field):
      "\(field.quotedForMessage) occurs twice"
    case .wrongValue(let field, let found, let expected):
      "\(field) is \(found.quotedForMessage), expected \(expected)"
    case .wrongColumnCount(let found, let expected):
      "\(found) fields, expected \(expected) as in the header"
    case .invalidFrame(let reason):
      reason.description
    }
  }
}
