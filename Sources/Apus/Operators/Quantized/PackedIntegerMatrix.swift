import ApusKernelInterface

/// A matrix of 8-bit integers with its zero point, laid out for products once and used often.
///
/// Products are exact: Σ (a - za)(b - zb) in 32 bits that wrap around, for every combination of signed and unsigned
/// operands.
package struct PackedIntegerMatrix: Sendable {
  /// Rows and columns of the matrix.
  package let depth: Int
  package let columns: Int
  /// `[columns / 48, depth / 4, 48]` words of four rows; the last panel is as narrow as sixteens of columns allow.
  private let words: TensorStorage
  /// What the left operand's zero point is multiplied by: `depth * zeroPoint - sum` of each column.
  private let columnTerms: TensorStorage
  /// Zero points among unsigned numbers, one per column.
  private let zeroPoints: TensorStorage
  /// The zero point where it is the same for all columns.
  private let commonZeroPoint: Int32?

  /// Columns of a panel.
  private static let panel = 48

  /// - Parameters:
  ///   - matrix: `[depth, columns]`.
  ///   - zeroPoint: one value, or one per column; zero when absent.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for other shapes.
  package init<Scalar: ByteScalar>(_ matrix: Tensor<Scalar>, zeroPoint: Tensor<Scalar>? = nil) throws {
    guard matrix.rank == 2 else {
      throw TensorError.shape(operation: "matmulInteger", reason: "a matrix of shape \(matrix.shape) has not two axes")
    }
    let source = try matrix.rowMajor
    let zeroPoints = try zeroPoint?.elements ?? [0]
    self = try withExtendedLifetime(source.storage) {
      try PackedIntegerMatrix(
        source.bytes8, depth: matrix.shape[0], columns: matrix.shape[1], flip: Scalar.unsignedFlip,
        zeroPoints: zeroPoints.map(\.movedToUnsigned))
    }
  }

  /// - Parameters:
  ///   - bytes: `[depth, columns]`.
  ///   - zeroPoints: one, or one per column, among unsigned numbers.
  init(_ bytes: UnsafePointer<UInt8>, depth: Int, columns: Int, flip: UInt8, zeroPoints points: [Int32]) throws {
    guard points.count == 1 || points.count == columns else {
      throw TensorError.shape(
        operation: "matmulInteger", reason: "\(points.count) zero points were given for \(columns) columns")
    }
    let panel = Self.panel
    let panels = (columns + panel - 1) / panel
    let blocks = (depth + 3) / 4
    let words = try TensorStorage(byteCount: Shape.byteCount([panels, blocks, panel], of: Int32.self))
    let terms = try TensorStorage(byteCount: Shape.byteCount([panels, panel], of: Int32.self))
    let zeroPoints = try TensorStorage(byteCount: Shape.byteCount([panels, panel], of: Int32.self))
    let kernels = Execution.current.kernels.quantized
    let (from, to) = (Unchecked(bytes), Unchecked(words.base.assumingMemoryBound(to: Int32.self)))
    let columnTerms = Unchecked(terms.base.assumingMemoryBound(to: Int32.self))
    let columnPoints = Unchecked(zeroPoints.base.assumingMemoryBound(to: Int32.self))
    parallelRanges(panels, grain: max(1, 65_536 / max(1, depth * panel))) { start, count in
      for index in start..<(start + count) {
        let first = index * panel
        let filled = min(panel, columns - first)
        let sums = columnTerms.value + first
        kernels.packColumns(
          from.value + first, rowStep: columns, depth: depth, columns: filled, width: (filled + 15) / 16 * 16,
          flip: flip, to.value + first * blocks, sums: sums)
        for i in 0..<filled {
          let zeroPoint = points[points.count == 1 ? 0 : first + i]
          columnPoints.value[first + i] = zeroPoint
          sums[i] = Int32(truncatingIfNeeded: depth) &* zeroPoint &- sums[i]
        }
        for i in filled..<panel { columnPoints.value[first + i] = 0 }
      }
    }
    self.depth = depth
    self.columns = columns
    self.words = words
    self.columnTerms = terms
    self.zeroPoints = zeroPoints
    self.commonZeroPoint = points.allSatisfy { $0 == points.first } ? points.first ?? 0 : nil
  }
}

// MARK: - Products

extension PackedIntegerMatrix {
  /// `Σ_k (a[…, m, k] - za) · (b[k, n] - zb)`.
  ///
  /// - Parameters:
  ///   - a: `[…, depth]`.
  ///   - zeroPoint: one value, or one per row; zero when absent.
  /// - Returns: `[…, columns]`.
  /// - Throws: ``TensorError`` when shapes do not fit each other.
  package func product<Scalar: ByteScalar>(
    _ a: Tensor<Scalar>, zeroPoint: Tensor<Scalar>? = nil
  ) throws -> Tensor<Int32> {
    try Tensor.filled(try resultShape(a)) { try multiply(a, zeroPoint, into: .integers($0)) }
  }

