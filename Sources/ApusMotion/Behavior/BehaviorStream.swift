/// Classifies a stream of poses, frame by frame.
///
/// Each frame is checked, throttled to the wanted rate, brought into the classifier's order and space, and added to a
/// sliding window; once the window is full, every frame (or every `stride`-th) gives a prediction.
///
/// ```swift
/// var stream = try BehaviorStream(classifier: model)
/// for frame in frames {
///   if let prediction = try stream.push(frame) { print(prediction.label, prediction.confidence) }
/// }
/// if let tooFew = stream.summary.insufficientFrames { print(tooFew) }  // insufficient_frames: 37/100
/// ```
///
/// A stream is a value: a copy goes its own way. It reads no clock; time is what the frames say.
public struct BehaviorStream: Sendable {
  /// What classifies the windows.
  public let classifier: any BehaviorClassifying
  /// The settings of the analysis.
  public let settings: BehaviorSettings

  /// The frames given so far, dropped and invalid ones included; also the index of the next.
  public private(set) var frameCount = 0
  /// The frames that passed the throttle.
  public private(set) var acceptedCount = 0
  /// The predictions made.
  public private(set) var predictionCount = 0
  /// How often a gap emptied the window.
  public private(set) var gapCount = 0
  /// The last gap that emptied the window.
  public private(set) var lastGap: FrameGap?
  /// The window as it is now.
  public private(set) var buffer: PoseBuffer

  private var normalizer: PoseNormalizer
  private var fit = ImageFit()
  private var throttle: FrameThrottle?
  private var previousTimestamp: Double?
  private var untilPrediction = 1

  /// Two timestamps a gap apart may differ from it by rounding: up to this many seconds more is no gap.
  private static let gapSlack = 1e-6

  /// - Throws: ``SettingsError`` for a setting outside its range, ``MotionConfigurationError`` for a window length that
  ///   is impossible.
  public init(classifier: any BehaviorClassifying, settings: BehaviorSettings = BehaviorSettings()) throws {
    try settings.validate()
    self.classifier = classifier
    self.settings = settings
    buffer = try PoseBuffer(capacity: classifier.windowLength)
    normalizer = PoseNormalizer(
      order: settings.order, missing: settings.missing, range: settings.range,
      minimumConfidence: settings.minimumConfidence)
    if let rate = settings.framesPerSecond { throttle = try FrameThrottle(framesPerSecond: rate) }
  }

  /// Takes the next frame.
  ///
  /// - Returns: a prediction when the window is full and its turn has come, otherwise nil.
  /// - Throws: ``PoseFrameError``, naming the frame's index, for a frame that cannot be used: it is left out and the
  ///   stream can go on; and for one that fills a window while too many of the points so far lie outside their images.
  ///   ``MotionConfigurationError`` when the model's answer has the wrong length or is not finite,
  ///   and whatever the model throws; the frame is part of the window then.
  public mutating func push(_ frame: PoseFrame) throws -> BehaviorPrediction? {
    let index = frameCount
    frameCount += 1
    try frame.validate(order: settings.order, frameIndex: index, after: previousTimestamp)
    noteGap(before: frame, index: index)
    previousTimestamp = frame.timestamp

    if throttle?.accepts(frame.timestamp) == false { return nil }
    let vector = try normalizer.normalize(validated: frame, frameIndex: index)
    buffer.push(vector, timestamp: frame.timestamp)
    acceptedCount += 1
    fit.add(frame, range: settings.range)
    guard buffer.isFull else { return nil }
    if let fault = fit.fault(of: frame) { throw PoseFrameError(frameIndex: index, reason: fault) }
    untilPrediction -= 1
    guard untilPrediction <= 0 else { return nil }
    untilPrediction = settings.stride

    let window = try buffer.window(standardization: settings.standardization)
    let probabilities = try classifier.checked(classifier.probabilities(forWindow: window))
    predictionCount += 1
    let neverSeen = buffer.neverSeen
    return BehaviorPrediction(
      timestamp: frame.timestamp, frameIndex: index, labels: classifier.labels, probabilities: probabilities,
      threshold: settings.threshold, missingFraction: buffer.missingFraction, neverSeen: neverSeen,
      lackingPoints: classifier.modelInfo.indispensable(among: neverSeen), windowSeconds: buffer.windowSeconds,
      unlearnedRate: UnlearnedRate(windowSeconds: buffer.windowSeconds, info: classifier.modelInfo))
  }

  /// What the stream has come to so far; asked for after the last frame, what it came to.
  public var summary: BehaviorStreamSummary {
    BehaviorStreamSummary(
      frames: frameCount, accepted: acceptedCount, predictions: predictionCount, gaps: gapCount,
      insufficientFrames: buffer.isFull ? nil : InsufficientFrames(available: buffer.count, required: buffer.capacity))
  }

  /// Starts anew: an empty window, frame index 0, any timestamp welcome.
  public mutating func reset() {
    clearWindow()
    fit = ImageFit()
    previousTimestamp = nil
    (frameCount, acceptedCount, predictionCount, gapCount) = (0, 0, 0, 0)
    lastGap = nil
  }

  private mutating func noteGap(before frame: PoseFrame, index: Int) {
    guard let maximumGap = settings.maximumGap, let previousTimestamp,
      frame.timestamp - previousTimestamp > maximumGap + Self.gapSlack
    else { return }
    lastGap = FrameGap(
      frameIndex: index, seconds: frame.timestamp - previousTimestamp, framesDiscarded: buffer.count)
    gapCount += 1
    clearWindow()
  }

  private mutating func clearWindow() {
    buffer.reset()
    normalizer.reset()
    throttle?.reset()
    untilPrediction = 1
  }
}

/// A pause between two frames that was too long for one window.
public struct FrameGap: Sendable, Hashable {
  /// The index of the first frame after the pause.
  public let frameIndex: Int
  /// How long it was.
  public let seconds: Double
  /// How many frames of the window were given up.
  public let framesDiscarded: Int
}

/// What a stream came to.
public struct BehaviorStreamSummary: Sendable, Hashable {
  /// Frames given, dropped and invalid ones included.
  public let frames: Int
  /// Frames that passed the throttle.
  public let accepted: Int
  /// Predictions made.
  public let predictions: Int
  /// How often a gap emptied the window.
  public let gaps: Int
  /// Set when the window was not full at the end: the frames since the start or the last gap were too few for a
  /// prediction. With `predictions` at 0 the stream as a whole was too short.
  public let insufficientFrames: InsufficientFrames?
}
