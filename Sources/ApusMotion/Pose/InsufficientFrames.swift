import ApusBase

/// Too few frames for a window: an outcome of a stream that ended early, not a prediction.
public struct InsufficientFrames: ApusError, Sendable, Hashable {
  /// How many frames there are.
  public let available: Int
  /// How many a window needs.
  public let required: Int

  public init(available: Int, required: Int) {
    self.available = available
    self.required = required
  }
}

extension InsufficientFrames: CustomStringConvertible {
  /// Such as `insufficient_frames: 37/100`.
  public var description: String { "insufficient_frames: \(available)/\(required)" }
}

extension InsufficientFrames {
  public var fault: Fault { .data }
}
