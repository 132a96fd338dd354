/// A table of vectors, looked up by number: PyTorch's `torch.nn.Embedding`.
public struct Embedding<Scalar: FloatingPointScalar>: Sendable {
  /// `[rows, features]`.
  public let weight: Tensor<Scalar>

  /// - Throws: ``TensorError/shape(operation:reason:)`` when the table has another rank than two.
  public init(weight: Tensor<Scalar>) throws {
    guard weight.rank == 2 else {
      throw TensorError.shape(
        operation: "Embedding", reason: "weight has shape \(weight.shape), expected [rows, features]")
    }
    self.weight = weight
  }

  /// Reads `weight`.
  public init(_ weights: Weights, rows: Int, features: Int) throws {
    try self.init(weight: weights.tensor("weight", shape: [rows, features]))
  }

  /// - Parameter indices: any shape; each at least 0 and less than the number of rows.
  /// - Returns: the shape of `indices` with `features` behind it.
  /// - Throws: ``TensorError`` naming the first index outside the table.
  public func callAsFunction(_ indices: Tensor<Int64>) throws -> Tensor<Scalar> {
    try embedding(indices, weight: weight)
  }
}
