import ApusBase

/// Tells from a recording how two arms are held out for ten seconds.
///
/// 1. Points are converted to pixels. A point of confidence 0.3 or less, or outside the image, was not found. Gaps of a
///    point of up to 0.25 s are filled; frames that still lack a wrist or a shoulder are left out.
/// 2. Each frame gives an asymmetry a = |Δy of the wrists| / mean arm length, and an angle for each arm.
/// 3. The mean of a reaches 0...4 boundaries of the profile; ``ArmDriftMode`` says what change over time adds.
///
/// Fewer than 80 % of frames or of the recording's time, less than 10 s from the first usable frame to the last, arms
/// that point at the camera: no level at all. A frame lasts until the next one, for half a second at most, so 20 frames
/// 0.5 s apart are ten seconds, and 20 frames 2 s apart are not: three quarters of their time were not seen.
///
/// The same recording and settings give the same result.
public enum ArmDriftAnalysis {
  /// A level needs so many seconds from the first usable frame to the last.
  public static let shortestTest = 10.0
  /// It needs this share of the frames, and of the time.
  public static let leastCoverage = 0.8
  /// Shorter arms than this, in shoulder widths, point at the camera.
  static let leastShoulderWidths = 0.25
  /// Arms that differ by more than this share of the longer one are not both seen.
  static let largestLengthDifference = 0.5
  /// A frame shows no more than so many seconds, however late the next one is.
  static let longestFrame = 0.5

  /// ``shortestTest`` in messages.
  static let shortestTestText = "\(NumberText.short(shortestTest)) s"
  /// ``leastCoverage`` in messages.
  static let leastCoverageText = "\(NumberText.short(100 * leastCoverage)) %"

  /// Measures a recording.
  ///
  /// - Parameter points: the samples of the recording, where they are there already.
  public static func analyze(
    _ recording: ArmRecording, settings: ArmDriftSettings = ArmDriftSettings(), samples points: ArmSamples? = nil
  ) -> ArmDriftResult {
    let (profile, mode) = (settings.profile, settings.mode)
    let points = points ?? ArmSamples(recording)
    let valid = points.samples.compactMap { sample in sample.measures.map { (sample.timestamp, $0) } }
    let times = valid.map(\.0)
    let measures = valid.map(\.1)
    let step = Steps(times: recording.frames.map(\.timestamp))
    let coverage = ArmCoverage(samples: points.samples, times: times, step: step)
    func insufficient(_ reason: ArmDriftInsufficientData.Reason) -> ArmDriftResult {
      .insufficientData(.init(reason: reason, coverage: coverage, settings: settings))
    }

    let slack = ArmSamples.slack
    guard coverage.suffices(coverage.validFrames) else { return insufficient(lack(of: points, coverage)) }
    guard let course = AsymmetryCourse(times: times, values: measures.map(\.asymmetry)) else {
      return insufficient(.tooFewSamples)
    }
    guard coverage.measuredSeconds >= shortestTest - slack else { return insufficient(.tooShort) }
    guard coverage.seenSeconds >= leastCoverage * coverage.seconds else { return insufficient(.tooManyHoles) }
    let shoulderWidths = measures.map(\.shoulderWidths).median ?? 0
    guard shoulderWidths >= leastShoulderWidths else {
      return insufficient(.armsPointAtCamera(shoulderWidths: shoulderWidths))
    }
    let lengthDifference = measures.map(\.lengthDifference).median ?? 1
    guard lengthDifference <= largestLengthDifference else {
      return insufficient(.armLengthsDiffer(share: lengthDifference))
    }

    let left = ArmHold(times: times, angles: measures.map(\.leftAngle), longestStep: step.longest)
    let right = ArmHold(times: times, angles: measures.map(\.rightAngle), longestStep: step.longest)
    let base = profile.level(meanAsymmetry: course.mean)
    let level = min(4, base + increment(mode, course, left, right))
    let verticalDifferences = measures.map { abs($0.verticalDifference) }
    let leftMiddle = measures.map(\.leftAngle).median ?? 0
    let rightMiddle = measures.map(\.rightAngle).median ?? 0
    let quality = ArmDetectionQuality(shoulderWidths: shoulderWidths, lengthDifference: lengthDifference)
    return .measured(
      ArmDriftMeasurement(
        settings: settings, estimatedMotorLevel: level, severityLevel: mode == .legacy ? base : level,
        isDriftDetected: mode == .legacy
          ? profile.legacyDetects(meanAsymmetry: course.mean, level: level) : level > 0,
        driftSide: ArmSide(left: left.hasDrifted, right: right.hasDrifted),
        lowerSide: ArmSide(
          left: leftMiddle - rightMiddle >= lowerAngle, right: rightMiddle - leftMiddle >= lowerAngle),
        hasBilateralLowArms: left.endAngle > lowAngle && right.endAngle > lowAngle,
        left: left, right: right, asymmetry: course,
        verticalDrift: verticalDifferences.reduce(0, +) / Double(measures.count),
        quality: quality, areSidesExchanged: points.areSidesExchanged,
        coverage: coverage, testDuration: recording.testDuration, personChanges: recording.personChanges,
        samples: points.samples))
  }

