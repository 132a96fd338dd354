import ApusBase

/// What an analysis came to.
public enum ArmDriftResult: Sendable, Hashable {
  /// A level, and everything it was made of.
  case measured(ArmDriftMeasurement)
  /// The recording is sound and shows too little for a level.
  case insufficientData(ArmDriftInsufficientData)
}

/// The words that go with every result.
public enum ArmDriftNotice {
  /// What the tool is not, and what to do in an emergency.
  public static let disclaimer =
    "Educational and research tool. Not a medical device, not FDA-approved, not a diagnosis. If a stroke is suspected, "
    + "call the emergency services at once. Results need the judgement of a qualified professional."
  /// What the test imitates.
  public static let standard =
    "NIHSS item 5 (5a left arm, 5b right arm): an examiner scores each arm apart, held out with palms down, at 90 "
    + "degrees sitting or 45 degrees supine, for 10 seconds. This level is an estimate from keypoints, not that score."
}

/// How far the points can be relied on.
public enum ArmDetectionQuality: String, Sendable, Hashable {
  /// The arms differ by 30 % of the longer one at most, and are half a shoulder width long or more.
  case good
  /// They differ by more than 30 %.
  case fair
  /// They are shorter than half a shoulder width: they point at the camera, and a pixel of noise is a large asymmetry.
  case low
}

/// A level, and everything it was made of.
public struct ArmDriftMeasurement: Sendable, Hashable {
  /// The settings of the analysis.
  public let settings: ArmDriftSettings
  /// 0...4. An estimate that no study has validated, and no NIHSS score.
  public let estimatedMotorLevel: Int
  /// The level behind the severity: ``estimatedMotorLevel``, in ``ArmDriftMode/legacy`` the one before
  /// anything was added.
  public let severityLevel: Int
  /// Whether a drift was detected: a level above 0, in ``ArmDriftMode/legacy`` what each profile called one.
  public let isDriftDetected: Bool
  /// Arms that end more than 10° below their own start.
  public let driftSide: ArmSide
  /// The arm that is held lower, by a degree or more, in the middle of all samples.
  public let lowerSide: ArmSide
  /// Whether both arms end more than 15° below the horizontal: no asymmetry shows that.
  public let hasBilateralLowArms: Bool
  /// How the left arm was held.
  public let left: ArmHold
  /// How the right arm was held.
  public let right: ArmHold
  /// The asymmetry over time.
  public let asymmetry: AsymmetryCourse
  /// Mean of |height of the right wrist above the left one|, as a fraction of the image's height.
  public let verticalDrift: Double
  /// How far the points can be relied on.
  public let quality: ArmDetectionQuality
  /// Whether left and right were exchanged, since the recording said on which side the subject's left is.
  public let areSidesExchanged: Bool
  /// How much of the recording could be used.
  public let coverage: ArmCoverage
  /// How long the test was meant to last, where the recording says.
  public let testDuration: Double?
  /// How often another person may have been taken for the one before: ``ArmRecording/personChanges``.
  public let personChanges: Int
  /// Every frame, in order.
  public let samples: [ArmSample]

  /// Why the points have their ``quality``, in a few words.
  public var qualityReason: String { quality.reason }

  /// Whether an arm begins within 45° of the horizontal; otherwise the recording is of something else than arms held out,
  /// and the level says nothing.
  public var areArmsHeldOut: Bool {
    min(abs(left.startAngle), abs(right.startAngle)) <= 45
  }

  /// `normal`, `mild`, `moderate`, `severe` or `critical`.
  public var severity: String { ["normal", "mild", "moderate", "severe", "critical"][min(max(severityLevel, 0), 4)] }

  /// The same as a drift: `none` instead of `normal`.
  public var driftSeverity: String { severityLevel <= 0 ? "none" : severity }

  /// The result in a sentence.
  public var message: String {
    var parts = ["Estimated level \(estimatedMotorLevel) of 4 (\(severity))."]
    switch driftSide {
    case .none: break
    case .both: parts.append("Both arms drift downwards.")
    case .left, .right: parts.append("The \(driftSide.rawValue) arm drifts downwards.")
    }
    if hasBilateralLowArms { parts.append("Both arms are held low.") }
    if !areArmsHeldOut { parts.append("Neither arm is held out at the start: the level says nothing.") }
    parts += coverage.unseenEnds.map { "\($0.capitalizedFirst)." }
    if asymmetry.isTremorLike == true { parts.append("The height swings as in a tremor.") }
    if quality == .low { parts.append("The points are of low quality: \(qualityReason).") }
    return parts.joined(separator: " ")
  }

