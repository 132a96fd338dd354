import ApusKernelInterface

/// The matrix product of 8-bit integers less their zero points, over the last two axes, broadcast over the others
/// (ONNX's `MatMulInteger` for operands of two axes and more).
///
///     y[…, m, n] = Σ_k (a[…, m, k] - za) · (b[…, k, n] - zb)
///
/// Exact, in 32 bits that wrap around. `b` is laid out again at every call; a ``PackedIntegerMatrix`` does that once.
/// - Parameters:
///   - a: `[…, m, k]`.
///   - b: `[…, k, n]`.
///   - aZeroPoint: one value, `[m]`, or one for every row of `a`, `[…, m, 1]`; zero when absent.
///   - bZeroPoint: one value, `[n]`, or one for every column of `b`, `[…, 1, n]`; zero when absent.
/// - Returns: `[…, m, n]`.
/// - Throws: ``TensorError/shape(operation:reason:)`` when the shapes do not fit each other.
package func matmulInteger<A: ByteScalar, B: ByteScalar>(
  _ a: Tensor<A>, _ b: Tensor<B>, aZeroPoint: Tensor<A>? = nil, bZeroPoint: Tensor<B>? = nil
) throws -> Tensor<Int32> {
  let operation = "matmulInteger"
  guard a.rank >= 2, b.rank >= 2, a.shape[a.rank - 1] == b.shape[b.rank - 2] else {
    throw TensorError.shape(operation: operation, reason: "\(a.shape) cannot be multiplied by \(b.shape)")
  }
  let (m, k, n) = (a.shape[a.rank - 2], a.shape[a.rank - 1], b.shape[b.rank - 1])
  let batchA = Array(a.shape.dropLast(2)), batchB = Array(b.shape.dropLast(2))
  let batch = try Shape.broadcast(batchA, batchB, operation: operation)
  let shape = batch + [m, n]
  let (left, right) = (try a.rowMajor, try b.rowMajor)
  let rowPoints = try (aZeroPoint?.elements ?? [0]).map(\.movedToSigned)
  let columnPoints = try (bZeroPoint?.elements ?? [0]).map(\.movedToUnsigned)
  let countA = try Shape.elementCount(batchA), countB = try Shape.elementCount(batchB)
  let rows = try Shape.elementCount(batchA + [m]), columns = try Shape.elementCount(batchB + [n])
  guard [1, m, rows].contains(rowPoints.count), [1, n, columns].contains(columnPoints.count) else {
    throw TensorError.shape(
      operation: operation,
      reason:
        "zero points \(aZeroPoint?.shape ?? []) and \(bZeroPoint?.shape ?? []) do not fit \(a.shape) and \(b.shape)")
  }
  if try Shape.elementCount(shape, operation: operation) == 0 || k == 0 { return try Tensor(zeros: shape) }

  return try Tensor.filled(shape) { y in
    try withExtendedLifetime((left.storage, right.storage)) {
      // One matrix b for all: the batch of a is just more rows.
      if countB == 1 {
        let packed = try PackedIntegerMatrix(
          right.bytes8, depth: k, columns: n, flip: B.unsignedFlip, zeroPoints: columnPoints)
        let points = rowPoints.count == m && m > 1 ? (0..<countA).flatMap { _ in rowPoints } : rowPoints
        try packed.multiply(left.bytes8, rows: rows, flip: A.signedFlip, zeroPoints: points, into: .integers(y))
        return
      }
      let offsets = BroadcastOffsets(batch, batchA, batchB)
      for index in 0..<offsets.count {
        let (i, j) = offsets[index]
        let packed = try PackedIntegerMatrix(
          right.bytes8 + j * k * n, depth: k, columns: n, flip: B.unsignedFlip,
          zeroPoints: columnPoints.count <= n ? columnPoints : Array(columnPoints[j * n..<(j + 1) * n]))
        try packed.multiply(
          left.bytes8 + i * m * k, rows: m, flip: A.signedFlip,
          zeroPoints: rowPoints.count <= m ? rowPoints : Array(rowPoints[i * m..<(i + 1) * m]),
          into: .integers(y + index * m * n))
      }
    }
  }
}
