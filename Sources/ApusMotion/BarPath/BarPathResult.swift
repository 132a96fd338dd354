import ApusBase

/// What is known of one frame at the end. Positions are in pixels of the picture, from the top left.
public struct BarPathSample: Sendable, Hashable {
  /// Which frame of the video it is: ``BarFrame/number``, or else one more than the frame before, from 0. Frames that
  /// could not be used leave a hole.
  public let frame: Int
  /// Seconds, as the frame has them.
  public let timestamp: Double
  /// The bar as it was chosen among the detections; nil where it was not seen.
  public let detected: BarPoint?
  /// The same with short gaps filled.
  public let position: BarPoint?
  /// The position after smoothing.
  public let smoothed: BarPoint?
  /// How fast the smoothed position goes up, in cm/s, or px/s where the scale is unknown. Nil where it or the one
  /// before is.
  public let velocity: Double?
  /// The position as charts draw it: smoothed by what comes before and after, so that it lags behind nothing.
  public let drawn: BarPoint?
  /// How fast that goes up, in the units of ``velocity``.
  public let drawnVelocity: Double?
  /// The repetition that the frame is part of.
  public let repID: Int?
  /// The lifter's left wrist; nil where it was not seen.
  public let leftWrist: BarPoint?
  /// The lifter's right wrist; nil where it was not seen.
  public let rightWrist: BarPoint?

  /// Whether the position was filled in.
  public var isFilled: Bool { detected == nil && position != nil }
}

/// What came of a whole lift.
public struct BarPathResult: Sendable, Hashable {
  /// The settings of the analysis; ``BarPathSettings/liftType`` is what the repetitions are of.
  public let settings: BarPathSettings
  /// The lift that was asked for, perhaps ``BarLiftType/auto``.
  public let askedLift: BarLiftType
  /// What the path looks like; nil where the bar does not move.
  public let guess: BarLiftGuess?
  /// The scale; nil where it is unknown, and then everything is in pixels instead of cm.
  public let calibration: BarCalibration?
  /// The size of the first frame that says its size, in pixels.
  public let width: Double?
  /// The height of that frame, in pixels.
  public let height: Double?
  /// One over the median time between two frames, to a millionth; nil with fewer than two frames.
  public let framesPerSecond: Double?
  /// One a frame.
  public let samples: [BarPathSample]
  /// Where the bar moves for half a second or more; frames are places in `samples`.
  public let windows: [LiftWindow]
  /// The repetitions, in the order of time.
  public let reps: [BarRep]
  /// What they come to.
  public let summary: BarPathSummary
  /// What makes the result less sure.
  public let warnings: [BarPathWarning]

  /// Whether the scale is known, so that lengths are in cm.
  public var isCalibrated: Bool { calibration != nil }
  /// What lengths are in: `cm`, or `px` without a scale.
  public var lengthUnit: String { isCalibrated ? "cm" : "px" }
  /// What speeds are in: `cm/s`, or `px/s` without a scale.
  public var velocityUnit: String { lengthUnit + "/s" }
  /// How many frames show no bar, and how many of them were filled in.
  public var missingCount: Int { samples.count { $0.detected == nil } }
  /// How many frames without a bar were filled in.
  public var filledCount: Int { samples.count(where: \.isFilled) }
}

/// Something that makes a result less sure.
public enum BarPathWarning: Sendable, Hashable {
  /// Fewer than two frames: there is no motion in them.
  case tooFewFrames(Int)
  /// No frame shows a bar.
  case noBar
  /// More than a fifth of the frames show no bar.
  case barOftenMissing(missing: Int, frames: Int)
  /// The bar is out of sight for longer than gaps are filled: how often, and how long at most, in seconds.
  case barLost(count: Int, longest: Double)
  /// There is no scale: lengths and speeds are in pixels.
  case notCalibrated
  /// The plate's boxes differ by more than a tenth from frame to frame.
  case unsureCalibration(spread: Double)
  /// From this frame on the image has another size.
  case imageSizeChanged(frame: Int)
  /// The time between two frames is so long, so often, that frames must be missing.
  case timeGaps(Int)
  /// Fewer than 15 frames a second: turning points are uncertain.
  case lowFrameRate(Double)
  /// Nothing makes a repetition; what moved most, and what keeps it from being one, where anything moved.
  case noReps(BarMovement?)
  /// A movement as long as a repetition was not counted as one.
  case uncountedMovement(BarMovement)
  /// Which lift it is had to be inferred, and none is likely.
  case unsureLift(BarLiftGuess)
  /// The path is that of another lift than was asked for.
  case unlikelyLift(BarLiftType, looksLike: BarLiftGuess)
  /// A repetition was not seen whole: ``BarRep/isInterrupted``.
  case interruptedRep(id: Int)
}

