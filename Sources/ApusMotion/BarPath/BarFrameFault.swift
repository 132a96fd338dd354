import ApusBase

extension BarFrame: ReadableFrame {
  /// What is wrong with a frame.
  public enum Fault: Error, Sendable, Hashable {
    /// The frame's coordinates mean nothing without its width and height.
    case missingImageSize
    /// A number is NaN or infinite; `field` says which.
    case notFinite(field: String, value: Double)
    /// A number lies outside what is meaningful.
    case outOfRange(field: String, value: Double, expected: String)
    /// The boxes or bars up to this frame are in another space than the file says.
    case spaceMistake(SpaceMistake)
    /// The timestamp is not after that of the frame before; both in seconds.
    case timestampNotIncreasing(Double, previous: Double)
  }

  /// What is wrong with a file of bars as a whole.
  public enum FileFault: Error, Sendable, Equatable {
    /// The file has several lifts, and it was not said which one is meant.
    case severalLifts(first: String, found: String)
  }
}

/// A frame of a lift that cannot be used, and why.
public typealias BarFrameError = FrameError<BarFrame>

/// A line of a file of detections or bar positions that cannot be used, and why.
public typealias BarReadError = FrameReadError<BarFrame>

extension BarFrame.Fault: CustomStringConvertible {
  /// What is wrong, and what was expected.
  public var description: String {
    switch self {
    case .missingImageSize:
      "the image's width and height are missing, and detections and fractions need them"
    case .notFinite(let field, let value):
      "\(field) is \(value), expected a finite number"
    case .outOfRange(let field, let value, let expected):
      "\(field) is \(value), expected \(expected)"
    case .spaceMistake(let mistake):
      // Lines without a space are in pixels: what is missing has to be said.
      "\(mistake); a line says which as \"space\""
    case .timestampNotIncreasing(let timestamp, let previous):
      "timestamp \(timestamp) s does not come \(BarFrame.leastInterval) s or more after \(previous) s, "
        + "that of the frame before"
    }
  }
}

extension BarFrame.FileFault: CustomStringConvertible {
  /// What is wrong, and what to do about it.
  public var description: String {
    switch self {
    case .severalLifts(let first, let found):
      "lift \(found.quotedForMessage) follows lift \(first.quotedForMessage): choose one, or ask for each"
    }
  }
}
