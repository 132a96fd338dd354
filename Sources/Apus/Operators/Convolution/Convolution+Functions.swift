/// One-dimensional convolution (cross-correlation, as in PyTorch).
///
///     y[n, o, t] = bias[o] + Σ_c Σ_k weight[o, c, k] · x[n, c, t · stride + k · dilation - padding]
///
/// Weights are laid out anew at every call; a ``Conv1d`` does that once.
/// - Parameters:
///   - input: `[batch, channels, time]`.
///   - weight: `[outputs, channels / groups, kernel]`.
///   - bias: `[outputs]`.
/// - Returns: `[batch, outputs, time']`.
/// - Throws: ``TensorError`` when shapes do not fit each other.
public func conv1d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil,
  stride: Int = 1, padding: Int = 0, dilation: Int = 1, groups: Int = 1
) throws -> Tensor<Scalar> {
  try Conv1d(weight: weight, bias: bias, stride: stride, padding: padding, dilation: dilation, groups: groups)(input)
}

/// Two-dimensional convolution (cross-correlation, as in PyTorch).
///
/// Weights are laid out anew at every call; a ``Conv2d`` does that once.
/// - Parameters:
///   - input: `[batch, channels, height, width]`.
///   - weight: `[outputs, channels / groups, height, width]`.
///   - bias: `[outputs]`.
/// - Returns: `[batch, outputs, height', width']`.
/// - Throws: ``TensorError`` when shapes do not fit each other.
public func conv2d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil,
  stride: Size2D = 1, padding: Padding2D = 0, dilation: Size2D = 1, groups: Int = 1
) throws -> Tensor<Scalar> {
  try Conv2d(weight: weight, bias: bias, stride: stride, padding: padding, dilation: dilation, groups: groups)(input)
}
