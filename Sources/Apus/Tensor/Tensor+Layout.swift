extension Tensor {
  /// The same tensor with its elements in row-major order; itself when they are.
  public var rowMajor: Tensor {
    get throws {
      layout == .rowMajor ? self : try transposedBlocks(to: .rowMajor)
    }
  }

  /// The same tensor channel-blocked; itself when it is already, or when its shape or type cannot be.
  public var channelBlocked: Tensor {
    get throws {
      layout == .rowMajor && canBeChannelBlocked ? try transposedBlocks(to: .channelBlocked) : self
    }
  }

  /// Whether ``channelBlocked`` lays this tensor out so. Numbers of sixteen bits are in blocks only where they were rounded
  /// from such as are.
  var canBeChannelBlocked: Bool { Scalar.dataType == .float32 && TensorLayout.canBlock(shape, Scalar.dataType) }

  /// The number of elements in memory, the filling of blocks included.
  var storedCount: Int {
    layout == .rowMajor ? count : Self.blockedCount(count, channels: shape[1]).partialValue
  }

  /// The number of elements in memory of a channel-blocked tensor of `count` elements.
  static func blockedCount(_ count: Int, channels: Int) -> (partialValue: Int, overflow: Bool) {
    (count / max(channels, 1)).multipliedReportingOverflow(by: TensorLayout.blocks(channels) * TensorLayout.block)
  }

  /// `[batch, blocks, positions…, 16]`.
  static func blockedShape(_ shape: [Int]) -> [Int] {
    [shape[0], TensorLayout.blocks(shape[1])] + shape[2...] + [TensorLayout.block]
  }

  /// Whether a tensor of another shape has the same elements in the same channel blocks.
  func keepsBlocks(as newShape: [Int]) -> Bool {
    layout == .channelBlocked && TensorLayout.keepsBlocks(shape, as: newShape)
  }

  /// The other layout: each block of sixteen channels is a matrix `[16, positions]` in one and its transpose in the
  /// other.
  private func transposedBlocks(to newLayout: TensorLayout) throws -> Tensor {
    let positions = shape[2...].reduce(1, *)
    return try Tensor.filled(shape, layout: newLayout) { destination in
      if newLayout == .rowMajor {
        unblock(into: destination, sampleStep: shape[1] * positions, channelStep: positions)
      } else {
        block(into: destination)
      }
    }
  }

  /// Writes a channel-blocked tensor's elements so that those of a channel follow each other.
  ///
  /// - Parameters:
  ///   - sampleStep: from one sample to the next.
  ///   - channelStep: from one channel to the next.
  func unblock(into destination: UnsafeMutablePointer<Scalar>, sampleStep: Int, channelStep: Int) {
    let kernels = Execution.current.kernels.data
    nonisolated(unsafe) let (source, destination) = (pointer, destination)
    forEachPiece { piece in
      kernels.transpose(
        elementSize: MemoryLayout<Scalar>.stride, from: source + piece.blocked, sourceStride: TensorLayout.block,
        to: destination + piece.sample * sampleStep + piece.channels.lowerBound * channelStep + piece.position,
        destinationStride: channelStep, rows: piece.count, columns: piece.channels.count)
    }
  }

  /// Writes a row-major tensor's elements channel-blocked.
  private func block(into destination: UnsafeMutablePointer<Scalar>) {
    let kernels = Execution.current.kernels.data
    let (channels, positions) = (shape[1], shape[2...].reduce(1, *))
    nonisolated(unsafe) let (source, destination) = (pointer, destination)
    forEachPiece { piece in
      let filled = piece.channels.count
      if filled < TensorLayout.block {
        (destination + piece.blocked).initialize(repeating: .zero, count: piece.count * TensorLayout.block)
      }
      kernels.transpose(
        elementSize: MemoryLayout<Scalar>.stride,
        from: source + (piece.sample * channels + piece.channels.lowerBound) * positions + piece.position,
        sourceStride: positions, to: destination + piece.blocked, destinationStride: TensorLayout.block, rows: filled,
        columns: piece.count)
    }
  }

  /// A part of the positions of one block of channels.
  private typealias BlockPiece = (sample: Int, channels: Range<Int>, position: Int, count: Int, blocked: Int)

  /// Pieces of positions, so that a few large maps are spread over threads as well as many small ones.
  private func forEachPiece(_ body: @Sendable (BlockPiece) -> Void) {
    let block = TensorLayout.block
    let (channels, positions) = (shape[1], shape[2...].reduce(1, *))
    let blocksPerSample = TensorLayout.blocks(channels)
    let width = min(positions, elementsPerPiece / block)
    guard width > 0 else { return }
    let piecesPerBlock = (positions + width - 1) / width
    withExtendedLifetime(storage) {
      parallelRanges(
        shape[0] * blocksPerSample * piecesPerBlock, grain: max(1, elementsPerPiece / (block * width))
      ) { first, count in
        for piece in first..<(first + count) {
          let (index, position) = (piece / piecesPerBlock, piece % piecesPerBlock * width)
          let channel = index % blocksPerSample * block
          body(
            (
              sample: index / blocksPerSample, channels: channel..<min(channel + block, channels), position: position,
              count: min(width, positions - position), blocked: (index * positions + position) * block
            ))
        }
      }
    }
  }
}
