/// A stretch of time with one behaviour.
public struct BehaviorSegment: Sendable, Hashable {
  /// The behaviour.
  public let label: String
  /// The time of its first prediction, in seconds. A prediction has the time of its window's newest frame, so a
  /// behaviour shows up here some seconds after it began.
  public let start: Double
  /// The time of the first prediction that is no longer part of it; where the stream ended or broke off, that of the
  /// last one that is.
  public let end: Double
  /// Predictions between start and end, short flickers included.
  public let predictions: Int
  /// The mean probability of the label over them.
  public let meanConfidence: Double

  /// How long it lasts, in seconds.
  public var seconds: Double { end - start }
}

/// What a label comes to over a whole stream.
public struct BehaviorTotal: Sendable, Hashable {
  /// The behaviour.
  public let label: String
  /// How many segments it has.
  public internal(set) var segments = 0
  /// How long they last together, in seconds.
  public internal(set) var seconds = 0.0
  /// How long the longest lasts, in seconds.
  public internal(set) var longest = 0.0
}

/// Turns a stream of predictions into segments, by hysteresis. It holds no predictions: memory does not grow.
///
/// Each prediction speaks for one label, or for no label, as where it abstains: for that of the open segment while it has the `leave`
/// probability, else for the most probable label if it has the `enter` probability. A label that has been spoken for
/// over the minimum duration, prediction after prediction, opens a segment that begins with the first of them. An open
/// segment ends when nothing has spoken for it over the minimum duration; it ends where that began, and what is shorter
/// is a flicker, and part of the segment. So no segment is shorter than the minimum duration.
///
/// A gap in the stream, or a time that does not increase (a stream that was reset), ends what is open: nothing is
/// carried over.
///
/// ```swift
/// var segmenter = try BehaviorSegmenter()
/// while let prediction = next() {
///   if let segment = segmenter.push(prediction) { print(segment.label, segment.start, segment.end) }
/// }
/// if let last = segmenter.finish() { … }
/// print(segmenter.totals)
/// ```
public struct BehaviorSegmenter: Sendable {
  /// How predictions become segments.
  public let settings: BehaviorSegmentSettings

  /// A run of predictions for one label.
  private struct Run: Sendable {
    var label: String
    var start: Double
    var sum = 0.0
    var count = 0

    mutating func add(_ probability: Float) {
      sum += Double(probability)
      count += 1
    }

    mutating func add(_ other: Run) {
      sum += other.sum
      count += other.count
    }
  }

  /// The open segment up to the last prediction for it.
  private var open: Run?
  /// Since when nothing has spoken for the open segment; its probabilities since.
  private var doubt: Run?
  /// The label that is being spoken for instead, or before anything is open.
  private var candidate: Run?
  private var lastTime: Double?
  private var totalsByLabel: [String: BehaviorTotal] = [:]

  /// Two times a duration apart may differ from it by rounding.
  private static let slack = 1e-6

  /// - Throws: ``SettingsError`` for a setting outside its range.
  public init(settings: BehaviorSegmentSettings = BehaviorSegmentSettings()) throws(SettingsError) {
    try settings.validate()
    self.settings = settings
  }

  /// What each label came to in the segments that have ended, longest first.
  public var totals: [BehaviorTotal] {
    totalsByLabel.values.sorted { ($1.seconds, $0.label) < ($0.seconds, $1.label) }
  }

  /// The label of the open segment.
  public var currentLabel: String? { open?.label }

  /// Takes the next prediction.
  ///
  /// - Returns: the segment that it ends, if it ends one.
  public mutating func push(_ prediction: BehaviorPrediction) -> BehaviorSegment? {
    // A model that abstains speaks for no label.
    if prediction.isAbstention {
      return push(time: prediction.timestamp, rawLabel: prediction.rawLabel, confidence: 0) { _ in 0 }
    }
    return push(time: prediction.timestamp, rawLabel: prediction.rawLabel, confidence: prediction.confidence) {
      prediction[$0] ?? 0
    }
  }

  /// Takes the next event of a stream. A gap, and the end, end what is open.
  public mutating func push(_ event: BehaviorEvent) -> BehaviorSegment? {
    switch event {
    case .prediction(let prediction): push(prediction)
    case .gap, .insufficientFrames: finish()
    }
  }

  /// Ends what is open: no prediction follows the last one. The totals stay.
  public mutating func finish() -> BehaviorSegment? {
    defer { (open, doubt, candidate, lastTime) = (nil, nil, nil, nil) }
    guard let open, let lastTime else { return nil }
    // A doubt too short to end the segment is no part of it either: nothing came back to it.
    return close(open, at: doubt?.start ?? lastTime)
  }

  mutating func push(
    time: Double, rawLabel: String, confidence: Float, probability: (String) -> Float
  ) -> BehaviorSegment? {
    var ended: BehaviorSegment?
    if let lastTime, time <= lastTime { ended = finish() }
    lastTime = time

    if var current = open {
      let own = probability(current.label)
      if own >= settings.leave, own > 0 {
        if let doubt { current.add(doubt) }
        current.add(own)
        (open, doubt, candidate) = (current, nil, nil)
        return ended
      }
      doubt = doubt ?? Run(label: current.label, start: time)
      doubt?.add(own)
    }
    consider(rawLabel, confidence, at: time)
    if let current = open, let doubt, lasts(since: doubt.start, until: time) {
      ended = close(current, at: doubt.start)
      (open, self.doubt) = (nil, nil)
    }
    if open == nil, let candidate, lasts(since: candidate.start, until: time) {
      (open, self.candidate) = (candidate, nil)
    }
    return ended
  }

  /// The most probable label is a candidate while it is probable enough.
  private mutating func consider(_ label: String, _ confidence: Float, at time: Double) {
    guard confidence >= settings.enter, confidence > 0, label != open?.label else {
      candidate = nil
      return
    }
    if candidate?.label != label { candidate = Run(label: label, start: time) }
    candidate?.add(confidence)
  }

  private func lasts(since start: Double, until time: Double) -> Bool {
    time - start >= settings.minimumDuration - Self.slack
  }

  private mutating func close(_ run: Run, at end: Double) -> BehaviorSegment {
    let segment = BehaviorSegment(
      label: run.label, start: run.start, end: end, predictions: run.count,
      meanConfidence: run.sum / Double(max(run.count, 1)))
    var total = totalsByLabel[run.label] ?? BehaviorTotal(label: run.label)
    total.segments += 1
    total.seconds += segment.seconds
    total.longest = max(total.longest, segment.seconds)
    totalsByLabel[run.label] = total
    return segment
  }
}
