import ApusKernelInterface

/// A map laid out as a blocked convolution reads it: padded, in channel blocks, the columns of one stride phase side
/// by side, so that neighbouring outputs always read neighbouring vectors.
///
/// A blocked map that needs neither padding nor phases is used where it lies.
struct StagedMap: Sendable {
  /// `[batch, blocks, rows, phases, phaseWidth, 16]`.
  let storage: TensorStorage
  let blocks: Int
  /// Floats from one row to the next, one channel block to the next, one sample to the next.
  let rowStep: Int
  let blockStep: Int
  let sampleStep: Int
  /// Where a kernel column's input lies, relative to the first kernel column's.
  let tapOffsets: [Int]

  /// - Parameter output: the size of the convolution's output, which says how much of the padded map is read.
  init(_ input: Tensor<Float>, parameters: ConvolutionParameters, output: Size2D) throws {
    let batch = input.shape[0], channels = input.shape[1], height = input.shape[2], width = input.shape[3]
    let block = TensorLayout.block
    let extent = parameters.extent
    let phases = parameters.stride.width
    let rows = (output.height - 1) * parameters.stride.height + extent.height
    let columns = (output.width - 1) * phases + extent.width
    let phaseWidth = (columns + phases - 1) / phases
    let blocks = (channels + block - 1) / block
    self.blocks = blocks

    tapOffsets = (0..<parameters.kernel.width).map { tap in
      let column = tap * parameters.dilation.width
      return (column % phases * phaseWidth + column / phases) * block
    }
    if input.layout == .channelBlocked, phases == 1, parameters.padding == 0 {
      storage = input.storage
      rowStep = width * block
      blockStep = height * rowStep
      sampleStep = blocks * blockStep
      return
    }

    rowStep = phases * phaseWidth * block
    blockStep = rows * rowStep
    sampleStep = blocks * blockStep
    let shape = [batch, blocks, rows, phases, phaseWidth, block]
    let bytes = try Shape.byteCount(shape, of: Float.self, operation: parameters.operation)
    storage = try TensorStorage(byteCount: bytes)

    let kernels = Execution.current.kernels.convolution
    let destination = Unchecked(storage.base.assumingMemoryBound(to: Float.self))
    let source = Unchecked(input.pointer)
    let isBlocked = input.layout == .channelBlocked
    let (padding, blockStep) = (parameters.padding, blockStep)
    withExtendedLifetime(input.storage) {
      parallel(batch * blocks) { index in
        let first = index % blocks * block
        let plane = height * width
        kernels.stageBlock(
          source.value + (index / blocks * channels + first) * plane,
          channels: min(block, channels - first), channelStep: isBlocked ? 1 : plane,
          positionStep: isBlocked ? block : 1, height: height, width: width, top: padding.top, left: padding.left,
          destination.value + index * blockStep, rows: rows, phases: phases, phaseWidth: phaseWidth)
      }
    }
  }
}
