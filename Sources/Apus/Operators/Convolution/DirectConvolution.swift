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
  private(set) var weights: TensorStorage
  private(set) var weightBlockStep: Int
  let bias: TensorStorage
  let epilogue: ConvolutionEpilogue
  /// Whether sums go channel by channel, as those of maps with few channels do: of pictures, where kernels look for
  /// differences between pixels, so that the sum over a channel is small, and its rounding error with it.
  let isByChannel: Bool

  /// Whether this algorithm takes a weight of this shape.
  static func accepts(weight: [Int], parameters: ConvolutionParameters) -> Bool {
    let block = TensorLayout.block
    return parameters.groups == 1
      || weight[1].isMultiple(of: block) && (weight[0] / parameters.groups).isMultiple(of: block)
  }

  init(
    weight: Tensor<Float>, bias: Tensor<Float>, normalization: BatchNormalization<Float>?,
    parameters: ConvolutionParameters
  ) throws {
    let (outputs, inputs) = (weight.shape[0], weight.shape[1])
    self.parameters = parameters
    self.outputChannels = outputs
    self.inputsPerGroup = inputs
    self.bias = try BlockedVector.storage(bias)
    epilogue = try ConvolutionEpilogue(normalization, outputs: outputs)
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
    if let trimmed = try withoutTapsInPadding(Size2D(height: input.shape[2], width: input.shape[3]), output: shape) {
      return try trimmed(input, shape: shape, activation: activation, layout: layout)
    }
    if let result = try byColumns(input, shape: shape, activation: activation) { return result }
    if Execution.current.precision == .fast, let winograd = WinogradConvolution(self, output: shape) {
      return try winograd(input, activation: activation)
    }
    if let planes = PlaneConvolution(self, output: shape) { return try planes(input, activation: activation) }
    let size = Size2D(height: shape[2], width: shape[3])
    let source = try ConvolutionInput(
      input, inPlanes: isByChannel && !TensorLayout.isWorthBlocking(channels: inputsPerGroup), parameters: parameters,
      output: size)
    let plan = DirectPlan(self, source, batch: shape[0], size: size)
    return try ConvolutionOutput.tensor(shape, layout: layout) { try plan.run(into: $0, activation: activation) }
  }
}

extension DirectConvolution {
  /// The same for maps of this size without the first and the last rows and columns of the kernel that meet nothing but zeros
  /// around them, whichever output they are for: of the dilated windows of DeepLab and others, which are as wide as small
  /// maps, the middle alone may be left.
  ///
  /// - Parameter shape: the output's, `[batch, outputs, height, width]`.
  /// - Returns: nil where there are no such columns: rows alone ``DirectPlan`` leaves out without a copy of the others' weights.
  private func withoutTapsInPadding(_ input: Size2D, output shape: [Int]) throws -> DirectConvolution? {
    let (kernel, padding) = (parameters.kernel, parameters.padding)
    guard !isByChannel, padding != 0, kernel != 1 else { return nil }
    let rows = Self.taps(
      kernel.height, parameters.stride.height, parameters.dilation.height, padding.top, input.height, shape[2])
    let columns = Self.taps(
      kernel.width, parameters.stride.width, parameters.dilation.width, padding.left, input.width, shape[3])
    let kept = rows.count * columns.count
    guard !rows.isEmpty, !columns.isEmpty, columns.count < kernel.width,
      isWorthCopying(taps: kept, leavingOut: (kernel.height * kernel.width - kept) * shape[2] * shape[3], shape)
    else { return nil }
    var trimmed = self
    trimmed.parameters.kernel = Size2D(height: rows.count, width: columns.count)
    let (extent, stride) = (trimmed.parameters.extent, parameters.stride)
    let top = padding.top - rows.lowerBound * parameters.dilation.height
    let left = padding.left - columns.lowerBound * parameters.dilation.width
    guard top >= 0, left >= 0 else { return nil }
    trimmed.parameters = try trimmed.parameters.padded(
      by: Padding2D(
        top: top, left: left, bottom: max(0, (shape[2] - 1) * stride.height + extent.height - input.height - top),
        right: max(0, (shape[3] - 1) * stride.width + extent.width - input.width - left)))
    guard try trimmed.parameters.outputSize(input) == Size2D(height: shape[2], width: shape[3]) else { return nil }
    try trimmed.keep(rows, columns, of: kernel)
    return trimmed
  }

