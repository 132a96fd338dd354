import ApusBase

/// A setting outside its range, or a model that does not keep its word.
public enum MotionConfigurationError: ApusError, Sendable, Equatable {
  /// A frame rate that is not a finite number above 0.
  case invalidFrameRate(Double)
  /// A stride below 1.
  case invalidStride(Int)
  /// A confidence threshold outside 0...1.
  case invalidThreshold(Float)
  /// A threshold for leaving a segment outside 0 and that for entering one.
  case invalidLeaveThreshold(Float, enter: Float)
  /// A least duration of a segment that is negative or not finite.
  case invalidMinimumDuration(Double)
  /// A gap that is not a number above 0.
  case invalidMaximumGap(Double)
  /// A number of frames to hold a point for that is negative.
  case invalidHold(Int)
  /// A margin around the image that is negative or not finite.
  case invalidMargin(Double)
  /// A least confidence that is not finite.
  case invalidMinimumConfidence(Double)
  /// A default image size that is not a finite number above 0.
  case invalidImageSize(Double)
  /// A point that the order does not have.
  case unknownKeypoint(String, order: KeypointOrder)
  /// A limit on the length of a line below 1.
  case invalidLineLimit(Int)
  /// A number of samples below 2.
  case invalidSampleCount(Int)
  /// A window length outside 1...65,536.
  case windowLengthOutOfRange(Int)
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
  public var description: String {
    switch self {
    case .invalidFrameRate(let rate):
      "frame rate \(rate), expected frames per second above 0"
    case .invalidStride(let stride):
      "stride \(stride), expected 1 or more"
    case .invalidThreshold(let threshold):
      "confidence threshold \(threshold), expected 0 to 1"
    case .invalidLeaveThreshold(let threshold, let enter):
      "leave threshold \(threshold), expected 0 to \(enter), the enter threshold"
    case .invalidMinimumDuration(let duration):
      "minimum duration \(duration) s, expected a finite number of 0 or more"
    case .invalidMaximumGap(let gap):
      "largest gap \(gap) s, expected seconds above 0"
    case .invalidHold(let frames):
      "hold:\(frames), expected 0 frames or more"
    case .invalidMargin(let margin):
      "margin \(margin), expected a finite number of 0 or more"
    case .invalidMinimumConfidence(let confidence):
      "least confidence \(confidence), expected a finite number"
    case .invalidImageSize(let size):
      "default image width or height \(size), expected a finite number above 0"
    case .unknownKeypoint(let name, let order):
      "\(name.quotedForMessage) is no keypoint of the order \(order.rawValue)"
    case .invalidLineLimit(let limit):
      "line limit \(limit) bytes, expected 1 or more"
    case .invalidSampleCount(let count):
      "\(count) random poses, expected 2 or more"
    case .windowLengthOutOfRange(let length):
      "window of \(length) frames, expected 1 to \(PoseBuffer.maximumCapacity)"
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
  public var fault: Fault {
    switch self {
    // Settings are the caller's, answers those of a model's weights.
    case .wrongProbabilityCount, .probabilityNotFinite: .data
    default: .usage
    }
  }
}
