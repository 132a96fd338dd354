import ApusKernelInterface

/// A part of a right operand that is kept in the type it is stored in, before it is laid out.
struct NarrowPart: Sendable {
  /// A matrix in rows: `[inputs, outputs]`, or `[outputs, inputs]`.
  let elements: AnyTensor
  /// A factor for each output; nil for floating-point elements.
  let scale: Tensor<Float>?
  /// Whether the elements are `[outputs, inputs]`.
  let isOutputsFirst: Bool

  var inputs: Int { elements.shape[isOutputsFirst ? 1 : 0] }
}

/// A right operand that is kept in the type it is stored in and widened a tile at a time while it is multiplied.
///
/// Sixteen-bit numbers take half the memory of `Float`, and 8-bit integers with a scale for each column a quarter.
/// What is multiplied is the widened number, the integer times its scale rounded once: the same bits as with a
/// matrix that was widened beforehand.
struct NarrowPanel<Scalar: FloatingPointScalar>: Sendable {
  let columns: Int
  let depth: Int
  /// Depth in vectors.
  let depthBlocks: Int
  let pieces: Pieces

  /// The parts, the last one's depth in whole vectors, and what keeps their memory.
  final class Pieces: @unchecked Sendable {
    let all: UnsafeBufferPointer<NarrowPiece>
    private let storages: [TensorStorage]

    init(_ pieces: [NarrowPiece], storages: [TensorStorage]) {
      let copy = UnsafeMutableBufferPointer<NarrowPiece>.allocate(capacity: pieces.count)
      _ = copy.initialize(from: pieces)
      (all, self.storages) = (UnsafeBufferPointer(copy), storages)
    }

    deinit { all.deallocate() }
  }

  /// - Parameters:
  ///   - parts: `[inputs, outputs]` in parts that follow each other along the inputs.
  init(stacking parts: [NarrowPart], columns: Int) throws {
    let vector = Scalar.kernels.vectorWidth
    let depth = parts.reduce(0) { $0 + $1.inputs }
    let depthBlocks = (depth + vector - 1) / vector
    var pieces: [NarrowPiece] = []
    var storages: [TensorStorage] = []
    var first = 0
    for (index, part) in parts.enumerated() {
      let end = index == parts.count - 1 ? depthBlocks * vector : first + part.inputs
      let storage = try Self.packed(part, columns: columns, rows: end - first, vector: vector)
      let scale = try Self.scale(part, columns: columns, vector: vector)
      let type = part.elements.dataType
      pieces.append(
        NarrowPiece(
          type: type.storedType, size: type.byteCount, base: UnsafeRawPointer(storage.base), rows: first..<end,
          scale: scale.map { UnsafeRawPointer($0.base) }))
      storages += [storage, scale].compactMap { $0 }
      first = end
    }
    (self.columns, self.depth, self.depthBlocks) = (columns, depth, depthBlocks)
    self.pieces = Pieces(pieces, storages: storages)
  }
}

// MARK: - Laying out

extension NarrowPanel {
  /// A part as a ``NarrowPiece`` has it.
  private static func packed(
    _ part: NarrowPart, columns: Int, rows: Int, vector: Int
  ) throws -> TensorStorage {
    let type = part.elements.dataType
    let padded = (columns + vector - 1) / vector * vector
    let storage = try PackedMemory.storage(byteCount: Shape.byteCount([padded, rows, type.byteCount], of: UInt8.self))
    let source = part.elements.storage
    let bands = PanelBand.all(
      depth: part.inputs, columns: columns, vector: vector, lineByteCount: part.elements.shape[1] * type.byteCount,
      isTransposed: part.isOutputsFirst, storage: source)
    for band in bands {
      try pack(part, band, rows: rows, vector: vector, into: storage)
      if let bytes = band.bytes { source.discardFilePages(bytes) }
    }
    source.discardFilePages()
    return storage
  }

  /// Lays a band out: widened, transposed by the kernel that lays out floats, and narrowed again, which gives back the
  /// same elements.
  private static func pack(
    _ part: NarrowPart, _ band: PanelBand, rows: Int, vector: Int, into storage: TensorStorage
  ) throws {
    let execution = Execution.current
    let (data, kernels, quantized) = (execution.kernels.data, Scalar.kernels, execution.kernels.quantized)
    let type = part.elements.dataType
    let leading = part.elements.shape[1]
    let isTransposed = part.isOutputsFirst
    // The rows that fill the panel up come with the last band.
    let filled = band.depth.upperBound == part.inputs ? rows - band.depth.lowerBound : band.depth.count
    let blocksPerChunk = max(1, 16_384 / max(filled * vector, 1))
    let width = blocksPerChunk * vector
    let blocks = (band.columns.count + vector - 1) / vector
    let source = Unchecked(UnsafeRawPointer(part.elements.storage.base))
    let target = Unchecked(storage.base)
    let wide = Scalar.dataType.storedType
    let room = width * filled
    try parallelWithScratch((blocks + blocksPerChunk - 1) / blocksPerChunk, of: Scalar.self, count: 2 * room) {
      chunk, scratch in
      let column = band.columns.lowerBound + chunk * width
      let columns = min(band.columns.upperBound - column, width)
      let panel = scratch + room
      if isTransposed {
        data.convert(
          source.value + column * leading * type.byteCount, type.storedType, scratch, wide, count: columns * leading)
      } else {
        for row in 0..<band.depth.count {
          let start = (band.depth.lowerBound + row) * leading + column
          data.convert(
            source.value + start * type.byteCount, type.storedType, scratch + row * columns, wide, count: columns)
        }
      }
      kernels.packColumns(
        scratch, rowStep: isTransposed ? 1 : columns, columnStep: isTransposed ? leading : 1, depth: band.depth.count,
        filledDepth: filled, columns: columns, panel, blockStep: filled * vector)
      for block in 0..<(columns + vector - 1) / vector {
        let start = ((column / vector + block) * rows + band.depth.lowerBound) * vector * type.byteCount
        let values = panel + block * filled * vector
        if type == .int8, Scalar.dataType == .float32 {
          quantized.quantize(
            UnsafeRawPointer(values).assumingMemoryBound(to: Float.self), scale: 1,
            range: QuantizedRange(least: -128, greatest: 127, zeroPoint: 0), target.value + start, isWide: false,
            count: filled * vector)
        } else {
          data.convert(values, wide, target.value + start, type.storedType, count: filled * vector)
        }
      }
    }
    withExtendedLifetime((part, storage)) {}
  }

  /// The factor of each column, zero for columns that fill up; nil where there is none.
  private static func scale(_ part: NarrowPart, columns: Int, vector: Int) throws -> TensorStorage? {
    guard let scale = try part.scale?.converted(to: Scalar.self).rowMajor else { return nil }
    let padded = (columns + vector - 1) / vector * vector
    let storage = try TensorStorage(byteCount: Shape.byteCount([padded], of: Scalar.self))
    let values = storage.base.assumingMemoryBound(to: Scalar.self)
    values.initialize(repeating: 0, count: padded)
    withExtendedLifetime(scale.storage) { values.update(from: scale.pointer, count: columns) }
    return storage
  }
}