  /// `Float(product) * scale + bias`, each operation rounded as if it were alone.
  ///
  /// - Parameters:
  ///   - scale: one number, or one per column.
  ///   - bias: one number per column, or none.
  package func scaledProduct<Scalar: ByteScalar>(
    _ a: Tensor<Scalar>, zeroPoint: Tensor<Scalar>? = nil, scale: Tensor<Float>, bias: Tensor<Float>? = nil
  ) throws -> Tensor<Float> {
    try withScale(scale, bias) { scale in
      try Tensor.filled(try resultShape(a)) { try multiply(a, zeroPoint, into: .floats($0, scale, nil)) }
    }
  }

  /// ``scaledProduct(_:zeroPoint:scale:bias:)``, quantised: `saturate(round(… / outputScale) + outputZeroPoint)`, ties to
  /// even. The numbers in between never lie in memory.
  ///
  /// - Returns: nil for scales by which numbers have to lie there.
  package func quantizedProduct<Scalar: ByteScalar, Result: ByteScalar>(
    _ a: Tensor<Scalar>, zeroPoint: Tensor<Scalar>? = nil, scale: Tensor<Float>, bias: Tensor<Float>? = nil,
    outputScale: Float, outputZeroPoint: Result
  ) throws -> Tensor<Result>? {
    let range = Result.range(zeroPoint: outputZeroPoint)
    guard range.isOrdinary(outputScale) else { return nil }
    return try withScale(scale, bias) { scale in
      try Tensor.filled(try resultShape(a)) { y in
        let y = UnsafeMutableRawPointer(y).assumingMemoryBound(to: UInt8.self)
        try multiply(a, zeroPoint, into: .quantizedFloats(y, scale, nil, scale: outputScale, range))
      }
    }
  }

  /// Calls `body` with a scale and perhaps a bias for each column.
  private func withScale<Result>(
    _ scale: Tensor<Float>, _ bias: Tensor<Float>?, _ body: (SumScale) throws -> Result
  ) throws -> Result {
    let scales = try scale.repeated(columns, operation: "matmulInteger", name: "scale")
    let biases = try bias?.repeated(columns, operation: "matmulInteger", name: "bias")
    return try withExtendedLifetime((scales, biases)) {
      try body(
        SumScale(
          scales: scales.base.assumingMemoryBound(to: Float.self),
          bias: biases.map { UnsafePointer($0.base.assumingMemoryBound(to: Float.self)) }, isOfColumns: true))
    }
  }

  /// `saturate(round(Float(product + bias) * scale) + outputZeroPoint)`, ties to even.
  ///
  /// - Parameters:
  ///   - bias: one number per column, or none.
  ///   - scale: one number, or one per column: the scales of both operands divided by that of the result.
  package func requantizedProduct<Scalar: ByteScalar, Result: ByteScalar>(
    _ a: Tensor<Scalar>, zeroPoint: Tensor<Scalar>? = nil, bias: Tensor<Int32>? = nil, scale: Tensor<Float>,
    outputZeroPoint: Result
  ) throws -> Tensor<Result> {
    try withScale(scale, nil) { scale in
      try Tensor.filled(try resultShape(a)) { y in
        let y = UnsafeMutableRawPointer(y).assumingMemoryBound(to: UInt8.self)
        try multiply(a, zeroPoint, bias: bias, into: .bytes(y, scale, Result.range(zeroPoint: outputZeroPoint)))
      }
    }
  }

  private func resultShape<Scalar: ByteScalar>(_ a: Tensor<Scalar>) throws -> [Int] {
    guard a.shape.last == depth else {
      throw TensorError.shape(
        operation: "matmulInteger", reason: "\(a.shape) cannot be multiplied by \([depth, columns])")
    }
    return Array(a.shape.dropLast()) + [columns]
  }

  private func multiply<Scalar: ByteScalar>(
    _ a: Tensor<Scalar>, _ zeroPoint: Tensor<Scalar>?, bias: Tensor<Int32>? = nil, into output: SumOutput
  ) throws {
    let source = try a.rowMajor
    let rows = try Shape.elementCount(Array(a.shape.dropLast()), operation: "matmulInteger")
    let zeroPoints = try zeroPoint?.elements ?? [0]
    try withExtendedLifetime(source.storage) {
      try multiply(
        source.bytes8, rows: rows, flip: Scalar.signedFlip, zeroPoints: zeroPoints.map(\.movedToSigned),
        bias: bias?.elements, into: output)
    }
  }

