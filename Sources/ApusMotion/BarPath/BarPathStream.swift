/// Follows a bar frame by frame, and measures the whole lift at the end.
///
/// ```swift
/// var stream = try BarPathStream(settings: settings)
/// for frame in frames {
///   let update = try stream.push(frame)
///   if let speed = update.velocity { print(update.timestamp, speed) }
/// }
/// for rep in stream.finish().reps { print(rep.rom, rep.meanConcentricVelocity) }
/// ```
///
/// What a push returns rests on the frames so far; ``finish()`` looks at them all again. A frame costs a few hundred
/// bytes, whatever was detected in it. A frame that cannot be used is left out, and the stream can go on or be
/// finished: what came before is not lost.
public struct BarPathStream: Sendable {
  public let settings: BarPathSettings
  /// The frames given so far, those that could not be used included; also the index of the next.
  public private(set) var frameCount = 0

  var frames: [StoredFrame] = []
  private(set) var width: Double?
  private(set) var height: Double?
  private(set) var sizeChange: Int?
  /// What the settings say of the scale.
  let calibration: BarCalibration?

  private var selector: BarSelector
  private var live: LivePath

  /// - Throws: ``BarPathSettingsError`` for a setting outside its range.
  public init(settings: BarPathSettings = BarPathSettings()) throws(BarPathSettingsError) {
    try settings.validate()
    self.settings = settings
    calibration = try BarCalibration.given(by: settings)
    selector = BarSelector(settings: settings)
    live = LivePath(settings: settings)
  }

  /// Takes the next frame.
  ///
  /// - Throws: ``BarFrameError``, naming the frame, for one that cannot be used; it is left out.
  @discardableResult
  public mutating func push(_ frame: BarFrame) throws(BarFrameError) -> BarPathUpdate {
    let index = frameCount
    frameCount += 1
    let pixels = try frame.pixels(
      frameIndex: index, after: frames.last?.timestamp, minVisibility: settings.minPoseVisibility)
    note(pixels, index: index)

    let choice = selector.choose(in: pixels)
    frames.append(
      StoredFrame(
        index: index, timestamp: pixels.timestamp, bar: choice.picked, leftWrist: pixels.leftWrist,
        rightWrist: pixels.rightWrist))
    settle(choice.settled)

    let center = choice.picked?.center
    let (smoothed, velocity, isMoving) = live.next(center, timestamp: pixels.timestamp, height: height)
    return BarPathUpdate(
      frame: index, timestamp: pixels.timestamp, bar: center, smoothed: smoothed, pixelVelocity: velocity,
      velocity: velocity.flatMap { velocity in calibration.map { velocity / $0.pixelsPerCm } }, isMoving: isMoving)
  }

  /// Measures everything that was pushed. More frames may follow, and be measured with the rest.
  public func finish() -> BarPathResult {
    var copy = self
    copy.settle(selector.settledAtEnd())
    return copy.analyzed()
  }

  private mutating func note(_ frame: BarPixelFrame, index: Int) {
    guard let newWidth = frame.width, let newHeight = frame.height else { return }
    if width == nil || height == nil { (width, height) = (newWidth, newHeight) }
    if sizeChange == nil, newWidth != width || newHeight != height { sizeChange = index }
  }

  /// Corrects the newest frames, the last included.
  private mutating func settle(_ choices: [BarCandidate?]) {
    let first = max(0, frames.count - choices.count)
    guard zip(frames[first...], choices).contains(where: { $0.bar != $1?.center }) else { return }
    for (index, choice) in zip(first..., choices) { frames[index].set(choice) }
    // What was smoothed was another bar.
    live = LivePath(settings: settings)
    for frame in frames[first...].dropLast() {
      _ = live.next(frame.bar, timestamp: frame.timestamp, height: height)
    }
  }
}

/// What a stream knows of a frame when it has just come.
public struct BarPathUpdate: Sendable, Hashable {
  public let frame: Int
  public let timestamp: Double
  /// Where the bar is, in pixels of the picture; nil where it was not seen.
  public let bar: BarPoint?
  /// The same smoothed, without looking ahead.
  public let smoothed: BarPoint?
  /// How fast the smoothed position goes up, in px/s.
  public let pixelVelocity: Double?
  /// The same in cm/s, where the settings give a scale.
  public let velocity: Double?
  /// Whether the bar moves, which three frames in a row must confirm.
  public let isMoving: Bool
}

/// What is kept of a frame.
struct StoredFrame: Sendable {
  var index: Int
  var timestamp: Double
  var bar: BarPoint?
  /// The larger side of the bar's box; 0 where it is unknown.
  var side: Double
  var leftWrist: BarPoint?
  var rightWrist: BarPoint?

  init(index: Int, timestamp: Double, bar: BarCandidate?, leftWrist: BarPoint?, rightWrist: BarPoint?) {
    self.index = index
    self.timestamp = timestamp
    (self.bar, side) = (bar?.center, bar?.side ?? 0)
    self.leftWrist = leftWrist
    self.rightWrist = rightWrist
  }

  mutating func set(_ candidate: BarCandidate?) { (bar, side) = (candidate?.center, candidate?.side ?? 0) }
}
