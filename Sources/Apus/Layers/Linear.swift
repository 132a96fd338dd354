/// An affine map of the last axis: PyTorch's `torch.nn.Linear`.
public struct Linear<Scalar: FloatingPointScalar>: Sendable {
  /// `[outputs, inputs]`.
  public let weight: Tensor<Scalar>
  /// `[outputs]`.
  public let bias: Tensor<Scalar>?

  /// - Throws: ``TensorError/shape(operation:reason:)`` when weight and bias do not fit each other.
  public init(weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil) throws {
    guard weight.rank == 2, bias.map({ $0.shape == [weight.shape[0]] }) ?? true else {
      throw TensorError.shape(
        operation: "Linear",
        reason: "weight \(weight.shape) and bias \(bias?.shape ?? []) are not [outputs, inputs] and [outputs]")
    }
    self.weight = weight
    self.bias = bias
  }

  /// Reads `weight` and, when there is one, `bias`.
  public init(_ weights: Weights, inputs: Int, outputs: Int) throws {
    try self.init(
      weight: weights.tensor("weight", shape: [outputs, inputs]),
      bias: weights.optionalTensor("bias", shape: [outputs]))
  }

  /// - Parameter input: `[…, inputs]`.
  /// - Returns: `[…, outputs]`.
  public func callAsFunction(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try linear(input, weight: weight, bias: bias)
  }
}