  /// Columns of the output that the same columns of the kernel reach the map from, computed together and put side by side: of
  /// dilated windows at both sides of a map half the products are with zeros.
  ///
  /// - Returns: nil where less than a fifth of the products can be left out, or the window of an output meets nothing.
  private func byColumns(
    _ input: Tensor<Float>, shape: [Int], activation: UnaryOperation?
  ) throws -> Tensor<Float>? {
    let (kernel, stride, dilation) = (parameters.kernel, parameters.stride.width, parameters.dilation.width)
    guard !isByChannel, dilation > 1, kernel.width > 1, parameters.padding.left + parameters.padding.right > 0 else {
      return nil
    }
    let (left, size) = (parameters.padding.left, input.shape[3])
    var runs: [(columns: Range<Int>, taps: Range<Int>)] = []
    for column in 0..<shape[3] {
      let taps = tapsInside(size, from: column * stride - left, count: kernel.width, dilation: dilation)
      guard !taps.isEmpty else { return nil }
      if let last = runs.last, last.taps == taps {
        runs[runs.count - 1].columns = last.columns.lowerBound..<column + 1
      } else {
        runs.append((column..<column + 1, taps))
      }
    }
    let products = runs.reduce(0) { $0 + $1.columns.count * $1.taps.count }
    let all = shape[3] * kernel.width
    guard runs.count > 1, products * 5 <= all * 4,
      isWorthCopying(
        taps: kernel.height * runs.reduce(0) { $0 + $1.taps.count },
        leavingOut: kernel.height * (all - products) * shape[2], shape)
    else { return nil }
    let source = try input.rowMajor
    let parts = try runs.map { columns, taps in
      var part = self
      try part.keep(0..<kernel.height, taps, of: kernel)
      part.parameters.kernel.width = taps.count
      part.parameters.padding.left = 0
      part.parameters.padding.right = 0
      let first = columns.lowerBound * stride + taps.lowerBound * dilation - left
      let end = first + (columns.count - 1) * stride + part.parameters.extent.width
      return try part(
        source.sliced(axis: 3, from: first, to: end), shape: Array(shape.dropLast()) + [columns.count],
        activation: activation, layout: .rowMajor)
    }
    return try concatenate(parts, axis: 3)
  }

  /// Whether copying the weights of so many taps takes less time than so many products of a channel with another.
  private func isWorthCopying(taps: Int, leavingOut products: Int, _ shape: [Int]) -> Bool {
    let channels = Double(inputsPerGroup) * Double(outputChannels)
    return channels * Double(products) * Double(shape[0]) >= 8 * channels * Double(taps) + 65_536
  }

  /// The taps of a kernel that an output of those along an axis reads the map with.
  private static func taps(
    _ count: Int, _ stride: Int, _ dilation: Int, _ before: Int, _ size: Int, _ outputs: Int
  ) -> Range<Int> {
    // The last output reaches the map with the first of them, the first output with the last.
    let first = tapsInside(size, from: (outputs - 1) * stride - before, count: count, dilation: dilation).lowerBound
    let end = tapsInside(size, from: -before, count: count, dilation: dilation).upperBound
    return first..<max(first, end)
  }

  /// Forgets all weights but those of some rows and columns of the kernel.
  private mutating func keep(_ rows: Range<Int>, _ columns: Range<Int>, of kernel: Size2D) throws {
    let block = TensorLayout.block
    let step = inputsPerGroup * rows.count * columns.count * block
    let blocks = TensorLayout.blocks(outputChannels)
    let kept = try TensorStorage(byteCount: blocks * step * MemoryLayout<Float>.stride)
    var source = UnsafePointer(weights.base.assumingMemoryBound(to: Float.self))
    var destination = kept.base.assumingMemoryBound(to: Float.self)
    for _ in 0..<blocks {
      for first in stride(from: 0, to: inputsPerGroup, by: block) {
        // The last block has vectors of its inputs only.
        let tap = min(block, inputsPerGroup - first) * block
        for row in rows {
          let count = columns.count * tap
          destination.update(from: source + (row * kernel.width + columns.lowerBound) * tap, count: count)
          destination += count
        }
        source += kernel.height * kernel.width * tap
      }
    }
    (weights, weightBlockStep) = (kept, step)
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
