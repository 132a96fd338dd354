/// What a run of elements is reduced to.
package enum Reduction: Sendable {
  case sum, mean, product
  /// NaN when any element is.
  case maximum, minimum
}

/// Sums, products and extremes over runs of elements. Sums of `Float` are accumulated in `Double` and rounded once.
package protocol ReductionKernels<Scalar> {
  associatedtype Scalar

  /// The sum of `count` elements, before it is rounded to `Scalar`: partial sums of a long run can be added exactly.
  static func sum(_ x: UnsafePointer<Scalar>, count: Int) -> Double

  /// `y[r]`, the reduction of row `r` of `[rows, columns]`; `columns` is at least 1.
  static func reduceRows(
    _ reduction: Reduction, _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int)

  /// `y[c]`, the reduction of column `c` for the `count` columns from `first` on of `[rows, columns]`; `rows` is at
  /// least 1, `x` and `y` point to the first row and result.
  static func reduceColumns(
    _ reduction: Reduction, _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int,
    first: Int, count: Int)

  /// `y[r] = Σ (x - mean)² / (columns - correction)` over row `r`, or its square root.
  static func varianceRows(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int, correction: Int,
    root: Bool)

  /// `y[r] = log Σ exp(x)` over row `r`, without overflow.
  static func logSumExpRows(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int)

  /// The index of the first of the greatest (or smallest) elements of each row; of the first NaN when there is one.
  static func argumentRows(
    greatest: Bool, _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Int64>, rows: Int, columns: Int)

  /// The same of each column, for the `count` columns from `first` on of `[rows, columns]`; there are 1 to 2²⁴ rows.
  static func argumentColumns(
    greatest: Bool, _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Int64>, rows: Int, columns: Int, first: Int,
    count: Int)
}
