/// A network that tells a dog's behaviour from a window of poses.
///
/// A window is `[48, windowLength]`, flat and channel-major: feature `c` of frame `t` at `c * windowLength + t`,
/// frame 0 the oldest, feature 2k the x and 2k + 1 the y of ``DogKeypoint`` k. ``PoseBuffer`` writes it. ApusMotion
/// knows no tensors and no networks; a model conforms to this protocol and ``BehaviorStream`` does the rest.
public protocol BehaviorClassifying: Sendable {
  /// Labels, window length, and what the model was trained on. Does not change.
  var modelInfo: BehaviorModelInfo { get }

  /// The probability of each label for one window.
  ///
  /// - Parameter window: 48 · windowLength numbers, channel-major.
  /// - Returns: one probability a label, in the order of the labels; they add up to 1.
  /// - Throws: ``MotionConfigurationError/wrongWindowSize(found:expected:)`` for another number of them.
  func probabilities(forWindow window: [Float]) throws -> [Float]

  /// The probabilities for several windows at once.
  ///
  /// There is a default that runs one after the other; a model that gains from batches writes its own.
  ///
  /// - Parameters:
  ///   - windows: `[count, 48, windowLength]`: the windows one after the other.
  ///   - count: how many windows there are, 0 or more.
  /// - Returns: `[count, labels]`, flat.
  /// - Throws: ``MotionConfigurationError`` unless `windows` holds `count` windows.
  func probabilities(forWindows windows: [Float], count: Int) throws -> [Float]
}

extension BehaviorClassifying {
  /// One label for each output, in order.
  public var labels: [String] { modelInfo.labels }

  /// How many frames a window has.
  public var windowLength: Int { modelInfo.windowLength }

  /// How many numbers a window has: 48 · windowLength.
  public var windowSize: Int { PoseVector.featureCount * windowLength }

  /// Runs one window after the other.
  ///
  /// - Throws: ``MotionConfigurationError`` unless `windows` holds `count` windows, and whatever the model throws.
  public func probabilities(forWindows windows: [Float], count: Int) throws -> [Float] {
    try check(windows, count: count)
    var result: [Float] = []
    result.reserveCapacity(count * labels.count)
    for index in 0..<count {
      let window = Array(windows[index * windowSize..<(index + 1) * windowSize])
      result += try checked(probabilities(forWindow: window))
    }
    return result
  }

  /// - Throws: ``MotionConfigurationError`` unless `windows` holds `count` windows.
  package func check(_ windows: [Float], count: Int) throws(MotionConfigurationError) {
    let (expected, overflow) = windowSize.multipliedReportingOverflow(by: count)
    guard count >= 0, !overflow else { throw .invalidWindowCount(count) }
    guard windows.count == expected else { throw .wrongWindowSize(found: windows.count, expected: expected) }
  }

  /// The model's answer, once it is known to have one finite number a label.
  func checked(_ probabilities: [Float], windows: Int = 1) throws(MotionConfigurationError) -> [Float] {
    guard probabilities.count == labels.count * windows else {
      throw .wrongProbabilityCount(found: probabilities.count, expected: labels.count * windows)
    }
    if let index = probabilities.firstIndex(where: { !$0.isFinite }) {
      throw .probabilityNotFinite(label: labels[index % labels.count], value: probabilities[index])
    }
    return probabilities
  }
}
