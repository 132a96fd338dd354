/// `(x + residual) * weight + bias`, or `x * weight + bias` without a residual, with a weight and a bias for each feature
/// of the last axis. MobileBERT's `NoNorm` is this.
///
/// One pass over memory, and the same bits as the sum, the product and the sum one after the other: no two of them are
/// fused into one rounding.
///
/// - Parameters:
///   - x: `[…, features]`.
///   - weight: `[features]`.
///   - bias: `[features]`.
///   - residual: of the shape of `x`.
/// - Returns: the shape of `x`.
/// - Throws: ``TensorError/shape(operation:reason:)`` when shapes do not fit.
package func affine<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, weight: Tensor<Scalar>, bias: Tensor<Scalar>, residual: Tensor<Scalar>? = nil
) throws -> Tensor<Scalar> {
  guard let features = x.shape.last else {
    throw TensorError.shape(operation: "affine", reason: "a single value has no features; expected […, features]")
  }
  for (name, parameter) in [("weight", weight), ("bias", bias)] where parameter.shape != [features] {
    throw TensorError.shape(
      operation: "affine", reason: "\(name) has shape \(parameter.shape); expected [\(features)]")
  }
  if let residual, residual.shape != x.shape {
    throw TensorError.shape(
      operation: "affine", reason: "the residual has shape \(residual.shape); expected \(x.shape), that of x")
  }
  let (x, residual) = (try x.rowMajor, try residual?.rowMajor)
  let (weight, bias) = (try weight.rowMajor, try bias.rowMajor)
  let kernels = Scalar.kernels
  return try withExtendedLifetime((x.storage, residual?.storage, weight.storage, bias.storage)) {
    nonisolated(unsafe) let source = (x: x.pointer, residual: residual?.pointer)
    nonisolated(unsafe) let parameters = (weight: weight.pointer, bias: bias.pointer)
    return try Tensor.filled(x.shape) { destination in
      guard x.count > 0 else { return }
      nonisolated(unsafe) let y = destination
      parallelRows(x.count / features, width: features) { first, count in
        let start = first * features
        kernels.scaleAndShiftRows(
          source.x + start, residual: source.residual.map { $0 + start }, weight: parameters.weight,
          bias: parameters.bias, y + start, rows: count, columns: features)
      }
    }
  }
}
