/// What a behaviour model says about itself.
public struct BehaviorModelInfo: Sendable, Hashable {
  /// The model's name.
  public let name: String
  /// One label for each output, in order. Not empty, no label twice.
  public let labels: [String]
  /// The labels that had training data, in the order of `labels`. The original model was trained on sit, down and
  /// stand only, and lists 21 labels all the same; this says so.
  public let trainedClasses: [String]
  /// How many frames a window has.
  public let windowLength: Int
  /// How many frames a second it learned from; nil where that is unknown.
  public let framesPerSecond: Double?
  /// What it learned from, in a sentence, such as "synthetic motion".
  public let trainingData: String?
  /// The keypoints that it has learned to do without, all of them at once.
  public let dispensablePoints: KeypointSet

  /// The points that StanfordExtra or Apple's Vision do not have. The model that ships was trained with windows
  /// without them, and with windows without any single point; on held-out windows it is then right as often as with all
  /// (99 %). Without two others it may be right in fewer than half, and as sure as ever.
  public static let usuallyDispensable: KeypointSet = [
    .withers, .leftFrontShoulder, .rightFrontShoulder, .center, .tailMid1, .tailMid2,
  ]

  /// The rate that the original application uses, and that the model that ships was trained at.
  public static let usualFramesPerSecond = 10.0

  /// - Parameters:
  ///   - trainedClasses: nil means all labels.
  ///   - framesPerSecond: how many frames a second it learned from, where that is known.
  ///   - dispensablePoints: the keypoints that the model has learned to do without.
  /// - Throws: ``MotionConfigurationError`` when there are no labels, a label occurs twice, a trained class is no
  ///   label, the window length is outside 1...65,536, or the rate is no number above 0.
  public init(
    name: String, labels: [String] = DogBehavior.labels, trainedClasses: [String]? = nil,
    windowLength: Int = 100, framesPerSecond: Double? = nil, trainingData: String? = nil,
    dispensablePoints: KeypointSet = usuallyDispensable
  ) throws(MotionConfigurationError) {
    guard !labels.isEmpty else { throw .noLabels }
    var seen: Set<String> = []
    for label in labels where !seen.insert(label).inserted { throw .duplicateLabel(label) }
    let trained = Set(trainedClasses ?? labels)
    if let stranger = (trainedClasses ?? []).first(where: { !seen.contains($0) }) {
      throw .unknownTrainedClass(stranger)
    }
    guard (1...PoseBuffer.maximumCapacity).contains(windowLength) else {
      throw .windowLengthOutOfRange(windowLength)
    }
    if let framesPerSecond, !SettingRange.above(0).contains(framesPerSecond) {
      throw .invalidFrameRate(framesPerSecond)
    }
    self.name = name
    self.labels = labels
    self.trainedClasses = labels.filter(trained.contains)
    self.windowLength = windowLength
    self.framesPerSecond = framesPerSecond
    self.trainingData = trainingData
    self.dispensablePoints = dispensablePoints
  }

  /// Seconds from the oldest frame of a window to its newest, as it learned them; nil where the rate is unknown.
  public var windowSeconds: Double? { framesPerSecond.map { Double(windowLength - 1) / $0 } }

  /// Those of the points that a window lacks from beginning to end without which the model's answer is worth nothing;
  /// none where a single one is missing, whichever it is.
  public func indispensable(among neverSeen: KeypointSet) -> [DogKeypoint] {
    neverSeen.count < 2 ? [] : neverSeen.subtracting(dispensablePoints).keypoints
  }

  /// The labels that had no training data: whatever probability they get means nothing.
  public var untrainedClasses: [String] {
    let trained = Set(trainedClasses)
    return labels.filter { !trained.contains($0) }
  }
}

/// The 21 behaviours of the classifier, in the order of its output.
///
/// The raw value is the label; ``labels`` lists them by output index. Several differ by context rather than by motion
/// (stay, wait, heel, leave_it): a pose alone cannot tell them apart.
public enum DogBehavior: String, CaseIterable, Sendable, Hashable {
  case sit, down, stand, stay, lying, heel, come, fetch, drop, wait
  case leaveIt = "leave_it"
  case walking, trotting, running, jumping, spinning, rolling, playing, alert, sniffing, looking

  /// The 21 labels by output index, from 0 `sit` to 20 `looking`.
  public static let labels = allCases.map(\.rawValue)
}
