import ApusKernelInterface

/// Convolution of every channel by itself, or in groups of 2, 4 or 8, over channel-blocked float32 maps, read where they
/// lie.
///
/// A channel may have several outputs, the *depth multiplier*. Each is convolved as one of its own: first outputs of all
/// channels, second ones; they are put between each other as a row-major result is laid out.
struct DepthwiseConvolution: ConvolutionAlgorithm {
  var parameters: ConvolutionParameters
  /// Channels of a group, in and out.
  let group: Int
  /// Outputs of a channel that is convolved by itself.
  let multiplier: Int
  /// `[multiplier, channels / 16, height, width, group, 16]`.
  let weights: TensorStorage
  /// `[multiplier, channels / 16, 16]`.
  let bias: TensorStorage
  let epilogue: ConvolutionEpilogue
  /// Positions of a block of channels between two looks at the ``StopSign``. A row of a map is more where windows are very
  /// long.
  private let positionsPerLook: Int

  /// Floats of the rows that are finished together: a part of the first-level cache.
  static let pieceCount = 2048
  /// A multiple of the positions of every variant's tiles.
  private static let tilePositions = 8
  /// Pieces between two looks at the ``StopSign``, each of which takes a microsecond at least.
  private static let piecesPerLook = 64

  /// Whether this algorithm takes a weight of this shape.
  static func accepts(weight: [Int], parameters: ConvolutionParameters) -> Bool {
    if weight[1] == 1 { return true }
    // Sums are of a group's whole windows, which should not be longer than elsewhere.
    let isShort = weight[1...].reduce(1, *) <= 144
    return [2, 4, 8].contains(weight[1]) && isShort && weight[0] == parameters.groups * weight[1]
      && TensorLayout.isHalfFilled(by: weight[0])
  }

  init(
    weight: Tensor<Float>, bias: Tensor<Float>, normalization: BatchNormalization<Float>?,
    parameters: ConvolutionParameters
  ) throws {
    let block = TensorLayout.block
    let area = weight.shape[2] * weight.shape[3]
    let group = weight.shape[1]
    let multiplier = weight.shape[0] / (parameters.groups * group)
    let channels = parameters.groups * group
    let blocks = TensorLayout.blocks(channels)
    (self.group, self.multiplier) = (group, multiplier)
    positionsPerLook = ConvolutionTasks.positionsPerLook(operations: area * group * block, tile: Self.tilePositions)
    weights = try PackedMemory.storage(
      byteCount: multiplier * blocks * area * group * block * MemoryLayout<Float>.stride,
      at: .current("depthwise", [multiplier, channels, group, area]) { $0.add(weight) }
    ) { storage in
      withExtendedLifetime(weight.storage) {
        var packed = storage.base.assumingMemoryBound(to: Float.self)
        for copy in 0..<multiplier {
          for first in stride(from: 0, to: channels, by: block) {
            for tap in 0..<area {
              for member in 0..<group {
                for lane in 0..<block {
                  let output = (first + lane) * multiplier + copy
                  packed[lane] = first + lane < channels ? weight.pointer[(output * group + member) * area + tap] : 0
                }
                packed += block
              }
            }
          }
        }
      }
    }
    self.bias = try BlockedVector.storage(bias, multiplier: multiplier)
    epilogue = try ConvolutionEpilogue(normalization, outputs: weight.shape[0], multiplier: multiplier)
    self.parameters = parameters
  }

