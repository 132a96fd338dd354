import ApusKernelInterface

/// A matrix product whose operands and result fit in the caches of one thread: laid out and multiplied in a few
/// microseconds, within memory that is given. Batches of such products are what attention comes to.
///
/// Sums are those of ``PackedLinear``: of at most 144 terms each, added up.
struct SmallProduct<Scalar: FloatingPointScalar>: Sendable {
  let rows: Int
  let depth: Int
  let columns: Int
  private let vector: Int
  private let tile: Int

  /// Elements of an operand, or of the result, up to which a product is a small one.
  private static var limit: Int { 65_536 }

  /// nil for an empty product, and for one with too large an operand.
  init?(_ kernels: any FloatingKernels<Scalar>.Type, rows: Int, depth: Int, columns: Int) {
    let sizes = [(rows, depth), (depth, columns), (rows, columns)]
    guard
      sizes.allSatisfy({ first, second in
        let (count, overflow) = first.multipliedReportingOverflow(by: second)
        return !overflow && count > 0 && count <= Self.limit
      })
    else { return nil }
    (self.rows, self.depth, self.columns) = (rows, depth, columns)
    vector = kernels.vectorWidth
    tile = kernels.blocksPerTile * kernels.vectorWidth
  }

  private var wholeDepth: Int { (depth + vector - 1) / vector * vector }
  private var wholeColumns: Int { (columns + vector - 1) / vector * vector }

  /// Elements that a call needs room for: both operands laid out, zeros, and the last columns of the result.
  var scratchCount: Int { wholeDepth * (rows + wholeColumns) + tile + rows * vector }

  /// `c = scale · a · b`
  ///
  /// - Parameters:
  ///   - a: `[rows, depth]`, rows contiguous.
  ///   - b: `[depth, columns]`.
  ///   - scratch: room for ``scratchCount`` elements; undefined before and after.
  ///   - c: `[rows, columns]`, contiguous.
  func callAsFunction(
    _ kernels: any FloatingKernels<Scalar>.Type, scale: Scalar, _ a: UnsafePointer<Scalar>, _ b: MatrixOperand<Scalar>,
    _ scratch: UnsafeMutablePointer<Scalar>, into c: UnsafeMutablePointer<Scalar>
  ) {
    let panel = scratch + wholeDepth * rows
    let zeros = panel + wholeDepth * wholeColumns
    let edge = zeros + tile
    let left = LeftRows(
      kernels, MatrixOperand(a, leading: depth), scale: scale, rows: rows, depth: depth, columns: columns, room: scratch
    )
    let right = RightColumns(
      kernels, b, rows: rows, depth: depth, filledDepth: wholeDepth, columns: columns, room: panel)
    zeros.initialize(repeating: 0, count: tile)
    // Columns that do not fill a vector are computed beside the result.
    let whole = columns / vector * vector
    multiplyTiles(
      kernels, left, right, rows: rows, depth: depth, columns: whole, zeros: zeros, into: c, step: columns)
    guard whole < columns else { return }
    multiplyTiles(
      kernels, left, right.from(column: whole), rows: rows, depth: depth, columns: vector, zeros: zeros, into: edge,
      step: vector)
    for row in 0..<rows { (c + row * columns + whole).update(from: edge + row * vector, count: columns - whole) }
  }
}
