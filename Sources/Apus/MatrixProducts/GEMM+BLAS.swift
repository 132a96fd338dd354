/// ``gemm`` through BLAS, one single-threaded call for each part of the result.
///
/// OpenBLAS's own threads would change results with their number; parts are cut by shape alone, along the longer side,
/// and are at least 512 wide, since each call packs the other operand again (at 256 that takes 7 % of its time).
/// - Returns: `false`, with nothing done, for operands that BLAS cannot read: neither rows nor columns contiguous, or
///   sizes beyond 32 bits.
func blasGEMM<Scalar: FloatingPointScalar>(
  _ blas: BLAS, m: Int, n: Int, k: Int, alpha: Scalar, _ a: MatrixOperand<Scalar>, _ b: MatrixOperand<Scalar>,
  beta: Scalar, into c: MatrixResult<Scalar>
) -> Bool {
  guard let left = BLASOperand(a, rows: m, columns: k), let right = BLASOperand(b, rows: k, columns: n),
    BLAS.accepts(m, n, k, left.stride, right.stride, c.leading)
  else { return false }

  let side = max(m, n)
  let parts = max(1, min(16, side / 512))
  let width = ((side + parts - 1) / parts + 63) / 64 * 64
  parallel((side + width - 1) / width) { part in
    let first = part * width
    let count = min(width, side - first)
    let (rows, columns) = n >= m ? (m, count) : (count, n)
    let partOfA = n >= m ? a : a.offset(row: first, column: 0)
    let partOfB = n >= m ? b.offset(row: 0, column: first) : b
    let out = n >= m ? c.base + first : c.base + first * c.leading
    Scalar.multiply(
      blas, m: rows, n: columns, k: k,
      alpha, partOfA.base, left.stride, left.isTransposed, partOfB.base, right.stride, right.isTransposed,
      beta, out, c.leading)
  }
  return true
}

/// An operand in BLAS's terms: a row stride, and whether memory holds the transpose.
private struct BLASOperand {
  let stride: Int
  let isTransposed: Bool

  /// `nil` when neither rows nor columns are contiguous, or overlap.
  init?<Scalar>(_ operand: MatrixOperand<Scalar>, rows: Int, columns: Int) {
    if operand.columnStep == 1, operand.rowStep >= columns {
      (stride, isTransposed) = (operand.rowStep, false)
    } else if operand.rowStep == 1, operand.columnStep >= rows {
      (stride, isTransposed) = (operand.columnStep, true)
    } else {
      return nil
    }
  }
}

extension FloatingPointScalar {
  /// One call of `cblas_sgemm` or `cblas_dgemm`, as the type says.
  fileprivate static func multiply(
    _ blas: BLAS, m: Int, n: Int, k: Int,
    _ alpha: Self, _ a: UnsafePointer<Self>, _ strideA: Int, _ transposeA: Bool,
    _ b: UnsafePointer<Self>, _ strideB: Int, _ transposeB: Bool,
    _ beta: Self, _ c: UnsafeMutablePointer<Self>, _ strideC: Int
  ) {
    if Self.self == Float.self {
      blas.sgemm(
        transposeA: transposeA, transposeB: transposeB, m: m, n: n, k: k,
        alpha: unsafeBitCast(alpha, to: Float.self),
        UnsafeRawPointer(a).assumingMemoryBound(to: Float.self), strideA: strideA,
        UnsafeRawPointer(b).assumingMemoryBound(to: Float.self), strideB: strideB,
        beta: unsafeBitCast(beta, to: Float.self),
        UnsafeMutableRawPointer(c).assumingMemoryBound(to: Float.self), strideC: strideC)
    } else {
      blas.dgemm(
        transposeA: transposeA, transposeB: transposeB, m: m, n: n, k: k,
        alpha: unsafeBitCast(alpha, to: Double.self),
        UnsafeRawPointer(a).assumingMemoryBound(to: Double.self), strideA: strideA,
        UnsafeRawPointer(b).assumingMemoryBound(to: Double.self), strideB: strideB,
        beta: unsafeBitCast(beta, to: Double.self),
        UnsafeMutableRawPointer(c).assumingMemoryBound(to: Double.self), strideC: strideC)
    }
  }
}
