/// The greatest element of every window of `[batch, channels, height, width]`: PyTorch's `max_pool2d`.
///
/// Each axis gives `⌊(size + padding - dilation · (kernel - 1) - 1) / stride⌋ + 1` outputs, rounded up instead of down
/// with `ceilMode`, as long as the last window begins inside the padded map. Padding is never the maximum; a NaN always
/// is. A channel-blocked map stays so.
///
/// - Parameters:
///   - kernel: the window's size.
///   - stride: steps between windows; the window's size when absent.
///   - padding: at most half a window on each side.
///   - dilation: steps between the elements of a window.
/// - Throws: ``TensorError`` for arguments out of range and a map smaller than the window.
public func maxPool2d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, kernel: Size2D, stride: Size2D? = nil, padding: Padding2D = 0, dilation: Size2D = 1,
  ceilMode: Bool = false
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 4, operation: "maxPool2d")
  let parameters = try ConvolutionParameters(
    operation: "maxPool2d", kernel: kernel, stride: stride ?? kernel, padding: padding, dilation: dilation, groups: 1)
  let plan = try PoolingPlan(map, parameters: parameters, ceilMode: ceilMode, countsPadding: false)
  return try input.maximum(plan)
}

/// The greatest element of every window of `[batch, channels, time]`: PyTorch's `max_pool1d`. See ``maxPool2d``.
public func maxPool1d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, kernel: Int, stride: Int? = nil, padding: Int = 0, dilation: Int = 1, ceilMode: Bool = false
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 3, operation: "maxPool1d")
  let parameters = try ConvolutionParameters(
    operation: "maxPool1d", kernel: Size2D(height: 1, width: kernel),
    stride: Size2D(height: 1, width: stride ?? kernel), padding: Padding2D(height: 0, width: padding),
    dilation: Size2D(height: 1, width: dilation), groups: 1)
  let plan = try PoolingPlan(map, parameters: parameters, ceilMode: ceilMode, countsPadding: false)
  return try input.withHeight().maximum(plan).withoutHeight()
}

/// The mean of every window of `[batch, channels, height, width]`: PyTorch's `avg_pool2d`.
///
/// Outputs are counted as for ``maxPool2d``. Padding is zeros, which count in the mean unless `countIncludePad` is
/// false; positions beyond the padding, which `ceilMode` can reach, never do. A channel-blocked map stays so.
///
/// - Throws: ``TensorError`` for arguments out of range and a map smaller than the window.
public func averagePool2d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, kernel: Size2D, stride: Size2D? = nil, padding: Padding2D = 0, ceilMode: Bool = false,
  countIncludePad: Bool = true
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 4, operation: "averagePool2d")
  let parameters = try ConvolutionParameters(
    operation: "averagePool2d", kernel: kernel, stride: stride ?? kernel, padding: padding, dilation: 1, groups: 1)
  let plan = try PoolingPlan(map, parameters: parameters, ceilMode: ceilMode, countsPadding: countIncludePad)
  return try input.average(plan)
}

/// The mean of every window of `[batch, channels, time]`: PyTorch's `avg_pool1d`. See ``averagePool2d``.
public func averagePool1d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, kernel: Int, stride: Int? = nil, padding: Int = 0, ceilMode: Bool = false,
  countIncludePad: Bool = true
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 3, operation: "averagePool1d")
  let parameters = try ConvolutionParameters(
    operation: "averagePool1d", kernel: Size2D(height: 1, width: kernel),
    stride: Size2D(height: 1, width: stride ?? kernel), padding: Padding2D(height: 0, width: padding), dilation: 1,
    groups: 1)
  let plan = try PoolingPlan(map, parameters: parameters, ceilMode: ceilMode, countsPadding: countIncludePad)
  return try input.withHeight().average(plan).withoutHeight()
}

// MARK: - Outputs of a given size

/// Maxima of `[batch, channels, height, width]` over windows that share the map out into `output`: PyTorch's
/// `adaptive_max_pool2d`. Along an axis, window `i` of `n` covers positions `⌊i·size/n⌋ ..< ⌈(i+1)·size/n⌉`.
public func adaptiveMaxPool2d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, output: Size2D
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 4, operation: "adaptiveMaxPool2d")
  return try input.maximum(PoolingPlan(map, output: output, operation: "adaptiveMaxPool2d"))
}

