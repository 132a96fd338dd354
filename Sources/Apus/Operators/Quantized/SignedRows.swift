import ApusKernelInterface

/// The signed operand of a product of bytes: rows laid out in groups of eight, and one of four, two and one for what is
/// left.
struct SignedRows: Sendable {
  /// Rows of a matrix.
  let rows: Int
  /// Words that a row takes.
  let wordsPerRow: Int
  /// The kernels that laid it out: they alone can read it.
  let kernels: any QuantizedKernels.Type
  /// The words of all rows of all matrices, and the sums behind them.
  private let storage: TensorStorage
  private let wordCount: Int

  /// - Parameters:
  ///   - bytes: `[matrices, rows, channels, area]`.
  init(
    _ bytes: UnsafePointer<UInt8>, matrices: Int = 1, rows: Int, channels: Int, area: Int, flip: UInt8
  ) throws {
    let kernels = Execution.current.kernels.quantized
    let wordsPerRow =
      try kernels.headerWordsPerRow + Shape.elementCount([(channels + 3) / 4, area, kernels.wordsPerRowWord])
    let storage = try TensorStorage(byteCount: Shape.byteCount([matrices, rows, wordsPerRow + 1], of: Int32.self))
    let wordCount = matrices * rows * wordsPerRow
    let groups = RowGroups(rows: rows)
    let (from, to) = (Unchecked(bytes), Unchecked(storage.base.assumingMemoryBound(to: Int32.self)))
    let totals = Unchecked(to.value + wordCount)
    let grain = max(1, 32_768 / max(1, 8 * channels * area))
    parallelRanges(matrices * groups.count, grain: grain) { start, count in
      for index in start..<(start + count) {
        let group = groups[index % groups.count]
        let first = index / groups.count * rows + group.first
        kernels.packRows(
          from.value + first * channels * area, rows: group.rows, channels: channels, area: area, flip: flip,
          to.value + first * wordsPerRow, sums: totals.value + first)
      }
    }
    (self.rows, self.wordsPerRow, self.kernels) = (rows, wordsPerRow, kernels)
    (self.storage, self.wordCount) = (storage, wordCount)
  }

  var groups: RowGroups { RowGroups(rows: rows) }

  /// The words of a group that begins with row `first` of a matrix.
  func words(matrix: Int, first: Int) -> UnsafePointer<Int32> {
    UnsafePointer(storage.base.assumingMemoryBound(to: Int32.self)) + (matrix * rows + first) * wordsPerRow
  }

  /// The sum of each row's elements, among signed numbers.
  var sums: UnsafePointer<Int32> {
    UnsafePointer(storage.base.assumingMemoryBound(to: Int32.self)) + wordCount
  }
}

/// Rows in groups of eight, and one of four, two and one for what is left.
struct RowGroups: Sendable {
  let count: Int
  private let eights: Int
  private let rest: Int

  init(rows: Int) {
    eights = rows / 8
    rest = rows % 8
    count = eights + rest.nonzeroBitCount
  }

  subscript(index: Int) -> (first: Int, rows: Int) {
    if index < eights { return (index * 8, 8) }
    var first = eights * 8
    var skipped = index - eights
    for rows in [4, 2, 1] where rest & rows != 0 {
      if skipped == 0 { return (first, rows) }
      skipped -= 1
      first += rows
    }
    return (first, 0)
  }
}
