/// Two-dimensional transposed convolution with its weights: PyTorch's `torch.nn.ConvTranspose2d`.
public struct ConvTranspose2d<Scalar: FloatingPointScalar>: Sendable {
  private let convolution: TransposedConvolution<Scalar>

  /// - Parameters:
  ///   - weight: `[inputs, outputs / groups, height, width]`.
  ///   - bias: `[outputs]`.
  ///   - padding: what is cut off the result's edges, as if the convolution this one reverses had been padded.
  ///   - outputPadding: rows and columns added at the end; less than the stride or the dilation.
  /// - Throws: ``TensorError`` for shapes that do not fit each other and arguments out of range.
  public init(
    weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil, stride: Size2D = 1, padding: Padding2D = 0,
    outputPadding: Size2D = 0, groups: Int = 1, dilation: Size2D = 1
  ) throws {
    guard weight.rank == 4 else {
      throw TensorError.shape(
        operation: "convTranspose2d",
        reason: "weight has shape \(weight.shape), expected [inputs, outputs / groups, height, width]")
    }
    convolution = try TransposedConvolution(
      weight: weight, bias: bias,
      parameters: ConvolutionParameters(
        operation: "convTranspose2d", kernel: Size2D(height: weight.shape[2], width: weight.shape[3]),
        stride: stride, padding: padding, dilation: dilation, groups: groups),
      outputPadding: outputPadding)
  }

  /// Reads `weight` and, when there is one, `bias`.
  /// - Throws: ``WeightsError`` for a parameter that is missing or has another shape; ``TensorError`` for arguments out
  ///   of range, such as groups that do not divide `inputs` and `outputs`.
  public init(
    _ weights: Weights, inputs: Int, outputs: Int, kernel: Size2D, stride: Size2D = 1, padding: Padding2D = 0,
    outputPadding: Size2D = 0, groups: Int = 1, dilation: Size2D = 1
  ) throws {
    let share = try ConvolutionParameters.channels(outputs, ofEachOf: groups, operation: "convTranspose2d")
    try self.init(
      weight: weights.tensor("weight", shape: [inputs, share, kernel.height, kernel.width]),
      bias: weights.optionalTensor("bias", shape: [outputs]),
      stride: stride, padding: padding, outputPadding: outputPadding, groups: groups, dilation: dilation)
  }

  /// - Parameter input: `[batch, inputs, height, width]`.
  /// - Returns: `[batch, outputs, height', width']` with
  ///   `height' = (height - 1) · stride - 2 · padding + dilation · (kernel - 1) + outputPadding + 1`, and `width'`
  ///   likewise.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try convolution(input)
  }
}

/// Two-dimensional transposed convolution, as ``ConvTranspose2d``.
///
/// - Parameters:
///   - input: `[batch, inputs, height, width]`.
///   - weight: `[inputs, outputs / groups, height, width]`.
///   - bias: `[outputs]`.
/// - Returns: `[batch, outputs, height', width']`.
/// - Throws: ``TensorError`` when shapes do not fit each other.
public func convTranspose2d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil, stride: Size2D = 1,
  padding: Padding2D = 0, outputPadding: Size2D = 0, groups: Int = 1, dilation: Size2D = 1
) throws -> Tensor<Scalar> {
  try ConvTranspose2d(
    weight: weight, bias: bias, stride: stride, padding: padding, outputPadding: outputPadding, groups: groups,
    dilation: dilation)(input)
}
