import ApusBase

/// Which lift a path looks like, and how sure that is.
///
/// It rests on the order of the ways up and down, on where the bar begins, and, with a scale, on how far it goes. Lifts
/// that are the same way of the bar, as a squat and a bench press are, are told apart by their range alone.
public struct BarLiftGuess: Sendable, Hashable {
  /// A lift and its share of the belief.
  public struct Candidate: Sendable, Hashable {
    /// The lift; neither ``BarLiftType/auto`` nor ``BarLiftType/any``.
    public let type: BarLiftType
    /// 0 to 1; all candidates together have 1.
    public let share: Double
  }

  /// The candidates, the likeliest first.
  public let candidates: [Candidate]

  /// The likeliest lift.
  public var type: BarLiftType { candidates.first?.type ?? .any }
  /// Its share of the belief, 0 to 1.
  public var confidence: Double { candidates.first?.share ?? 0 }
  /// Whether one lift has the greater part of the belief.
  public var isSure: Bool { confidence >= Self.leastConfidence }

  /// A smaller confidence is doubt.
  public static let leastConfidence = 0.5

  /// Whether the path is surely of another lift than one that was asked for.
  func contradicts(_ type: BarLiftType) -> Bool {
    type != .auto && type != .any && confidence >= 0.75 && share(of: type) < 0.1
  }

  /// The share of a lift.
  func share(of type: BarLiftType) -> Double { candidates.first { $0.type == type }?.share ?? 0 }
}

extension BarLiftGuess: CustomStringConvertible {
  /// The two likeliest, such as `clean and jerk 90 %, clean 5 %`.
  public var description: String {
    candidates.prefix(2).map { "\($0.type.name) \(NumberText.fixed(100 * $0.share, decimals: 0)) %" }
      .joined(separator: ", ")
  }
}

extension BarLiftGuess {
  /// - Parameters:
  ///   - turns: of the whole path.
  ///   - path: in pixels, upright.
  ///   - velocity: upwards, in px/s.
  ///   - pixelsPerCm: nil where the scale is unknown.
  ///   - frameHeight: in pixels; nil where it is unknown.
  init?(
    _ turns: BarTurns, path: [BarPoint?], velocity: [Double?], timestamps: [Double], pixelsPerCm: Double?,
    frameHeight: Double?
  ) {
    guard let first = turns.all.first, turns.all.count > 1 else { return nil }
    let recognition = LiftRecognition(
      turns: turns, path: path, velocity: velocity, timestamps: timestamps, pixelsPerCm: pixelsPerCm,
      frameHeight: frameHeight)
    let begins = turns.level(first)
    let weights =
      if turns.all[1].height > first.height {
        recognition.upFirst
      } else {
        begins > 0.6 ? recognition.downFirst : recognition.dipFirst
      }
    let sum = weights.reduce(0) { $0 + $1.weight }
    guard sum > 0 else { return nil }
    candidates = weights.map { Candidate(type: $0.type, share: $0.weight / sum) }.filter { $0.share >= 0.01 }
      .sorted { $0.share > $1.share }
  }
}

/// The weights of lifts that begin in the same way.
private struct LiftRecognition {
  typealias Weights = [(type: BarLiftType, weight: Double)]

  let turns: BarTurns
  let path: [BarPoint?]
  let velocity: [Double?]
  let timestamps: [Double]
  let pixelsPerCm: Double?
  let frameHeight: Double?

  /// How far the bar goes, in cm; nil without a scale.
  private var range: Double? { pixelsPerCm.map { turns.range / $0 } }

  private func speed(_ from: Int, _ to: Int) -> Double { velocity[from...to].compactMap { $0 }.max() ?? 0 }

  /// From the top: squats and bench presses. Where nothing says how far, there are more squats on video.
  var downFirst: Weights {
    guard let range else { return [(.squat, 0.65), (.bench, 0.25), (.jerk, 0.05), (.deadlift, 0.05)] }
    return [
      (.squat, Self.near(range, 60, within: 30)), (.bench, 0.8 * Self.near(range, 25, within: 10)), (.deadlift, 0.02),
    ]
  }

  /// From between: a jerk, if the way down is short and what follows goes far above where it began.
  var dipFirst: Weights {
    let dip = turns.level(turns.all[0])
    let isShort = 0.05...0.45 ~= dip && turns.all.count > 2 && turns.level(turns.all[2]) > dip + 0.3
    return isShort
      ? [(.jerk, 0.8), (.press, 0.1), (.squat, 0.1)] : [(.squat, 0.4), (.bench, 0.2), (.deadlift, 0.2), (.jerk, 0.2)]
  }

  /// From below: pulls of one way, and lifts of several.
  var upFirst: Weights {
    if let lift = OlympicLift.lifts(in: turns, type: .cleanAndJerk, speed: speed).first {
      // Without the squat under the bar the way up to the shoulders and overhead may be a press after a clean.
      let isWhole = lift.part(.catch) != nil
      return [(.cleanAndJerk, isWhole ? 0.9 : 0.6), (.clean, 0.05), (.snatch, 0.05)] + (isWhole ? [] : [(.press, 0.3)])
    }
    if let lift = OlympicLift.lifts(in: turns, type: .snatch, speed: speed).first, lift.part(.catch) != nil,
      let pull = lift.part(.pull)
    {
      // The pull of a clean ends near the shoulders, where the lift ends; that of a snatch half the way up.
      let ended = (pull.end.height - lift.start.height) / (lift.top.height - lift.start.height)
      var (clean, snatch) = (ended > 0.62 ? 0.7 : 0.3, ended > 0.62 ? 0.3 : 0.7)
      if let rise = pixelsPerCm.map({ (lift.top.height - lift.start.height) / $0 }) {
        clean *= Self.near(rise, 115, within: 35)
        snatch *= Self.near(rise, 180, within: 40)
      }
      return [(.clean, clean), (.snatch, snatch), (.deadlift, 0.02)]
    }
    return oneWay
  }

  /// One way up: told apart by how far it goes, where in the picture it begins, and how fast it is.
  private var oneWay: Weights {
    var (deadlift, press, row, clean, squat) = (0.45, 0.25, 0.15, 0.05, 0.1)
    if let range {
      deadlift *= Self.near(range, 55, within: 20)
      press *= Self.near(range, 55, within: 20)
      row *= Self.near(range, 32, within: 15)
      clean *= Self.near(range, 115, within: 30)
      squat *= Self.near(range, 60, within: 30)
    }
    if let frameHeight, let low = path.compactMap({ $0?.y }).max() {
      // From the floor, or from the shoulders.
      if low > 0.7 * frameHeight {
        (deadlift, press) = (deadlift * 2, press * 0.3)
      } else if low < 0.55 * frameHeight {
        (deadlift, press) = (deadlift * 0.3, press * 2)
      }
    }
    // A recording that begins at the bottom of a squat: the bar rests at the top.
    if restsAtTop { squat *= 6 } else { squat *= 0.3 }
    return [(.deadlift, deadlift), (.press, press), (.row, row), (.clean, clean), (.squat, squat)]
  }

  /// Whether the bar spends more time near its highest place than near its lowest.
  private var restsAtTop: Bool {
    let levels = path.compactMap { $0.map { (-$0.y - turns.lowest) / turns.range } }
    return levels.count { $0 > 0.9 } > 2 * levels.count { $0 < 0.1 }
  }

  /// 1 at a value, falling to 0.05 far from it.
  private static func near(_ value: Double, _ middle: Double, within width: Double) -> Double {
    let x = (value - middle) / width
    return 0.05 + 0.95 / (1 + x * x * x * x)
  }
}
