/// A whole path, upright and in pixels, and what is measured on it.
struct LiftPath: Sendable {
  /// As it was chosen.
  var detected: [BarPoint?]
  /// With short gaps filled.
  var filled: [BarPoint?]
  var isFilled: [Bool]
  var timestamps: [Double]
  var breaks: [Bool]
  /// Of the frames, in pixels: the measure of all noise.
  var height: Double

  /// The path that is drawn and exported.
  func smoothed(_ settings: BarPathSettings) -> [BarPoint?] {
    switch settings.smoothingType {
    case .ema: PathAverage.smooth(filled, alpha: settings.smoothingAlpha, breaks: breaks)
    case .emaForwardBackward: PathAverage.smoothBothWays(filled, alpha: settings.smoothingAlpha, breaks: breaks)
    case .kalman: kalmanSmoothed()
    case .kalmanParity: LegacyKalmanFilter.smooth(filled, breaks: breaks)
    }
  }

  /// The path that repetitions are measured on.
  func measuring(_ settings: BarPathSettings, smoothed: [BarPoint?]) -> [BarPoint?] {
    switch settings.metricsPath {
    case .kalman: settings.smoothingType == .kalman ? smoothed : kalmanSmoothed()
    case .filled: filled
    case .smoothed: smoothed
    }
  }

  private func kalmanSmoothed() -> [BarPoint?] {
    PathSmoother.smooth(detected, isFilled: isFilled, timestamps: timestamps, breaks: breaks, height: height)
  }

  /// The windows of motion and the repetitions on one of the paths. The frames of repetitions are places in the path.
  ///
  /// Without a scale nothing says how long 5 cm are; a frame height then counts as 200 cm, about what a camera sees
  /// that has the whole lifter in view.
  func measured(
    _ path: [BarPoint?], _ settings: BarPathSettings, _ calibration: BarCalibration?
  ) -> (windows: [LiftWindow], reps: [BarRep]) {
    let velocity = PathVelocity.upward(path, timestamps: timestamps, breaks: breaks)
    let windows = LiftWindow.windows(
      speeds: velocity.map { $0.map(abs) }, timestamps: timestamps, startSpeed: settings.liftStartSpeedPxPerSec,
      hysteresis: settings.liftStartHysteresis, gapLimit: settings.gapFillFrames)
    let minimumRom = settings.minimumRomCm * (calibration?.pixelsPerCm ?? height / 200)
    let phases = LiftPhaseFinder(
      path: path, velocity: velocity, timestamps: timestamps, startSpeed: settings.liftStartSpeedPxPerSec,
      hysteresis: settings.liftStartHysteresis, gapLimit: settings.gapFillFrames, leastDisplacement: minimumRom / 5
    ).phases()
    let spans = RepDetector.spans(
      of: phases, timestamps: timestamps, liftType: settings.liftType, minimumRom: minimumRom)
    var reps: [BarRep] = []
    for span in spans {
      let rep = BarRep(
        id: reps.count, span: span, path: path, velocity: velocity, timestamps: timestamps,
        pixelsPerUnit: calibration?.pixelsPerCm ?? 1,
        depthReference: calibration == nil ? nil : settings.depthReferenceCm)
      if let rep { reps.append(rep) }
    }
    return (windows, reps)
  }
}
