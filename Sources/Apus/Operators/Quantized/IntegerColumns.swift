import ApusKernelInterface

/// A matrix of 8-bit integers with its zero points, laid out for products in memory that somebody else holds.
struct IntegerColumns: @unchecked Sendable {
  let depth: Int
  let columns: Int
  /// `[columns / 48, depth / 4, 48]` words of four rows; the last panel is as narrow as sixteens of columns allow.
  private let words: UnsafeMutablePointer<Int32>
  /// What the left operand's zero point is multiplied by: `depth * zeroPoint - sum` of each column.
  private let terms: UnsafeMutablePointer<Int32>
  /// Zero points among unsigned numbers, one per column.
  private let zeroPoints: UnsafeMutablePointer<Int32>

  /// Columns of a panel.
  static let panel = 48
  /// Room for sums that a product needs.
  static let sumCount = 8 * panel

  /// - Parameter memory: as many words as ``wordCount(depth:columns:)`` says.
  init(depth: Int, columns: Int, in memory: UnsafeMutablePointer<Int32>) {
    (self.depth, self.columns) = (depth, columns)
    let filled = (columns + Self.panel - 1) / Self.panel * Self.panel
    words = memory
    terms = memory + (depth + 3) / 4 * filled
    zeroPoints = terms + filled
  }

  /// - Throws: ``TensorError`` when that is more than an `Int` can say.
  static func wordCount(depth: Int, columns: Int) throws -> Int {
    try Shape.elementCount([(columns + panel - 1) / panel, (depth + 3) / 4 + 2, panel])
  }

  var panels: Int { (columns + Self.panel - 1) / Self.panel }
  private var blocks: Int { (depth + 3) / 4 }

  /// Lays out one panel of a matrix.
  ///
  /// - Parameters:
  ///   - bytes: `[depth, columns]`.
  ///   - points: one zero point, or one per column, among unsigned numbers.
  func pack(
    _ index: Int, of bytes: UnsafePointer<UInt8>, flip: UInt8, zeroPoints points: [Int32],
    _ kernels: any QuantizedKernels.Type
  ) {
    let first = index * Self.panel
    let filled = min(Self.panel, columns - first)
    let sums = terms + first
    kernels.packColumns(
      bytes + first, rowStep: columns, depth: depth, columns: filled, width: (filled + 15) / 16 * 16, flip: flip,
      words + first * blocks, sums: sums)
    for i in 0..<filled {
      let zeroPoint = points[points.count == 1 ? 0 : first + i]
      zeroPoints[first + i] = zeroPoint
      sums[i] = Int32(truncatingIfNeeded: depth) &* zeroPoint &- sums[i]
    }
    for i in filled..<Self.panel { zeroPoints[first + i] = 0 }
  }

  /// What the left operand's only zero point makes of the columns, plus a bias.
  func terms(times zeroPoint: Int32, plus bias: [Int32]) throws -> TensorStorage {
    let filled = panels * Self.panel
    let storage = try TensorStorage(byteCount: Shape.byteCount([filled], of: Int32.self))
    let sums = storage.base.assumingMemoryBound(to: Int32.self)
    for column in 0..<columns { sums[column] = zeroPoint &* terms[column] &+ bias[column] }
    // Panels are read to their ends.
    for column in columns..<filled { sums[column] = 0 }
    return storage
  }

  /// What the sums of the first row and the first column lack.
  ///
  /// - Parameters:
  ///   - hasManyPoints: whether columns have zero points of their own.
  ///   - terms: in place of the columns' own.
  func correction(
    _ rows: RowCorrections, hasManyPoints: Bool, terms other: UnsafePointer<Int32>? = nil
  ) -> SumCorrection {
    SumCorrection(
      base: rows.base, factors: rows.factors, columns: rows.hasFactors ? other ?? UnsafePointer(terms) : nil,
      otherFactors: rows.otherFactors, otherColumns: hasManyPoints ? UnsafePointer(zeroPoints) : nil)
  }

  /// The product of some rows and some panels.
  ///
  /// - Parameters:
  ///   - rows: from a multiple of eight on.
  ///   - correction: what the sums of the first row and the first column of all lack.
  ///   - start: where the product begins in the result.
  ///   - sums: room for ``sumCount``.
  func multiply(
    _ left: SignedRowWords, rows: Range<Int>, panels: Range<Int>, _ correction: SumCorrection, start: Int = 0,
    sums: UnsafeMutablePointer<Int32>, into output: SumOutput
  ) {
    let groups = RowGroups(rows: rows.count)
    for index in panels {
      let column = index * Self.panel
      let count = min(Self.panel, columns - column)
      for index in 0..<groups.count {
        let group = groups[index]
        let row = rows.lowerBound + group.first
        withUnsafePointer(to: 0) { noOffset in
          left.kernels.multiplyWords(
            left.words + row * left.wordsPerRow, rows: group.rows, words + column * blocks, count: count,
            blockCount: blocks, blockStep: (count + 15) / 16 * 16, tapCount: 1, tapOffsets: noOffset, sums,
            sumStep: Self.panel)
        }
        output.write(
          sums, sumStep: Self.panel, rows: group.rows, count: count,
          correction: correction.advanced(row: row, column: column), row: row, column: column,
          offset: start + row * columns + column, step: columns, kernels: left.kernels)
      }
    }
  }
}

/// The numbers of rows in a ``SumCorrection``.
struct RowCorrections: @unchecked Sendable {
  private let rows: Int
  private let storage: TensorStorage?
  let mutableBase: UnsafeMutablePointer<Int32>
  var mutableFactors: UnsafeMutablePointer<Int32> { mutableBase + rows }
  private var mutableOtherFactors: UnsafeMutablePointer<Int32> { mutableBase + 2 * rows }

  init(rows: Int) throws {
    let storage = try TensorStorage(byteCount: Shape.byteCount([3, rows], of: Int32.self))
    (self.rows, self.storage) = (rows, storage)
    mutableBase = storage.base.assumingMemoryBound(to: Int32.self)
  }

  /// - Parameter memory: room for three numbers a row.
  init(rows: Int, in memory: UnsafeMutablePointer<Int32>) {
    (self.rows, storage, mutableBase) = (rows, nil, memory)
  }

  var base: UnsafePointer<Int32> { UnsafePointer(mutableBase) }
  var factors: UnsafePointer<Int32> { UnsafePointer(mutableFactors) }
  var otherFactors: UnsafePointer<Int32> { UnsafePointer(mutableOtherFactors) }
  /// Whether any row's factor is not 0.
  var hasFactors: Bool { (0..<rows).contains { factors[$0] != 0 } }

  /// - Parameters:
  ///   - points: one zero point, or one per row, among signed numbers.
  ///   - columns: the zero point of all columns; nil where they have their own.
  func fill(_ words: SignedRowWords, zeroPoints points: [Int32], columns: Int32?) {
    for row in 0..<rows {
      mutableBase[row] = (columns ?? 0) &* (0 &- words.sums[row])
      mutableFactors[row] = points[points.count == 1 ? 0 : row] &- words.offsets[row]
      mutableOtherFactors[row] = 0 &- words.sums[row]
    }
  }
}

extension [Int32] {
  /// The value that all elements have.
  var common: Int32? { allSatisfy { $0 == first } ? first ?? 0 : nil }
}
