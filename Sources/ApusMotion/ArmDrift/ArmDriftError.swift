import ApusBase

/// A recording of arms that cannot be used, and why.
///
/// A recording that is sound and merely shows too little is not an error: it is
/// ``ArmDriftResult/insufficientData(_:)``.
public struct ArmDriftError: ApusError, Sendable, Equatable {
  /// What is wrong with it.
  public enum Reason: Error, Sendable, Equatable {
    /// The text is not what it should be; columns count bytes from 1.
    case malformed(column: Int, message: String)
    /// A field is absent and there is no default for it.
    case missingField(String)
    /// A field occurs twice.
    case duplicateField(String)
    /// A field does not hold what it should.
    case wrongValue(field: String, found: String, expected: String)
    /// Two forms of input in one file.
    case mixedForms(String, String)
    /// A number is NaN or infinite; `field` says which.
    case notFinite(field: String, value: Double)
    /// Width or height is not above 0, or beyond ``ArmFrame/sizeLimit``.
    case invalidImageSize(width: Double, height: Double)
    /// A frame does not come after the one before.
    case timestampNotIncreasing(Double, previous: Double)
    /// The timestamp lies beyond ±``PoseFrame/timestampLimit``.
    case timestampOutOfRange(Double)
    /// The points of the recording are in another space than it says.
    case spaceMistake(SpaceMistake)
    /// There is not one frame.
    case noFrames
    /// There are more frames than ``ArmRecording/frameLimit``.
    case tooManyFrames(limit: Int)
    /// The text is longer than the reader's limit, in bytes.
    case tooLong(limit: Int)
  }

  /// The line of the text, from 1; nil where there is no text.
  public var line: Int?
  /// The frame, from 0; nil where the fault is not that of a frame.
  public var frameIndex: Int?
  /// Whether `line` counts the lines of the text inside an envelope's `body`.
  public var isInBody = false
  /// What is wrong with it.
  public var reason: Reason

  /// An error of a text, or of a frame.
  public init(_ reason: Reason, line: Int? = nil, frameIndex: Int? = nil) {
    self.reason = reason
    self.line = line
    self.frameIndex = frameIndex
  }
}

extension ArmDriftError: CustomStringConvertible {
  /// Such as `line 3 (frame 2): right_wrist x is missing`.
  public var description: String {
    let frame = frameIndex.map { "frame \($0)" }
    let place = line.map { "line \($0)" + (frame.map { " (\($0))" } ?? "") } ?? frame
    return (isInBody ? "body: " : "") + (place.map { "\($0): " } ?? "") + "\(reason)"
  }
}

extension ArmDriftError.Reason: CustomStringConvertible {
  /// What is wrong, and what was expected.
  public var description: String {
    switch self {
    case .malformed(let column, let message): "column \(column): \(message)"
    case .missingField(let field): "\(field) is missing"
    case .duplicateField(let field): "\(field.quotedForMessage) occurs twice"
    case .wrongValue(let field, let found, let expected):
      "\(field.quotedForMessage) is \(found.quotedForMessage), expected \(expected)"
    case .mixedForms(let first, let second):
      "\(first.quotedForMessage) and \(second.quotedForMessage) are two forms of input, expected one"
    case .notFinite(let field, let value): "\(field) is \(value), expected a finite number"
    case .invalidImageSize(let width, let height):
      "image size \(width) x \(height), expected width and height above 0 and up to \(ArmFrame.sizeLimit)"
    case .timestampNotIncreasing(let timestamp, let previous):
      "timestamp \(timestamp) s does not come after \(previous) s, that of the frame before, by "
        + "\(ArmFrame.shortestInterval) s or more"
    case .timestampOutOfRange(let timestamp):
      "timestamp \(timestamp) s, expected seconds within ±\(PoseFrame.timestampLimit)"
    case .spaceMistake(let mistake): "\(mistake)"
    case .noFrames: "no frames"
    case .tooManyFrames(let limit): "more than \(limit) frames"
    case .tooLong(let limit): "longer than \(limit) bytes"
    }
  }
}

extension ArmDriftError {
  /// The recording is at fault.
  public var fault: Fault { .data }
}
