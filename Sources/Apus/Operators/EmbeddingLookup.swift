/// Rows of a table: PyTorch's `embedding`.
///
/// - Parameters:
///   - indices: any shape; each at least 0 and less than the number of rows.
///   - weight: `[rows, features]`.
/// - Returns: the shape of `indices` with `features` behind it.
/// - Throws: ``TensorError`` naming the first index outside the table.
public func embedding<Scalar: FloatingPointScalar>(
  _ indices: Tensor<Int64>, weight: Tensor<Scalar>
) throws -> Tensor<Scalar> {
  guard weight.rank == 2 else {
    throw TensorError.shape(
      operation: "embedding", reason: "weight has shape \(weight.shape), expected [rows, features]")
  }
  let (rows, features) = (weight.shape[0], weight.shape[1])
  let (places, table) = (try indices.rowMajor, try weight.rowMajor)
  let kernels = Execution.current.kernels.data
  return try withExtendedLifetime((places.storage, table.storage)) {
    for (place, index) in UnsafeBufferPointer(start: places.pointer, count: places.count).enumerated()
    where index < 0 || index >= rows {
      throw TensorError.argument(
        operation: "embedding", reason: "index \(index), number \(place), is outside the table of \(rows) rows")
    }
    return try Tensor.filled(indices.shape + [features]) { destination in
      guard places.count > 0, features > 0 else { return }
      kernels.gather(
        elementSize: MemoryLayout<Scalar>.stride, from: table.pointer, axisSize: rows, inner: features,
        indices: places.pointer, count: places.count, to: destination)
    }
  }
}