/// Maxima of `[batch, channels, time]` over windows that share the time out: PyTorch's `adaptive_max_pool1d`.
public func adaptiveMaxPool1d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, output: Int
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 3, operation: "adaptiveMaxPool1d")
  let plan = try PoolingPlan(map, output: Size2D(height: 1, width: output), operation: "adaptiveMaxPool1d")
  return try input.withHeight().maximum(plan).withoutHeight()
}

/// Means of `[batch, channels, height, width]` over windows that share the map out into `output`: PyTorch's
/// `adaptive_avg_pool2d`. Windows are those of ``adaptiveMaxPool2d``.
public func adaptiveAveragePool2d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, output: Size2D
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 4, operation: "adaptiveAveragePool2d")
  return try input.average(PoolingPlan(map, output: output, operation: "adaptiveAveragePool2d"))
}

/// Means of `[batch, channels, time]` over windows that share the time out: PyTorch's `adaptive_avg_pool1d`.
public func adaptiveAveragePool1d<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, output: Int
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 3, operation: "adaptiveAveragePool1d")
  let plan = try PoolingPlan(map, output: Size2D(height: 1, width: output), operation: "adaptiveAveragePool1d")
  return try input.withHeight().average(plan).withoutHeight()
}

/// The mean over all positions: `[batch, channels, …]` with one or two axes of positions, which keep size 1 (ONNX's
/// `GlobalAveragePool`).
public func globalAveragePool<Scalar: FloatingPointScalar>(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try input.rank == 3 ? adaptiveAveragePool1d(input, output: 1) : adaptiveAveragePool2d(input, output: 1)
}

/// The greatest element over all positions: `[batch, channels, …]` with one or two axes of positions, which keep size 1
/// (ONNX's `GlobalMaxPool`).
public func globalMaxPool<Scalar: FloatingPointScalar>(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try input.rank == 3 ? adaptiveMaxPool1d(input, output: 1) : adaptiveMaxPool2d(input, output: 1)
}

// MARK: - Windows given axis by axis

/// The greatest element of every window of `[batch, channels, height, width]`; minus infinity where a window covers
/// nothing but padding. The layout is kept.
package func maxPool<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, rows: PoolingAxis, columns: PoolingAxis
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 4, operation: "maxPool")
  return try input.maximum(
    PoolingPlan(map, rows: rows, columns: columns, divisor: .covered, operation: "maxPool"))
}

/// The sum of every window of `[batch, channels, height, width]` over `divisor`. The layout is kept.
package func averagePool<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, rows: PoolingAxis, columns: PoolingAxis, divisor: PoolingDivisor
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 4, operation: "averagePool")
  return try input.average(
    PoolingPlan(map, rows: rows, columns: columns, divisor: divisor, operation: "averagePool"))
}

extension Tensor where Scalar: FloatingPointScalar {
  fileprivate func maximum(_ plan: PoolingPlan) throws -> Tensor {
    if count > 0, let (columns, rows) = plan.separated(height: shape[2]) { return try maximum(columns).maximum(rows) }
    let kernels = Scalar.kernels
    return try plan.run(self) { kernels.maxPool($0, $1, windows: $2, isBlocked: $3) }
  }

  fileprivate func average(_ plan: PoolingPlan) throws -> Tensor {
    let kernels = Scalar.kernels
    let sumsColumns = plan.sumsColumns(width: shape[3])
    if !sumsColumns, layout == .rowMajor, canBeChannelBlocked, count > 0 {
      // The same bits as of a map that is in blocks already.
      return try channelBlocked.average(plan).rowMajor
    }
    return try plan.run(self, sumsColumns: sumsColumns) { kernels.averagePool($0, $1, windows: $2, isBlocked: $3) }
  }
}

extension Tensor {
  /// Height and width of `[batch, channels, height, width]`, or 1 and the time of `[batch, channels, time]`.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another rank.
  func mapSize(rank expected: Int, operation: String) throws -> Size2D {
    guard rank == expected else {
      throw TensorError.shape(
        operation: operation,
        reason: "input has shape \(shape), expected [batch, channels, \(expected == 3 ? "time" : "height, width")]")
    }
    return expected == 3 ? Size2D(height: 1, width: shape[2]) : Size2D(height: shape[2], width: shape[3])
  }
}
