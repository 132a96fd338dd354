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
    convolution = try Convolution(
      overMaps: weight, bias: bias, stride: stride, padding: padding, dilation: dilation, groups: groups)
  }

  /// Reads `weight` and, when there is one, `bias`.
  /// - Throws: ``WeightsError`` for a parameter that is missing or has another shape; ``TensorError`` for arguments out
  ///   of range, such as groups that do not divide `inputs` and `outputs`.
  public init(
    _ weights: Weights, inputs: Int, outputs: Int, kernel: Size2D,
    stride: Size2D = 1, padding: Padding2D = 0, dilation: Size2D = 1, groups: Int = 1
  ) throws {
    let share = try ConvolutionParameters.channels(inputs, ofEachOf: groups, operation: "conv2d")
    try self.init(
      weight: weights.tensor("weight", shape: [outputs, share, kernel.height, kernel.width]),
      bias: weights.optionalTensor("bias", shape: [outputs]),
      stride: stride, padding: padding, dilation: dilation, groups: groups)
  }

  /// - Parameters:
  ///   - input: `[batch, inputs, height, width]`.
  ///   - activation: fused: applied while the result is in the cache, same bits as afterwards.
  /// - Returns: `[batch, outputs, height', width']`.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(_ input: Tensor<Scalar>, activation: Activation = .identity) throws -> Tensor<Scalar> {
    try self(input, activation: activation, layout: .channelBlocked)
  }

  /// The same with a choice of how the result lies in memory: channel-blocked, where that is possible, for another layer;
  /// row-major for whoever reads its elements next.
  package func callAsFunction(
    _ input: Tensor<Scalar>, activation: Activation = .identity, layout: TensorLayout
  ) throws -> Tensor<Scalar> {
    try convolution.overMaps(input, activation: activation, layout: layout)
  }
}
