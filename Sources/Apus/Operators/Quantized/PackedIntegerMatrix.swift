import ApusKernelInterface

/// A matrix of 8-bit integers with its zero point, laid out for products once and used often.
///
/// Products are exact: Σ (a - za)(b - zb) in 32 bits that wrap around, for every combination of signed and unsigned
/// operands.
package struct PackedIntegerMatrix: Sendable {
  private let laidOut: IntegerColumns
  private let storage: TensorStorage
  /// The zero point where it is the same for all columns.
  private let commonZeroPoint: Int32?

  /// Rows and columns of the matrix.
  package var depth: Int { laidOut.depth }
  package var columns: Int { laidOut.columns }

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
    storage = try TensorStorage(
      byteCount: Shape.byteCount([IntegerColumns.wordCount(depth: depth, columns: columns)], of: Int32.self))
    let laidOut = IntegerColumns(
      depth: depth, columns: columns, in: storage.base.assumingMemoryBound(to: Int32.self))
    let kernels = Execution.current.kernels.quantized
    let bytes = Unchecked(bytes)
    parallelRanges(laidOut.panels, grain: max(1, 65_536 / max(1, depth * IntegerColumns.panel))) { start, count in
      for index in start..<(start + count) {
        laidOut.pack(index, of: bytes.value, flip: flip, zeroPoints: points, kernels)
      }
    }
    self.laidOut = laidOut
    commonZeroPoint = points.common
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
        try multiply(a, zeroPoint, into: .quantizedFloats(y.bytes8, scale, nil, scale: outputScale, range))
      }
    }
  }

  /// Calls `body` with a scale and perhaps a bias for each column.
  private func withScale<Result>(
    _ scale: Tensor<Float>, _ bias: Tensor<Float>?, _ body: (SumScale) throws -> Result
  ) throws -> Result {
    try SumScale.with(scale, bias, count: columns, isOfColumns: true, operation: "matmulInteger", body)
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
        try multiply(a, zeroPoint, bias: bias, into: .bytes(y.bytes8, scale, Result.range(zeroPoint: outputZeroPoint)))
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
  ///   - start: where the product begins in the result.
  func multiply(
    _ bytes: UnsafePointer<UInt8>, rows: Int, flip: UInt8, zeroPoints points: [Int32], bias: [Int32]? = nil,
    start: Int = 0, into output: SumOutput
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
    let left = try SignedRows(bytes, rows: rows, channels: depth, area: 1, flip: flip, mayMove: bias == nil)
    let corrections = try RowCorrections(rows: rows)
    // With a bias, what the only zero point makes of the columns and the bias are one number each.
    corrections.fill(left.laidOut, zeroPoints: bias == nil ? points : [1], columns: commonZeroPoint)
    let panels = laidOut.panels
    // Whole groups of rows, and a few microseconds of work.
    let rowsPerTask = min((rows + 7) / 8 * 8, 128)
    let panelsPerTask = max(1, (1 << 20) / (rowsPerTask * IntegerColumns.panel * max(depth, 1)))
    let rowTasks = (rows + rowsPerTask - 1) / rowsPerTask
    let panelTasks = (panels + panelsPerTask - 1) / panelsPerTask
    let terms = try bias.map { try laidOut.terms(times: points[0], plus: $0) }
    let correction = laidOut.correction(
      corrections, hasManyPoints: commonZeroPoint == nil,
      terms: terms.map { UnsafePointer($0.base.assumingMemoryBound(to: Int32.self)) })
    let (matrix, lacking) = (laidOut, Unchecked(correction))
    parallel(rowTasks * panelTasks) { task in
      let firstRow = task % rowTasks * rowsPerTask
      let firstPanel = task / rowTasks * panelsPerTask
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: IntegerColumns.sumCount) { room in
        guard let sums = room.baseAddress else { return }
        matrix.multiply(
          left.laidOut, rows: firstRow..<min(firstRow + rowsPerTask, rows),
          panels: firstPanel..<min(firstPanel + panelsPerTask, panels), lacking.value, start: start, sums: sums,
          into: output)
      }
    }
    withExtendedLifetime((left, corrections, storage, terms)) {}
  }
}
