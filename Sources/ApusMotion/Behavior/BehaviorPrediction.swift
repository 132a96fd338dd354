/// What the classifier says about one window.
public struct BehaviorPrediction: Sendable, Hashable {
  /// The label reported when the confidence is below the threshold.
  public static let uncertain = "uncertain"

  /// The time of the window's newest frame, in seconds.
  public let timestamp: Double
  /// The index in the input, from 0, of the window's newest frame; frames the throttle dropped count too.
  public let frameIndex: Int
  /// The most probable label, or ``uncertain`` where its probability is *below* the threshold, exactly the threshold
  /// being enough, and where ``lackingPoints`` are too many to say anything.
  public let label: String
  /// The most probable label, however improbable. Among equals the first.
  public let rawLabel: String
  /// The probability of `rawLabel`.
  public let confidence: Float
  /// The model's labels, in its order.
  public let labels: [String]
  /// The probability of each label, in the same order.
  public let probabilities: [Float]
  /// The share of the window's keypoints that were not seen, 0...1; at 1 the answer rests on nothing.
  public let missingFraction: Double
  /// The keypoints that were seen in no frame of the window.
  public let neverSeen: KeypointSet
  /// Those of them that the model cannot do without: where there are any, it abstains, however sure its numbers are.
  public let lackingPoints: [DogKeypoint]
  /// Seconds from the window's oldest frame to its newest.
  public let windowSeconds: Double
  /// Set where that is not what the model learned: its numbers mean little then.
  public let unlearnedRate: UnlearnedRate?

  /// Whether the model abstains for want of points.
  public var isAbstention: Bool { !lackingPoints.isEmpty }

  /// The probability of a label, or nil when the model has no such label.
  public subscript(label: String) -> Float? {
    labels.firstIndex(of: label).map { probabilities[$0] }
  }

  /// Labels and probabilities, most probable first; equals in the model's order.
  public var ranked: [(label: String, probability: Float)] {
    zip(labels, probabilities).enumerated()
      .sorted { ($1.element.1, $0.offset) < ($0.element.1, $1.offset) }
      .map { (label: $0.element.0, probability: $0.element.1) }
  }

  /// - Parameter probabilities: one finite number a label; labels are not empty.
  init(
    timestamp: Double, frameIndex: Int, labels: [String], probabilities: [Float], threshold: Float,
    missingFraction: Double, neverSeen: KeypointSet = [], lackingPoints: [DogKeypoint] = [], windowSeconds: Double,
    unlearnedRate: UnlearnedRate? = nil
  ) {
    var best = 0
    for index in probabilities.indices where probabilities[index] > probabilities[best] { best = index }
    self.timestamp = timestamp
    self.frameIndex = frameIndex
    self.labels = labels
    self.probabilities = probabilities
    rawLabel = labels[best]
    confidence = probabilities[best]
    label = !lackingPoints.isEmpty || probabilities[best] < threshold ? Self.uncertain : labels[best]
    self.neverSeen = neverSeen
    self.lackingPoints = lackingPoints
    self.missingFraction = missingFraction
    self.windowSeconds = windowSeconds
    self.unlearnedRate = unlearnedRate
  }
}
