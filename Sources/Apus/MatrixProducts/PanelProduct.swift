import ApusKernelInterface

/// `y = left · right`, or that added to `y`, for operands that are laid out: what products of matrices come down to.
/// Sums are of at most 144 terms each, added up.
///
/// - Parameters:
///   - left: rows of a panel that has `leftRows` of them.
///   - right: blocks of columns, each `depth` vectors.
///   - depth: a whole number of vectors, as `columns` is.
///   - zeros: as many as a tile has columns.
///   - step: from one row of `y` to the next.
func multiplyLaidOut<Scalar: FloatingPointScalar>(
  _ kernels: any FloatingKernels<Scalar>.Type, _ left: UnsafePointer<Scalar>, leftRows: Int,
  _ right: UnsafePointer<Scalar>, rows: Int, depth: Int, columns: Int, zeros: UnsafePointer<Scalar>,
  addsToResult: Bool = false, into y: UnsafeMutablePointer<Scalar>, step: Int
) {
  let vector = kernels.vectorWidth
  let tile = kernels.blocksPerTile * vector
  withUnsafePointer(to: 0) { noOffset in
    let walk = TileWalk(
      blockCount: depth / vector, blockStep: leftRows * vector, rowCount: 1, rowStep: 0, tapCount: 1,
      tapOffsets: noOffset, rowsPerFlush: max(1, 144 / vector), weightBlockStep: depth * vector, outputStep: step,
      outputBlockStep: vector)
    for column in stride(from: 0, to: columns, by: tile) {
      kernels.accumulateRow(
        left, weights: right + column * depth, addend: addsToResult ? UnsafePointer(y + column) : zeros,
        addendStep: addsToResult ? step : 0, addendBlockStep: vector, shift: nil, y + column, width: rows,
        blocks: min(tile, columns - column) / vector, walk: walk)
    }
  }
}
