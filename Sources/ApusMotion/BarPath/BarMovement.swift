import ApusBase

/// The greatest way up of a bar that makes no repetition, and what keeps it from being one.
public struct BarMovement: Sendable, Hashable {
  /// What was not enough.
  public enum Shortfall: Sendable, Hashable {
    /// The way is shorter than ``BarPathSettings/minimumRomCm``, or what stands for it without a scale.
    case tooShort(least: Double)
    /// The bar is slower than ``BarPathSettings/liftStartSpeedPxPerSec``, in px/s, here in the unit of the speed.
    case tooSlow(least: Double)
    /// The ways up and down are not those of the lift.
    case otherLift(BarLiftType)
  }

  /// How far up the bar went, in cm or pixels.
  public let rise: Double
  /// When it began, in seconds.
  public let time: Double
  /// How long it took, in seconds.
  public let duration: Double
  /// The greatest speed upwards, in cm/s or px/s.
  public let peakVelocity: Double
  /// What lengths are in: `cm` or `px`.
  public let unit: String
  /// What was not enough.
  public let shortfall: Shortfall
}

extension BarMovement {
  /// - Parameter minimumRom: in pixels.
  init?(
    _ path: [BarPoint?], velocity: [Double?], timestamps: [Double], settings: BarPathSettings, minimumRom: Double,
    calibration: BarCalibration?
  ) {
    guard let turns = BarTurns(path, least: { $0 / 2 }) else { return nil }
    let ways = zip(turns.all, turns.all.dropFirst())
    guard let (a, b) = ways.max(by: { $0.1.height - $0.0.height < $1.1.height - $1.0.height }), b.height > a.height
    else { return nil }
    let scale = calibration?.pixelsPerCm ?? 1
    let peak = velocity[a.frame...b.frame].compactMap { $0 }.max() ?? 0
    (rise, peakVelocity) = ((b.height - a.height) / scale, peak / scale)
    (time, duration) = (timestamps[a.frame], timestamps[b.frame] - timestamps[a.frame])
    unit = calibration == nil ? "px" : "cm"
    shortfall =
      if b.height - a.height < minimumRom {
        .tooShort(least: minimumRom / scale)
      } else if peak <= settings.liftStartSpeedPxPerSec {
        .tooSlow(least: settings.liftStartSpeedPxPerSec / scale)
      } else {
        .otherLift(settings.liftType)
      }
  }
}

extension BarMovement: CustomStringConvertible {
  /// What moved, and which setting forbids that it counts.
  public var description: String {
    func number(_ value: Double) -> String { NumberText.fixed(value, decimals: 1) }
    let reason =
      switch shortfall {
      case .tooShort(let least): "a repetition has \(number(least)) \(unit) or more (--min-rom-cm)"
      case .tooSlow(let least): "a bar moves above \(number(least)) \(unit)/s (--start-speed, in px/s)"
      case .otherLift(let type): "a repetition of a \(type.name) is \(type.repetition) (--lift)"
      }
    return "the bar rose \(number(rise)) \(unit) in \(NumberText.fixed(duration, decimals: 2)) s from "
      + "\(NumberText.fixed(time, decimals: 2)) s on, at \(number(peakVelocity)) \(unit)/s at most; \(reason)"
  }
}
