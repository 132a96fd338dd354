import Apus

/// Round numbers along an axis: steps of 1, 2 or 5 times a power of ten.
struct AxisTicks: Sendable, Hashable {
  /// The range that the axis shows, which ends at ticks.
  let range: ClosedRange<Double>
  let values: [Double]
  private let decimals: Int

  /// - Parameters:
  ///   - data: what must be shown; widened when it is a single number.
  ///   - count: about how many steps.
  ///   - ends: whether the range is widened to whole steps.
  init(showing data: ClosedRange<Double>, count: Int, roundsEnds: Bool = true) {
    var (low, high) = (data.lowerBound, data.upperBound)
    // Of numbers so large the differences between ticks could not be computed.
    let least = max(max(low.magnitude, high.magnitude) * 1e-9, 1e-12)
    if high - low < least {
      let margin = max(least, low.magnitude * 0.05, 0.5)
      (low, high) = (low - margin, high + margin)
    }
    let raw = (high - low) / Double(max(count, 1))
    let power = Self.powerOfTen(raw)
    let step = [1.0, 2, 5, 10].map { $0 * power }.first { $0 >= raw * 0.999 } ?? 10 * power
    let first = (low / step).rounded(roundsEnds ? .down : .up)
    let last = (high / step).rounded(roundsEnds ? .up : .down)
    values = stride(from: first, through: max(first, last), by: 1).prefix(100).map { $0 * step }
    range = roundsEnds ? first * step...max(first + 1, last) * step : low...high
    decimals = step >= 1 ? 0 : Self.decimals(step)
  }

  /// The number as it stands at the axis.
  func label(_ value: Double) -> String {
    value.magnitude >= 1e6 || decimals > 6
      ? NumberText.short(value, digits: 3) : NumberText.fixed(value, decimals: decimals)
  }

  /// The largest power of ten that is not greater.
  private static func powerOfTen(_ value: Double) -> Double {
    var power = 1.0
    while power > value, power > 1e-300 { power /= 10 }
    while power * 10 <= value, power < 1e300 { power *= 10 }
    return power
  }

  /// Digits after the point that steps of this size need.
  private static func decimals(_ step: Double) -> Int {
    var (decimals, power) = (0, step)
    while power < 0.999, decimals < 12 {
      power *= 10
      decimals += 1
    }
    return decimals
  }
}
