import ApusKernelInterface

/// Convolution of channel-blocked float32 maps without an intermediate matrix.
///
/// For every output row, a register tile of up to 14 positions × 32 channels walks over input blocks, kernel rows and
/// kernel columns. Partial sums go to memory every 144 terms at most (nine taps of a block of sixteen channels), which
/// keeps the rounding error at PyTorch's level; `Precision.fast` lets them grow longer, and takes
/// ``WinogradConvolution`` where that pays.
struct DirectConvolution: ConvolutionAlgorithm {
  var parameters: ConvolutionParameters
  let outputChannels: Int
  let inputsPerGroup: Int
  /// `[outputs / 16, inputs / 16, height, width, 16, 16]`, or with ``isByChannel`` `[outputs / 16, inputs, height,
  /// width, 16]`, filled up.
  let weights: TensorStorage
  let weightBlockStep: Int
  let bias: TensorStorage
  /// Whether sums go channel by channel, as those of maps with few channels do: of pictures, where kernels look for
  /// differences between pixels, so that the sum over a channel is small, and its rounding error with it.
  let isByChannel: Bool

  /// Whether this algorithm takes a weight of this shape.
  static func accepts(weight: [Int], parameters: ConvolutionParameters) -> Bool {
    let block = TensorLayout.block
    return parameters.groups == 1
      || weight[1].isMultiple(of: block) && (weight[0] / parameters.groups).isMultiple(of: block)
  }

  init(weight: Tensor<Float>, bias: Tensor<Float>, parameters: ConvolutionParameters) throws {
    let (outputs, inputs) = (weight.shape[0], weight.shape[1])
    self.parameters = parameters
    self.outputChannels = outputs
    self.inputsPerGroup = inputs
    self.bias = try BlockedVector.storage(bias)
    isByChannel = parameters.groups == 1 && inputs < TensorLayout.block
    let area = weight.shape[2] * weight.shape[3]
    if isByChannel {
      let depth = inputs * area
      let panel = try withExtendedLifetime(weight.storage) {
        let matrix = MatrixOperand(weight.pointer, leading: depth, isTransposed: true)
        return try RightPanel(stacking: [PanelPiece(matrix: matrix, depth: depth)], columns: outputs)
      }
      weights = panel.storage
      weightBlockStep = panel.depthBlocks * TensorLayout.block * TensorLayout.block
    } else {
      let place = PackedPlace.current("direct", [outputs, inputs, area]) { $0.add(weight) }
      weightBlockStep = inputs * area * TensorLayout.block
      let byteCount = TensorLayout.blocks(outputs) * weightBlockStep * MemoryLayout<Float>.stride
      weights = try PackedMemory.storage(byteCount: byteCount, at: place) { packed in
        withExtendedLifetime(weight.storage) {
          Execution.current.kernels.convolution.packConvolution(
            weight.pointer, outputs: outputs, inputs: inputs, area: area,
            packed.base.assumingMemoryBound(to: Float.self))
        }
      }
    }
  }

  /// Kernel rows between two flushes of the partial sums.
  var rowsPerFlush: Int {
    let termsPerTap = isByChannel ? 1 : TensorLayout.block
    return ConvolutionTasks.rowsPerFlush(
      termsPerRow: termsPerTap * parameters.kernel.width, kernelRows: parameters.kernel.height)
  }

  func callAsFunction(
    _ input: Tensor<Float>, shape: [Int], activation: UnaryOperation?, layout: TensorLayout
  ) throws -> Tensor<Float> {
    if Execution.current.precision == .fast, let winograd = WinogradConvolution(self, output: shape) {
      return try winograd(input, activation: activation)
    }
    if let planes = PlaneConvolution(self, output: shape) { return try planes(input, activation: activation) }
    let size = Size2D(height: shape[2], width: shape[3])
    let source = try ConvolutionInput(
      input, inPlanes: isByChannel && !Tensor<Float>.isWorthBlocking(channels: inputsPerGroup), parameters: parameters,
      output: size)
    let plan = DirectPlan(self, source, batch: shape[0], size: size)
    return try ConvolutionOutput.tensor(shape, layout: layout) { try plan.run(into: $0, activation: activation) }
  }
}

/// One number per channel, filled up with zeros to whole blocks.
enum BlockedVector {
  /// - Parameter multiplier: numbers of each channel; the first ones of all channels are followed by the second ones.
  static func storage(_ vector: Tensor<Float>, multiplier: Int = 1) throws -> TensorStorage {
    let channels = vector.count / multiplier
    let padded = TensorLayout.blocks(channels) * TensorLayout.block
    let storage = try TensorStorage(byteCount: multiplier * padded * MemoryLayout<Float>.stride)
    let destination = storage.base.assumingMemoryBound(to: Float.self)
    destination.initialize(repeating: 0, count: multiplier * padded)
    withExtendedLifetime(vector.storage) {
      for index in 0..<channels * multiplier {
        destination[index % multiplier * padded + index / multiplier] = vector.pointer[index]
      }
    }
    return storage
  }
}
