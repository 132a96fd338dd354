import ApusKernelInterface

/// Convolution of channel-blocked float32 maps without an intermediate matrix.
///
/// For every output row, a register tile of up to 14 positions × 32 channels walks over input blocks, kernel rows and
/// kernel columns. Partial sums go to memory every 144 terms at most (nine taps of a block of sixteen channels), which
/// keeps the rounding error at PyTorch's level.
struct DirectConvolution: ConvolutionAlgorithm {
  let parameters: ConvolutionParameters
  let outputChannels: Int
  /// `[outputs / 16, inputs / 16, height, width, 16, 16]`.
  let weights: TensorStorage
  let weightBlockStep: Int
  let bias: TensorStorage

  init(weight: Tensor<Float>, bias: Tensor<Float>, parameters: ConvolutionParameters) throws {
    let block = TensorLayout.block
    let (outputs, inputs) = (weight.shape[0], weight.shape[1])
    let area = weight.shape[2] * weight.shape[3]
    let outputBlocks = (outputs + block - 1) / block
    let weightBlockStep = inputs * area * block
    let packed = try TensorStorage(byteCount: outputBlocks * weightBlockStep * MemoryLayout<Float>.stride)
    withExtendedLifetime(weight.storage) {
      Execution.current.kernels.convolution.packConvolution(
        weight.pointer, outputs: outputs, inputs: inputs, area: area,
        packed.base.assumingMemoryBound(to: Float.self))
    }
    self.weights = packed
    self.weightBlockStep = weightBlockStep
    self.bias = try BlockedVector.storage(bias)
    self.parameters = parameters
    self.outputChannels = outputs
  }

  func callAsFunction(_ input: Tensor<Float>, shape: [Int], activation: UnaryOperation?) throws -> Tensor<Float> {
    let isPointwise = parameters.isPointwise
    let source = input.flattenedMap(isPointwise)
    let (batch, outputs) = (shape[0], shape[1])
    let size = isPointwise ? Size2D(height: 1, width: shape[2] * shape[3]) : Size2D(height: shape[2], width: shape[3])
    let map = try StagedMap(source, parameters: parameters, output: size)
    let block = TensorLayout.block
    let outputBlocks = (outputs + block - 1) / block

    let kernels = Execution.current.kernels.float32
    let group = kernels.blocksPerTile
    let groups = (outputBlocks + group - 1) / group
    let rowStep = size.width * block
    let blockStep = size.height * rowStep
    let rowsPerTask = ConvolutionTasks.rows(
      height: size.height, operationsPerRow: weightBlockStep * group * size.width)
    let rowTasks = (size.height + rowsPerTask - 1) / rowsPerTask
    let w = Unchecked(weights.base.assumingMemoryBound(to: Float.self))
    let b = Unchecked(bias.base.assumingMemoryBound(to: Float.self))
    let x = Unchecked(map.storage.base.assumingMemoryBound(to: Float.self))
    let (parameters, weightBlockStep) = (parameters, weightBlockStep)
    let rowsPerFlush = ConvolutionTasks.rowsPerFlush(termsPerRow: block * parameters.kernel.width)

    return try BlockedOutput.make(shape: shape, positions: size.height * size.width) { y in
      // Output blocks vary slowest, so that their weights stay in the cache while they sweep the batch.
      parallel(groups * batch * rowTasks) { task in
        let firstBlock = task / (batch * rowTasks) * group
        let sample = task / rowTasks % batch
        let firstRow = task % rowTasks * rowsPerTask
        let blocks = min(group, outputBlocks - firstBlock)
        let rows = firstRow..<min(firstRow + rowsPerTask, size.height)
        let out = y.value + (sample * outputBlocks + firstBlock) * blockStep
        map.tapOffsets.withUnsafeBufferPointer { taps in
          guard let taps = taps.baseAddress else { return }
          let walk = TileWalk(
            blockCount: map.blocks, blockStep: map.blockStep,
            rowCount: parameters.kernel.height, rowStep: parameters.dilation.height * map.rowStep,
            tapCount: parameters.kernel.width, tapOffsets: taps, rowsPerFlush: rowsPerFlush,
            weightBlockStep: weightBlockStep, outputStep: block, outputBlockStep: blockStep)
          for row in rows {
            kernels.accumulateRow(
              x.value + sample * map.sampleStep + row * parameters.stride.height * map.rowStep,
              weights: w.value + firstBlock * weightBlockStep,
              addend: b.value + firstBlock * block, addendStep: 0, addendBlockStep: block,
              out + row * rowStep, width: size.width, blocks: blocks, walk: walk)
          }
          guard let activation else { return }
          for index in 0..<blocks {
            let done = out + index * blockStep + rows.lowerBound * rowStep
            kernels.unary(activation, done, done, count: rows.count * rowStep)
          }
        }
      }
    }
  }
}

