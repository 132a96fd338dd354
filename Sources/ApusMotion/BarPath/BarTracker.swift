/// Follows a bar frame by frame for as long as it may take, in memory that does not grow: a camera's stream.
///
/// ```swift
/// var tracker = try BarTracker(settings: settings)
/// for frame in frames {
///   let update = try tracker.push(frame)
///   if let speed = update.velocity { print(update.timestamp, speed) }
/// }
/// ```
///
/// It knows what has come so far and nothing of repetitions; ``BarPathStream`` keeps the frames and measures them. A
/// frame that cannot be used is left out, and the tracker can go on.
public struct BarTracker: Sendable {
  /// The settings of the analysis.
  public let settings: BarPathSettings
  /// The frames given so far, those that could not be used included; also the index of the next.
  public private(set) var frameCount = 0

  /// The size of the first frame that says it.
  private(set) var width: Double?
  private(set) var height: Double?
  /// The first frame of another size.
  private(set) var sizeChange: Int?
  /// What the settings say of the scale.
  let calibration: BarCalibration?

  /// What a frame without a number is called.
  private var nextNumber = 0
  private var selector: BarSelector
  private var live: LivePath
  private var scale: LiveScale
  /// The newest frames: those whose bar may yet turn out to be another one.
  private var recent: [StoredFrame] = []

  /// - Throws: ``SettingsError`` for a setting outside its range.
  public init(settings: BarPathSettings = BarPathSettings()) throws(SettingsError) {
    try settings.validate()
    self.settings = settings
    calibration = try BarCalibration.given(by: settings)
    selector = BarSelector(settings: settings)
    live = LivePath(settings: settings)
    scale = LiveScale(diameterCm: settings.plateDiameterCm)
  }

  /// Takes the next frame.
  ///
  /// - Throws: ``BarFrameError``, naming the frame, for one that cannot be used; it is left out.
  @discardableResult
  public mutating func push(_ frame: BarFrame) throws(BarFrameError) -> BarPathUpdate { try step(frame).update }

  /// What a frame comes to.
  struct Step {
    var update: BarPathUpdate
    /// What a measurement keeps of it.
    var frame: StoredFrame
    /// The bar in the newest frames, this one last, as far as it is in question; else empty.
    var believed: [BarCandidate?]
  }

  mutating func step(_ frame: BarFrame) throws(BarFrameError) -> Step {
    let (index, number) = (frameCount, frame.number ?? nextNumber)
    frameCount += 1
    nextNumber = number &+ 1
    let pixels: BarPixelFrame
    do throws(BarFrame.Fault) {
      pixels = try frame.checked(after: recent.last?.timestamp).visible(from: settings.minPoseVisibility)
    } catch {
      throw BarFrameError(frameIndex: index, reason: error)
    }
    note(pixels, number: number)

    let choice = selector.choose(in: pixels)
    var stored = StoredFrame(
      number: number, timestamp: pixels.timestamp, bar: choice.picked, leftWrist: pixels.leftWrist,
      rightWrist: pixels.rightWrist)
    stored.startsAnew = choice.startsAnew
    // A bar that was seen too rarely is given up after as long a gap as is filled.
    let most = settings.recheckFrames + settings.gapFillFrames
    if recent.count >= most { recent.removeFirst(recent.count - most + 1) }
    recent.append(stored)
    let revised = revise(choice.believed)
    if choice.startsAnew { live.restart() }
    if choice.believed.isEmpty || choice.believed.count >= settings.recheckFrames { scale.add(choice.picked?.size) }

    let center = choice.picked?.center
    let (smoothed, velocity, isMoving) = live.next(center, timestamp: pixels.timestamp, height: height)
    let update = BarPathUpdate(
      frame: number, timestamp: pixels.timestamp, bar: center, smoothed: smoothed, pixelVelocity: velocity,
      velocity: velocity.flatMap { velocity in
        (calibration ?? scale.calibration).map { velocity / $0.pixelsPerCm }
      }, isMoving: isMoving, revised: revised)
    return Step(update: update, frame: stored, believed: choice.believed)
  }

  /// The bar in the newest frames, should nothing follow.
  func settledAtEnd() -> [BarCandidate?] { selector.settledAtEnd() }

  private mutating func note(_ frame: BarPixelFrame, number: Int) {
    guard let newWidth = frame.width, let newHeight = frame.height else { return }
    if width == nil || height == nil { (width, height) = (newWidth, newHeight) }
    if sizeChange == nil, newWidth != width || newHeight != height { sizeChange = number }
  }

  /// - Returns: what earlier frames look like now, where another bar than before is believed in.
  private mutating func revise(_ choices: [BarCandidate?]) -> [BarPathUpdate.Revision] {
    guard recent.correct(with: choices) else { return [] }
    // What was smoothed was another bar.
    live = LivePath(settings: settings)
    return recent.suffix(choices.count).dropLast().map { frame in
      let smoothed = live.next(frame.bar, timestamp: frame.timestamp, height: height).smoothed
      return BarPathUpdate.Revision(frame: frame.number, timestamp: frame.timestamp, bar: frame.bar, smoothed: smoothed)
    }
  }
}

extension [StoredFrame] {
  /// Corrects the newest frames, the last included.
  /// - Returns: whether any was wrong.
  mutating func correct(with choices: [BarCandidate?]) -> Bool {
    let first = Swift.max(0, count - choices.count)
    guard zip(self[first...], choices).contains(where: { $0.bar != $1?.center }) else { return false }
    for (index, choice) in zip(first..., choices) { self[index].set(choice) }
    return true
  }
}
