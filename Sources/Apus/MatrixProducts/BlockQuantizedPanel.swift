import ApusKernelInterface

/// A right operand that is kept as codes of few bits, each of which becomes a number where it is multiplied: in the registers
/// of a product with a single row, and a tile at a time otherwise. The bits are those of a matrix that was widened beforehand.
struct BlockQuantizedPanel<Scalar: FloatingPointScalar>: Sendable {
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
    words = try Self.words(matrix, vector: vector)
    scales = try Self.scales(matrix, vector: vector)
    zeroPoints = try matrix.zeroPoints.map { try Self.zeroPoints($0, vector: vector) }
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
  /// The codes, transposed four bytes at a time; zeros in columns that fill up. Codes without zero points get a sign.
  private static func words(_ matrix: BlockQuantizedMatrix<Scalar>, vector: Int) throws -> TensorStorage {
    let byteCount = matrix.codes.shape[1]
    let depth = byteCount / 4
    let padded = (matrix.outputs + vector - 1) / vector * vector
    let storage = try PackedMemory.storage(byteCount: Shape.byteCount([padded, depth], of: Int32.self))
    let source = matrix.codes.storage
    let bands = PanelBand.all(
      depth: depth, columns: matrix.outputs, vector: vector, lineByteCount: byteCount, isTransposed: true,
      storage: source)
    let bytes = Unchecked(UnsafeRawPointer(source.base))
    let target = Unchecked(storage.base.assumingMemoryBound(to: Int32.self))
    let change =
      matrix.zeroPoints != nil ? 0 : Int32(bitPattern: matrix.bits == 4 ? 0x8888_8888 : 0x8080_8080)
    for band in bands {
      let blocks = (band.columns.count + vector - 1) / vector
      parallel(blocks) { block in
        let column = band.columns.lowerBound + block * vector
        transpose(
          bytes.value + column * byteCount, columns: min(vector, band.columns.upperBound - column), depth: depth,
          vector: vector, change: change, into: target.value + column * depth)
      }
      if let part = band.bytes { source.discardFilePages(part) }
    }
    source.discardFilePages()
    withExtendedLifetime((matrix, storage)) {}
    return storage
  }

  /// - Parameters:
  ///   - bytes: `columns` columns of `depth` words, the first byte in the lowest bits.
  ///   - change: the bits of each word that are turned round.
  private static func transpose(
    _ bytes: UnsafeRawPointer, columns: Int, depth: Int, vector: Int, change: Int32,
    into words: UnsafeMutablePointer<Int32>
  ) {
    if columns < vector { words.initialize(repeating: 0, count: depth * vector) }
    for column in 0..<columns {
      let line = bytes + column * depth * 4
      for row in 0..<depth {
        let word = Int32(littleEndian: line.loadUnaligned(fromByteOffset: row * 4, as: Int32.self))
        words[row * vector + column] = word ^ change
      }
    }
  }

  private static func scales(_ matrix: BlockQuantizedMatrix<Scalar>, vector: Int) throws -> TensorStorage {
    let (columns, blocks) = (matrix.outputs, matrix.blockCount)
    let padded = (columns + vector - 1) / vector * vector
    let storage = try PackedMemory.storage(byteCount: Shape.byteCount([padded, blocks], of: Scalar.self))
    withExtendedLifetime(matrix.scales.storage) {
      Scalar.kernels.packColumns(
        matrix.scales.pointer, rowStep: 1, columnStep: blocks, depth: blocks, filledDepth: blocks, columns: columns,
        storage.base.assumingMemoryBound(to: Scalar.self), blockStep: blocks * vector)
    }
    return storage
  }

  /// - Parameter points: `[outputs, blocks]`.
  private static func zeroPoints(_ points: Tensor<UInt8>, vector: Int) throws -> TensorStorage {
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
}