  /// What should not be overlooked, a sentence each.
  public var notes: [String] {
    var notes: [String] = []
    if !areArmsHeldOut {
      let angles = [left, right].map { hold in
        NumberText.fixed(abs(hold.startAngle), decimals: 0) + "° \(hold.startAngle > 0 ? "below" : "above")"
      }
      notes.append(
        "neither arm is held out at the start, the left one \(angles[0]) the horizontal, the right one \(angles[1]): "
          + "the level says nothing")
    }
    switch driftSide {
    case .none: break
    case .both: notes.append("both arms end more than \(ArmHold.driftAngleText) below their start")
    case .left, .right:
      notes.append("the \(driftSide.rawValue) arm ends more than \(ArmHold.driftAngleText) below its start")
    }
    if hasBilateralLowArms { notes.append("both arms are held low, which no asymmetry shows") }
    if asymmetry.isTremorLike == true { notes.append("the asymmetry swings as in a tremor") }
    notes += coverage.unseenEnds
    if coverage.gaps > 0 {
      let longest = NumberText.fixed(coverage.longestInterval, decimals: 2)
      notes.append(
        "\(coverage.gaps) gap\(coverage.gaps == 1 ? "" : "s") between frames, the longest \(longest) s")
    }
    if personChanges > 0 {
      let times = personChanges == 1 ? "once" : "\(personChanges) times"
      notes.append(
        "\(times) the person was out of view for more than \(NumberText.short(ArmPersonFollower.longestAbsence)) s; "
          + "who was chosen then may be somebody else")
    }
    if areSidesExchanged { notes.append("left and right were exchanged, as the recording asks") }
    return notes
  }

  /// What the level says, and what it does not.
  public var interpretation: String {
    let reached = settings.profile.level(meanAsymmetry: asymmetry.mean)
    let base =
      reached == 0
      ? "The mean asymmetry is below every boundary of the profile \(settings.profile.rawValue)"
      : "The mean asymmetry reaches \(reached) of 4 boundaries of the profile \(settings.profile.rawValue)"
    let added = estimatedMotorLevel - reached
    let change = added > 0 ? "; change over time adds \(added)" : ""
    return base + change + ". No boundary has been validated on patients."
  }
}

/// How much of a recording could be used.
public struct ArmCoverage: Sendable, Hashable {
  /// Frames of the recording.
  public let frames: Int
  /// Frames with both wrists and both shoulders, those filled in between included.
  public let validFrames: Int
  /// Frames in which a point was filled in.
  public let interpolatedFrames: Int
  /// Seconds from the first frame to the end of the last, each lasting until the next.
  public let seconds: Double
  /// Seconds of those from the first valid frame to the end of the last.
  public let measuredSeconds: Double
  /// Seconds of those in which valid frames follow each other without a hole.
  public let seenSeconds: Double
  /// Seconds before the first valid frame; nil where they are no more than gaps that are filled.
  public let unseenAtStart: Double?
  /// Seconds after the last valid frame; nil as with ``unseenAtStart``.
  public let unseenAtEnd: Double?
  /// Frames a second: one over the middle interval; nil for a single frame.
  public let framesPerSecond: Double?
  /// Intervals longer than one and a half frames, of which each lasts the middle interval, and half a second at most.
  public let gaps: Int
  /// The longest interval between two frames, in seconds.
  public let longestInterval: Double
}

extension ArmCoverage {
  /// What is to be said of a recording that shows the arms later than it begins, or no longer where it ends: an arm
  /// that falls may leave the picture.
  var unseenEnds: [String] {
    func text(_ seconds: Double) -> String { NumberText.fixed(seconds, decimals: 1) + " s" }
    let start = unseenAtStart.map {
      "the arms were not both seen in the first \(text($0)): their start is measured after that"
    }
    let end = unseenAtEnd.map {
      "the arms were not both seen in the last \(text($0)): their end is measured before that"
    }
    return [start, end].compactMap { $0 }
  }
}

