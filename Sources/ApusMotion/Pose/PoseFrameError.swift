import ApusBase

/// A frame that cannot be used, and why.
public struct PoseFrameError: ApusError, Sendable, Equatable {
  /// What is wrong with the frame.
  public enum Reason: Sendable, Equatable {
    /// The frame has another number of points than its order asks for.
    case wrongPointCount(found: Int, expected: Int, order: KeypointOrder)
    /// Width or height is zero or negative.
    case invalidImageSize(width: Double, height: Double)
    /// A number is NaN or infinite, or too large for single precision; `field` says which.
    case notFinite(field: String, value: Double)
    /// The timestamp is not after that of the frame before.
    case timestampNotIncreasing(Double, previous: Double)
    /// The timestamp lies beyond ±``PoseFrame/timestampLimit``.
    case timestampOutOfRange(Double)
  }

  /// The frame's index in its stream, from 0.
  public let frameIndex: Int
  public let reason: Reason

  public init(frameIndex: Int, reason: Reason) {
    self.frameIndex = frameIndex
    self.reason = reason
  }
}

extension PoseFrameError: CustomStringConvertible {
  public var description: String { "frame \(frameIndex): \(reason)" }
}

extension PoseFrameError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .wrongPointCount(let found, let expected, let order):
      "\(found) keypoints, expected \(expected) (keypoint order \(order.rawValue))"
    case .invalidImageSize(let width, let height):
      "image size \(width) x \(height), expected width and height above 0"
    case .notFinite(let field, let value):
      "\(field) is \(value), expected a finite number"
    case .timestampNotIncreasing(let timestamp, let previous):
      "timestamp \(timestamp) s does not come after \(previous) s, that of the frame before"
    case .timestampOutOfRange(let timestamp):
      "timestamp \(timestamp) s, expected seconds within ±\(PoseFrame.timestampLimit)"
    }
  }
}

extension PoseFrameError {
  public var fault: Fault { .data }
}
