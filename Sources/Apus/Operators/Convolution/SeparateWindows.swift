/// A transposed convolution whose windows lie side by side: `kernel == stride`, as networks have it that double a map.
///
/// Every output position belongs to one input position, so that a pointwise convolution with an output channel for each
/// pair of a channel and a place in the window computes everything, and what is left is to put vectors of channels where
/// they belong. Maps stay channel-blocked.
struct SeparateWindows<Scalar: FloatingPointScalar>: Sendable {
  private let window: Size2D
  private let outputs: Int
  private let pointwise: Convolution<Scalar>

  /// nil for windows that overlap or leave gaps, and where maps would not be channel-blocked.
  ///
  /// - Parameters:
  ///   - weight: `[inputs, outputs, height, width]`, row-major.
  ///   - bias: `[outputs]`.
  init?(
    weight: Tensor<Scalar>, bias: Tensor<Scalar>, parameters: ConvolutionParameters, outputPadding: Size2D
  ) throws {
    let (inputs, outputs) = (weight.shape[0], weight.shape[1])
    guard Scalar.dataType == .float32, parameters.kernel == parameters.stride, parameters.dilation == 1,
      parameters.padding == 0, parameters.groups == 1, outputPadding == 0, outputs.isMultiple(of: TensorLayout.block),
      Tensor<Scalar>.isWorthBlocking(channels: inputs)
    else { return nil }
    window = parameters.kernel
    self.outputs = outputs
    let places = window.height * window.width
    // Places of the window first, so that a block of channels has one.
    let channels = places * outputs
    pointwise = try Convolution(
      weight: weight.reshaped([inputs, outputs, places]).permuted([2, 1, 0]).reshaped([channels, inputs, 1, 1]),
      bias: bias.reshaped([1, outputs]).expanded(to: [places, outputs]).reshaped([channels]),
      parameters: ConvolutionParameters(
        operation: parameters.operation, kernel: 1, stride: 1, padding: 0, dilation: 1, groups: 1))
  }

  /// - Parameter input: `[batch, inputs, height, width]`.
  func callAsFunction(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let values = try pointwise(input).channelBlocked
    let (height, width) = (input.shape[2], input.shape[3])
    let (blocks, lanes) = (TensorLayout.blocks(outputs), TensorLayout.block)
    let from = Shape.strides([input.shape[0], window.height, window.width, blocks, height, width, lanes])
    let sizes = [input.shape[0], blocks, height, window.height, width, window.width, lanes]
    let shape = [input.shape[0], outputs, height * window.height, width * window.width]
    return try withExtendedLifetime(values.storage) {
      try Tensor.filled(shape, layout: .channelBlocked) { destination in
        StridedCopy(
          sizes: sizes, sourceStrides: [from[0], from[3], from[4], from[1], from[5], from[2], from[6]],
          destinationStrides: Shape.strides(sizes)
        ).run(elementSize: MemoryLayout<Scalar>.stride, from: values.pointer, to: destination)
      }
    }
  }
}
