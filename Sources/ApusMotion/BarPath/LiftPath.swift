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

  /// The path of charts: the exported one, or, where that lags behind, the Kalman filter's, which looks ahead as well.
  func drawn(_ settings: BarPathSettings, smoothed: [BarPoint?]) -> [BarPoint?] {
    switch settings.smoothingType {
    case .ema, .kalmanParity: kalmanSmoothed()
    case .emaForwardBackward, .kalman: smoothed
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

  /// What is measured on one of the paths. Frames are places in the path.
  struct Measures {
    /// Where the bar moves.
    var windows: [LiftWindow] = []
    var reps: [BarRep] = []
    /// What the path looks like; nil where the bar does not move.
    var guess: BarLiftGuess?
    /// What the repetitions are of.
    var type: BarLiftType
    /// The greatest movement, where there is no repetition.
    var movement: BarMovement?
    /// Movements that are as long as repetitions, and none.
    var uncounted: [BarMovement] = []
  }

  /// The windows of motion and the repetitions on one of the paths.
  ///
  /// Without a scale nothing says how long 5 cm are; a frame height then counts as 200 cm, about what a camera sees
  /// that has the whole lifter in view.
  func measured(
    _ path: [BarPoint?], _ settings: BarPathSettings, _ calibration: BarCalibration?, frameHeight: Double?
  ) -> Measures {
    let velocity = PathVelocity.upward(path, timestamps: timestamps, breaks: breaks)
    let minimumRom = settings.minimumRomCm * (calibration?.pixelsPerCm ?? height / 200)
    // A dip is a tenth of the way overhead; half of that is noise, or a lifter who shifts his weight.
    let turns = BarTurns(path) { max(minimumRom, Self.leastTurn * $0) }
    let guess = turns.flatMap { turns in
      BarLiftGuess(
        turns, path: path, velocity: velocity, timestamps: timestamps, pixelsPerCm: calibration?.pixelsPerCm,
        frameHeight: frameHeight)
    }
    var measures = Measures(guess: guess, type: settings.liftType)
    if settings.liftType == .auto { measures.type = guess.flatMap { $0.isSure ? $0.type : nil } ?? .squat }
    var settings = settings
    settings.liftType = measures.type
    measures.windows = LiftWindow.windows(
      speeds: velocity.map { $0.map(abs) }, timestamps: timestamps, startSpeed: settings.liftStartSpeedPxPerSec,
      hysteresis: settings.liftStartHysteresis, gapLimit: settings.gapFillFrames)
    func add(_ span: RepSpan, parts: (PhaseRuler) -> [BarLiftPhase]) {
      let rep = BarRep(
        id: measures.reps.count, span: span, path: path, velocity: velocity, timestamps: timestamps,
        pixelsPerUnit: calibration?.pixelsPerCm ?? 1,
        depthReference: calibration == nil ? nil : settings.depthReferenceCm,
        isInterrupted: isInterrupted(span, path: path, velocity: velocity), parts: parts)
      if let rep { measures.reps.append(rep) }
    }
    if measures.type.isOlympic {
      let ruler = PhaseRuler(path: path, velocity: velocity, timestamps: timestamps, pixelsPerUnit: 1, floor: 0)
      let lifts = turns.map { turns in
        OlympicLift.lifts(in: turns, type: measures.type) { velocity[$0...$1].compactMap { $0 }.max() ?? 0 }
      }
      for lift in lifts ?? [] {
        if let span = lift.span(ruler) { add(span) { lift.phases($0) } }
      }
    } else {
      let type = measures.type
      for span in spans(path, velocity, settings, minimumRom: minimumRom) { add(span) { span.phases(of: type, $0) } }
    }
    let movements = BarMovementFinder(
      path: path, velocity: velocity, timestamps: timestamps, settings: settings, minimumRom: minimumRom,
      calibration: calibration)
    if measures.reps.isEmpty {
      measures.movement = movements.greatest
    } else if !measures.type.isOlympic {
      // Those are several ways up, of which one alone is not a repetition that was missed.
      measures.uncounted = movements.uncounted(beside: measures.reps)
    }
    return measures
  }

  /// The least way from one turn to the next, as a share of the whole range.
  private static let leastTurn = 0.045

  /// Repetitions that are a way down and a way up, or the other way round.
  private func spans(
    _ path: [BarPoint?], _ velocity: [Double?], _ settings: BarPathSettings, minimumRom: Double
  ) -> [RepSpan] {
    let phases = LiftPhaseFinder(
      path: path, velocity: velocity, timestamps: timestamps, startSpeed: settings.liftStartSpeedPxPerSec,
      hysteresis: settings.liftStartHysteresis, gapLimit: settings.gapFillFrames, leastDisplacement: minimumRom / 5
    ).phases()
    return RepDetector.spans(
      of: phases, timestamps: timestamps, liftType: settings.liftType, minimumRom: minimumRom)
  }
}
