import ApusBase

/// A way up of a bar that makes no repetition, and what keeps it from being one.
public struct BarMovement: Sendable, Hashable {
  /// What was not enough.
  public enum Shortfall: Sendable, Hashable {
    /// The way is shorter than ``BarPathSettings/minimumRomCm``, or what stands for it without a scale.
    case tooShort(least: Double)
    /// The bar is slower than ``BarPathSettings/liftStartSpeedPxPerSec``, in px/s, here in the unit of the speed.
    case tooSlow(least: Double)
    /// So slow is the way down before it, at most, which is a part of the lift.
    case loweredTooSlowly(at: Double, least: Double)
    /// The ways up and down are not those of the lift.
    case otherLift(BarLiftType)
  }

  /// How far up the bar went, in cm or pixels.
  public let rise: Double
  /// When it began, in seconds.
  public let time: Double
  /// How long it took, in seconds.
  public let duration: Double
  /// The greatest speed upwards that three frames in a row have, in cm/s or px/s.
  public let peakVelocity: Double
  /// What lengths are in: `cm` or `px`.
  public let unit: String
  /// What was not enough.
  public let shortfall: Shortfall
}

extension BarMovement: CustomStringConvertible {
  /// What moved, and which setting forbids that it counts.
  public var description: String {
    func number(_ value: Double) -> String { NumberText.fixed(value, decimals: 1) }
    let reason =
      switch shortfall {
      case .tooShort(let least): "a repetition has \(number(least)) \(unit) or more (--min-rom-cm)"
      case .tooSlow(let least): "a bar moves above \(number(least)) \(unit)/s (--start-speed, in px/s)"
      case .loweredTooSlowly(let peak, let least):
        "before, it went down at \(number(peak)) \(unit)/s at most, and a bar moves above \(number(least)) \(unit)/s "
          + "(--start-speed, in px/s)"
      case .otherLift(let type): "a repetition of a \(type.name) is \(type.repetition) (--lift)"
      }
    return "the bar rose \(number(rise)) \(unit) in \(NumberText.fixed(duration, decimals: 2)) s from "
      + "\(NumberText.fixed(time, decimals: 2)) s on, at \(number(peakVelocity)) \(unit)/s at most; \(reason)"
  }
}
