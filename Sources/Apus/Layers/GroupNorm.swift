/// Normalisation of groups of channels by their own mean and variance: PyTorch's `torch.nn.GroupNorm`.
///
///     y = (x - mean) / √(variance + epsilon) · weight + bias
public struct GroupNorm<Scalar: FloatingPointScalar>: Sendable {
  /// The number of groups; it divides ``channels``.
  public let groups: Int
  /// The extent of axis 1 of the input.
  public let channels: Int
  /// `[channels]`; 1 when absent.
  public let weight: Tensor<Scalar>?
  /// `[channels]`; 0 when absent.
  public let bias: Tensor<Scalar>?
  /// What keeps the root away from zero.
  public let epsilon: Double

  /// - Throws: ``TensorError`` when the channels cannot be divided, or weight or bias have another shape.
  public init(
    groups: Int, channels: Int, weight: Tensor<Scalar>? = nil, bias: Tensor<Scalar>? = nil, epsilon: Double = 1e-5
  ) throws {
    guard groups > 0, channels > 0, channels.isMultiple(of: groups) else {
      throw TensorError.argument(
        operation: "GroupNorm", reason: "\(channels) channels cannot form \(groups) groups")
    }
    for parameter in [weight, bias].compactMap({ $0 }) where parameter.shape != [channels] {
      throw TensorError.shape(
        operation: "GroupNorm", reason: "a parameter has shape \(parameter.shape), expected [\(channels)]")
    }
    self.groups = groups
    self.channels = channels
    self.weight = weight
    self.bias = bias
    self.epsilon = epsilon
  }

  /// Reads `weight` and `bias`, when there are any.
  public init(_ weights: Weights, groups: Int, channels: Int, epsilon: Double = 1e-5) throws {
    try self.init(
      groups: groups, channels: channels, weight: weights.optionalTensor("weight", shape: [channels]),
      bias: weights.optionalTensor("bias", shape: [channels]), epsilon: epsilon)
  }

  /// - Parameter input: `[batch, channels, …]`.
  /// - Returns: the same shape.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard input.rank >= 2, input.shape[1] == channels else {
      throw TensorError.shape(
        operation: "GroupNorm", reason: "input has shape \(input.shape), expected [batch, \(channels), …]")
    }
    return try groupNorm(input, groups: groups, weight: weight, bias: bias, epsilon: epsilon)
  }
}
