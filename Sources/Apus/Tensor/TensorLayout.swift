/// How a tensor's elements lie in memory.
///
/// The convolution family works on channel vectors and hands them on as they are; every other operator asks for
/// ``Tensor/rowMajor`` and gets it. The shape a tensor reports never depends on its layout.
package enum TensorLayout: Sendable, Hashable {
  /// The last axis is contiguous, as in PyTorch and NumPy.
  case rowMajor

  /// `[batch, ⌈channels / 16⌉, height…, 16]`: sixteen channels of one position side by side.
  ///
  /// Where the channels are not whole blocks, the last block is filled up. What the filling holds is undefined:
  /// operators on single elements run over it, and no other reads it. Which tensors are ever stored so says
  /// ``canBlock(_:_:)``.
  case channelBlocked

  /// Channels per block.
  package static let block = 16

  /// Whether the elements of a tensor in channel blocks are, in the same blocks, those of a tensor of another shape with as
  /// many: only positions are joined or divided.
  package static func keepsBlocks(_ shape: [Int], as newShape: [Int]) -> Bool {
    (newShape.count == 3 || newShape.count == 4) && newShape[..<2] == shape[..<2]
  }

  /// The number of blocks that `channels` take.
  package static func blocks(_ channels: Int) -> Int { (channels + block - 1) / block }

  /// Whether a tensor may be stored in blocks: of rank 3 or 4, of a type that is computed with as `Float`, and worth it.
  package static func canBlock(_ shape: [Int], _ dataType: DataType) -> Bool {
    dataType.isComputedInFloat && (shape.count == 3 || shape.count == 4) && isWorthBlocking(channels: shape[1])
  }

  /// Whether a map of so many channels is kept in blocks: not as a single one that is half filling or more.
  static func isWorthBlocking(channels: Int) -> Bool { channels > block / 2 }

  /// Whether so many channels fill half of a block at least, so that loops over blocks are worth it.
  static func isHalfFilled(by channels: Int) -> Bool { channels >= block / 2 }
}