  /// What too few frames have.
  private static func lack(
    of points: ArmSamples, _ coverage: ArmCoverage
  ) -> ArmDriftInsufficientData.Reason {
    if coverage.suffices(coverage.validFrames + points.lengthlessFrames) {
      return .armsWithoutLength(frames: points.lengthlessFrames)
    }
    let rarest = points.found.min { $0.frames < $1.frames }
    return .tooFewValidFrames(rarest: rarest?.keypoint ?? .leftWrist, found: rarest?.frames ?? 0)
  }

  /// Both arms further below the horizontal than this, in degrees, are low.
  static let lowAngle = 15.0
  /// An arm this much further below the horizontal than the other, in degrees, is the lower one.
  static let lowerAngle = 1.0
  /// An asymmetry that grows by more than this a second adds a level.
  static let notableTrend = 0.01
  /// A mean velocity beyond this, either way, adds one in ``ArmDriftMode/legacy``.
  static let notableVelocity = 0.02

  /// What change over time adds to the level.
  static func increment(
    _ mode: ArmDriftMode, _ course: AsymmetryCourse, _ left: ArmHold, _ right: ArmHold
  ) -> Int {
    switch mode {
    case .recommended: course.trend > notableTrend || left.hasDrifted || right.hasDrifted ? 1 : 0
    case .legacy: legacyIncrement(course)
    }
  }

  static func legacyIncrement(_ course: AsymmetryCourse) -> Int {
    [
      course.trend > notableTrend, abs(course.meanVelocity) > notableVelocity,
      (course.stability ?? 0) < AsymmetryCourse.leastStability,
    ].count { $0 }
  }
}

extension ArmDetectionQuality {
  /// Arms are long enough from this many shoulder widths on.
  static let leastShoulderWidths = 0.5
  /// Arms are alike up to this difference, as a share of the longer one.
  static let largestLengthDifference = 0.3

  init(shoulderWidths: Double, lengthDifference: Double) {
    self =
      shoulderWidths < Self.leastShoulderWidths
      ? .low : lengthDifference > Self.largestLengthDifference ? .fair : .good
  }

  var reason: String {
    switch self {
    case .good: "both arms are in view, of similar length"
    case .fair:
      "one arm is more than \(NumberText.short(100 * Self.largestLengthDifference)) % shorter than the other"
    case .low: "the arms are shorter than half the shoulder width: they point at the camera"
    }
  }
}

/// The intervals between the frames of a recording.
struct Steps {
  let intervals: [Double]
  /// The middle interval; nil for a single frame.
  let median: Double?

  init(times: [Double]) {
    intervals = zip(times.dropFirst(), times).map { $0 - $1 }
    median = intervals.median
  }

  /// How long a frame lasts: until the next one, as a rule, and half a second at most.
  var frame: Double { min(median ?? 0, ArmDriftAnalysis.longestFrame) }

  /// A longer interval is a gap.
  var longestUsual: Double { 1.5 * frame }
  /// A longer pause between two valid frames is a hole.
  var longest: Double { max(ArmSamples.longestGap, longestUsual) }
}

extension ArmCoverage {
  /// Whether so many frames are enough for a level.
  func suffices(_ count: Int) -> Bool { Double(count) >= ArmDriftAnalysis.leastCoverage * Double(frames) }

  /// - Parameter times: of the valid samples.
  init(samples: [ArmSample], times: [Double], step: Steps) {
    frames = samples.count
    validFrames = times.count
    interpolatedFrames = samples.count { $0.isInterpolated }
    let lastFrame = times.isEmpty ? 0 : step.frame
    var seen = lastFrame
    for (later, earlier) in zip(times.dropFirst(), times) {
      let interval = later - earlier
      // Before a hole a frame lasts as the last one does.
      let isHole = interval > step.longest + ArmSamples.slack
      seen += isHole ? step.frame : min(interval, ArmDriftAnalysis.longestFrame)
    }
    seenSeconds = seen
    measuredSeconds = (times.last ?? 0) - (times.first ?? 0) + lastFrame
    let (begin, end) = (samples.first?.timestamp ?? 0, samples.last?.timestamp ?? 0)
    seconds = end - begin + step.frame
    func unseen(_ seconds: Double) -> Double? { seconds > step.longest + ArmSamples.slack ? seconds : nil }
    unseenAtStart = times.first.flatMap { unseen($0 - begin) }
    unseenAtEnd = times.last.flatMap { unseen(end - $0) }
    framesPerSecond = step.median.map { 1 / $0 }
    gaps = step.intervals.count { $0 > step.longestUsual + ArmSamples.slack }
    longestInterval = step.intervals.max() ?? 0
  }
}
