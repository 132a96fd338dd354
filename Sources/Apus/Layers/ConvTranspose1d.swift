/// One-dimensional transposed convolution with its weights: PyTorch's `torch.nn.ConvTranspose1d`.
///
/// Computed over maps of height 1.
public struct ConvTranspose1d<Scalar: FloatingPointScalar>: Sendable {
  private let convolution: TransposedConvolution<Scalar>

  /// - Parameters:
  ///   - weight: `[inputs, outputs / groups, kernel]`.
  ///   - bias: `[outputs]`.
  ///   - padding: what is cut off both ends of the result, as if the convolution this one reverses had been padded.
  ///   - outputPadding: steps added at the end; less than the stride or the dilation.
  /// - Throws: ``TensorError`` for shapes that do not fit each other and arguments out of range.
  public init(
    weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil, stride: Int = 1, padding: Int = 0, outputPadding: Int = 0,
    groups: Int = 1, dilation: Int = 1
  ) throws {
    guard weight.rank == 3 else {
      throw TensorError.shape(
        operation: "convTranspose1d",
        reason: "weight has shape \(weight.shape), expected [inputs, outputs / groups, kernel]")
    }
    convolution = try TransposedConvolution(
      weight: weight.reshaped([weight.shape[0], weight.shape[1], 1, weight.shape[2]]), bias: bias,
      parameters: ConvolutionParameters(
        operation: "convTranspose1d", kernel: Size2D(height: 1, width: weight.shape[2]),
        stride: Size2D(height: 1, width: stride), padding: Padding2D(height: 0, width: padding),
        dilation: Size2D(height: 1, width: dilation), groups: groups),
      outputPadding: Size2D(height: 0, width: outputPadding))
  }

  /// Reads `weight` and, when there is one, `bias`.
  /// - Throws: ``WeightsError`` for a parameter that is missing or has another shape; ``TensorError`` for arguments out
  ///   of range, such as groups that do not divide `inputs` and `outputs`.
  public init(
    _ weights: Weights, inputs: Int, outputs: Int, kernel: Int, stride: Int = 1, padding: Int = 0,
    outputPadding: Int = 0, groups: Int = 1, dilation: Int = 1
  ) throws {
    let share = try ConvolutionParameters.channels(outputs, ofEachOf: groups, operation: "convTranspose1d")
    try self.init(
      weight: weights.tensor("weight", shape: [inputs, share, kernel]),
      bias: weights.optionalTensor("bias", shape: [outputs]),
      stride: stride, padding: padding, outputPadding: outputPadding, groups: groups, dilation: dilation)
  }

  /// - Parameter input: `[batch, inputs, time]`.
  /// - Returns: `[batch, outputs, time']` with
  ///   `time' = (time - 1) · stride - 2 · padding + dilation · (kernel - 1) + outputPadding + 1`.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard input.rank == 3 else {
      throw TensorError.shape(
        operation: "convTranspose1d", reason: "input has shape \(input.shape), expected [batch, channels, time]")
    }
    return try convolution(input.withHeight()).withoutHeight()
  }
}

/// One-dimensional transposed convolution, as ``ConvTranspose1d``.
///
/// - Parameters:
///   - input: `[batch, inputs, time]`.
///   - weight: `[inputs, outputs / groups, kernel]`.
///   - bias: `[outputs]`.
/// - Returns: `[batch, outputs, time']`.
/// - Throws: ``TensorError`` when shapes do not fit each other.
public func convTranspose1d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil, stride: Int = 1, padding: Int = 0,
  outputPadding: Int = 0, groups: Int = 1, dilation: Int = 1
) throws -> Tensor<Scalar> {
  try ConvTranspose1d(
    weight: weight, bias: bias, stride: stride, padding: padding, outputPadding: outputPadding, groups: groups,
    dilation: dilation)(input)
}
