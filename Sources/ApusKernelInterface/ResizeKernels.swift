/// Where an output position of one axis lies between two input positions.
package struct LinearTap: BitwiseCopyable, Sendable {
  package var first: Int
  package var second: Int
  /// How much of the second there is; the first has the rest.
  package var weight: Double

  package init(first: Int, second: Int, weight: Double) {
    self.first = first
    self.second = second
    self.weight = weight
  }
}

/// Sampling of one map at another resolution.
///
/// `width` is that of the input. `isBlocked` maps hold sixteen channels at every position, others one; only `Float`
/// maps are ever blocked.
package protocol ResizeKernels<Scalar> {
  associatedtype Scalar

  /// `y[r, c] = x[rows[r], columns[c]]`.
  static func resizeNearest(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, width: Int,
    rows: UnsafeBufferPointer<Int>, columns: UnsafeBufferPointer<Int>, isBlocked: Bool)

  /// `y[r, c]`, the mean of four neighbours weighted by `rows[r]` and `columns[c]`, in double precision.
  static func resizeLinear(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, width: Int,
    rows: UnsafeBufferPointer<LinearTap>, columns: UnsafeBufferPointer<LinearTap>, isBlocked: Bool)
}
