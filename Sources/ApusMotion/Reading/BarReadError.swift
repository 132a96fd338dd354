import ApusBase

/// A line of a file of detections or bar positions that cannot be used, and why.
public struct BarReadError: ApusError, Sendable, Equatable {
  /// What is wrong with the line.
  public enum Reason: Sendable, Equatable {
    /// It is not what its format asks for.
    case unreadable(PoseReadError.Reason)
    /// It was read, but the frame in it cannot be used.
    case invalidFrame(BarFrameError.Reason)
    /// The file has several lifts, and none was chosen.
    case severalLifts(first: String, found: String)
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

extension BarReadError: CustomStringConvertible {
  public var description: String {
    let place = frameIndex.map { "line \(line) (frame \($0))" } ?? "line \(line)"
    return "\(place): \(reason)"
  }
}

extension BarReadError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreadable(let reason): reason.description
    case .invalidFrame(let reason): reason.description
    case .severalLifts(let first, let found):
      "lift \(found.quotedForMessage) follows lift \(first.quotedForMessage): choose one, or ask for each"
    }
  }
}

extension BarReadError {
  public var fault: Fault { .data }
}
