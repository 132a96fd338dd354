import ApusKernelInterface

/// `y = left · right`, or that added to `y`, from tiles: what products of matrices come down to.
/// Sums are of at most 144 terms each, added up.
///
/// - Parameters:
///   - columns: a whole number of vectors.
///   - zeros: as many as a tile has columns.
///   - step: from one row of `y` to the next.
func multiplyTiles<Scalar: FloatingPointScalar>(
  _ kernels: any FloatingKernels<Scalar>.Type, _ left: LeftRows<Scalar>, _ right: RightColumns<Scalar>, rows: Int,
  depth: Int, columns: Int, zeros: UnsafePointer<Scalar>,
  addsToResult: Bool = false, into y: UnsafeMutablePointer<Scalar>, step: Int
) {
  let vector = kernels.vectorWidth
  let tile = kernels.blocksPerTile * vector
  let depthBlocks = (depth + vector - 1) / vector
  withUnsafePointer(to: 0) { noOffset in
    let walk = TileWalk(
      positionStep: left.rowStep, termStep: right.termStep, blockCount: depthBlocks, blockStep: left.blockStep,
      rowCount: 1, rowStep: 0,
      tapCount: 1, tapOffsets: noOffset, rowsPerFlush: max(1, 144 / vector), weightBlockStep: right.blockStep,
      outputStep: step, outputBlockStep: vector, lastBlockLanes: depth - (depthBlocks - 1) * vector)
    for column in stride(from: 0, to: columns, by: tile) {
      kernels.accumulateRow(
        left.base, weights: right.base + column / vector * right.blockStep,
        addend: addsToResult ? UnsafePointer(y + column) : zeros,
        addendStep: addsToResult ? step : 0, addendBlockStep: vector, shift: nil, y + column, width: rows,
        blocks: min(tile, columns - column) / vector, walk: walk)
    }
  }
}