extension BarPathWarning: CustomStringConvertible {
  /// The warning in a few words.
  public var description: String {
    switch self {
    case .tooFewFrames(let count): "\(count) frame\(count == 1 ? "" : "s"): a path needs two or more"
    case .noBar: "no frame shows a bar"
    case .barOftenMissing(let missing, let frames): "\(missing) of \(frames) frames show no bar"
    case .barLost(let count, let longest):
      "the bar is out of sight \(count == 1 ? "once" : "\(count) times") for longer than gaps are filled, for "
        + "\(NumberText.fixed(longest, decimals: 2)) s\(count == 1 ? "" : " at most"): what it did then is not measured"
    case .notCalibrated: "the scale is unknown: lengths are in pixels"
    case .unsureCalibration(let spread):
      "the plate's size differs by \(Int((min(spread, 1000) * 100).rounded())) %: the scale is unsure"
    case .imageSizeChanged(let frame): "frame \(frame): the image has another size than before"
    case .timeGaps(1): "once frames are missing for longer than gaps are filled"
    case .timeGaps(let count): "\(count) times frames are missing for longer than gaps are filled"
    case .lowFrameRate(let rate): "only \(Int(rate.rounded())) frames a second: turning points are uncertain"
    case .noReps(let movement): "no repetition was found" + (movement.map { ": \($0)" } ?? ": the bar did not move")
    case .uncountedMovement(let movement): "not counted as a repetition: \(movement)"
    case .unsureLift(let guess):
      "which lift it is, is unsure (\(guess)): it was measured as a squat; --lift says it"
    case .unlikelyLift(let asked, let guess):
      "this does not look like a \(asked.name), but like \(guess) (--lift \(guess.type.rawValue), or auto)"
    case .interruptedRep(let id): "repetition \(id + 1) was not seen whole: its range may be greater"
    }
  }

  /// The warning's name in files.
  public var code: String {
    switch self {
    case .tooFewFrames: "too_few_frames"
    case .noBar: "no_bar"
    case .barOftenMissing: "bar_often_missing"
    case .barLost: "bar_lost"
    case .notCalibrated: "not_calibrated"
    case .unsureCalibration: "unsure_calibration"
    case .imageSizeChanged: "image_size_changed"
    case .timeGaps: "time_gaps"
    case .lowFrameRate: "low_frame_rate"
    case .noReps: "no_reps"
    case .uncountedMovement: "uncounted_movement"
    case .unsureLift: "unsure_lift"
    case .unlikelyLift: "unlikely_lift"
    case .interruptedRep: "interrupted_rep"
    }
  }
}

/// What the repetitions of a lift come to; lengths and speeds as in ``BarRep``.
public struct BarPathSummary: Sendable, Hashable {
  /// How many repetitions there are.
  public let repCount: Int
  /// The means over the repetitions; 0 without any.
  public let averageRom: Double
  /// The mean of the greatest speeds.
  public let averageMaxVelocity: Double
  /// The mean of the mean concentric velocities.
  public let averageMeanConcentricVelocity: Double
  /// The id of the repetition with the highest mean concentric velocity; of those that are equal to
  /// ``BarRep/precision`` the first.
  public let bestRep: Int?

  /// The means of some repetitions.
  public init(reps: [BarRep]) {
    func mean(_ value: (BarRep) -> Double) -> Double {
      reps.isEmpty ? 0 : reps.map(value).reduce(0, +) / Double(reps.count)
    }
    repCount = reps.count
    averageRom = mean(\.rom)
    averageMaxVelocity = mean(\.maxVelocity)
    averageMeanConcentricVelocity = mean(\.meanConcentricVelocity)
    let highest = reps.map(\.meanConcentricVelocity).max() ?? 0
    bestRep = reps.first { $0.meanConcentricVelocity >= highest * (1 - BarRep.precision) }?.id
  }
}
