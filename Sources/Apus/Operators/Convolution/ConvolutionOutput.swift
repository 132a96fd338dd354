import ApusKernelInterface

/// Where the blocks of channels go that a convolution computes: where they belong in a channel-blocked tensor, or through
/// a task's own memory into a row-major one, so that they are laid out anew while they are in a cache.
struct ConvolutionOutput: Sendable {
  private let base: Unchecked<UnsafeMutablePointer<Float>>
  private let layout: TensorLayout
  private let channels: Int
  /// Outputs of each channel, which lie one after the other.
  private let multiplier: Int
  private let positions: Int

  /// A tensor that `fill` writes.
  ///
  /// - Parameters:
  ///   - shape: `[batch, channels, height, width]`.
  ///   - layout: row-major too where so few channels are not worth blocking.
  ///   - multiplier: outputs of each channel; of more than one the result is row-major.
  static func tensor(
    _ shape: [Int], layout: TensorLayout, multiplier: Int = 1, by fill: (ConvolutionOutput) throws -> Void
  ) throws -> Tensor<Float> {
    let isBlocked = multiplier == 1 && TensorLayout.isWorthBlocking(channels: shape[1])
    let layout = isBlocked ? layout : .rowMajor
    return try Tensor.filled(shape, layout: layout) {
      try fill(
        ConvolutionOutput(
          base: Unchecked($0), layout: layout, channels: shape[1] / multiplier, multiplier: multiplier,
          positions: shape[2] * shape[3]))
    }
  }

  /// Floats that a task needs for so many positions of so many blocks.
  func roomCount(blocks: Int, positions: Int) -> Int {
    layout == .rowMajor ? blocks * positions * TensorLayout.block : 0
  }

  /// Calls `body` for each task, with memory of its own where it needs any.
  ///
  /// Not inlined: each caller's tasks would be compiled once for either case.
  @inline(never)
  func forEachTask(
    _ count: Int, room: Int, _ body: @Sendable (Int, UnsafeMutablePointer<Float>) -> Void
  ) throws {
    if room > 0 {
      try parallelWithScratch(count, of: Float.self, count: room, body)
    } else {
      let unused = base
      parallel(count) { body($0, unused.value) }
    }
  }

  /// Some neighbouring positions of some neighbouring blocks of one sample.
  struct Part {
    var sample: Int
    var blocks: Range<Int>
    /// Which output of each channel.
    var copy = 0
    var positions: Range<Int>
  }

  /// Where a part is computed, and the floats from one block to the next there.
  func place(
    of part: Part, room: UnsafeMutablePointer<Float>
  ) -> (base: UnsafeMutablePointer<Float>, blockStep: Int) {
    let block = TensorLayout.block
    if layout == .rowMajor { return (room, part.positions.count * block) }
    let index = part.sample * TensorLayout.blocks(channels) + part.blocks.lowerBound
    return (base.value + (index * positions + part.positions.lowerBound) * block, positions * block)
  }

  /// Puts a part that has been computed where it belongs.
  func finish(_ part: Part, room: UnsafePointer<Float>, _ kernels: KernelSet) {
    guard layout == .rowMajor else { return }
    let block = TensorLayout.block
    for index in part.blocks {
      let channel = index * block
      kernels.data.transpose(
        elementSize: MemoryLayout<Float>.stride,
        from: room + (index - part.blocks.lowerBound) * part.positions.count * block, sourceStride: block,
        to: base.value + ((part.sample * channels + channel) * multiplier + part.copy) * positions
          + part.positions.lowerBound,
        destinationStride: multiplier * positions, rows: part.positions.count, columns: min(block, channels - channel))
    }
  }
}
