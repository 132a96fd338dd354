import ApusKernelInterface

/// `y = left · right`, or that added to `y`, for a right operand that is laid out: what products of matrices come down to.
/// Sums are of at most 144 terms each, added up.
///
/// - Parameters:
///   - right: blocks of columns, each `filledDepth` vectors, of which the first `depth` are multiplied.
///   - columns: a whole number of vectors.
///   - zeros: as many as a tile has columns.
///   - step: from one row of `y` to the next.
func multiplyByPanel<Scalar: FloatingPointScalar>(
  _ kernels: any FloatingKernels<Scalar>.Type, _ left: LeftRows<Scalar>, _ right: UnsafePointer<Scalar>,
  filledDepth: Int, rows: Int, depth: Int, columns: Int, zeros: UnsafePointer<Scalar>,
  addsToResult: Bool = false, into y: UnsafeMutablePointer<Scalar>, step: Int
) {
  let vector = kernels.vectorWidth
  let tile = kernels.blocksPerTile * vector
  let depthBlocks = (depth + vector - 1) / vector
  withUnsafePointer(to: 0) { noOffset in
    let walk = TileWalk(
      positionStep: left.rowStep, blockCount: depthBlocks, blockStep: left.blockStep, rowCount: 1, rowStep: 0,
      tapCount: 1, tapOffsets: noOffset, rowsPerFlush: max(1, 144 / vector), weightBlockStep: filledDepth * vector,
      outputStep: step, outputBlockStep: vector, lastBlockLanes: depth - (depthBlocks - 1) * vector)
    for column in stride(from: 0, to: columns, by: tile) {
      kernels.accumulateRow(
        left.base, weights: right + column * filledDepth,
        addend: addsToResult ? UnsafePointer(y + column) : zeros,
        addendStep: addsToResult ? step : 0, addendBlockStep: vector, shift: nil, y + column, width: rows,
        blocks: min(tile, columns - column) / vector, walk: walk)
    }
  }
}
