/// The analysis of a whole lift at once.
public enum BarPathAnalysis {
  /// Follows the bar through all frames, and measures the repetitions.
  ///
  /// A ``BarPathStream`` does the same frame by frame, and keeps what it has when a frame cannot be used.
  ///
  /// - Throws: ``SettingsError`` for a setting outside its range, ``BarFrameError`` for the first frame that
  ///   cannot be used.
  public static func analyze(
    _ frames: some Sequence<BarFrame>, settings: BarPathSettings = BarPathSettings()
  ) throws -> BarPathResult {
    var stream = try BarPathStream(settings: settings)
    for frame in frames { try stream.push(frame) }
    return stream.finish()
  }
}

extension BarPathStream {
  /// Everything that is said of the stored frames.
  func analyzed() -> BarPathResult {
    let (width, height) = (tracker.width, tracker.height)
    let timestamps = frames.map(\.timestamp)
    let breaks = PathBreaks(timestamps: timestamps, limit: settings.gapFillFrames)
    let isBreak = zip(breaks.isBreak, frames).map { $0 || $1.startsAnew }
    let center = BarPoint(x: (width ?? 0) / 2, y: (height ?? 0) / 2)
    let rotation = settings.gravityAngle == 0 ? nil : GravityRotation(degrees: settings.gravityAngle, center: center)
    let detected = frames.map { frame in rotation.map { turn in frame.bar.map { turn.upright($0) } } ?? frame.bar }
    let filled = GapFill.fill(
      detected, timestamps: timestamps, limit: settings.gapFillFrames, breaks: isBreak)
    let path = LiftPath(
      detected: detected, filled: filled.points, isFilled: filled.isFilled, timestamps: timestamps,
      breaks: isBreak, height: height ?? LivePath.usualHeight)

    let calibration =
      tracker.calibration
      ?? BarCalibration(
        boxWidths: frames.map(\.size.width), heights: frames.map(\.size.height), diameterCm: settings.plateDiameterCm)
    let smoothed = path.smoothed(settings)
    let measures = path.measured(
      path.measuring(settings, smoothed: smoothed), settings, calibration, frameHeight: height)
    let reps = measures.reps
    var resolved = settings
    resolved.liftType = measures.type
    let velocity = PathVelocity.upward(
      smoothed, timestamps: timestamps, scale: calibration?.pixelsPerCm ?? 1, breaks: isBreak)

    let drawn = path.drawn(settings, smoothed: smoothed)
    let drawnVelocity = PathVelocity.upward(
      drawn, timestamps: timestamps, scale: calibration?.pixelsPerCm ?? 1, breaks: isBreak)

    var repIDs = [Int?](repeating: nil, count: frames.count)
    for rep in reps { for index in rep.startFrame...rep.endFrame { repIDs[index] = rep.id } }
    func inPicture(_ point: BarPoint?) -> BarPoint? {
      rotation.map { turn in point.map { turn.inPicture($0) } } ?? point
    }
    let samples = frames.indices.map { index in
      BarPathSample(
        frame: frames[index].number, timestamp: timestamps[index], detected: frames[index].bar,
        position: frames[index].bar ?? inPicture(filled.points[index]), smoothed: inPicture(smoothed[index]),
        velocity: velocity[index], drawn: inPicture(drawn[index]), drawnVelocity: drawnVelocity[index],
        repID: repIDs[index], leftWrist: frames[index].leftWrist,
        rightWrist: frames[index].rightWrist)
    }
    return BarPathResult(
      settings: resolved, askedLift: settings.liftType, guess: measures.guess, calibration: calibration, width: width,
      height: height,
      framesPerSecond: breaks.rate, samples: samples, windows: measures.windows, reps: reps,
      summary: BarPathSummary(reps: reps),
      warnings: warnings(
        breaks: breaks, losses: path.losses(limit: settings.gapFillFrames), calibration: calibration,
        measures: measures))
  }

  private func warnings(
    breaks: PathBreaks, losses: [Double], calibration: BarCalibration?, measures: LiftPath.Measures
  ) -> [BarPathWarning] {
    let reps = measures.reps
    var warnings: [BarPathWarning] = []
    let missing = frames.count { $0.bar == nil }
    if frames.count < 2 { warnings.append(.tooFewFrames(frames.count)) }
    if missing == frames.count {
      warnings.append(.noBar)
    } else if missing * 5 > frames.count {
      warnings.append(.barOftenMissing(missing: missing, frames: frames.count))
    }
    if missing < frames.count, let longest = losses.max() {
      warnings.append(.barLost(count: losses.count, longest: longest))
    }
    switch calibration?.source {
    case nil: warnings.append(.notCalibrated)
    case .automatic(_, let spread)? where spread > 0.1: warnings.append(.unsureCalibration(spread: spread))
    default: break
    }
    if let sizeChange = tracker.sizeChange { warnings.append(.imageSizeChanged(frame: sizeChange)) }
    let gaps = breaks.isBreak.count { $0 }
    if gaps > 0 { warnings.append(.timeGaps(gaps)) }
    if let interval = breaks.interval, interval > 1 / 15.0 + 1e-6 { warnings.append(.lowFrameRate(1 / interval)) }
    if reps.isEmpty, missing < frames.count, frames.count >= 2 { warnings.append(.noReps(measures.movement)) }
    warnings += measures.uncounted.map { .uncountedMovement($0) }
    if let guess = measures.guess {
      if settings.liftType == .auto, !guess.isSure { warnings.append(.unsureLift(guess)) }
      if guess.contradicts(settings.liftType) { warnings.append(.unlikelyLift(settings.liftType, looksLike: guess)) }
    }
    for rep in reps where rep.isInterrupted { warnings.append(.interruptedRep(id: rep.id)) }
    return warnings
  }
}
