/// A part of a repetition in which the bar goes one way, or is held. Lengths are in cm and speeds in cm/s, or in pixels
/// where the scale is unknown; heights are above the lowest point of the repetition, speeds upwards are positive.
public struct BarLiftPhase: Sendable, Hashable {
  /// Which part it is.
  public enum Kind: String, CaseIterable, Sendable, Hashable {
    /// Down, in a lift that begins above.
    case descent
    /// Up after it.
    case ascent
    /// From the floor to the hang, before the pull begins there.
    case lift
    /// Down again, before the pull or after it.
    case lowering
    /// From below, as fast as it goes.
    case pull
    /// Down onto the shoulders, or with the bar overhead, to the lowest point of the squat beneath it.
    case `catch`
    /// Up from that squat.
    case recovery
    /// The short way down before the drive.
    case dip
    /// From the shoulders upwards.
    case drive
    /// Overhead, or at the top, until the bar comes down.
    case lockout
    /// Down at the end.
    case drop
  }

  /// Which part it is.
  public let kind: Kind
  /// The first frame and the last; places in ``BarPathResult/samples``.
  public let startFrame: Int
  /// The last frame.
  public let endFrame: Int
  /// When it begins, in seconds.
  public let startTime: Double
  /// When it ends, in seconds.
  public let endTime: Double
  /// How high the bar is at the beginning.
  public let startHeight: Double
  /// How high the bar is at the end.
  public let endHeight: Double
  /// The whole way over the time it took.
  public let meanVelocity: Double
  /// The greatest speed in the direction of the phase.
  public let peakVelocity: Double

  /// How long it took, in seconds.
  public var duration: Double { endTime - startTime }
  /// How far up it went; below 0 for the ways down.
  public var rise: Double { endHeight - startHeight }
}

/// What phases are measured on.
struct PhaseRuler {
  let path: [BarPoint?]
  /// Upwards, in px/s.
  let velocity: [Double?]
  let timestamps: [Double]
  /// Pixels per cm, or 1.
  let pixelsPerUnit: Double
  /// The y of the lowest point of the repetition.
  let floor: Double

  /// The phase between two frames; nil where the bar is not known at both.
  func phase(_ kind: BarLiftPhase.Kind, _ start: Int, _ end: Int) -> BarLiftPhase? {
    guard start < end, path.indices.contains(start), path.indices.contains(end), let a = path[start], let b = path[end]
    else { return nil }
    let isUp = b.y <= a.y
    let speeds = velocity[(start + 1)...end].compactMap { $0 }
    let peak = (isUp ? speeds.max() : speeds.min()) ?? 0
    return BarLiftPhase(
      kind: kind, startFrame: start, endFrame: end, startTime: timestamps[start], endTime: timestamps[end],
      startHeight: (floor - a.y) / pixelsPerUnit, endHeight: (floor - b.y) / pixelsPerUnit,
      meanVelocity: (a.y - b.y) / pixelsPerUnit / (timestamps[end] - timestamps[start]),
      peakVelocity: peak / pixelsPerUnit)
  }
}
