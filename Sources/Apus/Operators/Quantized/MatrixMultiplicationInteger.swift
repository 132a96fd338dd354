import ApusKernelInterface

/// The matrix product of 8-bit integers less their zero points, over the last two axes, broadcast over the others
/// (ONNX's `MatMulInteger` for operands of two axes and more).
///
///     y[…, m, n] = Σ_k (a[…, m, k] - za) · (b[…, k, n] - zb)
///
/// Exact, in 32 bits that wrap around. `b` is laid out again at every call; a ``PackedIntegerMatrix`` does that once.
/// - Returns: `[…, m, n]`.
/// - Throws: ``TensorError/shape(operation:reason:)`` when the shapes do not fit each other.
package func matmulInteger<A: ByteScalar, B: ByteScalar>(
  _ a: Tensor<A>, _ b: Tensor<B>, aZeroPoint: Tensor<A>? = nil, bZeroPoint: Tensor<B>? = nil
) throws -> Tensor<Int32> {
  try IntegerMatrices(a, b, aZeroPoint: aZeroPoint, bZeroPoint: bZeroPoint).product()
}

/// Stacks of matrices of 8-bit integers that are to be multiplied.
package struct IntegerMatrices: Sendable {
  /// `[…, m, n]`.
  package let shape: [Int]
  /// How many terms each sum has.
  private let depth: Int
  private let batch: (a: [Int], b: [Int], both: [Int])
  private let left: Operand
  private let right: Operand

  fileprivate struct Operand: @unchecked Sendable {
    let bytes: UnsafePointer<UInt8>
    let storage: TensorStorage
    let flip: UInt8
    /// One, those of a matrix's rows or columns, or those of all.
    let zeroPoints: [Int32]
  }

  /// - Parameters:
  ///   - a: `[…, m, k]`.
  ///   - b: `[…, k, n]`.
  ///   - aZeroPoint: one value, `[m]`, or one for every row of `a`, `[…, m, 1]`; zero when absent.
  ///   - bZeroPoint: one value, `[n]`, or one for every column of `b`, `[…, 1, n]`; zero when absent.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when the shapes do not fit each other.
  package init<A: ByteScalar, B: ByteScalar>(
    _ a: Tensor<A>, _ b: Tensor<B>, aZeroPoint: Tensor<A>? = nil, bZeroPoint: Tensor<B>? = nil
  ) throws {
    let operation = "matmulInteger"
    guard a.rank >= 2, b.rank >= 2, a.shape[a.rank - 1] == b.shape[b.rank - 2] else {
      throw TensorError.shape(operation: operation, reason: "\(a.shape) cannot be multiplied by \(b.shape)")
    }
    let (m, n) = (a.shape[a.rank - 2], b.shape[b.rank - 1])
    depth = a.shape[a.rank - 1]
    let (batchA, batchB) = (Array(a.shape.dropLast(2)), Array(b.shape.dropLast(2)))
    batch = (batchA, batchB, try Shape.broadcast(batchA, batchB, operation: operation))
    shape = batch.both + [m, n]
    let (left, right) = (try a.rowMajor, try b.rowMajor)
    let rowPoints = try (aZeroPoint?.elements ?? [0]).map(\.movedToSigned)
    let columnPoints = try (bZeroPoint?.elements ?? [0]).map(\.movedToUnsigned)
    let rows = try Shape.elementCount(batchA + [m]), columns = try Shape.elementCount(batchB + [n])
    guard [1, m, rows].contains(rowPoints.count), [1, n, columns].contains(columnPoints.count) else {
      throw TensorError.shape(
        operation: operation,
        reason:
          "zero points \(aZeroPoint?.shape ?? []) and \(bZeroPoint?.shape ?? []) do not fit \(a.shape) and \(b.shape)")
    }
    self.left = Operand(bytes: left.bytes8, storage: left.storage, flip: A.signedFlip, zeroPoints: rowPoints)
    self.right = Operand(bytes: right.bytes8, storage: right.storage, flip: B.unsignedFlip, zeroPoints: columnPoints)
  }

  /// The sums.
  package func product() throws -> Tensor<Int32> {
    try Tensor.filled(shape) { try multiply(into: .integers($0)) }
  }

  /// `Float(product) * scale`.
  /// - Parameter scale: one number, or one per column.
  package func scaledProduct(scale: Tensor<Float>) throws -> Tensor<Float> {
    try withScale(scale) { scale in try Tensor.filled(shape) { try multiply(into: .floats($0, scale, nil)) } }
  }

  /// The same, quantised: `saturate(round(… / outputScale) + outputZeroPoint)`, ties to even.
  /// - Returns: nil for scales by which numbers have to lie in memory.
  package func quantizedProduct<Result: ByteScalar>(
    scale: Tensor<Float>, outputScale: Float, outputZeroPoint: Result
  ) throws -> Tensor<Result>? {
    let range = Result.range(zeroPoint: outputZeroPoint)
    guard range.isOrdinary(outputScale) else { return nil }
    return try withScale(scale) { scale in
      try Tensor.filled(shape) {
        try multiply(into: .quantizedFloats($0.bytes8, scale, nil, scale: outputScale, range))
      }
    }
  }

  /// `saturate(round(Float(product) * scale) + outputZeroPoint)`, ties to even.
  /// - Parameter scale: one number, or one per column.
  package func requantizedProduct<Result: ByteScalar>(
    scale: Tensor<Float>, outputZeroPoint: Result
  ) throws -> Tensor<Result> {
    try withScale(scale) { scale in
      try Tensor.filled(shape) {
        try multiply(into: .bytes($0.bytes8, scale, Result.range(zeroPoint: outputZeroPoint)))
      }
    }
  }

  private func withScale<Result>(_ scale: Tensor<Float>, _ body: (SumScale) throws -> Result) throws -> Result {
    try SumScale.with(scale, count: shape[shape.count - 1], isOfColumns: true, operation: "matmulInteger", body)
  }

  private func multiply(into output: SumOutput) throws {
    guard !shape.contains(0) else { return }
    let (m, k, n) = (shape[shape.count - 2], depth, shape[shape.count - 1])
    try withExtendedLifetime((left.storage, right.storage)) {
      // One matrix b for all: the batch of a is just more rows.
      let count = try Shape.elementCount(batch.a)
      if try Shape.elementCount(batch.b) == 1 {
        let packed = try PackedIntegerMatrix(
          right.bytes, depth: k, columns: n, flip: right.flip, zeroPoints: right.zeroPoints)
        let points = left.zeroPoints
        try packed.multiply(
          left.bytes, rows: count * m, flip: left.flip,
          zeroPoints: points.count == m && m > 1 ? (0..<count).flatMap { _ in points } : points, into: output)
        return
      }
      let offsets = BroadcastOffsets(batch.both, batch.a, batch.b)
      let work = Double(m) * Double(k) * Double(n)
      if offsets.count < Execution.current.threads, work > 1_000_000 {
        for index in 0..<offsets.count {
          let (i, j) = offsets[index]
          let packed = try PackedIntegerMatrix(
            right.bytes + j * k * n, depth: k, columns: n, flip: right.flip,
            zeroPoints: right.zeroPoints(of: j, count: n))
          try packed.multiply(
            left.bytes + i * m * k, rows: m, flip: left.flip, zeroPoints: left.zeroPoints(of: i, count: m),
            start: index * m * n, into: output)
        }
        return
      }
      try multiply(offsets, together: max(1, min(offsets.count, Int(65_536 / max(1, work)))), m, k, n, into: output)
    }
  }

  /// A product of two matrices for each of the result. A task lays out both of each of its own, one after the other.
  private func multiply(
    _ offsets: BroadcastOffsets, together: Int, _ m: Int, _ k: Int, _ n: Int, into output: SumOutput
  ) throws {
    let kernels = Execution.current.kernels.quantized
    let wordsPerRow = try SignedRowWords.wordsPerRow(channels: k, area: 1, kernels)
    let rightCount = try IntegerColumns.wordCount(depth: k, columns: n)
    let leftCount = try Shape.elementCount([m, wordsPerRow + 2 + 3])
    let tasks = (offsets.count + together - 1) / together
    let (left, right) = (left, right)
    try parallelWithScratch(tasks, of: Float.self, count: rightCount + leftCount + IntegerColumns.sumCount) {
      task, room in
      let memory = UnsafeMutableRawPointer(room).assumingMemoryBound(to: Int32.self)
      let columns = IntegerColumns(depth: k, columns: n, in: memory)
      let rows = SignedRowWords(rows: m, wordsPerRow: wordsPerRow, kernels, in: memory + rightCount)
      let corrections = RowCorrections(rows: m, in: memory + (rightCount + m * (wordsPerRow + 2)))
      let groups = RowGroups(rows: m)
      for index in task * together..<min((task + 1) * together, offsets.count) {
        let (i, j) = offsets[index]
        let columnPoints = right.zeroPoints(of: j, count: n)
        for panel in 0..<columns.panels {
          columns.pack(panel, of: right.bytes + j * k * n, flip: right.flip, zeroPoints: columnPoints, kernels)
        }
        for index in 0..<groups.count {
          let group = groups[index]
          rows.pack(
            left.bytes + i * m * k, first: group.first, rows: group.rows, channels: k, area: 1, flip: left.flip,
            mayMove: true)
        }
        let rowPoints = left.zeroPoints(of: i, count: m)
        let common = columnPoints.common
        corrections.fill(rows, zeroPoints: rowPoints, columns: common)
        let correction = columns.correction(corrections, hasManyPoints: common == nil)
        columns.multiply(
          rows, rows: 0..<m, panels: 0..<columns.panels, correction, start: index * m * n,
          sums: memory + (rightCount + leftCount), into: output)
      }
    }
  }
}

extension IntegerMatrices.Operand {
  /// The zero points of one matrix, or the only one.
  func zeroPoints(of matrix: Int, count: Int) -> [Int32] {
    zeroPoints.count <= count ? zeroPoints : Array(zeroPoints[matrix * count..<(matrix + 1) * count])
  }
}
