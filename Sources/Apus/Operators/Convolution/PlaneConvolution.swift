import ApusKernelInterface

/// Convolution with few outputs at stride 1, each of all inputs or of one of its own, to row-major maps: vectors hold
/// neighbouring positions, where those of the register tile would hold outputs, and be empty for the most part. It takes
/// the weights of ``DirectConvolution`` or ``DepthwiseConvolution``, and has the sums of the former, bit for bit.
///
/// Planes are read where they lie, if there is nothing around them; of others a *band* of rows is staged at a time. Short
/// rows are one line of positions that runs on from a row to the next: what is computed between two rows is left out.
struct PlaneConvolution {
  /// Floats of input in a band: a part of the second-level cache.
  private static let bandCount = 98_304

  /// Positions of a row from which on its last tile, which may be small, is little of it.
  private static let longRow = 128
  /// A multiple of the positions of every variant's tiles.
  private static let tilePositions = 128

  private let parameters: ConvolutionParameters
  /// Channels that an output is a sum of, and whether they are summed one after the other.
  private let inputsPerGroup: Int
  private let isByChannel: Bool
  private let rowsPerFlush: Int
  /// Outputs of an input that has some of its own.
  private let multiplier: Int
  private let weights: TensorStorage
  private let bias: TensorStorage
  private let epilogue: ConvolutionEpilogue
  /// The output's, `[batch, outputs, height, width]`.
  private let shape: [Int]

  /// - Returns: `nil` where vectors of outputs are the better choice.
  init?(_ convolution: DirectConvolution, output shape: [Int]) {
    guard convolution.parameters.groups == 1, Self.accepts(convolution.parameters, shape) else { return nil }
    (parameters, self.shape) = (convolution.parameters, shape)
    (inputsPerGroup, isByChannel) = (convolution.inputsPerGroup, convolution.isByChannel)
    (rowsPerFlush, multiplier) = (convolution.rowsPerFlush, 1)
    (weights, bias, epilogue) = (convolution.weights, convolution.bias, convolution.epilogue)
  }

  /// The same of a convolution that takes each channel by itself.
  init?(_ convolution: DepthwiseConvolution, output shape: [Int]) {
    guard convolution.group == 1, Self.accepts(convolution.parameters, shape) else { return nil }
    (parameters, self.shape) = (convolution.parameters, shape)
    (inputsPerGroup, isByChannel) = (1, true)
    (rowsPerFlush, multiplier) = (parameters.kernel.height, convolution.multiplier)
    (weights, bias, epilogue) = (convolution.weights, convolution.bias, convolution.epilogue)
  }

  /// Rows hold a vector, and windows do not reach so far that most of what is staged were zeros.
  private static func accepts(_ parameters: ConvolutionParameters, _ shape: [Int]) -> Bool {
    parameters.stride == 1 && !TensorLayout.isWorthBlocking(channels: shape[1]) && shape[3] >= TensorLayout.block
      && parameters.extent.height <= shape[2] && parameters.extent.width <= shape[3]
  }