  func callAsFunction(
    _ input: Tensor<Float>, shape: [Int], activation: UnaryOperation?, layout: TensorLayout
  ) throws -> Tensor<Float> {
    if let planes = PlaneConvolution(self, output: shape) { return try planes(input, activation: activation) }
    let channels = input.shape[1]
    let blocks = TensorLayout.blocks(channels)
    let maps = shape[0] * blocks * multiplier
    if input.layout == .rowMajor, maps >= 2 * Execution.current.threads || !input.canBeChannelBlocked {
      return try blockByBlock(input, shape: shape, activation: activation, layout: layout)
    }
    let source = try input.channelBlocked
    let block = TensorLayout.block
    let input = Size2D(height: source.shape[2], width: source.shape[3])
    let output = Size2D(height: shape[2], width: shape[3])
    // About as much work a task as is worth handing out: some maps, or some rows of one.
    let rowCount = output.width * block * parameters.kernel.height * parameters.kernel.width * group
    let rowsPerTask = max(1, min(output.height, 262_144 / rowCount))
    let rowTasks = (output.height + rowsPerTask - 1) / rowsPerTask
    let x = Unchecked(source.pointer)
    let kernels = Execution.current.kernels
    return try ConvolutionOutput.tensor(shape, layout: layout, multiplier: multiplier) { y in
      let tasksAtOnce = max(1, 65_536 / (rowCount * rowsPerTask))
      let room = y.roomCount(blocks: 1, positions: rowsPerTask * output.width)
      try y.forEachTask((maps * rowTasks + tasksAtOnce - 1) / tasksAtOnce, room: room) { piece, room in
        for task in piece * tasksAtOnce..<min((piece + 1) * tasksAtOnce, maps * rowTasks) {
          let (map, first) = (task / rowTasks, task % rowTasks * rowsPerTask)
          let (source, copy) = (map / multiplier, map % multiplier)
          convolve(
            kernels, x.value + source * input.height * input.width * block, input, y, output, sample: source / blocks,
            block: source % blocks, copy: copy, rows: first..<min(first + rowsPerTask, output.height), activation,
            room: room)
        }
      }
      withExtendedLifetime(source.storage) {}
    }
  }

  /// Of a row-major input each task lays out one block of channels, which is still in a cache when it is convolved.
  private func blockByBlock(
    _ source: Tensor<Float>, shape: [Int], activation: UnaryOperation?, layout: TensorLayout
  ) throws -> Tensor<Float> {
    let block = TensorLayout.block
    let input = Size2D(height: source.shape[2], width: source.shape[3])
    let output = Size2D(height: shape[2], width: shape[3])
    let channels = source.shape[1]
    let blocks = TensorLayout.blocks(channels)
    let positions = input.height * input.width
    let kernels = Execution.current.kernels
    let x = Unchecked(source.pointer)
    return try ConvolutionOutput.tensor(shape, layout: layout, multiplier: multiplier) { y in
      let room = y.roomCount(blocks: 1, positions: output.height * output.width)
      try parallelWithScratch(shape[0] * blocks, of: Float.self, count: positions * block + room) { map, staged in
        let (sample, index) = (map / blocks, map % blocks)
        kernels.convolution.stageBlock(
          x.value + (sample * channels + index * block) * positions, channels: min(block, channels - index * block),
          channelStep: positions, height: 1, width: positions, top: 0, left: 0, staged, rows: 1, columns: positions)
        for copy in 0..<multiplier {
          convolve(
            kernels, staged, input, y, output, sample: sample, block: index, copy: copy, rows: 0..<output.height,
            activation, room: staged + positions * block)
        }
      }
      withExtendedLifetime(source.storage) {}
    }
  }

  /// Some rows of one block of channels, and one output of each; those of many until the sign is raised.
  private func convolve(
    _ kernels: KernelSet, _ x: UnsafePointer<Float>, _ input: Size2D, _ y: ConvolutionOutput, _ output: Size2D,
    sample: Int, block index: Int, copy: Int, rows: Range<Int>, _ activation: UnaryOperation?,
    room: UnsafeMutablePointer<Float>
  ) {
    let part = ConvolutionOutput.Part(
      sample: sample, blocks: index..<index + 1, copy: copy,
      positions: rows.lowerBound * output.width..<rows.upperBound * output.width)
    let base = y.place(of: part, room: room).base
    for (number, some) in pieces(of: rows, width: output.width).enumerated() {
      if number % Self.piecesPerLook == Self.piecesPerLook - 1, Execution.isStopped { break }
      let out = base + (some.lowerBound - rows.lowerBound) * output.width * TensorLayout.block
      accumulate(kernels, x, input, out, output, block: index, copy: copy, rows: some)
      epilogue(
        out, positions: some.count * output.width, panel: panel(block: index, copy: copy), activation, kernels)
    }
    y.finish(part, room: room, kernels)
  }

