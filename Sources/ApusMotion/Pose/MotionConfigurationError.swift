import ApusBase

/// A rate, a window or a model that cannot be used, or a model whose answer is not what it says it gives.
public enum MotionConfigurationError: ApusError, Sendable, Equatable {
  /// A frame rate that is not a finite number above 0.
  case invalidFrameRate(Double)
  /// A number of samples below 2.
  case invalidSampleCount(Int)
  /// A window length outside 1...65,536.
  case windowLengthOutOfRange(Int)
  /// A number of windows below 0, or of more than any memory holds.
  case invalidWindowCount(Int)
  /// A window of another size than 48 numbers a frame.
  case wrongWindowSize(found: Int, expected: Int)
  /// A model without labels.
  case noLabels
  /// A label that occurs twice.
  case duplicateLabel(String)
  /// A class said to be trained that is not among the labels.
  case unknownTrainedClass(String)
  /// A model that returned another number of probabilities than it has labels.
  case wrongProbabilityCount(found: Int, expected: Int)
  /// A model that returned a probability that is NaN or infinite.
  case probabilityNotFinite(label: String, value: Float)
}

extension MotionConfigurationError: CustomStringConvertible {
  /// What is wrong, and what was expected.
  public var description: String {
    switch self {
    case .invalidFrameRate(let rate):
      "frame rate \(rate), expected frames per second above 0"
    case .invalidSampleCount(let count):
      "\(count) random poses, expected 2 or more"
    case .windowLengthOutOfRange(let length):
      "window of \(length) frames, expected 1 to \(PoseBuffer.maximumCapacity)"
    case .invalidWindowCount(let count):
      "\(count) windows, expected 0 or more that fit in memory"
    case .wrongWindowSize(let found, let expected):
      "window of \(found) numbers, expected \(expected)"
    case .noLabels:
      "the model has no labels"
    case .duplicateLabel(let label):
      "the model has two labels \(label.quotedForMessage)"
    case .unknownTrainedClass(let label):
      "trained class \(label.quotedForMessage) is not among the model's labels"
    case .wrongProbabilityCount(let found, let expected):
      "the model returned \(found) probabilities, expected \(expected), one a label"
    case .probabilityNotFinite(let label, let value):
      "the model's probability of \(label.quotedForMessage) is \(value), expected a finite number"
    }
  }
}

extension MotionConfigurationError {
  /// The caller is at fault, for an answer of a model its weights.
  public var fault: Fault {
    switch self {
    // Settings are the caller's, answers those of a model's weights.
    case .wrongProbabilityCount, .probabilityNotFinite: .data
    default: .usage
    }
  }
}
