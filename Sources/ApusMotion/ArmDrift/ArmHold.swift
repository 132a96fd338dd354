import ApusBase

/// How one arm was held, against its own beginning.
public struct ArmHold: Sendable, Hashable {
  /// Degrees below the horizontal, the median of the first second: what later angles are compared with.
  public let startAngle: Double
  /// The median of the last second.
  public let endAngle: Double
  /// Seconds from the first sample to the first from which the arm stayed more than 10° below its start for half a
  /// second or more; nil where it never did.
  public let timeToDrift: Double?

  /// How far the arm sank: ``endAngle`` − ``startAngle``, in degrees, downwards positive.
  public var drift: Double { endAngle - startAngle }

  /// Whether it ends more than 10° below its start.
  public var hasDrifted: Bool { drift > Self.driftAngle }

  /// An arm further below its own start than this, in degrees, has drifted.
  public static let driftAngle = 10.0
  /// ``driftAngle`` in messages.
  static let driftAngleText = "\(NumberText.short(driftAngle))°"
  /// An arm drifts when it stays that low for so many seconds.
  static let shortestDrift = 0.5
  /// The first and the last so many seconds are the start and the end.
  public static let window = 1.0

  /// - Parameters:
  ///   - times: seconds, increasing, one or more.
  ///   - angles: degrees, one a time.
  ///   - longestStep: a longer pause between two samples ends a stay below the start, which was not seen.
  init(times: [Double], angles: [Double], longestStep: Double) {
    let (first, last) = (times.first ?? 0, times.last ?? 0)
    let slack = ArmSamples.slack
    let start = zip(times, angles).filter { $0.0 <= first + Self.window + slack }.map(\.1).median ?? 0
    startAngle = start
    endAngle = zip(times, angles).filter { $0.0 >= last - Self.window - slack }.map(\.1).median ?? 0

    var since: Double?
    var previous = first
    var found: Double?
    for (time, angle) in zip(times, angles) {
      if angle - start <= Self.driftAngle || time - previous > longestStep + slack { since = nil }
      if angle - start > Self.driftAngle {
        let beginning = since ?? time
        since = beginning
        if time - beginning >= Self.shortestDrift - slack {
          found = beginning - first
          break
        }
      }
      previous = time
    }
    timeToDrift = found
  }
}

/// Which arm, or which arms.
public enum ArmSide: String, Sendable, Hashable {
  case none, left, right, both

  init(left: Bool, right: Bool) {
    self = left ? (right ? .both : .left) : (right ? .right : .none)
  }
}
