/// One-dimensional convolution with its weights: PyTorch's `torch.nn.Conv1d`.
///
/// Computed as a convolution over maps of height 1.
public struct Conv1d<Scalar: FloatingPointScalar>: Sendable {
  private let convolution: Convolution<Scalar>

  /// - Parameters:
  ///   - weight: `[outputs, inputs / groups, kernel]`.
  ///   - bias: `[outputs]`.
  /// - Throws: ``TensorError`` for shapes that do not fit each other and arguments out of range.
  public init(
    weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil,
    stride: Int = 1, padding: Int = 0, dilation: Int = 1, groups: Int = 1
  ) throws {
    try self.init(
      weight: weight, bias: bias, stride: stride, paddingBefore: padding, paddingAfter: padding, dilation: dilation,
      groups: groups)
  }

  /// A convolution that is padded differently at either end: causal with `paddingBefore` alone.
  /// - Throws: ``TensorError`` for shapes that do not fit each other and arguments out of range.
  public init(
    weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil,
    stride: Int = 1, paddingBefore: Int, paddingAfter: Int, dilation: Int = 1, groups: Int = 1
  ) throws {
    convolution = try Convolution(
      overTime: weight, bias: bias, stride: stride, paddingBefore: paddingBefore, paddingAfter: paddingAfter,
      dilation: dilation, groups: groups)
  }

  /// Reads `weight` and, when there is one, `bias`.
  /// - Throws: ``WeightsError`` for a parameter that is missing or has another shape; ``TensorError`` for arguments out
  ///   of range, such as groups that do not divide `inputs` and `outputs`.
  public init(
    _ weights: Weights, inputs: Int, outputs: Int, kernel: Int,
    stride: Int = 1, padding: Int = 0, dilation: Int = 1, groups: Int = 1
  ) throws {
    let share = try ConvolutionParameters.channels(inputs, ofEachOf: groups, operation: "conv1d")
    try self.init(
      weight: weights.tensor("weight", shape: [outputs, share, kernel]),
      bias: weights.optionalTensor("bias", shape: [outputs]),
      stride: stride, padding: padding, dilation: dilation, groups: groups)
  }

  /// - Parameters:
  ///   - input: `[batch, inputs, time]`.
  ///   - activation: fused: applied while the result is in the cache, same bits as afterwards.
  /// - Returns: `[batch, outputs, time']`.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(_ input: Tensor<Scalar>, activation: Activation = .identity) throws -> Tensor<Scalar> {
    try self(input, activation: activation, layout: .channelBlocked)
  }

  /// The same with a choice of how the result lies in memory: channel-blocked, where that is possible, for another layer;
  /// row-major for whoever reads its elements next.
  package func callAsFunction(
    _ input: Tensor<Scalar>, activation: Activation = .identity, layout: TensorLayout
  ) throws -> Tensor<Scalar> {
    try convolution.overTime(input, activation: activation, layout: layout)
  }
}
