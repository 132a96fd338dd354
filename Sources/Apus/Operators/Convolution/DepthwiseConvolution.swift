import ApusKernelInterface

/// Convolution of every channel by itself, over channel-blocked float32 maps.
struct DepthwiseConvolution: ConvolutionAlgorithm {
  let parameters: ConvolutionParameters
  /// `[channels / 16, height, width, 16]`.
  let weights: TensorStorage
  let bias: TensorStorage

  init(weight: Tensor<Float>, bias: Tensor<Float>, parameters: ConvolutionParameters) throws {
    let block = TensorLayout.block
    let channels = weight.shape[0]
    let area = weight.shape[2] * weight.shape[3]
    let blocks = (channels + block - 1) / block
    let storage = try TensorStorage(byteCount: blocks * area * block * MemoryLayout<Float>.stride)
    let kernels = Execution.current.kernels.convolution
    withExtendedLifetime(weight.storage) {
      for index in 0..<blocks {
        // A kernel is a map of one row whose positions are its taps.
        kernels.stageBlock(
          weight.pointer + index * block * area, channels: min(block, channels - index * block), channelStep: area,
          positionStep: 1, height: 1, width: area, top: 0, left: 0,
          storage.base.assumingMemoryBound(to: Float.self) + index * area * block,
          rows: 1, phases: 1, phaseWidth: area)
      }
    }
    self.weights = storage
    self.bias = try BlockedVector.storage(bias)
    self.parameters = parameters
  }

  func callAsFunction(_ input: Tensor<Float>, shape: [Int], activation: UnaryOperation?) throws -> Tensor<Float> {
    let size = Size2D(height: shape[2], width: shape[3])
    let map = try StagedMap(input, parameters: parameters, output: size)
    let block = TensorLayout.block
    let area = parameters.kernel.height * parameters.kernel.width
    let rowStep = size.width * block
    let blockStep = size.height * rowStep
    let execution = Execution.current
    let (kernels, float32) = (execution.kernels.convolution, execution.kernels.float32)
    let w = Unchecked(weights.base.assumingMemoryBound(to: Float.self))
    let b = Unchecked(bias.base.assumingMemoryBound(to: Float.self))
    let x = Unchecked(map.storage.base.assumingMemoryBound(to: Float.self))
    let (parameters, batch) = (parameters, shape[0])

    return try BlockedOutput.make(shape: shape, positions: size.height * size.width) { y in
      parallel(batch * map.blocks) { task in
        let index = task % map.blocks
        let out = y.value + task * blockStep
        map.tapOffsets.withUnsafeBufferPointer { taps in
          guard let taps = taps.baseAddress else { return }
          let walk = TileWalk(
            blockCount: 1, blockStep: 0, rowCount: parameters.kernel.height,
            rowStep: parameters.dilation.height * map.rowStep, tapCount: parameters.kernel.width, tapOffsets: taps,
            rowsPerFlush: parameters.kernel.height, weightBlockStep: 0, outputStep: block, outputBlockStep: 0)
          for row in 0..<size.height {
            kernels.convolveDepthwiseRow(
              x.value + task / map.blocks * map.sampleStep + index * map.blockStep
                + row * parameters.stride.height * map.rowStep,
              weights: w.value + index * area * block, bias: b.value + index * block,
              out + row * rowStep, width: size.width, walk: walk)
          }
          if let activation { float32.unary(activation, out, out, count: blockStep) }
        }
      }
    }
  }
}
