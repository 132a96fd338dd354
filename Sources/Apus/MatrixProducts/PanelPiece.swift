import ApusKernelInterface

/// Some of the rows of a right operand, as they lie in memory before they are laid out.
struct PanelPiece<Scalar: FloatingPointScalar>: Sendable {
  var matrix: MatrixOperand<Scalar>
  /// Rows.
  var depth: Int
  /// What owns the memory, to give pages of a file back once they were read; nil for memory that stays.
  var storage: TensorStorage?

  func bands(columns: Int, vector: Int) -> [PanelBand] {
    let isTransposed = matrix.columnStep != 1
    return PanelBand.all(
      depth: depth, columns: columns, vector: vector,
      lineByteCount: (isTransposed ? matrix.columnStep : matrix.rowStep) * MemoryLayout<Scalar>.stride,
      isTransposed: isTransposed, storage: storage)
  }

  func release(_ band: PanelBand) {
    if let bytes = band.bytes { storage?.discardFilePages(bytes) }
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
