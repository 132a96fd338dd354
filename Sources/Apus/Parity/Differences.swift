extension Comparison {
  /// One pair of elements, and what was measured on it.
  public struct Extreme: Sendable, Hashable {
    /// The difference, in the unit of the measure.
    public var value: Double
    /// Where the pair is, one index for each axis.
    public var index: [Int]
    /// The element that was judged, as a float64; see ``expected``.
    public var actual: Double
    /// Integers beyond 2⁵³ are rounded here; their difference never is.
    public var expected: Double
  }

  /// The smallest tolerances under which every element would pass; `nil` where none does.
  public struct RequiredTolerance: Sendable, Hashable {
    /// The smallest `atol` at the given `rtol`.
    public var absolute: Double?
    /// The smallest `rtol` at the given `atol`.
    public var relative: Double?
    /// The smallest number that passes as both.
    public var both: Double?
  }

  /// How the elements of two tensors of one shape differ.
  public struct Differences: Sendable, Hashable {
    /// The number of elements.
    public var count: Int
    /// How many are finite on both sides: those that the sums and means are about.
    public var finiteCount: Int
    /// How many lie beyond the tolerance, or are NaN or infinite on one side.
    public var mismatchedCount: Int
    /// How many are NaN or infinite on one side and something else on the other.
    public var nonFiniteMismatchCount: Int
    /// The first of those; its `value` is NaN.
    public var nonFinite: Extreme?
    /// The largest `|actual - expected|`; `nil` when there is none above zero.
    public var largestAbsolute: Extreme?
    /// The largest `|actual - expected| / |expected|` where the expected value is not zero.
    public var largestRelative: Extreme?
    /// The largest distance in units in the last place, counted in the narrower of two floating-point types.
    public var largestULP: Extreme?
    /// The mean of `|actual - expected|`.
    public var meanAbsolute: Double
    /// `Σ (actual - expected)²`.
    public var squaredSum: Double
    /// `Σ (actual - expected)² / Σ expected²` of what is finite: one number, independent of scale.
    public var normalizedMeanSquare: Double
    /// The cosine of the angle between the two as vectors; `nil` when either is all zeros.
    public var cosine: Double?
    /// Which tolerances would have let all elements pass.
    public var required: RequiredTolerance

    /// The share of elements that are mismatched, in percent.
    public var mismatchedPercent: Double { count == 0 ? 0 : Double(mismatchedCount) / Double(count) * 100 }

    /// The square root of the mean of `(actual - expected)²`.
    public var rootMeanSquare: Double { (squaredSum / Double(max(finiteCount, 1))).squareRoot() }

    /// The signal-to-noise ratio in decibels, `-10 log₁₀` of ``normalizedMeanSquare``; infinite for equal tensors, and
    /// minus infinity where an element is NaN or infinite on one side and something else on the other.
    public var signalToNoise: Double {
      nonFiniteMismatchCount > 0 ? -.infinity : -10 * logarithm10(normalizedMeanSquare)
    }
  }
}
