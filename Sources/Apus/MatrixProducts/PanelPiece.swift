import ApusKernelInterface

/// Some of the rows of a right operand, before they are laid out.
struct PanelPiece<Scalar: FloatingPointScalar>: Sendable {
  private enum Content: Sendable {
    /// As they lie in memory, and what owns it, to give pages of a file back once they were read; nil for memory that stays.
    case memory(MatrixOperand<Scalar>, TensorStorage?)
    case deferred(DeferredMatrix)
  }

  private let content: Content
  /// Rows.
  let depth: Int

  init(matrix: MatrixOperand<Scalar>, depth: Int, storage: TensorStorage? = nil) {
    (content, self.depth) = (.memory(matrix, storage), depth)
  }

  init(_ matrix: DeferredMatrix, depth: Int) {
    (content, self.depth) = (.deferred(matrix), depth)
  }

  /// Lays the rows out.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``.
  func layOut(in place: PanelPlace<Scalar>) throws {
    // Of an empty matrix there may be more columns than a loop comes to the end of.
    guard depth + place.fill > 0 else { return }
    switch content {
    case .memory(let matrix, let storage): layOut(matrix, storage, in: place)
    case .deferred(let matrix): try matrix.layOut(depth: depth, in: place)
    }
  }

  /// Adds what decides the elements of `columns` columns to a key.
  func identify(_ key: inout PackedKey, columns: Int) {
    key.add(Scalar.dataType)
    switch content {
    case .deferred(let matrix): matrix.identify(&key)
    case .memory(let matrix, _):
      let isTransposed = matrix.columnStep != 1
      let (lines, length) = isTransposed ? (columns, depth) : (depth, columns)
      let step = isTransposed ? matrix.columnStep : matrix.rowStep
      key.add("matrix", [lines, length, isTransposed ? 1 : 0])
      if step == length {
        key.add(UnsafeRawBufferPointer(UnsafeBufferPointer(start: matrix.base, count: lines * length)))
      } else {
        for line in 0..<lines {
          key.add(UnsafeRawBufferPointer(UnsafeBufferPointer(start: matrix.base + line * step, count: length)))
        }
      }
    }
  }

  private func layOut(_ matrix: MatrixOperand<Scalar>, _ storage: TensorStorage?, in place: PanelPlace<Scalar>) {
    for band in bands(matrix, storage, columns: place.columns, vector: Scalar.kernels.vectorWidth) {
      place.write(matrix, rows: band.depth, of: depth, columns: band.columns)
      if let bytes = band.bytes { storage?.discardFilePages(bytes) }
    }
  }

  private func bands(
    _ matrix: MatrixOperand<Scalar>, _ storage: TensorStorage?, columns: Int, vector: Int
  ) -> [PanelBand] {
    let isTransposed = matrix.columnStep != 1
    return PanelBand.all(
      depth: depth, columns: columns, vector: vector,
      lineByteCount: (isTransposed ? matrix.columnStep : matrix.rowStep) * MemoryLayout<Scalar>.stride,
      isTransposed: isTransposed, storage: storage)
  }
}

/// The extents of a right operand that is laid out.
struct PanelSize<Scalar: FloatingPointScalar>: Sendable {
  let columns: Int
  /// Depth in vectors.
  let depthBlocks: Int
  let byteCount: Int
  private let depth: Int
  private let blockStep: Int

  /// - Parameters:
  ///   - depth: rows, at most 2⁴⁰ like the columns.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``.
  init(depth: Int, columns: Int) throws {
    let vector = Scalar.kernels.vectorWidth
    (self.depth, self.columns) = (depth, columns)
    depthBlocks = (depth + vector - 1) / vector
    blockStep = depthBlocks * vector * vector
    let (count, isMore) = ((columns + vector - 1) / vector).multipliedReportingOverflow(by: blockStep)
    let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Scalar>.stride)
    guard !isMore, !overflow else { throw TensorError.beyondMemoryLimit(bytes: .max, shape: [depth, columns]) }
    byteCount = bytes
  }

  /// Where a piece goes whose first row is the panel's row `firstRow`.
  /// - Parameter isLast: whether none follows, so that rows of zeros do.
  func place(in storage: TensorStorage, firstRow: Int = 0, isLast: Bool = true) -> PanelPlace<Scalar> {
    PanelPlace(
      panel: Unchecked(storage.base.assumingMemoryBound(to: Scalar.self)), blockStep: blockStep, columns: columns,
      firstRow: firstRow, fill: isLast ? depthBlocks * Scalar.kernels.vectorWidth - depth : 0)
  }
}

