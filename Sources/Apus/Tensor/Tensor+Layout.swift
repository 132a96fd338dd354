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

  /// Whether ``TensorLayout/channelBlocked`` can hold this tensor: `Float`, rank 3 or 4, and no block that is mostly
  /// filling.
  var canBeChannelBlocked: Bool {
    Scalar.dataType == .float32 && (rank == 3 || rank == 4) && Self.isWorthBlocking(channels: shape[1])
  }

  /// Whether a map of so many channels is kept channel-blocked.
  static func isWorthBlocking(channels: Int) -> Bool { channels >= TensorLayout.block / 2 }

  /// The number of elements in memory, the filling of blocks included.
  var storedCount: Int {
    layout == .rowMajor ? count : Self.blockedShape(shape).reduce(1, *)
  }

  /// `[batch, blocks, positions…, 16]`.
  static func blockedShape(_ shape: [Int]) -> [Int] {
    [shape[0], TensorLayout.blocks(shape[1])] + shape[2...] + [TensorLayout.block]
  }

  /// The other layout: each block of sixteen channels is a matrix `[16, positions]` in one and its transpose in the
  /// other.
  private func transposedBlocks(to newLayout: TensorLayout) throws -> Tensor {
    let block = TensorLayout.block
    let positions = shape[2...].reduce(1, *)
    let kernels = Execution.current.kernels.data
    let blocksPerSample = TensorLayout.blocks(shape[1])
    let blocks = shape[0] * blocksPerSample
    let channels = shape[1]
    // Pieces of positions, so that a few large maps are spread over threads as well as many small ones.
    let width = min(positions, elementsPerPiece / block)
    let piecesPerBlock = width == 0 ? 0 : (positions + width - 1) / width
    return try withExtendedLifetime(storage) {
      nonisolated(unsafe) let source = pointer
      return try Tensor.filled(shape, layout: newLayout) { destination in
        nonisolated(unsafe) let destination = destination
        let size = MemoryLayout<Scalar>.stride
        parallelRanges(blocks * piecesPerBlock, grain: max(1, elementsPerPiece / max(1, block * width))) {
          first, count in
          for piece in first..<(first + count) {
            let (index, position) = (piece / piecesPerBlock, piece % piecesPerBlock * width)
            let first = index % blocksPerSample * block
            let filled = min(block, channels - first)
            let plain = (index / blocksPerSample * channels + first) * positions + position
            let blocked = (index * positions + position) * block
            let length = min(width, positions - position)
            if newLayout == .rowMajor {
              kernels.transpose(
                elementSize: size, from: source + blocked, sourceStride: block,
                to: destination + plain, destinationStride: positions, rows: length, columns: filled)
            } else {
              if filled < block { (destination + blocked).initialize(repeating: .zero, count: length * block) }
              kernels.transpose(
                elementSize: size, from: source + plain, sourceStride: positions,
                to: destination + blocked, destinationStride: block, rows: filled, columns: length)
            }
          }
        }
      }
    }
  }
}
