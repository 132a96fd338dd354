/// One-dimensional convolution (cross-correlation, as in PyTorch).
///
///     y[n, o, t] = bias[o] + Σ_c Σ_k weight[o, c, k] · x[n, c, t · stride + k · dilation - padding]
///
/// Weights are laid out again at every call; a ``Conv1d`` does that once.
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
  let convolution = try Convolution(
    overTime: weight, bias: bias, stride: stride, paddingBefore: padding, paddingAfter: padding, dilation: dilation,
    groups: groups)
  return try convolution.overTime(input)
}

/// Two-dimensional convolution (cross-correlation, as in PyTorch).
///
/// Weights are laid out again at every call; a ``Conv2d`` does that once.
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
  let convolution = try Convolution(
    overMaps: weight, bias: bias, stride: stride, padding: padding, dilation: dilation, groups: groups)
  return try convolution.overMaps(input)
}

// MARK: - One dimension and two

extension Convolution {
  /// A convolution over time, computed over maps of height 1.
  ///
  /// - Parameters:
  ///   - weight: `[outputs, inputs / groups, kernel]`.
  ///   - bias: `[outputs]`, or none.
  /// - Throws: ``TensorError`` for shapes that do not fit each other and arguments out of range.
  init(
    overTime weight: Tensor<Scalar>, bias: Tensor<Scalar>?, stride: Int, paddingBefore: Int, paddingAfter: Int,
    dilation: Int, groups: Int
  ) throws {
    guard weight.rank == 3 else {
      throw TensorError.shape(
        operation: "conv1d", reason: "weight has shape \(weight.shape), expected [outputs, inputs, kernel]")
    }
    let parameters = try ConvolutionParameters(
      operation: "conv1d", kernel: Size2D(height: 1, width: weight.shape[2]),
      stride: Size2D(height: 1, width: stride),
      padding: Padding2D(top: 0, left: paddingBefore, bottom: 0, right: paddingAfter),
      dilation: Size2D(height: 1, width: dilation), groups: groups)
    try self.init(
      weight: weight.reshaped([weight.shape[0], weight.shape[1], 1, weight.shape[2]]), bias: bias,
      parameters: parameters)
  }

  /// A convolution over maps.
  ///
  /// - Parameters:
  ///   - weight: `[outputs, inputs / groups, height, width]`.
  ///   - bias: `[outputs]`, or none.
  /// - Throws: ``TensorError`` for shapes that do not fit each other and arguments out of range.
  init(
    overMaps weight: Tensor<Scalar>, bias: Tensor<Scalar>?, stride: Size2D, padding: Padding2D, dilation: Size2D,
    groups: Int
  ) throws {
    guard weight.rank == 4 else {
      throw TensorError.shape(
        operation: "conv2d", reason: "weight has shape \(weight.shape), expected [outputs, inputs, height, width]")
    }
    try self.init(
      weight: weight, bias: bias,
      parameters: ConvolutionParameters(
        operation: "conv2d", kernel: Size2D(height: weight.shape[2], width: weight.shape[3]),
        stride: stride, padding: padding, dilation: dilation, groups: groups))
  }

  /// The result for `[batch, channels, time]`, of this rank too.
  func overTime(
    _ input: Tensor<Scalar>, activation: Activation = .identity, layout: TensorLayout = .channelBlocked
  ) throws -> Tensor<Scalar> {
    guard input.rank == 3 else {
      throw TensorError.shape(
        operation: "conv1d", reason: "input has shape \(input.shape), expected [batch, channels, time]")
    }
    return try self(input.withHeight(), activation: activation, layout: layout).withoutHeight()
  }

  /// The result for `[batch, channels, height, width]`.
  func overMaps(
    _ input: Tensor<Scalar>, activation: Activation = .identity, layout: TensorLayout = .channelBlocked
  ) throws -> Tensor<Scalar> {
    guard input.rank == 4 else {
      throw TensorError.shape(
        operation: "conv2d", reason: "input has shape \(input.shape), expected [batch, channels, height, width]")
    }
    return try self(input, activation: activation, layout: layout)
  }
}
