/// Softmax and the normalisations. Every output may be the input.
package protocol NormalizationKernels<Scalar> {
  associatedtype Scalar

  /// Softmax of each row of `[rows, columns]`, or its logarithm.
  static func softmaxRows(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int, logarithm: Bool)

  /// Softmax of the `count` columns from `first` on of `[rows, columns]`, each over all rows, or its logarithm.
  static func softmaxColumns(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int, first: Int, count: Int,
    logarithm: Bool)

  /// `y = (x - mean) / √(variance + epsilon) * weight + bias` with the mean and variance of each row of
  /// `[rows, columns]`; `weight` and `bias` hold `columns` values.
  static func layerNormRows(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int,
    weight: UnsafePointer<Scalar>?, bias: UnsafePointer<Scalar>?, epsilon: Double)

  /// `y = x / √(mean x² + epsilon) * weight` with the mean of each row of `[rows, columns]`; `weight` holds `columns`
  /// values.
  static func rmsNormRows(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int,
    weight: UnsafePointer<Scalar>?, epsilon: Double)

  /// Layer normalisation over one group `[channels, positions]`; `weight` and `bias` hold a value per channel.
  static func groupNorm(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, channels: Int, positions: Int,
    weight: UnsafePointer<Scalar>?, bias: UnsafePointer<Scalar>?, epsilon: Double)

  /// `scale[c] = weight[c] / √(variance[c] + epsilon)`, with 1 for an absent weight.
  static func batchNormScale(
    variance: UnsafePointer<Scalar>, weight: UnsafePointer<Scalar>?, epsilon: Double,
    scale: UnsafeMutablePointer<Scalar>, count: Int)

  /// `y = (x - mean) * scale + shift` over a run.
  static func affine(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, count: Int, mean: Scalar, scale: Scalar,
    shift: Scalar)

  /// `y = (x - mean[c]) * scale[c] + shift[c]` for each column `c` of `[rows, columns]`.
  static func affineRows(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int,
    mean: UnsafePointer<Scalar>, scale: UnsafePointer<Scalar>, shift: UnsafePointer<Scalar>)
}
