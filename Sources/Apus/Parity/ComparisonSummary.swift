import ApusBase

/// Several comparisons as one: what went wrong how often, and where each measure was worst.
///
/// ```swift
/// var summary = ComparisonSummary()
/// for sample in samples {
///   summary.add(try Comparison(actual: model(sample.input), expected: sample.output), named: sample.name)
/// }
/// ```
public struct ComparisonSummary: Sendable, Hashable {
  /// The largest value of one measure, and the sample that has it.
  public struct Peak: Sendable, Hashable {
    /// The measure; above zero and never NaN.
    public var value: Double
    /// The name the sample was added under.
    public var sample: String
  }

  /// A comparison and the name of what was compared.
  public struct Sample: Sendable, Hashable {
    /// The name the sample was added under.
    public var name: String
    /// What was found on it.
    public var comparison: Comparison
  }

  /// How many comparisons were added.
  public private(set) var sampleCount = 0
  /// How many of them were not equal.
  public private(set) var differentCount = 0
  /// The number of elements, over all samples whose shapes agreed.
  public private(set) var elementCount = 0
  /// How many elements were mismatched.
  public private(set) var mismatchedCount = 0
  /// The worst sample: one that cannot be compared before one that has NaN in the wrong place, before the one with the
  /// largest share of mismatched elements, before the one that needs the widest tolerance.
  public private(set) var worst: Sample?
  /// The largest `|actual - expected|`; `nil` while no sample differs.
  public private(set) var largestAbsolute: Peak?
  /// The largest `|actual - expected| / |expected|`; `nil` while no sample differs.
  public private(set) var largestRelative: Peak?
  /// The largest distance in units in the last place; `nil` while no sample differs.
  public private(set) var largestULP: Peak?
  /// The largest ``Comparison/Differences/normalizedMeanSquare``; `nil` while no sample differs.
  public private(set) var normalizedMeanSquare: Peak?
  private var squaredDifferences = 0.0
  private var finiteElements = 0.0

  /// A summary of no samples, which is not equal: see ``isEqual``.
  public init() {}

  /// Whether at least one sample was compared and none differed.
  public var isEqual: Bool { sampleCount > 0 && differentCount == 0 }

  /// The root mean square of all differences together.
  public var rootMeanSquare: Double { (squaredDifferences / max(finiteElements, 1)).squareRoot() }

  /// Counts one more comparison.
  public mutating func add(_ comparison: Comparison, named name: String) {
    sampleCount += 1
    if !comparison.isEqual { differentCount += 1 }
    if let worst, !Self.isWorse(comparison, than: worst.comparison) {
      // The earlier one stays, also when both are equally bad.
    } else {
      worst = Sample(name: name, comparison: comparison)
    }
    guard let differences = comparison.differences else { return }
    elementCount += differences.count
    mismatchedCount += differences.mismatchedCount
    finiteElements += Double(differences.finiteCount)
    squaredDifferences += differences.squaredSum
    Self.raise(&largestAbsolute, to: differences.largestAbsolute?.value, name)
    Self.raise(&largestRelative, to: differences.largestRelative?.value, name)
    Self.raise(&largestULP, to: differences.largestULP?.value, name)
    Self.raise(&normalizedMeanSquare, to: differences.normalizedMeanSquare, name)
  }

  private static func raise(_ peak: inout Peak?, to value: Double?, _ name: String) {
    guard let value, !value.isNaN, value > peak?.value ?? 0 else { return }
    peak = Peak(value: value, sample: name)
  }

  private static func isWorse(_ a: Comparison, than b: Comparison) -> Bool {
    let (x, y) = (severity(a), severity(b))
    return y.lexicographicallyPrecedes(x)
  }

  private static func severity(_ comparison: Comparison) -> [Double] {
    guard let differences = comparison.differences else { return [3] }
    if !comparison.hasAcceptableTypes { return [2, differences.mismatchedPercent] }
    return [
      differences.nonFiniteMismatchCount > 0 ? 1 : 0, differences.mismatchedPercent,
      differences.required.both ?? .infinity,
    ]
  }
}

extension ComparisonSummary: CustomStringConvertible {
  /// A verdict, and the worst of each measure with its sample.
  public var description: String {
    var lines = [verdict]
    var table = TextTable()
    func add(_ name: String, _ peak: Peak?) {
      if let peak { table.add("  " + name, NumberText.short(peak.value), "in \(peak.sample)") }
    }
    add("largest absolute", largestAbsolute)
    add("largest relative", largestRelative)
    add("largest ULP", largestULP)
    add("largest NMSE", normalizedMeanSquare)
    lines += table.lines
    if let worst, differentCount > 0 { lines += ["worst: \(worst.name)", worst.comparison.description] }
    return lines.joined(separator: "\n")
  }

  private var verdict: String {
    let samples = sampleCount == 1 ? "1 sample" : "\(sampleCount) samples"
    if sampleCount == 0 { return "nothing was compared" }
    if differentCount == 0 { return "equal      \(samples), \(elementCount) elements" }
    return "different  \(differentCount) of \(samples), \(mismatchedCount) of \(elementCount) elements"
  }
}
