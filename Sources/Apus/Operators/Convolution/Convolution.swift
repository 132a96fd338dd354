import ApusKernelInterface

/// A convolution with its weights laid out for the kernels: prepared once, applied often.
///
/// ``DirectConvolution`` and ``DepthwiseConvolution`` read channel-blocked maps where they lie and are what float32
/// networks spend their time in; ``GroupedConvolution`` takes groups of other sizes, ``UnfoldedConvolution`` float64. All
/// are direct sums, in the same order for every output. To few outputs ``PlaneConvolution`` takes the place of the first
/// two, and where `Precision.fast` is asked for ``WinogradConvolution`` may take that of the first.
package struct Convolution<Scalar: FloatingPointScalar>: Sendable {
  private(set) var parameters: ConvolutionParameters
  let inputChannels: Int
  let outputChannels: Int
  private var algorithm: any ConvolutionAlgorithm<Scalar>
  /// What the algorithm leaves to be done.
  private let normalization: BatchNormalization<Scalar>?

  /// - Parameters:
  ///   - weight: `[outputs, inputs / groups, height, width]`.
  ///   - bias: `[outputs]`, or none.
  ///   - normalization: of the result, before its activation; bit for bit as applied afterwards.
  package init(
    weight: Tensor<Scalar>, bias: Tensor<Scalar>?, normalization: BatchNormalization<Scalar>? = nil,
    parameters: ConvolutionParameters
  ) throws {
    let operation = parameters.operation
    let outputs = weight.shape[0]
    let (inputs, overflow) = weight.shape[1].multipliedReportingOverflow(by: parameters.groups)
    guard outputs > 0, inputs > 0, !overflow, outputs.isMultiple(of: parameters.groups) else {
      throw TensorError.shape(
        operation: operation, reason: "weight \(weight.shape) cannot be divided into \(parameters.groups) groups")
    }
    if let bias, bias.shape != [outputs] {
      throw TensorError.shape(operation: operation, reason: "bias has shape \(bias.shape), expected [\(outputs)]")
    }
    if let normalization, normalization.mean.count != outputs {
      throw TensorError.shape(
        operation: operation,
        reason: "\(outputs) channels cannot be normalised with numbers of \(normalization.mean.count)")
    }
    self.parameters = parameters
    self.inputChannels = inputs
    self.outputChannels = outputs
    let (weight, bias) = (try weight.rowMajor, try bias?.rowMajor ?? Tensor(zeros: [outputs]))
    // What reads channel-blocked maps is written for float32 alone.
    if let weight = weight as? Tensor<Float>, let bias = bias as? Tensor<Float>,
      let blocked = try blockedConvolution(
        weight: weight, bias: bias, normalization: normalization as? BatchNormalization<Float>, parameters: parameters)
        as? any ConvolutionAlgorithm<Scalar>
    {
      (algorithm, self.normalization) = (blocked, nil)
    } else {
      algorithm = try UnfoldedConvolution(weight: weight, bias: bias, parameters: parameters)
      self.normalization = normalization
    }
    // Whatever the algorithm keeps is a copy in its own order.
    weight.storage.discardFilePages()
  }

  /// - Parameters:
  ///   - input: `[batch, channels, height, width]`.
  ///   - activation: applied to each part of the output while it is in the cache; as exact as applied afterwards.
  ///   - layout: how the result lies; channel-blocked where the algorithm leaves it so.
  /// - Returns: `[batch, outputs, height, width]`.
  package func callAsFunction(
    _ input: Tensor<Scalar>, activation: Activation = .identity, layout: TensorLayout = .channelBlocked
  ) throws -> Tensor<Scalar> {
    guard input.rank == 4, input.shape[1] == inputChannels else {
      throw TensorError.shape(
        operation: parameters.operation,
        reason: "input has shape \(input.shape), expected \(inputChannels) channels")
    }
    let size = try parameters.outputSize(Size2D(height: input.shape[2], width: input.shape[3]))
    let shape = [input.shape[0], outputChannels, size.height, size.width]
    if try Shape.elementCount(shape, operation: parameters.operation) == 0 { return try Tensor(zeros: shape) }
    let result: Tensor<Scalar>
    if let normalization {
      result = try normalization(
        algorithm(input, shape: shape, activation: nil, layout: layout), activation: activation)
    } else {
      result = try algorithm(input, shape: shape, activation: activation.operation, layout: layout)
    }
    return layout == .rowMajor ? try result.rowMajor : result
  }

  /// The same convolution with another padding, for sizes whose padding depends on the input. The weights
  /// are shared.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for a padding that is negative or too large.
  package func padded(by padding: Padding2D) throws -> Convolution {
    if padding == parameters.padding { return self }
    var result = self
    result.parameters = try parameters.padded(by: padding)
    result.algorithm.parameters = result.parameters
    return result
  }
}

/// One way to convolve, with weights laid out for it.
protocol ConvolutionAlgorithm<Scalar>: Sendable {
  associatedtype Scalar: FloatingPointScalar

  /// How windows move; only the padding may be changed once the weights are laid out.
  var parameters: ConvolutionParameters { get set }

  /// - Parameters:
  ///   - input: `[batch, channels, height, width]`, checked.
  ///   - shape: the output's, without an empty axis.
  ///   - activation: the epilogue applied to each element.
  ///   - layout: how the result should lie; how it does is the algorithm's choice.
  func callAsFunction(
    _ input: Tensor<Scalar>, shape: [Int], activation: UnaryOperation?, layout: TensorLayout
  ) throws -> Tensor<Scalar>
}

/// The best way to convolve float32, with the weights laid out for it.
///
/// - Parameters:
///   - weight: `[outputs, inputs / groups, height, width]`, row-major.
///   - bias: `[outputs]`.
private func blockedConvolution(
  weight: Tensor<Float>, bias: Tensor<Float>, normalization: BatchNormalization<Float>?,
  parameters: ConvolutionParameters
) throws -> any ConvolutionAlgorithm<Float> {
  if DirectConvolution.accepts(weight: weight.shape, parameters: parameters) {
    return try DirectConvolution(weight: weight, bias: bias, normalization: normalization, parameters: parameters)
  }
  if DepthwiseConvolution.accepts(weight: weight.shape, parameters: parameters) {
    return try DepthwiseConvolution(weight: weight, bias: bias, normalization: normalization, parameters: parameters)
  }
  return try GroupedConvolution(weight: weight, bias: bias, normalization: normalization, parameters: parameters)
}