/// How convolutions divide their work: by shape alone.
enum ConvolutionTasks {
  /// Rows of output a task, for about a million multiply-adds.
  static func rows(height: Int, operationsPerRow: Int) -> Int {
    max(1, min(height, 1_048_576 / max(operationsPerRow, 1)))
  }

  /// Kernel rows between two flushes of the partial sums: at most 144 terms.
  static func rowsPerFlush(termsPerRow: Int) -> Int {
    max(1, 144 / max(termsPerRow, 1))
  }
}

/// One number a channel, filled up with zeros to whole blocks.
enum BlockedVector {
  static func storage(_ vector: Tensor<Float>) throws -> TensorStorage {
    let block = TensorLayout.block
    let padded = (vector.count + block - 1) / block * block
    let storage = try TensorStorage(byteCount: padded * MemoryLayout<Float>.stride)
    let destination = storage.base.assumingMemoryBound(to: Float.self)
    destination.initialize(repeating: 0, count: padded)
    withExtendedLifetime(vector.storage) { destination.update(from: vector.pointer, count: vector.count) }
    return storage
  }
}

/// The output of a blocked convolution.
enum BlockedOutput {
  /// A tensor whose blocks `fill` writes: channel-blocked where channels are whole blocks, else unblocked afterwards.
  static func make(
    shape: [Int], positions: Int, by fill: (Unchecked<UnsafeMutablePointer<Float>>) throws -> Void
  ) throws -> Tensor<Float> {
    let block = TensorLayout.block
    let channels = shape[1]
    if channels.isMultiple(of: block) {
      return try Tensor.filled(shape, layout: .channelBlocked) { try fill(Unchecked($0)) }
    }
    let blocks = (channels + block - 1) / block
    let bytes = try Shape.byteCount([shape[0], blocks, positions, block], of: Float.self)
    let scratch = try TensorStorage(byteCount: bytes)
    let source = Unchecked(scratch.base.assumingMemoryBound(to: Float.self))
    try fill(source)
    let data = Execution.current.kernels.data
    return try Tensor.filled(shape) { destination in
      let destination = Unchecked(destination)
      parallel(shape[0] * blocks) { index in
        let first = index % blocks * block
        data.transpose(
          elementSize: MemoryLayout<Float>.stride, from: source.value + index * positions * block, sourceStride: block,
          to: destination.value + (index / blocks * channels + first) * positions, destinationStride: positions,
          rows: positions, columns: min(block, channels - first))
      }
      withExtendedLifetime(scratch) {}
    }
  }
}

extension Tensor {
  /// A map of height 1 whose width is all positions, when `isPointwise`; the map itself otherwise. Either layout.
  func flattenedMap(_ isPointwise: Bool) -> Tensor {
    guard isPointwise else { return self }
    return Tensor(
      shape: [shape[0], shape[1], 1, shape[2] * shape[3]], count: count, layout: layout, storage: storage)
  }
}
