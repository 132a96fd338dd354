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
/// bytes, whatever was detected in it; ``BarTracker`` follows without end, and measures nothing. A frame that cannot be
/// used is left out, and the stream can go on or be finished: what came before is not lost.
public struct BarPathStream: Sendable {
  /// The settings of the analysis.
  public var settings: BarPathSettings { tracker.settings }
  /// The frames given so far, those that could not be used included; also the index of the next.
  public var frameCount: Int { tracker.frameCount }

  var frames: [StoredFrame] = []
  private(set) var tracker: BarTracker

  /// - Throws: ``SettingsError`` for a setting outside its range.
  public init(settings: BarPathSettings = BarPathSettings()) throws(SettingsError) {
    tracker = try BarTracker(settings: settings)
  }

  /// Takes the next frame.
  ///
  /// - Throws: ``BarFrameError``, naming the frame, for one that cannot be used; it is left out.
  @discardableResult
  public mutating func push(_ frame: BarFrame) throws(BarFrameError) -> BarPathUpdate {
    let step = try tracker.step(frame)
    frames.append(step.frame)
    _ = frames.correct(with: step.believed)
    return step.update
  }

  /// Measures everything that was pushed. More frames may follow, and be measured with the rest.
  public func finish() -> BarPathResult {
    var copy = self
    _ = copy.frames.correct(with: tracker.settledAtEnd())
    return copy.analyzed()
  }
}

/// What a stream knows of a frame when it has just come.
public struct BarPathUpdate: Sendable, Hashable {
  /// Which frame of the video it is: ``BarPathSample/frame``.
  public let frame: Int
  /// Seconds, as the frame has them.
  public let timestamp: Double
  /// Where the bar is, in pixels of the picture; nil where it was not seen.
  public let bar: BarPoint?
  /// The same smoothed, without looking ahead.
  public let smoothed: BarPoint?
  /// How fast the smoothed position goes up, in px/s.
  public let pixelVelocity: Double?
  /// The same in cm/s, where the settings give a scale, or from when the plate has been seen for half a second.
  public let velocity: Double?
  /// Whether the bar moves, which three frames in a row must confirm.
  public let isMoving: Bool
  /// What was said of earlier frames and no longer holds, in the order of frames: the bar turned out to be another one.
  /// Only the newest frames are ever taken back, as many as ``BarPathSettings/recheckFrames`` and
  /// ``BarPathSettings/gapFillFrames`` together.
  public let revised: [Revision]

  /// What a frame that came before looks like now.
  public struct Revision: Sendable, Hashable {
    /// Which frame of the video it is: ``BarPathSample/frame``.
    public let frame: Int
    /// Seconds, as the frame has them.
    public let timestamp: Double
    /// Where the bar was, in pixels of the picture; nil where it was not seen.
    public let bar: BarPoint?
    /// The same smoothed.
    public let smoothed: BarPoint?
  }
}

/// What is kept of a frame.
struct StoredFrame: Sendable {
  /// ``BarPathSample/frame``.
  var number: Int
  var timestamp: Double
  var bar: BarPoint?
  /// Of the bar's box.
  var size: BarSize
  var leftWrist: BarPoint?
  var rightWrist: BarPoint?
  /// Whether no way leads here from the frames before: another bar was followed in them.
  var startsAnew = false

  init(number: Int, timestamp: Double, bar: BarCandidate?, leftWrist: BarPoint?, rightWrist: BarPoint?) {
    self.number = number
    self.timestamp = timestamp
    (self.bar, size) = (bar?.center, bar?.size ?? BarSize())
    self.leftWrist = leftWrist
    self.rightWrist = rightWrist
  }

  mutating func set(_ candidate: BarCandidate?) { (bar, size) = (candidate?.center, candidate?.size ?? BarSize()) }
}
