import ApusKernelInterface

/// The signed operand of a product of bytes: rows laid out in groups of eight, and one of four, two and one for what is
/// left.
struct SignedRows: Sendable {
  /// Rows of a matrix.
  let rows: Int
  let laidOut: SignedRowWords
  private let storage: TensorStorage

  /// - Parameters:
  ///   - bytes: `[matrices, rows, channels, area]`.
  ///   - mayMove: whether rows may be laid out less numbers, ``SignedRowWords/offsets``.
  init(
    _ bytes: UnsafePointer<UInt8>, matrices: Int = 1, rows: Int, channels: Int, area: Int, flip: UInt8, mayMove: Bool
  ) throws {
    let kernels = Execution.current.kernels.quantized
    let wordsPerRow = try SignedRowWords.wordsPerRow(channels: channels, area: area, kernels)
    storage = try TensorStorage(byteCount: Shape.byteCount([matrices, rows, wordsPerRow + 2], of: Int32.self))
    let laidOut = SignedRowWords(
      rows: matrices * rows, wordsPerRow: wordsPerRow, kernels, in: storage.base.assumingMemoryBound(to: Int32.self))
    let groups = RowGroups(rows: rows)
    let from = Unchecked(bytes)
    let grain = max(1, 32_768 / max(1, 8 * channels * area))
    parallelRanges(matrices * groups.count, grain: grain) { start, count in
      for index in start..<(start + count) {
        let group = groups[index % groups.count]
        let first = index / groups.count * rows + group.first
        laidOut.pack(
          from.value, first: first, rows: group.rows, channels: channels, area: area, flip: flip, mayMove: mayMove)
      }
    }
    (self.rows, self.laidOut) = (rows, laidOut)
  }

  /// The kernels that laid the rows out: they alone can read them.
  var kernels: any QuantizedKernels.Type { laidOut.kernels }

  /// The words of a group that begins with row `first` of a matrix.
  func words(matrix: Int, first: Int) -> UnsafePointer<Int32> {
    UnsafePointer(laidOut.words + (matrix * rows + first) * laidOut.wordsPerRow)
  }

  /// The sum of each row's elements as they are laid out.
  var sums: UnsafePointer<Int32> { UnsafePointer(laidOut.sums) }
}

/// ``SignedRows`` in memory that somebody else holds.
struct SignedRowWords: @unchecked Sendable {
  let words: UnsafeMutablePointer<Int32>
  /// The sum of each row's elements as they are laid out.
  let sums: UnsafeMutablePointer<Int32>
  /// What each row's elements are laid out less, among signed numbers.
  let offsets: UnsafeMutablePointer<Int32>
  let wordsPerRow: Int
  let kernels: any QuantizedKernels.Type

  /// - Parameter memory: `wordsPerRow` words and two more for each row.
  init(rows: Int, wordsPerRow: Int, _ kernels: any QuantizedKernels.Type, in memory: UnsafeMutablePointer<Int32>) {
    (words, sums, offsets) = (memory, memory + rows * wordsPerRow, memory + rows * (wordsPerRow + 1))
    (self.wordsPerRow, self.kernels) = (wordsPerRow, kernels)
  }

  /// - Throws: ``TensorError`` when that is more than an `Int` can say.
  static func wordsPerRow(channels: Int, area: Int, _ kernels: any QuantizedKernels.Type) throws -> Int {
    try kernels.headerWordsPerRow + Shape.elementCount([(channels + 3) / 4, area, kernels.wordsPerRowWord])
  }

  /// Lays out a group of rows.
  func pack(
    _ bytes: UnsafePointer<UInt8>, first: Int, rows: Int, channels: Int, area: Int, flip: UInt8, mayMove: Bool
  ) {
    let offset = kernels.packRows(
      bytes + first * channels * area, rows: rows, channels: channels, area: area, flip: flip, mayMove: mayMove,
      words + first * wordsPerRow, sums: sums + first)
    (offsets + first).update(repeating: offset, count: rows)
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
