import Apus

/// How far a value may lie from the reference before it counts as different.
///
/// *Isolated*, a node is fed with the reference's values, and only its own rounding can separate the two. With u the
/// rounding of the element type (2⁻²⁴ for FLOAT; of two types, the model's and the reference's, the wider) and K the
/// number of terms that one element adds up, an element passes
/// when
///
///     |actual − expected| ≤ rtol · |expected| + (4 + √K / 2) · u · scale
///
/// The second part is about sums whose terms cancel: their error is proportional to the terms, not to the result, and
/// grows like a random walk, with √K. The scale is the largest expected element, constants of masks left out
/// (``ValueScale``); 1 for functions that lead to 0…1 or −1…1, whose usual formulas round at that size; and for sums, means
/// and sums of products, should they fail by that, the largest sum of the terms' magnitudes. There is no absolute constant but the
/// least number of the type, in which numbers below its normal ones are counted, so that a wrong epsilon in a layer of
/// small values is seen.
///
/// Several nodes between two values of the reference are judged together, and a reference in DOUBLE has not rounded its
/// values to those that a node of FLOAT is fed. Where that fails, the nodes are computed in DOUBLE as well, on what the
/// reference has, and four times what rounding amounts to there is allowed besides; of a reference in DOUBLE only where
/// they then give what it has, or do with what is before a jump moved by the rule's share of itself.
///
/// Where one of several nodes that are judged together rounds to levels, and not the last, two levels are allowed as
/// cumulatively, and half of one in the root mean square.
///
/// *Cumulatively* every earlier node has rounded as well: rtol 1e-3 and 1e-4 of the scale for FLOAT, where the scale is
/// at least that of what went into a node that only moves, adds, averages or clips values. Behind numbers of fewer bits, FLOAT before
/// a cast to DOUBLE too, the tolerance is theirs, and that of BFLOAT16 behind a node that makes much of how its inputs were rounded. Behind a node
/// that quantises, where one rounding makes a whole level, floating-point numbers and sums of levels may be off by two
/// levels of 255 that reach from the largest magnitude to its negative, and the levels themselves by two.
///
/// Where no node differs by itself and a value is beyond that all the same, and some node before rounds to whole numbers or
/// chooses, the model is computed in DOUBLE as well, each result moved by chance within the isolated tolerance: a root
/// mean square of up to four times that between the model's own run and this is rounding's, and no difference. Numbers
/// that are given in place of the rules are all that holds.
///
/// All other integers must be equal, behind a node that quantises as well, for a label or an index has no magnitude; so
/// must Booleans and texts.
public struct ParityTolerance: Sendable, Hashable {
  /// In place of the rules' rtol.
  public var relative: Double?
  /// In place of the rules' part that does not grow with an element, as an absolute number.
  public var absolute: Double?
  /// In place of the same part of floating-point values, as a share of their scale; ``absolute`` goes before it.
  public var scaled: Double?

  /// The rules where all are nil; a number given replaces the rules' for all values and types, isolated and
  /// cumulative, but `scaled`, which integers do not have.
  public init(relative: Double? = nil, absolute: Double? = nil, scaled: Double? = nil) {
    self.relative = relative
    self.absolute = absolute
    self.scaled = scaled
  }

  /// Whether no number takes the place of the rules'.
  var isRules: Bool { relative == nil && absolute == nil && scaled == nil }

  /// The tolerance of a node on the reference's own inputs.
  ///
  /// - Parameters:
  ///   - terms: how many terms an element adds up; see ``TermCount``.
  ///   - leastScale: the scale, where it is more than the largest expected element.
  func isolated(
    _ expected: GraphValue, computedIn type: ElementType?, terms: Int, leastScale: Double = 0
  ) throws -> Tolerance {
    guard let rule = Rule(computedIn: type, expected: expected.elementType) else { return replacing(.exact) }
    let scale = max(leastScale, try ValueScale(expected).largest)
    let roundings = 4 + Double(max(1, terms)).squareRoot() / 2
    let rounding = roundings * max(rule.unit * scale, rule.least / 2)
    return replacing(Tolerance(relative: rule.isolated, absolute: share(of: scale) ?? rounding))
  }

