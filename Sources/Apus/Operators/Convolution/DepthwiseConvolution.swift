import ApusKernelInterface

/// Convolution of every channel by itself, over channel-blocked float32 maps, read where they lie.
struct DepthwiseConvolution: ConvolutionAlgorithm {
  var parameters: ConvolutionParameters
  /// `[channels / 16, height, width, 16]`.
  let weights: TensorStorage
  let bias: TensorStorage

  /// Whether this algorithm takes a weight of this shape.
  static func accepts(weight: [Int], parameters: ConvolutionParameters) -> Bool {
    weight[1] == 1 && weight[0] == parameters.groups && Tensor<Float>.isWorthBlocking(channels: weight[0])
  }

  init(weight: Tensor<Float>, bias: Tensor<Float>, parameters: ConvolutionParameters) throws {
    let block = TensorLayout.block
    let channels = weight.shape[0]
    let area = weight.shape[2] * weight.shape[3]
    let blocks = TensorLayout.blocks(channels)
    let kernels = Execution.current.kernels.convolution
    weights = try PackedMemory.storage(
      byteCount: blocks * area * block * MemoryLayout<Float>.stride,
      at: .current("depthwise", [channels, area]) { $0.add(weight) }
    ) { storage in
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
    }
    self.bias = try BlockedVector.storage(bias)
    self.parameters = parameters
  }

  func callAsFunction(_ input: Tensor<Float>, shape: [Int], activation: UnaryOperation?) throws -> Tensor<Float> {
    let maps = shape[0] * TensorLayout.blocks(shape[1])
    if input.layout == .rowMajor, maps >= 2 * Execution.current.threads {
      return try blockByBlock(input, shape: shape, activation: activation)
    }
    let source = try input.channelBlocked
    let block = TensorLayout.block
    let input = Size2D(height: source.shape[2], width: source.shape[3])
    let output = Size2D(height: shape[2], width: shape[3])
    let blocks = TensorLayout.blocks(shape[1])
    // About as much work a task as is worth handing out: some maps, or some rows of one.
    let rowCount = output.width * block * parameters.kernel.height * parameters.kernel.width
    let rowsPerTask = max(1, min(output.height, 262_144 / rowCount))
    let rowTasks = (output.height + rowsPerTask - 1) / rowsPerTask
    let x = Unchecked(source.pointer)
    let kernels = Execution.current.kernels
    return try BlockedOutput.make(shape: shape, positions: output.height * output.width) { y in
      parallelRanges(maps * rowTasks, grain: max(1, 65_536 / (rowCount * rowsPerTask))) { first, count in
        for task in first..<(first + count) {
          let map = task / rowTasks
          convolve(
            kernels, x.value + map * input.height * input.width * block, input,
            y.value + map * output.height * output.width * block, output, block: map % blocks,
            rows: task % rowTasks * rowsPerTask..<min((task % rowTasks + 1) * rowsPerTask, output.height), activation)
        }
      }
      withExtendedLifetime(source.storage) {}
    }
  }

  /// Of a row-major input each task lays out one block of channels, which is still in a cache when it is convolved.
  private func blockByBlock(
    _ source: Tensor<Float>, shape: [Int], activation: UnaryOperation?
  ) throws -> Tensor<Float> {
    let block = TensorLayout.block
    let input = Size2D(height: source.shape[2], width: source.shape[3])
    let output = Size2D(height: shape[2], width: shape[3])
    let (channels, blocks) = (shape[1], TensorLayout.blocks(shape[1]))
    let positions = input.height * input.width
    let kernels = Execution.current.kernels
    let x = Unchecked(source.pointer)
    return try BlockedOutput.make(shape: shape, positions: output.height * output.width) { y in
      try parallelWithScratch(shape[0] * blocks, of: Float.self, count: positions * block) { map, staged in
        let (sample, index) = (map / blocks, map % blocks)
        kernels.convolution.stageBlock(
          x.value + (sample * channels + index * block) * positions, channels: min(block, channels - index * block),
          channelStep: positions, positionStep: 1, height: 1, width: positions, top: 0, left: 0, staged, rows: 1,
          phases: 1, phaseWidth: positions)
        convolve(
          kernels, staged, input, y.value + map * output.height * output.width * block, output, block: index,
          rows: 0..<output.height, activation)
      }
      withExtendedLifetime(source.storage) {}
    }
  }

  /// Some rows of one block of channels.
  private func convolve(
    _ kernels: KernelSet, _ x: UnsafePointer<Float>, _ input: Size2D, _ y: UnsafeMutablePointer<Float>,
    _ output: Size2D, block index: Int, rows: Range<Int>, _ activation: UnaryOperation?
  ) {
    let block = TensorLayout.block
    let (kernel, dilation) = (parameters.kernel, parameters.dilation)
    let (convolution, float32) = (kernels.convolution, kernels.float32)
    let w = weights.base.assumingMemoryBound(to: Float.self) + index * kernel.height * kernel.width * block
    let bias = bias.base.assumingMemoryBound(to: Float.self) + index * block
    for row in rows {
      // Kernel rows inside the map: 0 <= top + k · dilation < height.
      let top = row * parameters.stride.height - parameters.padding.top
      let first = top >= 0 ? 0 : min(kernel.height, (-top + dilation.height - 1) / dilation.height)
      let beyond = top >= input.height ? 0 : (input.height - 1 - top) / dilation.height + 1
      let last = max(first, min(kernel.height, beyond))
      let out = y + row * output.width * block
      convolution.convolveDepthwiseRow(
        x + (last > first ? (top + first * dilation.height) * input.width * block : 0),
        rowStep: dilation.height * input.width * block, rows: last - first, inputWidth: input.width,
        weights: w + first * kernel.width * block, bias: bias, out, width: output.width, taps: kernel.width,
        stride: parameters.stride.width, dilation: dilation.width, left: parameters.padding.left)
      if let activation { float32.unary(activation, out, out, count: output.width * block) }
    }
  }
}