  func callAsFunction(_ input: Tensor<Float>, activation: UnaryOperation?) throws -> Tensor<Float> {
    let (outputs, height, width) = (shape[1], shape[2], shape[3])
    let source = try ConvolutionInput(
      input, inPlanes: true, parameters: parameters, output: Size2D(height: height, width: width))
    let rowsPerBand = min(height, rowsPerBand(of: source))
    let bands = (height + rowsPerBand - 1) / rowsPerBand
    let isTight = source.rowStep == width
    // Short rows that lie apart are computed together and put in their places once they are done.
    let joinsRows = !isTight && width < Self.longRow
    let stagedCount = source.isInPlace ? 0 : source.stagedCount(outputRows: rowsPerBand)
    let resultStep = joinsRows ? rowsPerBand * source.rowStep : height * width
    let room = stagedCount + (joinsRows ? outputs * resultStep : 0)
    let kernels = Execution.current.kernels
    return try Tensor.filled(shape) { destination in
      let y = Unchecked(destination)
      try parallelWithScratch(shape[0] * bands, of: Float.self, count: room) { task, room in
        let (sample, first) = (task / bands, task % bands * rowsPerBand)
        let rows = first..<min(first + rowsPerBand, height)
        let place = y.value + sample * outputs * height * width + first * width
        let result = joinsRows ? room + stagedCount : place
        var (x, planeStep) = (UnsafePointer(room), source.stagedStep(outputRows: rows.count))
        if source.isInPlace {
          planeStep = source.blockStep
          x = source.source.pointer + sample * source.blocks * planeStep + first * source.rowStep
        } else {
          source.stage(room, sample: sample, outputRows: rows, blocks: 0..<source.blocks, kernels: kernels)
        }
        let joined = (rows.count - 1) * source.rowStep + width
        let lines = isTight || joinsRows ? (count: 1, length: joined) : (count: rows.count, length: width)
        accumulate(source, x, planeStep: planeStep, result, outputStep: resultStep, lines, kernels)
        for output in 0..<outputs {
          let line = result + output * resultStep
          epilogue(line, positions: lines.count * lines.length, output: output, activation, kernels)
          guard joinsRows else { continue }
          for row in 0..<rows.count {
            (place + (output * height + row) * width).update(from: line + row * source.rowStep, count: width)
          }
        }
      }
      withExtendedLifetime(source.source.storage) {}
    }
  }

  /// As many rows as fit, but no fewer than twice those that neighbouring bands both read.
  private func rowsPerBand(of source: ConvolutionInput) -> Int {
    let shared = parameters.extent.height - 1
    return max(1, 2 * shared, Self.bandCount / (source.blocks * source.rowStep) - shared)
  }

  /// All sums of a band, whose lines lie one after the other in the result.
  private func accumulate(
    _ source: ConvolutionInput, _ x: UnsafePointer<Float>, planeStep: Int, _ y: UnsafeMutablePointer<Float>,
    outputStep: Int, _ lines: (count: Int, length: Int), _ kernels: KernelSet
  ) {
    let block = isByChannel ? 1 : TensorLayout.block
    let blocks = (inputsPerGroup + block - 1) / block
    source.columnOffsets.withUnsafeBufferPointer { columns in
      guard let offsets = columns.baseAddress else { return }
      let walk = TileWalk(
        positionStep: 1, termStep: TensorLayout.block, blockCount: blocks, blockStep: block * planeStep,
        rowCount: parameters.kernel.height, rowStep: parameters.dilation.height * source.rowStep,
        tapCount: columns.count, tapOffsets: offsets, rowsPerFlush: rowsPerFlush, weightBlockStep: 0, outputStep: 1,
        outputBlockStep: outputStep, blockLanes: block, lastBlockLanes: inputsPerGroup - (blocks - 1) * block)
      let weights = weights.base.assumingMemoryBound(to: Float.self)
      let bias = bias.base.assumingMemoryBound(to: Float.self)
      // Channels by themselves are few here, so that the weights of each one's first output are one block.
      let area = parameters.kernel.height * parameters.kernel.width
      let outputs = shape[1] / (parameters.groups * multiplier)
      let positions = ConvolutionTasks.positionsPerLook(
        operations: inputsPerGroup * area * outputs, tile: Self.tilePositions)
      let stop = lines.count * lines.length > positions ? Execution.current.stop : nil
      for group in 0..<parameters.groups {
        for copy in 0..<multiplier {
          let first = (group * multiplier + copy) * outputs
          for line in 0..<lines.count {
            var start = 0
            while start < lines.length {
              if let stop, stop.check() { return }
              // A call takes sixteen at least.
              let rest = lines.length - start
              let count = rest < positions + TensorLayout.block ? rest : positions
              kernels.convolution.accumulatePlanes(
                x + group * inputsPerGroup * planeStep + line * source.rowStep + start, planeStep: planeStep,
                weights: weights + copy * area * TensorLayout.block + group,
                bias: bias + copy * TensorLayout.block + group,
                y + first * outputStep + line * lines.length + start, outputs: outputs, count: count, walk: walk)
              start += count
            }
          }
        }
      }
    }
  }
}