/// Where a piece goes within a right operand that is laid out.
struct PanelPlace<Scalar: FloatingPointScalar>: Sendable {
  /// The blocks of columns, `blockStep` elements apart.
  let panel: Unchecked<UnsafeMutablePointer<Scalar>>
  let blockStep: Int
  /// Columns of all pieces.
  let columns: Int
  /// The first row of the panel that is the piece's.
  let firstRow: Int
  /// Rows of zeros behind its last one.
  let fill: Int

  /// Lays out some rows and columns of a piece of `depth` rows, on several threads where they are many.
  func write(_ matrix: MatrixOperand<Scalar>, rows: Range<Int>, of depth: Int, columns: Range<Int>) {
    // Of an empty matrix there may be more columns than a loop comes to the end of.
    guard depth + fill > 0 else { return }
    let vector = Scalar.kernels.vectorWidth
    let columnsPerChunk = max(1, 16_384 / max(rows.count * vector, 1)) * vector
    parallel((columns.count + columnsPerChunk - 1) / columnsPerChunk) { chunk in
      let column = columns.lowerBound + chunk * columnsPerChunk
      write(
        matrix.offset(row: rows.lowerBound, column: column), rows: rows, of: depth, column: column,
        columns: min(columns.upperBound - column, columnsPerChunk))
    }
  }

  /// Lays out some rows and columns of a piece of `depth` rows.
  /// - Parameters:
  ///   - column: the first column, a multiple of the vector.
  func write(_ part: MatrixOperand<Scalar>, rows: Range<Int>, of depth: Int, column: Int, columns: Int) {
    let kernels = Scalar.kernels
    let vector = kernels.vectorWidth
    kernels.packColumns(
      part.base, rowStep: part.rowStep, columnStep: part.columnStep, depth: rows.count,
      filledDepth: rows.count + (rows.upperBound == depth ? fill : 0), columns: columns,
      panel.value + column / vector * blockStep + (firstRow + rows.lowerBound) * vector, blockStep: blockStep)
  }
}

/// A part of a matrix that is laid out at a time.
///
/// A large matrix in a mapped file is read in bands, and the pages of each are given back before the next is read: so
/// the file and what is made of it are never in memory both.
struct PanelBand: Sendable {
  let depth: Range<Int>
  let columns: Range<Int>
  /// Where the band lies in the matrix's memory; nil when it is the whole matrix.
  let bytes: Range<Int>?

  private static let byteLimit = 4 << 20

  /// - Parameters:
  ///   - lineByteCount: bytes from one row to the next, or from one column to the next where that is how they lie.
  ///   - isTransposed: whether columns lie one behind the other.
  static func all(
    depth: Int, columns: Int, vector: Int, lineByteCount: Int, isTransposed: Bool, storage: TensorStorage?
  ) -> [PanelBand] {
    let lines = isTransposed ? columns : depth
    guard let storage, storage.isMappedFile, storage.byteCount > byteLimit, lineByteCount > 0 else {
      return [PanelBand(depth: 0..<depth, columns: 0..<columns, bytes: nil)]
    }
    let linesPerBand = max(1, byteLimit / lineByteCount / vector) * vector
    return stride(from: 0, to: lines, by: linesPerBand).map { first in
      let range = first..<min(first + linesPerBand, lines)
      return PanelBand(
        depth: isTransposed ? 0..<depth : range, columns: isTransposed ? range : 0..<columns,
        bytes: range.lowerBound * lineByteCount..<range.upperBound * lineByteCount)
    }
  }
}