  /// What is known of the levels in a value or behind it.
  enum Levels {
    /// No node before rounds to levels.
    case none
    /// Some node before does. Integers that are neither levels nor sums of them are labels, indices, counts.
    case behind
    /// The value is levels of a few bits.
    case levels
    /// Levels, multiplied and added up.
    case sums
  }

  /// The tolerance of a value at the end of a run of its own.
  func cumulative(
    _ expected: GraphValue, computedIn type: ElementType?, levels: Levels, leastScale: Double = 0
  ) throws -> Tolerance {
    let isFloatingPoint = (type ?? expected.elementType)?.isFloatingPoint == true
    switch levels {
    case .levels where !isFloatingPoint:
      return replacing(expected.isNarrowInteger ? Tolerance(relative: 0, absolute: 2) : .exact)
    case .sums where !isFloatingPoint:
      let largest = try expected.asFloat()?.largestMagnitude() ?? 0
      return replacing(Tolerance(relative: 0, absolute: Self.twoLevels(to: largest)))
    case .behind, .levels, .sums:
      guard isFloatingPoint else { break }
      let largest = try ValueScale(expected).largest
      let absolute = share(of: max(leastScale, largest)) ?? Self.twoLevels(to: largest)
      return replacing(Tolerance(relative: 0, absolute: absolute))
    case .none: break
    }
    guard let rule = Rule(computedIn: type, expected: expected.elementType) else { return replacing(.exact) }
    let scale = max(leastScale, try ValueScale(expected).largest)
    // Where all that is left lies among the least numbers of the type, each node adds some of their steps.
    let absolute = share(of: scale) ?? max(rule.cumulative / 10 * scale, 1024 * rule.least)
    return replacing(Tolerance(relative: rule.cumulative, absolute: absolute))
  }

  /// Two of 255 levels that reach to the largest magnitude on both sides of 0, as signed levels do whatever they hold.
  private static func twoLevels(to largest: Double) -> Double { 2 * (2 * largest / 255) }

  /// Half a level where two are allowed.
  static func halfLevel(of twoLevels: Tolerance) -> Double { twoLevels.absolute / 4 }

  /// What two runtimes may differ by where one is `rounding` away from the same in DOUBLE.
  static func allowance(forRounding rounding: Double) -> Double { rounding.isFinite ? 4 * rounding : 0 }

  private func share(of scale: Double) -> Double? { scaled.map { $0 * scale } }

  private func replacing(_ tolerance: Tolerance) -> Tolerance {
    Tolerance(relative: relative ?? tolerance.relative, absolute: absolute ?? tolerance.absolute)
  }

  /// What holds for an element type.
  private struct Rule {
    /// Half the distance from 1 to the next number.
    let unit: Double
    let isolated: Double
    let cumulative: Double
    /// The least number above 0.
    let least: Double

    /// The wider of two types' rules; nil where the value is no floating-point number.
    init?(computedIn type: ElementType?, expected: ElementType?) {
      guard let own = Rule(type ?? expected) else { return nil }
      guard let other = Rule(expected), other.unit > own.unit else {
        self = own
        return
      }
      self = other
    }

    init?(_ type: ElementType?) {
      switch type {
      case .double: (unit, isolated, cumulative, least) = (0x1p-53, 1e-12, 1e-8, 0x1p-1074)
      case .float: (unit, isolated, cumulative, least) = (0x1p-24, 1.3e-6, 1e-3, 0x1p-149)
      case .float16: (unit, isolated, cumulative, least) = (0x1p-11, 1e-3, 5e-2, 0x1p-24)
      case .bfloat16: (unit, isolated, cumulative, least) = (0x1p-8, 1.6e-2, 2e-1, 0x1p-133)
      default: return nil
      }
    }
  }
}

extension GraphValue {
  /// Whether these are integers of at most 16 bits, as levels are.
  fileprivate var isNarrowInteger: Bool {
    switch elementType {
    case .int8, .uint8, .int16, .uint16, .int4, .uint4, .int2, .uint2: true
    default: false
    }
  }

  /// A tensor of integers as FLOAT; nil for what is not a tensor of numbers.
  func asFloat() throws -> GraphValue? {
    guard case .tensor(let tensor) = self, tensor.dataType != .bool else { return nil }
    return GraphValue(try tensor.converted(to: Float.self))
  }
}
