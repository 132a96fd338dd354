/// How a register tile walks over its operands: the one loop nest behind convolution and matrix product.
///
/// A tile holds the sums of some positions × output blocks, where a block is a vector of output channels: 16 floats or
/// 8 doubles. Its input is blocked alike. It visits the input in this order, innermost last:
///
///     for block in 0..<blockCount          // a vector of input channels
///       for row in 0..<rowCount            // kernel rows
///         for tap in 0..<tapCount          // kernel columns
///           for lane in 0..<blockLanes     // channels within the block; fewer in the last one
///             sum[p] += x[p * positionStep + lane + tapOffsets[tap] + row * rowStep + block * blockStep] * w[next vector]
///
/// A matrix product is the walk with one row and one tap.
package struct TileWalk: BitwiseCopyable {
  /// Elements from one position's inputs to the next one's: a vector's, where they are blocked.
  package var positionStep: Int
  /// Elements from one term's weights to the next one's: a vector's where they are laid out, a row's in a matrix.
  package var termStep: Int
  package var blockCount: Int
  package var blockStep: Int
  package var rowCount: Int
  package var rowStep: Int
  package var tapCount: Int
  /// One offset a tap; valid during the call.
  package var tapOffsets: UnsafePointer<Int>
  /// Kernel rows summed in registers before they are added to the output: bounds the length of one chain of
  /// additions, and with it the rounding error.
  package var rowsPerFlush: Int
  /// Floats from one output block's weights to the next one's.
  package var weightBlockStep: Int
  /// Floats from one position's output to the next one's, and from one output block to the next.
  package var outputStep: Int
  package var outputBlockStep: Int
  /// Floats of weights between those of one block and those of the next, and of the last one, where rows of the kernel are left
  /// out.
  package var weightGap = 0
  package var lastWeightGap = 0
  /// Lanes of a block that are visited; all of them unless the maps have few channels, which are then blocks of one.
  package var blockLanes: Int
  /// Lanes of the last block that hold numbers: what fills it up is not read, and has no weights.
  package var lastBlockLanes: Int
  /// Floats from the weights in use to those that are fetched into the second-level cache meanwhile, by the first tile of
  /// a row of positions; by the second and the third, `weightBlockStep` more each; by as many tiles as the kernels
  /// find worth it. None with 0.
  package var weightsAhead: Int
  /// What the sums are held within, where they are floats.
  package var bounds: SumBounds?
  /// Elements from a position's inputs to those that are fetched into the first-level cache meanwhile, its inputs of the
  /// next block, by kernels that find it worth it. None with 0.
  package let inputsAhead: Int

  package init(
    positionStep: Int, termStep: Int, blockCount: Int, blockStep: Int, rowCount: Int, rowStep: Int, tapCount: Int,
    tapOffsets: UnsafePointer<Int>, rowsPerFlush: Int, weightBlockStep: Int, outputStep: Int, outputBlockStep: Int,
    blockLanes: Int = .max, lastBlockLanes: Int = .max, weightsAhead: Int = 0
  ) {
    self.positionStep = positionStep
    self.termStep = termStep
    self.blockCount = blockCount
    self.blockStep = blockStep
    self.rowCount = rowCount
    self.rowStep = rowStep
    self.tapCount = tapCount
    self.tapOffsets = tapOffsets
    self.rowsPerFlush = rowsPerFlush
    self.weightBlockStep = weightBlockStep
    self.outputStep = outputStep
    self.outputBlockStep = outputBlockStep
    self.blockLanes = blockLanes
    self.lastBlockLanes = lastBlockLanes
    self.weightsAhead = weightsAhead
    // Where there are more inputs than the cache holds, and many blocks: beyond the last one nothing is of use.
    inputsAhead = blockCount >= 8 && blockCount * blockStep > 8192 && blockLanes > 1 ? blockStep : 0
  }
}