  /// Rows in pieces that are still in the first-level cache when an activation comes: of a narrow map a call for each row
  /// would take as long as the row.
  func pieces(of rows: Range<Int>, width: Int) -> some Sequence<Range<Int>> {
    let count = max(1, Self.pieceCount / (width * TensorLayout.block))
    return stride(from: rows.lowerBound, to: rows.upperBound, by: count).lazy.map {
      $0..<min($0 + count, rows.upperBound)
    }
  }

  /// The sums of some rows of one block of channels, one after the other.
  ///
  /// - Parameters:
  ///   - x: the block's plane.
  ///   - addend: what they are added to, as many positions; nil for the bias.
  func accumulate(
    _ kernels: KernelSet, _ x: UnsafePointer<Float>, _ input: Size2D, _ y: UnsafeMutablePointer<Float>,
    _ output: Size2D, block index: Int, copy: Int, rows: Range<Int>,
    addend: UnsafePointer<Float>? = nil
  ) {
    let block = TensorLayout.block
    let (kernel, dilation) = (parameters.kernel, parameters.dilation)
    let rowOfWeights = kernel.width * group * block
    let isLong = rows.count * output.width > positionsPerLook
    let panel = panel(block: index, copy: copy)
    let w = weights.base.assumingMemoryBound(to: Float.self) + panel * kernel.height * rowOfWeights
    let inside = inside(input.width, output.width)
    for row in rows {
      // Kernel rows inside the map: 0 <= top + k · dilation < height.
      let top = row * parameters.stride.height - parameters.padding.top
      let taps = tapsInside(input.height, from: top, count: kernel.height, dilation: dilation.height)
      let line = (row - rows.lowerBound) * output.width * block
      func accumulate(_ columns: Range<Int>, inside: Range<Int>) {
        let place = line + columns.lowerBound * block
        kernels.convolution.convolveDepthwiseRow(
          x + (taps.isEmpty ? 0 : (top + taps.lowerBound * dilation.height) * input.width * block),
          rowStep: dilation.height * input.width * block, rows: taps.count, inputWidth: input.width,
          weights: w + taps.lowerBound * rowOfWeights, addend: addend.map { $0 + place } ?? bias(panel),
          addendStep: addend == nil ? 0 : block, y + place, width: columns.count, group: group, taps: kernel.width,
          stride: parameters.stride.width, dilation: dilation.width,
          left: parameters.padding.left - columns.lowerBound * parameters.stride.width, inside: inside)
      }
      guard isLong else {
        accumulate(0..<output.width, inside: inside)
        continue
      }
      for first in stride(from: 0, to: output.width, by: positionsPerLook) {
        if Execution.isStopped { return }
        let columns = first..<min(first + positionsPerLook, output.width)
        let inside = inside.clamped(to: columns)
        accumulate(columns, inside: inside.lowerBound - first..<inside.upperBound - first)
      }
    }
  }

  /// The sums of positions whose windows reach nothing: the bias.
  func fill(_ y: UnsafeMutablePointer<Float>, positions: Int, block index: Int, copy: Int) {
    let bias = bias(panel(block: index, copy: copy))
    for position in 0..<positions { (y + position * TensorLayout.block).update(from: bias, count: TensorLayout.block) }
  }

  /// The number of the blocks of weights and biases of one output of each channel.
  func panel(block: Int, copy: Int) -> Int { copy * TensorLayout.blocks(parameters.groups * group) + block }

  /// The sixteen biases of a panel.
  func bias(_ panel: Int) -> UnsafePointer<Float> {
    UnsafePointer(bias.base.assumingMemoryBound(to: Float.self)) + panel * TensorLayout.block
  }

  /// Positions of a row whose window lies between the sides of the map.
  private func inside(_ inputWidth: Int, _ width: Int) -> Range<Int> {
    let (stride, left) = (parameters.stride.width, parameters.padding.left)
    let begin = min(width, (left + stride - 1) / stride)
    let last = inputWidth - 1 + left - (parameters.kernel.width - 1) * parameters.dilation.width
    return begin..<max(begin, min(width, last >= 0 ? last / stride + 1 : 0))
  }
}