  /// - Parameters:
  ///   - bytes: `[rows, depth]`.
  ///   - zeroPoints: one, or one per row, among signed numbers; one where there is a bias.
  func multiply(
    _ bytes: UnsafePointer<UInt8>, rows: Int, flip: UInt8, zeroPoints points: [Int32], bias: [Int32]? = nil,
    into output: SumOutput
  ) throws {
    guard bias.map({ $0.count == self.columns && points.count == 1 }) ?? true else {
      throw TensorError.shape(
        operation: "matmulInteger",
        reason: "a bias of \(bias?.count ?? 0) was given for \(self.columns) columns and \(points.count) zero points")
    }
    guard points.count == 1 || points.count == rows else {
      throw TensorError.shape(
        operation: "matmulInteger", reason: "\(points.count) zero points were given for \(rows) rows")
    }
    guard rows > 0, columns > 0 else { return }
    let left = try SignedRows(bytes, rows: rows, channels: depth, area: 1, flip: flip)
    // With a bias, what the only zero point makes of the columns and the bias are one number each.
    let corrections = try corrections(left, bias == nil ? points : [1])
    let panel = Self.panel
    let panels = (columns + panel - 1) / panel
    let blocks = (depth + 3) / 4
    // Whole groups of rows, and a few microseconds of work.
    let rowsPerTask = min((rows + 7) / 8 * 8, 128)
    let panelsPerTask = max(1, (1 << 20) / (rowsPerTask * panel * max(depth, 1)))
    let rowTasks = (rows + rowsPerTask - 1) / rowsPerTask
    let panelTasks = (panels + panelsPerTask - 1) / panelsPerTask
    let hasFactors = bias != nil || points.contains { $0 != 0 }
    let x = Unchecked(words.base.assumingMemoryBound(to: Int32.self))
    let terms = try bias.map { try self.columnTerms(times: points[0], plus: $0) } ?? self.columnTerms
    let columnTerms = Unchecked(terms.base.assumingMemoryBound(to: Int32.self))
    let columnPoints = Unchecked(zeroPoints.base.assumingMemoryBound(to: Int32.self))
    let (columns, hasManyPoints) = (columns, commonZeroPoint == nil)
    let kernels = left.kernels
    parallel(rowTasks * panelTasks) { task in
      let firstRow = task % rowTasks * rowsPerTask
      let groups = RowGroups(rows: min(rowsPerTask, rows - firstRow))
      let firstPanel = task / rowTasks * panelsPerTask
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 8 * panel) { room in
        guard let sums = room.baseAddress else { return }
        for index in firstPanel..<min(firstPanel + panelsPerTask, panels) {
          let column = index * panel
          let count = min(panel, columns - column)
          let units = (count + 15) / 16
          for index in 0..<groups.count {
            let group = groups[index]
            let row = firstRow + group.first
            withUnsafePointer(to: 0) { noOffset in
              kernels.multiplyWords(
                left.words(matrix: 0, first: row), rows: group.rows, x.value + column * blocks, count: count,
                blockCount: blocks, blockStep: units * 16, tapCount: 1, tapOffsets: noOffset, sums, sumStep: panel)
            }
            let correction = SumCorrection(
              base: corrections.base + row, factors: corrections.factors + row,
              columns: hasFactors ? UnsafePointer(columnTerms.value + column) : nil,
              otherFactors: corrections.otherFactors + row,
              otherColumns: hasManyPoints ? UnsafePointer(columnPoints.value + column) : nil)
            output.write(
              sums, sumStep: panel, rows: group.rows, count: count, correction: correction, row: row, column: column,
              offset: row * columns + column, step: columns, kernels: kernels)
          }
        }
      }
    }
    withExtendedLifetime((left, corrections, words, terms, zeroPoints)) {}
  }

  private func columnTerms(times zeroPoint: Int32, plus bias: [Int32]) throws -> TensorStorage {
    let sums = try TensorStorage(byteCount: columnTerms.byteCount)
    let (from, to) = (
      columnTerms.base.assumingMemoryBound(to: Int32.self), sums.base.assumingMemoryBound(to: Int32.self)
    )
    for column in 0..<columns { to[column] = zeroPoint &* from[column] &+ bias[column] }
    // Panels are read to their ends.
    for column in columns..<(columnTerms.byteCount / MemoryLayout<Int32>.stride) { to[column] = 0 }
    return sums
  }

  /// What each row's sums lack.
  private func corrections(_ left: SignedRows, _ points: [Int32]) throws -> RowCorrections {
    let corrections = try RowCorrections(rows: left.rows)
    for row in 0..<left.rows {
      corrections.mutableBase[row] = (commonZeroPoint ?? 0) &* (0 &- left.sums[row])
      corrections.mutableFactors[row] = points[points.count == 1 ? 0 : row]
      corrections.mutableOtherFactors[row] = 0 &- left.sums[row]
    }
    return corrections
  }
}

/// The numbers of rows in a ``SumCorrection``.
struct RowCorrections: @unchecked Sendable {
  private let storage: TensorStorage
  let mutableBase: UnsafeMutablePointer<Int32>
  let mutableFactors: UnsafeMutablePointer<Int32>
  let mutableOtherFactors: UnsafeMutablePointer<Int32>

  init(rows: Int) throws {
    storage = try TensorStorage(byteCount: Shape.byteCount([3, rows], of: Int32.self))
    mutableBase = storage.base.assumingMemoryBound(to: Int32.self)
    mutableFactors = mutableBase + rows
    mutableOtherFactors = mutableFactors + rows
  }

  var base: UnsafePointer<Int32> { UnsafePointer(mutableBase) }
  var factors: UnsafePointer<Int32> { UnsafePointer(mutableFactors) }
  var otherFactors: UnsafePointer<Int32> { UnsafePointer(mutableOtherFactors) }
}
