/// Walks over two tensors once and gathers everything a ``Comparison/Differences`` reports.
struct DifferenceAccumulator {
  let tolerance: Tolerance
  let nanEqualsNaN: Bool
  let grid: FloatingGrid?

  private(set) var actualCounts = NonFiniteCounts()
  private(set) var expectedCounts = NonFiniteCounts()
  private var count = 0
  private var finiteCount = 0
  private var mismatched = 0
  private var nonFiniteMismatches = 0
  private var firstNonFinite: Pair?
  private var largestAbsolute = Pair()
  private var largestRelative = Pair()
  private var largestULP = Pair()
  private var sums = Sums()
  private var requiredAbsolute = 0.0
  private var requiredRelative = 0.0
  private var requiredBoth = 0.0

  private struct Pair {
    var value = 0.0
    var offset = 0
    var actual = 0.0
    var expected = 0.0
  }

  private struct Sums {
    var absolute = 0.0
    var squared = 0.0
    var actualSquared = 0.0
    var expectedSquared = 0.0
    var product = 0.0
  }

  init(tolerance: Tolerance, nanEqualsNaN: Bool, grid: FloatingGrid?) {
    self.tolerance = tolerance
    self.nanEqualsNaN = nanEqualsNaN
    self.grid = grid
  }

  /// Adds all elements of two tensors of one shape.
  mutating func add(_ actual: ElementSource, _ expected: ElementSource) {
    let isExactInteger =
      grid == nil && (actual.exceedsDoublePrecision || expected.exceedsDoublePrecision)
    let block = ElementSource.block
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 3 * block) { buffer in
      guard let a = buffer.baseAddress else { return }
      let (e, d) = (a + block, a + 2 * block)
      for start in stride(from: 0, to: actual.count, by: block) {
        let length = min(block, actual.count - start)
        actual.widen(from: start, count: length, into: a)
        expected.widen(from: start, count: length, into: e)
        if isExactInteger {
          for index in 0..<length {
            let (x, y) = (actual.integer(at: start + index), expected.integer(at: start + index))
            d[index] = x == y ? 0 : Double(x - y)
          }
        } else {
          for index in 0..<length { d[index] = a[index] - e[index] }
        }
        addBlock(a, e, difference: d, count: length, offset: start)
      }
    }
  }

  private mutating func addBlock(
    _ actual: UnsafePointer<Double>, _ expected: UnsafePointer<Double>, difference: UnsafePointer<Double>,
    count length: Int, offset: Int
  ) {
    let (rtol, atol) = (tolerance.relative, tolerance.absolute)
    var sums = self.sums
    var finite = 0
    for index in 0..<length {
      let a = actual[index]
      let e = expected[index]
      guard a.isFinite, e.isFinite else {
        addNonFinite(a, e, offset: offset + index)
        continue
      }
      let d = difference[index].magnitude
      let magnitude = e.magnitude
      finite += 1
      sums.absolute += d
      sums.squared += d * d
      sums.actualSquared += a * a
      sums.expectedSquared += e * e
      sums.product += a * e
      if d == 0 { continue }
      if !(d <= atol + rtol * magnitude) { mismatched += 1 }
      if d > largestAbsolute.value { largestAbsolute = Pair(value: d, offset: offset + index, actual: a, expected: e) }
      let relative = d / magnitude
      if magnitude > 0, relative > largestRelative.value {
        largestRelative = Pair(value: relative, offset: offset + index, actual: a, expected: e)
      }
      if let grid {
        let ulp = Double(grid.distance(a, e))
        if ulp > largestULP.value { largestULP = Pair(value: ulp, offset: offset + index, actual: a, expected: e) }
      }
      requiredAbsolute = max(requiredAbsolute, d - rtol * magnitude)
      if d > atol { requiredRelative = max(requiredRelative, (d - atol) / magnitude) }
      requiredBoth = max(requiredBoth, d / (1 + magnitude))
    }
    self.sums = sums
    finiteCount += finite
    count += length
  }

  private mutating func addNonFinite(_ a: Double, _ e: Double, offset: Int) {
    actualCounts.add(a)
    expectedCounts.add(e)
    if a == e || (nanEqualsNaN && a.isNaN && e.isNaN) { return }
    mismatched += 1
    nonFiniteMismatches += 1
    if firstNonFinite == nil { firstNonFinite = Pair(value: .nan, offset: offset, actual: a, expected: e) }
  }

  func differences(shape: [Int]) -> Comparison.Differences {
    func extreme(_ pair: Pair) -> Comparison.Extreme {
      Comparison.Extreme(
        value: pair.value, index: Shape.index(ofOffset: pair.offset, in: shape),
        actual: pair.actual, expected: pair.expected)
    }
    func largest(_ pair: Pair) -> Comparison.Extreme? { pair.value > 0 ? extreme(pair) : nil }
    let n = Double(max(finiteCount, 1))
    let norms = sums.actualSquared.squareRoot() * sums.expectedSquared.squareRoot()
    return Comparison.Differences(
      count: count, finiteCount: finiteCount, mismatchedCount: mismatched, nonFiniteMismatchCount: nonFiniteMismatches,
      nonFinite: firstNonFinite.map(extreme),
      largestAbsolute: largest(largestAbsolute), largestRelative: largest(largestRelative),
      largestULP: largest(largestULP),
      meanAbsolute: sums.absolute / n, squaredSum: sums.squared,
      normalizedMeanSquare: sums.squared == 0 ? 0 : sums.squared / sums.expectedSquared,
      cosine: norms > 0 && norms.isFinite ? min(1, max(-1, sums.product / norms)) : nil,
      required: required)
  }

  /// What was gathered, raised by the few units that rounding in the test itself can take.
  private var required: Comparison.RequiredTolerance {
    guard nonFiniteMismatches == 0 else { return Comparison.RequiredTolerance() }
    func raised(_ value: Double, by slack: Double) -> Double? {
      guard value > 0 else { return 0 }
      let raised = value * (1 + 0x1p-49) + slack
      return raised.isFinite ? raised : nil
    }
    // `d - rtol · |e|` cancels: its rounding error is relative to `d`, which is at most `largestAbsolute`.
    return Comparison.RequiredTolerance(
      absolute: raised(requiredAbsolute, by: largestAbsolute.value * 0x1p-51),
      relative: raised(requiredRelative, by: 0), both: raised(requiredBoth, by: 0))
  }
}
