/// Sums of elements from anywhere in a map.
package protocol SampleKernels<Scalar> {
  associatedtype Scalar

  /// `y[i] = Σ x[places[t * step + i]] * weights[t * step + i]` over `terms` of each of `count` outputs, products and sums
  /// each rounded to `Double`, one term after the other.
  static func sampleSums(
    _ x: UnsafePointer<Scalar>, places: UnsafePointer<Int>, weights: UnsafePointer<Double>, terms: Int, step: Int,
    count: Int, _ y: UnsafeMutablePointer<Double>)
}
