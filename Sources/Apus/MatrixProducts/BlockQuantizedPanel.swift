import ApusKernelInterface

/// A right operand that is kept as codes of few bits, each of which becomes a number where it is multiplied: in the registers
/// of a product with a single row, and a tile at a time otherwise. The bits are those of a matrix that was widened beforehand.
final class BlockQuantizedPanel<Scalar: FloatingPointScalar>: Sendable {
  let columns: Int
  let depth: Int
  /// Depth in vectors.
  let depthBlocks: Int
  private let bits: Int
  private let blockSize: Int
  private let blockCount: Int
  private let words: TensorStorage
  private let scales: TensorStorage
  private let zeroPoints: TensorStorage?

  init(_ matrix: BlockQuantizedMatrix<Scalar>) throws {
    let vector = Scalar.kernels.vectorWidth
    (columns, depth) = (matrix.outputs, matrix.inputs)
    depthBlocks = (depth + vector - 1) / vector
    (bits, blockSize, blockCount) = (matrix.bits, matrix.blockSize, matrix.blockCount)
    words = try packedWords(
      matrix.codes, change: matrix.zeroPoints != nil ? 0 : bits == 4 ? 0x8888_8888 : 0x8080_8080, vector: vector)
    scales = try Self.packed(matrix.scales, vector: vector)
    zeroPoints = try matrix.zeroPoints.map { try packedZeroPoints($0, vector: vector) }
  }

  /// What the loops look at, valid as long as the panel is.
  var view: BlockQuantizedColumns {
    BlockQuantizedColumns(
      words: UnsafePointer(words.base.assumingMemoryBound(to: Int32.self)), scales: UnsafeRawPointer(scales.base),
      zeroPoints: zeroPoints.map { UnsafePointer($0.base.assumingMemoryBound(to: UInt8.self)) }, bits: bits,
      blockSize: blockSize, blockCount: blockCount)
  }
}

// MARK: - Laying out

extension BlockQuantizedPanel {
  /// - Parameter scales: `[outputs, blocks]`.
  private static func packed(_ scales: Tensor<Scalar>, vector: Int) throws -> TensorStorage {
    let (columns, blocks) = (scales.shape[0], scales.shape[1])
    let padded = (columns + vector - 1) / vector * vector
    let storage = try PackedMemory.storage(byteCount: Shape.byteCount([padded, blocks], of: Scalar.self))
    withExtendedLifetime(scales.storage) {
      Scalar.kernels.packColumns(
        scales.pointer, rowStep: 1, columnStep: blocks, depth: blocks, filledDepth: blocks, columns: columns,
        storage.base.assumingMemoryBound(to: Scalar.self), blockStep: blocks * vector)
    }
    return storage
  }
}

/// The codes, transposed four bytes at a time; zeros in columns that fill up.
/// - Parameters:
///   - codes: `[outputs, bytes]`, the first byte of a word in the lowest bits.
///   - change: the bits of each word that are turned round: the highest one of each code that gets a sign.
private func packedWords(_ codes: Tensor<UInt8>, change: UInt32, vector: Int) throws -> TensorStorage {
  let (columns, byteCount) = (codes.shape[0], codes.shape[1])
  let depth = byteCount / 4
  let padded = (columns + vector - 1) / vector * vector
  let storage = try PackedMemory.storage(byteCount: Shape.byteCount([padded, depth], of: UInt32.self))
  let bands = PanelBand.all(
    depth: depth, columns: columns, vector: vector, lineByteCount: byteCount, isTransposed: true, storage: codes.storage
  )
  let bytes = Unchecked(UnsafeRawPointer(codes.storage.base))
  let words = Unchecked(storage.base.assumingMemoryBound(to: UInt32.self))
  for band in bands {
    parallel((band.columns.count + vector - 1) / vector) { block in
      let first = band.columns.lowerBound + block * vector
      let target = words.value + first * depth
      let count = min(vector, band.columns.upperBound - first)
      if count < vector { target.initialize(repeating: 0, count: depth * vector) }
      for column in 0..<count {
        let line = bytes.value + (first + column) * byteCount
        for row in 0..<depth {
          let word = UInt32(littleEndian: line.loadUnaligned(fromByteOffset: row * 4, as: UInt32.self))
          target[row * vector + column] = word ^ change
        }
      }
    }
    if let part = band.bytes { codes.storage.discardFilePages(part) }
  }
  codes.storage.discardFilePages()
  return storage
}

/// - Parameter points: `[outputs, blocks]`.
private func packedZeroPoints(_ points: Tensor<UInt8>, vector: Int) throws -> TensorStorage {
  let (columns, blocks) = (points.shape[0], points.shape[1])
  let padded = (columns + vector - 1) / vector * vector
  let storage = try PackedMemory.storage(byteCount: Shape.byteCount([padded, blocks], of: UInt8.self))
  let bytes = storage.base.assumingMemoryBound(to: UInt8.self)
  bytes.initialize(repeating: 0, count: padded * blocks)
  withExtendedLifetime(points.storage) {
    for column in 0..<columns {
      let target = bytes + column / vector * vector * blocks + column % vector
      for block in 0..<blocks { target[block * vector] = points.pointer[column * blocks + block] }
    }
  }
  return storage
}
