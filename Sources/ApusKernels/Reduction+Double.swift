import ApusKernelInterface
import ApusPlatform

extension Float64Kernels {
  package static func sum(_ x: UnsafePointer<Double>, count: Int) -> Double {
    total(count) { x[$0] }
  }

  /// The sum of `term(0)` … `term(count - 1)`: eight sums side by side in runs of 512, whose totals are added with the
  /// error of each addition carried along.
  @inline(__always)
  static func total(_ count: Int, _ term: (Int) -> Double) -> Double {
    var sum = 0.0
    var lost = 0.0
    var start = 0
    while start < count {
      let end = min(start &+ 512, count)
      var parts = SIMD8<Double>(repeating: 0)
      var i = start
      while i < end {
        for lane in 0..<8 where i &+ lane < end { parts[lane] += term(i &+ lane) }
        i &+= 8
      }
      let run = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
      let next = sum + run
      // What the addition lost, whichever of the two is greater; nothing once the sum is no longer finite.
      let error = sum.magnitude >= run.magnitude ? (sum - next) + run : (run - next) + sum
      if error.isFinite { lost += error }
      sum = next
      start = end
    }
    return sum + lost
  }

  package static func reduceRows(
    _ reduction: Reduction, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int
  ) {
    for row in 0..<rows {
      y[row] = reduce(reduction, x + row &* columns, 1, columns)
    }
  }

  package static func reduceColumns(
    _ reduction: Reduction, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int,
    first: Int, count: Int
  ) {
    for column in first..<(first &+ count) {
      y[column] = reduce(reduction, x + column, columns, rows)
    }
  }

  /// The reduction of `count` elements, `step` apart.
  private static func reduce(_ reduction: Reduction, _ x: UnsafePointer<Double>, _ step: Int, _ count: Int) -> Double {
    switch reduction {
    case .sum: return total(count) { x[$0 &* step] }
    case .mean: return total(count) { x[$0 &* step] } / Double(count)
    case .product:
      var result = 1.0
      for i in 0..<count { result *= x[i &* step] }
      return result
    case .maximum: return greatest(x, count, step)
    case .minimum:
      var result = x[0]
      for i in 1..<max(count, 1) { result = minimum(x[i &* step], result) }
      return result
    }
  }

  /// The greatest element; NaN when any is.
  static func greatest(_ x: UnsafePointer<Double>, _ count: Int, _ step: Int) -> Double {
    var result = x[0]
    for i in 1..<max(count, 1) { result = maximum(x[i &* step], result) }
    return result
  }

  /// The mean of a row, and Σ (x - mean)².
  static func moments(_ x: UnsafePointer<Double>, _ count: Int) -> (mean: Double, squares: Double) {
    let mean = sum(x, count: count) / Double(count)
    let squares = total(count) { i in
      let deviation = x[i] - mean
      return deviation * deviation
    }
    return (mean, squares)
  }

  package static func varianceRows(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int, correction: Int,
    root: Bool
  ) {
    for row in 0..<rows {
      let variance = moments(x + row &* columns, columns).squares / Double(columns &- correction)
      y[row] = root ? variance.squareRoot() : variance
    }
  }

  package static func logSumExpRows(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int
  ) {
    for row in 0..<rows {
      let x = x + row &* columns
      let peak = greatest(x, columns, 1)
      // An infinite peak is the answer, and nothing can be subtracted from it.
      y[row] = peak.isInfinite ? peak : peak + log(total(columns) { exp(x[$0] - peak) })
    }
  }

  package static func argumentRows(
    greatest isGreatest: Bool, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Int64>, rows: Int, columns: Int
  ) {
    for row in 0..<rows {
      let x = x + row &* columns
      var best = 0
      for i in 0..<columns {
        if x[i].isNaN {
          best = i
          break
        }
        if isGreatest ? x[i] > x[best] : x[i] < x[best] { best = i }
      }
      y[row] = Int64(truncatingIfNeeded: best)
    }
  }

  package static func argumentColumns(
    greatest isGreatest: Bool, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Int64>, rows: Int, columns: Int,
    first: Int, count: Int
  ) {
    for column in first..<(first &+ count) {
      let x = x + column
      var best = 0
      for row in 0..<rows {
        let value = x[row &* columns]
        if value.isNaN {
          best = row
          break
        }
        if isGreatest ? value > x[best &* columns] : value < x[best &* columns] { best = row }
      }
      y[column] = Int64(truncatingIfNeeded: best)
    }
  }
}
