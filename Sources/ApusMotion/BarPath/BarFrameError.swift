import ApusBase

/// A frame that cannot be used, and why.
public struct BarFrameError: ApusError, Sendable, Equatable {
  /// What is wrong with the frame.
  public enum Reason: Sendable, Equatable {
    /// The frame's coordinates mean nothing without its width and height.
    case missingImageSize
    /// A number is NaN or infinite; `field` says which.
    case notFinite(field: String, value: Double)
    /// A number lies outside what is meaningful.
    case outOfRange(field: String, value: Double, expected: String)
    /// The timestamp is not after that of the frame before.
    case timestampNotIncreasing(Double, previous: Double)
  }

  /// The frame's index in its stream, from 0.
  public let frameIndex: Int
  public let reason: Reason

  public init(frameIndex: Int, reason: Reason) {
    self.frameIndex = frameIndex
    self.reason = reason
  }
}

extension BarFrameError: CustomStringConvertible {
  public var description: String { "frame \(frameIndex): \(reason)" }
}

extension BarFrameError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missingImageSize:
      "the image's width and height are missing, and detections and fractions need them"
    case .notFinite(let field, let value):
      "\(field) is \(value), expected a finite number"
    case .outOfRange(let field, let value, let expected):
      "\(field) is \(value), expected \(expected)"
    case .timestampNotIncreasing(let timestamp, let previous):
      "timestamp \(timestamp) s does not come \(BarFrame.leastInterval) s or more after \(previous) s, "
        + "that of the frame before"
    }
  }
}

extension BarFrameError {
  public var fault: Fault { .data }
}
