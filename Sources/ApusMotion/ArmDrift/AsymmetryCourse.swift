/// How an asymmetry goes over time.
public struct AsymmetryCourse: Sendable, Hashable {
  /// The mean of the asymmetries of all samples.
  public let mean: Double
  /// The smallest asymmetry.
  public let minimum: Double
  /// The largest asymmetry.
  public let maximum: Double
  /// Their population standard deviation.
  public let deviation: Double
  /// The mean of the differences from sample to sample, a second.
  public let meanVelocity: Double
  /// The largest difference, with its sign, a second.
  public let maximumVelocity: Double
  /// The population standard deviation of the differences, a second.
  public let velocityDeviation: Double
  /// Slope of the least-squares line, a second; 0 for fewer than three samples.
  public let trend: Double
  /// The trend for people to read: what is left of rounding where there is none is shown as 0.
  public var shownTrend: Double { abs(trend) < 1e-9 ? 0 : trend }
  /// Seconds from the first sample to the last.
  public let duration: Double
  /// 0...1: mean of max(0, 1 − 10σ), σ the population deviation of each run of min(10, ⌊n / 3⌋) samples that another
  /// follows. Nil for fewer than ten samples.
  public let stability: Double?
  /// How many of those runs have σ below 0.01.
  public let stablePeriods: Int
  /// Whether it swings: a stability below 0.5, and six turns a second or more of 0.02 or more, that is three swings.
  /// Nil where there are fewer than ten samples, or fewer than twelve a second: swings could not be seen.
  public let isTremorLike: Bool?

  /// Fewer samples than this say nothing.
  public static let fewestSamples = 5
  /// An asymmetry less stable than this is unsteady.
  static let leastStability = 0.5

  /// - Parameters:
  ///   - times: seconds, increasing.
  ///   - values: one a time.
  /// - Returns: nil for fewer than ``fewestSamples``.
  public init?(times: [Double], values: [Double]) {
    let count = values.count
    guard times.count == count, count >= Self.fewestSamples, let deviation = values.populationDeviation,
      let minimum = values.min(), let maximum = values.max()
    else { return nil }
    mean = values.reduce(0, +) / Double(count)
    (self.minimum, self.maximum, self.deviation) = (minimum, maximum, deviation)

    let velocities: [Double] = (1..<count).map { index in
      let change = values[index] - values[index - 1]
      return change / (times[index] - times[index - 1])
    }
    meanVelocity = velocities.reduce(0, +) / Double(velocities.count)
    maximumVelocity = velocities.max() ?? 0
    velocityDeviation = velocities.populationDeviation ?? 0
    duration = times[count - 1] - times[0]
    trend = Self.slope(times, values, mean: mean)

    guard count >= 10 else {
      (stability, stablePeriods, isTremorLike) = (nil, 0, nil)
      return
    }
    let length = min(10, count / 3)
    let deviations: [Double] = (length..<count).map { end in
      Array(values[end - length..<end]).populationDeviation ?? 0
    }
    let steadiness: [Double] = deviations.map { max(0, 1 - 10 * $0) }
    let stability = steadiness.reduce(0, +) / Double(steadiness.count)
    self.stability = stability
    stablePeriods = deviations.count { $0 < 0.01 }
    let isFastEnough = Double(count - 1) >= 12 * duration - 1e-6
    isTremorLike = isFastEnough ? stability < Self.leastStability && Double(Self.turns(values)) >= 6 * duration : nil
  }

  private static func slope(_ times: [Double], _ values: [Double], mean: Double) -> Double {
    // From the first time on: epoch seconds squared would lose the digits that matter.
    let offsets = times.map { $0 - times[0] }
    let middle = offsets.reduce(0, +) / Double(offsets.count)
    var (product, square) = (0.0, 0.0)
    for (offset, value) in zip(offsets, values) {
      product += (offset - middle) * (value - mean)
      square += (offset - middle) * (offset - middle)
    }
    return square > 0 ? product / square : 0
  }

  /// How often the values turn back by 0.02 or more.
  private static func turns(_ values: [Double]) -> Int {
    let smallest = 0.02
    guard let first = values.first else { return 0 }
    var (low, high, direction, turns) = (first, first, 0, 0)
    for value in values {
      (low, high) = (min(low, value), max(high, value))
      if direction >= 0, high - value >= smallest {
        if direction > 0 { turns += 1 }
        (direction, low, high) = (-1, value, value)
      } else if direction <= 0, value - low >= smallest {
        if direction < 0 { turns += 1 }
        (direction, low, high) = (1, value, value)
      }
    }
    return turns
  }
}