/// Why a recording gives no level.
public struct ArmDriftInsufficientData: ApusError, Sendable, Hashable {
  /// What is missing.
  public enum Reason: Sendable, Hashable {
    /// Fewer than 80 % of the frames have all points; the point that is missing most.
    case tooFewValidFrames(rarest: ArmKeypoint, found: Int)
    /// The points are there, and in so many frames the wrists lie on the shoulders: no direction, no level.
    case armsWithoutLength(frames: Int)
    /// Fewer valid frames than ``AsymmetryCourse/fewestSamples``.
    case tooFewSamples
    /// Less than ten seconds from the first valid frame to the last.
    case tooShort
    /// Holes, or what comes before the first valid frame and after the last, take more than 20 % of the time.
    case tooManyHoles
    /// The arms are shorter than a quarter of the shoulder width.
    case armsPointAtCamera(shoulderWidths: Double)
    /// One arm is less than half as long as the other.
    case armLengthsDiffer(share: Double)
  }

  /// What is missing.
  public let reason: Reason
  /// How much of the recording could be used.
  public let coverage: ArmCoverage
  /// The settings of the analysis.
  public let settings: ArmDriftSettings
}

extension ArmDriftInsufficientData: CustomStringConvertible {
  /// Such as `insufficient_data: 8.5 s, expected 10 s or more`.
  public var description: String { "insufficient_data: \(cause)" }

  /// What is missing, and what was expected.
  var cause: String {
    let (frames, valid) = (coverage.frames, coverage.validFrames)
    return switch reason {
    case .tooFewValidFrames(let rarest, let found):
      "\(valid) of \(frames) frames have both wrists and both shoulders, expected "
        + "\(ArmDriftAnalysis.leastCoverageText) or more (\(rarest.name) was found in \(found))"
    case .armsWithoutLength(let count):
      "the wrists lie on the shoulders in \(count) of \(frames) frames: the arms have no length"
    case .tooFewSamples:
      "\(valid) valid frame\(valid == 1 ? "" : "s"), expected \(AsymmetryCourse.fewestSamples) or more"
    case .tooShort: tooShort
    case .tooManyHoles:
      "the arms were seen in \(seen[0]) of \(seen[1]) s, expected \(ArmDriftAnalysis.leastCoverageText) or more"
        + sparseness
    case .armsPointAtCamera(let widths):
      "the arms are \(Self.rounded([widths]) { $0[0] < ArmDriftAnalysis.leastShoulderWidths }[0]) shoulder widths "
        + "long, expected \(ArmDriftAnalysis.leastShoulderWidths) or more: they point at the camera"
    case .armLengthsDiffer(let share):
      "one arm is \(Self.rounded([100 * share]) { $0[0] > Self.largestDifference }[0]) % shorter than the other, "
        + "expected \(NumberText.short(Self.largestDifference)) % or less"
    }
  }

  /// In percent.
  private static let largestDifference = 100 * ArmDriftAnalysis.largestLengthDifference

  /// The seconds that were seen, and those of the recording.
  private var seen: [Double] {
    Self.rounded([coverage.seenSeconds, coverage.seconds]) { $0[0] < ArmDriftAnalysis.leastCoverage * $0[1] }
  }

  private var tooShort: String {
    let seconds = Self.rounded([coverage.measuredSeconds]) { $0[0] < ArmDriftAnalysis.shortestTest }[0]
    let isWhole = coverage.unseenAtStart == nil && coverage.unseenAtEnd == nil
    return "\(seconds) s" + (isWhole ? "" : " from the first frame with both arms to the last")
      + ", expected \(ArmDriftAnalysis.shortestTestText) or more"
  }

  /// What is to be said of frames too far apart.
  private var sparseness: String {
    guard let rate = coverage.framesPerSecond, rate * ArmDriftAnalysis.longestFrame < 1 - ArmSamples.slack else {
      return ""
    }
    let interval = Self.rounded([1 / rate]) { _ in true }[0]
    return "; its frames are \(interval) s apart, and each shows half a second at most (times are in seconds, not in "
      + "milliseconds)"
  }

  /// Two decimals are enough for a message, unless they hide what is wrong: 9.998 is no 10.
  private static func rounded(_ values: [Double], while isWrong: ([Double]) -> Bool) -> [Double] {
    for scale in [1e2, 1e3, 1e4, 1e5, 1e6, 1e7] {
      let rounded = values.map { ($0 * scale).rounded() / scale }
      if isWrong(rounded) { return rounded }
    }
    return values
  }
}

extension ArmDriftInsufficientData {
  /// The recording is at fault.
  public var fault: Fault { .data }
}
