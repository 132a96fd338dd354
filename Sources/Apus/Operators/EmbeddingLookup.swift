/// The rows of `weight`, of shape `[entries, features]`, that `indices` name: the shape of `indices` with `features`
/// appended.
/// - Throws: ``TensorError/argument(operation:reason:)`` naming the first index that is negative or too large, and its
///   position.
public func embedding<Scalar: TensorScalar>(
  _ indices: Tensor<Int64>, weight: Tensor<Scalar>
) throws -> Tensor<Scalar> {
  guard weight.rank == 2 else {
    throw TensorError.shape(
      operation: "embedding", reason: "weight has shape \(weight.shape); expected [entries, features]")
  }
  let indices = try indices.rowMajor
  try indices.checkIndices(from: 0, to: weight.shape[0], operation: "embedding", into: weight.shape, axis: 0)
  return try weight.indexSelect(axis: 0, indices)
}

/// The same with `Int32` indices.
public func embedding<Scalar: TensorScalar>(
  _ indices: Tensor<Int32>, weight: Tensor<Scalar>
) throws -> Tensor<Scalar> {
  try embedding(indices.converted(to: Int64.self), weight: weight)
}
