import Apus

/// Where the numbers of a value lie, as far as samples have shown.
///
/// Bins of one width cover ±``reach``, a power of two, which grows with what is seen: two neighbours become one then.
struct RangeHistogram: Sendable {
  private(set) var least: Double = 0
  private(set) var greatest: Double = 0
  private var reach: Double = 0
  private var counts = [Int](repeating: 0, count: Self.binCount)

  private static let binCount = 4096
  private var width: Double { 2 * reach / Double(Self.binCount) }

  /// Counts the numbers of a tensor, in time in proportion to how many there are.
  /// - Throws: ``OperatorError`` for NaN and infinities, which no range holds.
  mutating func add(_ x: Tensor<Float>) throws {
    let numbers = try x.elements
    var (low, high): (Float, Float) = (0, 0)
    var isFinite = true
    for number in numbers {
      isFinite = isFinite && number.isFinite
      low = min(low, number)
      high = max(high, number)
    }
    guard isFinite else { throw OperatorError("it holds NaN or infinity, which no range of levels does") }
    (least, greatest) = (min(least, Double(low)), max(greatest, Double(high)))
    let largest = max(-Double(low), Double(high))
    // All of them are zeros.
    guard largest > 0 || reach > 0 else { return }
    if reach == 0 { reach = largest.binade }
    while reach <= largest { double() }
    // Widths of the smallest numbers have no reciprocal in FLOAT.
    let perBin = 1 / width
    let middle = Self.binCount / 2
    for number in numbers {
      let bin = middle + Int((Double(number) * perBin).rounded(.down))
      counts[min(max(bin, 0), Self.binCount - 1)] += 1
    }
  }

  private mutating func double() {
    var wider = [Int](repeating: 0, count: Self.binCount)
    let quarter = Self.binCount / 4
    for pair in 0..<(Self.binCount / 2) { wider[quarter + pair] = counts[2 * pair] + counts[2 * pair + 1] }
    counts = wider
    reach *= 2
  }
}

extension RangeHistogram {
  /// The range, 0 within it, whose 256 levels are to stand for the numbers.
  func range(_ rule: StaticQuantization.RangeRule) -> ClosedRange<Double> {
    guard reach > 0 else { return 0...0 }
    switch rule {
    case .extremes: return least...greatest
    case .percentile(let part): return percentile(part)
    case .leastError: return leastError
    }
  }

  /// Without the outermost numbers of each side: of all, the part `1 - part`.
  private func percentile(_ part: Double) -> ClosedRange<Double> {
    let total = counts.reduce(0, +)
    let most = Int((Double(total) * (1 - part)).rounded(.down))
    func passed(_ bins: some Sequence<Int>) -> Int? {
      var left = most
      for bin in bins {
        left -= counts[bin]
        if left < 0 { return bin }
      }
      return nil
    }
    let low = passed(counts.indices).map { Double($0) * width - reach } ?? 0
    let high = passed(counts.indices.reversed()).map { Double($0 + 1) * width - reach } ?? 0
    return min(0, max(least, low))...max(0, min(greatest, high))
  }

  /// The range with the least mean squared error: what is cut off against how far apart the levels lie.
  private var leastError: ClosedRange<Double> {
    let filled = counts.enumerated().filter { $0.element > 0 }.map { bin, count in
      (number: (Double(bin) + 0.5) * width - reach, count: Double(count))
    }
    var best = least...greatest
    var leastError = Self.error(of: best, filled)
    func consider(_ range: ClosedRange<Double>) {
      let error = Self.error(of: range, filled)
      if error < leastError { (best, leastError) = (range, error) }
    }
    // One side after the other, the longer first.
    let steps = stride(from: 0.98, to: 0.2, by: -0.02)
    if greatest >= -least {
      for step in steps { consider(least...(greatest * step)) }
      for step in steps where least < 0 { consider((least * step)...best.upperBound) }
    } else {
      for step in steps { consider((least * step)...greatest) }
      for step in steps where greatest > 0 { consider(best.lowerBound...(greatest * step)) }
    }
    return best
  }

  /// - Parameter filled: the bins with something in them: their middle, and how much.
  private static func error(of range: ClosedRange<Double>, _ filled: [(number: Double, count: Double)]) -> Double {
    let step = (range.upperBound - range.lowerBound) / 255
    let rounding = step * step / 12
    var sum = 0.0
    for (number, count) in filled {
      let cut = max(0, number - range.upperBound, range.lowerBound - number)
      sum += count * (cut > 0 ? cut * cut : rounding)
    }
    return sum
  }
}
