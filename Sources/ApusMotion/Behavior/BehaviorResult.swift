/// A stream's predictions over time, kept for charts and reports: the probabilities of all labels at each, segments,
/// pauses. It grows by some hundred bytes a prediction; a stream without a page needs none.
public struct BehaviorResult: Sendable {
  /// What the model says about itself.
  public let info: BehaviorModelInfo
  /// The settings of the analysis.
  public let settings: BehaviorSettings
  /// The time of each prediction, in seconds.
  public private(set) var times: [Double] = []
  /// The place in the model's labels of the most probable one, a prediction each.
  public private(set) var leaders: [Int32] = []
  /// Predictions that come after a pause.
  public private(set) var firstsAfterGap: Set<Int> = []
  /// The segments that have ended.
  public private(set) var segments: [BehaviorSegment] = []
  /// What the stream came to; nil until ``finish(_:)``.
  public private(set) var summary: BehaviorStreamSummary?

  /// Predictions in which the model abstained for want of points.
  public private(set) var abstentions: Set<Int> = []
  /// The points for want of which it did, in any of them.
  public private(set) var lackingPoints: KeypointSet = []

  /// Predictions of windows whose frames came at a rate that the model did not learn.
  public private(set) var unlearnedRateCount = 0
  /// The rate of the first of them.
  public private(set) var unlearnedRate: UnlearnedRate?

  private var probabilities: [Float] = []
  private var missing = 0.0
  private var isAfterGap = false
  private var segmenter: BehaviorSegmenter

  /// - Throws: ``SettingsError`` for a setting of the segments outside its range.
  public init(info: BehaviorModelInfo, settings: BehaviorSettings = BehaviorSettings()) throws(SettingsError) {
    self.info = info
    self.settings = settings
    segmenter = try BehaviorSegmenter(settings: settings.segments)
  }

  /// How many predictions there are.
  public var count: Int { times.count }

  /// The probability of the label at a place among the model's, in a prediction; nil where there is none.
  public func probability(ofLabel label: Int, at index: Int) -> Float? {
    guard times.indices.contains(index), info.labels.indices.contains(label) else { return nil }
    return probabilities[index * info.labels.count + label]
  }

  /// The probability of the most probable label of a prediction; nil where there is none.
  public func confidence(at index: Int) -> Float? {
    leaders.indices.contains(index) ? probability(ofLabel: Int(leaders[index]), at: index) : nil
  }

  /// The mean share of keypoints in a window that were not seen, 0...1; nil without predictions.
  public var missingFraction: Double? { count == 0 ? nil : missing / Double(count) }

  /// How many predictions were below the threshold, or abstentions.
  public var uncertainCount: Int {
    (0..<count).count { abstentions.contains($0) || (confidence(at: $0) ?? 0) < settings.threshold }
  }

  /// What each label came to in the segments that have ended, longest first.
  public var totals: [BehaviorTotal] { segmenter.totals }

  /// The labels that were the most probable ones at least once, by their places, the most frequent first.
  public var leadingLabels: [Int] {
    var counts = [Int](repeating: 0, count: info.labels.count)
    for leader in leaders { counts[Int(leader)] += 1 }
    return counts.indices.filter { counts[$0] > 0 }.sorted { (counts[$1], $0) < (counts[$0], $1) }
  }

  /// Takes the next event. A prediction of a model with other labels is passed over.
  public mutating func push(_ event: BehaviorEvent) {
    if let segment = segmenter.push(event) { segments.append(segment) }
    guard case .prediction(let prediction) = event else {
      isAfterGap = true
      return
    }
    guard prediction.labels == info.labels, prediction.probabilities.count == info.labels.count,
      let leader = info.labels.firstIndex(of: prediction.rawLabel)
    else { return }
    if isAfterGap, count > 0 { firstsAfterGap.insert(count) }
    isAfterGap = false
    if prediction.isAbstention { abstentions.insert(count) }
    for point in prediction.lackingPoints { lackingPoints.insert(point) }
    if let rate = prediction.unlearnedRate {
      unlearnedRateCount += 1
      unlearnedRate = unlearnedRate ?? rate
    }
    times.append(prediction.timestamp)
    leaders.append(Int32(truncatingIfNeeded: leader))
    probabilities += prediction.probabilities
    missing += prediction.missingFraction
  }

  /// Ends what is open.
  public mutating func finish(_ summary: BehaviorStreamSummary) {
    if let segment = segmenter.finish() { segments.append(segment) }
    self.summary = summary
  }
}
