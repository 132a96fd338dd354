/// Smooths a path as it comes, without looking ahead.
struct LivePath: Sendable {
  private let settings: BarPathSettings
  private var average: PathAverage
  private var randomWalk = LegacyKalmanFilter()
  private var kalman: KalmanFilter?
  private var rotation: GravityRotation
  private var finder: LiftWindowFinder
  private var missing = 0
  private var before: (timestamp: Double, smoothed: BarPoint?)?

  /// The height of frames that do not say it.
  static let usualHeight = 1080.0

  init(settings: BarPathSettings) {
    self.settings = settings
    average = PathAverage(alpha: settings.smoothingAlpha)
    rotation = GravityRotation(degrees: settings.gravityAngle, center: BarPoint(x: 0, y: 0))
    finder = LiftWindowFinder(
      startSpeed: settings.liftStartSpeedPxPerSec,
      endSpeed: settings.liftStartSpeedPxPerSec * settings.liftStartHysteresis, gapLimit: settings.gapFillFrames)
  }

  /// - Returns: the smoothed position, its upward speed in px/s, and whether the bar moves.
  mutating func next(
    _ point: BarPoint?, timestamp: Double, height: Double?
  ) -> (smoothed: BarPoint?, velocity: Double?, isMoving: Bool) {
    missing = point == nil ? missing + 1 : 0
    let isLost = missing > settings.gapFillFrames
    let smoothed = smooth(point, after: before.map { timestamp - $0.timestamp } ?? 0, isLost: isLost, height: height)
    var velocity: Double?
    if let before, let last = before.smoothed, let smoothed {
      let rise = rotation.upright(last).y - rotation.upright(smoothed).y
      velocity = rise / (timestamp - before.timestamp)
    }
    before = (timestamp, smoothed)
    _ = finder.next(velocity.map(abs))
    return (smoothed, velocity, finder.isMoving)
  }

  /// What comes next is another bar, or the same one somewhere else.
  mutating func restart() {
    self = LivePath(settings: settings)
  }

  private mutating func smooth(_ point: BarPoint?, after dt: Double, isLost: Bool, height: Double?) -> BarPoint? {
    switch settings.smoothingType {
    case .ema, .emaForwardBackward:
      // A short gap will be filled at the end: the average goes on after it.
      average.restartsAfterGap = isLost
      return average.next(point)
    case .kalmanParity:
      if isLost { randomWalk.restart() }
      return randomWalk.next(point)
    case .kalman:
      let height = height ?? Self.usualHeight
      let deviation = PathSmoother.measurementDeviation * height
      if isLost { kalman?.restart() }
      var filter =
        kalman
        ?? KalmanFilter(
          processNoise: PathSmoother.processNoise * height * height, measurementNoise: deviation * deviation)
      let state = isLost ? nil : filter.next(point, after: dt)?.filtered
      kalman = filter
      return state?.position
    }
  }
}
