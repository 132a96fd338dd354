/// Normalisation of the last axes by their own mean and variance: PyTorch's `torch.nn.LayerNorm`.
///
///     y = (x - mean) / √(variance + epsilon) · weight + bias
public struct LayerNorm<Scalar: FloatingPointScalar>: Sendable {
  /// The last axes that are normalised together.
  public let normalizedShape: [Int]
  /// The normalised shape; 1 when absent.
  public let weight: Tensor<Scalar>?
  /// The normalised shape; 0 when absent.
  public let bias: Tensor<Scalar>?
  /// What keeps the root away from zero.
  public let epsilon: Double

  /// - Throws: ``TensorError/shape(operation:reason:)`` when weight or bias have another shape.
  public init(
    normalizedShape: [Int], weight: Tensor<Scalar>? = nil, bias: Tensor<Scalar>? = nil, epsilon: Double = 1e-5
  ) throws {
    for parameter in [weight, bias].compactMap({ $0 }) where parameter.shape != normalizedShape {
      throw TensorError.shape(
        operation: "LayerNorm", reason: "a parameter has shape \(parameter.shape), expected \(normalizedShape)")
    }
    self.normalizedShape = normalizedShape
    self.weight = weight
    self.bias = bias
    self.epsilon = epsilon
  }

  /// Reads `weight` and `bias`, when there are any.
  public init(_ weights: Weights, normalizedShape: [Int], epsilon: Double = 1e-5) throws {
    try self.init(
      normalizedShape: normalizedShape, weight: weights.optionalTensor("weight", shape: normalizedShape),
      bias: weights.optionalTensor("bias", shape: normalizedShape), epsilon: epsilon)
  }

  /// - Parameter input: `[…]` followed by the normalised shape.
  /// - Returns: the same shape.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try layerNorm(input, normalizedShape: normalizedShape, weight: weight, bias: bias, epsilon: epsilon)
  }
}
