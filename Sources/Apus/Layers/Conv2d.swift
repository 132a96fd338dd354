/// Two-dimensional convolution with its weights: PyTorch's `torch.nn.Conv2d`.
public struct Conv2d<Scalar: FloatingPointScalar>: Sendable {
  private let convolution: Convolution<Scalar>

  /// - Parameters:
  ///   - weight: `[outputs, inputs / groups, height, width]`.
  ///   - bias: `[outputs]`.
  /// - Throws: ``TensorError`` for shapes that do not fit each other and arguments out of range.
  public init(
    weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil,
    stride: Size2D = 1, padding: Padding2D = 0, dilation: Size2D = 1, groups: Int = 1
  ) throws {
    guard weight.rank == 4 else {
      throw TensorError.shape(
        operation: "conv2d", reason: "weight has shape \(weight.shape), expected [outputs, inputs, height, width]")
    }
    convolution = try Convolution(
      weight: weight, bias: bias,
      parameters: ConvolutionParameters(
        operation: "conv2d", kernel: Size2D(height: weight.shape[2], width: weight.shape[3]),
        stride: stride, padding: padding, dilation: dilation, groups: groups))
  }

  /// Reads `weight` and, when there is one, `bias`.
  public init(
    _ weights: Weights, inputs: Int, outputs: Int, kernel: Size2D,
    stride: Size2D = 1, padding: Padding2D = 0, dilation: Size2D = 1, groups: Int = 1
  ) throws {
    try self.init(
      weight: weights.tensor("weight", shape: [outputs, inputs / max(groups, 1), kernel.height, kernel.width]),
      bias: weights.optionalTensor("bias", shape: [outputs]),
      stride: stride, padding: padding, dilation: dilation, groups: groups)
  }

  /// - Parameters:
  ///   - input: `[batch, inputs, height, width]`.
  ///   - activation: fused: applied while the result is in the cache, same bits as afterwards.
  /// - Returns: `[batch, outputs, height', width']`.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(_ input: Tensor<Scalar>, activation: Activation = .identity) throws -> Tensor<Scalar> {
    guard input.rank == 4 else {
      throw TensorError.shape(
        operation: "conv2d", reason: "input has shape \(input.shape), expected [batch, channels, height, width]")
    }
    return try convolution(input, activation: activation)
  }
}
