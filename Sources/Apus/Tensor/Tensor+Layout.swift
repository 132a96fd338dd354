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

  /// Whether ``TensorLayout/channelBlocked`` can hold this tensor: `Float`, rank 3 or 4, channels in whole blocks.
  var canBeChannelBlocked: Bool {
    Scalar.dataType == .float32 && (rank == 3 || rank == 4) && shape[1].isMultiple(of: TensorLayout.block)
  }

  /// The other layout: each block of sixteen channels is a matrix `[16, positions]` in one and its transpose in the
  /// other.
  private func transposedBlocks(to newLayout: TensorLayout) throws -> Tensor {
    let block = TensorLayout.block
    let positions = shape[2...].reduce(1, *)
    let kernels = Execution.current.kernels.data
    let blocks = shape[0] * (shape[1] / block)
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
            let start = piece / piecesPerBlock * positions * block
            let position = piece % piecesPerBlock * width
            let length = min(width, positions - position)
            if newLayout == .rowMajor {
              kernels.transpose(
                elementSize: size, from: source + (start + position * block), sourceStride: block,
                to: destination + (start + position), destinationStride: positions, rows: length, columns: block)
            } else {
              kernels.transpose(
                elementSize: size, from: source + (start + position), sourceStride: positions,
                to: destination + (start + position * block), destinationStride: block, rows: block, columns: length)
            }
          }
        }
      }
    }
  }
}
