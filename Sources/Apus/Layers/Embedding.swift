/// A table of vectors, looked up by number: PyTorch's `torch.nn.Embedding`.
///
/// The table stays as it is stored; what is looked up is widened.
public struct Embedding<Scalar: FloatingPointScalar>: Sendable {
  /// `[rows, features]`.
  public let table: StoredMatrix

  /// - Throws: ``TensorError/shape(operation:reason:)`` when the table has another rank than two.
  public init(weight: Tensor<Scalar>) throws {
    guard weight.rank == 2 else {
      throw TensorError.shape(
        operation: "Embedding", reason: "weight has shape \(weight.shape), expected [rows, features]")
    }
    table = try StoredMatrix(weight)
  }

  /// Reads `weight`, with `weight_scale` where it is of 8-bit integers.
  public init(_ weights: Weights, rows: Int, features: Int) throws {
    table = try StoredMatrix(weights, shape: [rows, features])
  }

  /// - Parameter indices: any shape; each at least 0 and less than the number of rows.
  /// - Returns: the shape of `indices` with `features` behind it.
  /// - Throws: ``TensorError`` naming the first index outside the table.
  public func callAsFunction(_ indices: Tensor<Int64>) throws -> Tensor<Scalar> {
    try table.rows(indices)
  }

  /// Rows that follow each other, `[count, features]`.
  /// - Throws: ``TensorError`` for rows outside the table.
  public func rows(_ range: Range<Int>) throws -> Tensor<Scalar> {
    try table.rows(range)
  }
}
