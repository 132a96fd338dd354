import ApusKernelInterface

/// `y = x · weightᵀ + bias` for all gates of a recurrent cell, with the weight laid out for the register tile.
///
/// Each gate is filled up to whole vectors with zeros, so that no kernel ever meets a part of one.
struct GateWeights<Scalar: FloatingPointScalar>: Sendable {
  /// Elements of a row of `x`.
  let depth: Int
  /// Elements of a row of `y`: `gates` times the hidden values, in whole vectors.
  let columns: Int
  private let blockStep: Int
  private let panel: TensorStorage
  private let bias: TensorStorage

  /// - Parameters:
  ///   - weight: `[gates · hidden, depth]`. Where it lies in a mapped file, its memory goes back to the system.
  ///   - bias: `[gates · hidden]`.
  init(_ weight: Tensor<Scalar>, bias given: Tensor<Scalar>?, gates: Int, hidden: Int) throws {
    let kernels = Scalar.kernels
    let vector = kernels.vectorWidth
    let depth = weight.shape[1]
    let blocks = (hidden + vector - 1) / vector
    let depthBlocks = (depth + vector - 1) / vector
    let blockStep = depthBlocks * vector * vector
    columns = gates * blocks * vector
    panel = try TensorStorage(
      byteCount: Shape.byteCount([gates, blocks, depthBlocks, vector, vector], of: Scalar.self))
    bias = try TensorStorage(byteCount: Shape.byteCount([columns], of: Scalar.self))
    let out = panel.base.assumingMemoryBound(to: Scalar.self)
    let biases = bias.base.assumingMemoryBound(to: Scalar.self)
    biases.initialize(repeating: 0, count: columns)
    let (source, sourceBias) = (try weight.rowMajor, try given?.rowMajor)
    withExtendedLifetime((source.storage, sourceBias?.storage)) {
      for gate in 0..<gates {
        kernels.packColumns(
          source.pointer + gate * hidden * depth, rowStep: 1, columnStep: depth, depth: depth,
          filledDepth: depthBlocks * vector, columns: hidden, out + gate * blocks * blockStep, blockStep: blockStep)
        if let sourceBias {
          (biases + gate * blocks * vector).update(from: sourceBias.pointer + gate * hidden, count: hidden)
        }
      }
    }
    weight.storage.discardFilePages()
    self.depth = depth
    self.blockStep = blockStep
  }

  /// Every result is the bias plus partial sums of at most 144 terms (for a single row 256, over eight accumulators),
  /// in an order that the shape alone decides.
  ///
  /// - Parameters:
  ///   - x: blocked `[depth / vector, rows, vector]`; what fills up the last block is not read.
  ///   - y: `[rows, columns]`.
  func multiply(_ x: UnsafePointer<Scalar>, rows: Int, into y: UnsafeMutablePointer<Scalar>) {
    let kernels = Scalar.kernels
    let vector = kernels.vectorWidth
    let tile = kernels.blocksPerTile * vector
    // About 10 µs a task: a product at every step is divided only when it is a large one.
    let columnsPerTask = max(1, 1_048_576 / max(1, (rows + 3) * depth * tile)) * tile
    let tasks = (columns + columnsPerTask - 1) / columnsPerTask
    let (x, y) = (Unchecked(x), Unchecked(y))
    let w = Unchecked(panel.base.assumingMemoryBound(to: Scalar.self))
    let b = Unchecked(bias.base.assumingMemoryBound(to: Scalar.self))
    if tasks == 1 {
      multiply(kernels, x.value, rows, w.value, b.value, y.value, from: 0, to: columns)
      return
    }
    parallel(tasks) { task in
      let first = task * columnsPerTask
      multiply(
        kernels, x.value, rows, w.value, b.value, y.value, from: first, to: min(first + columnsPerTask, columns))
    }
  }

  private func multiply(
    _ kernels: any FloatingKernels<Scalar>.Type, _ x: UnsafePointer<Scalar>, _ rows: Int,
    _ w: UnsafePointer<Scalar>, _ b: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>,
    from first: Int, to end: Int
  ) {
    let vector = kernels.vectorWidth
    if rows == 1 {
      kernels.multiplyRow(
        x, depth: depth, panel: w + first / vector * blockStep, blockStep: blockStep, blocks: (end - first) / vector,
        addend: b + first, y + first)
      return
    }
    let tile = kernels.blocksPerTile * vector
    let depthBlocks = (depth + vector - 1) / vector
    // Weights that the second-level cache holds need not be fetched.
    let isLarge = columns * depth > 262_144
    withUnsafePointer(to: 0) { noOffset in
      let walk = TileWalk(
        positionStep: vector, termStep: vector, blockCount: depthBlocks, blockStep: rows * vector, rowCount: 1,
        rowStep: 0, tapCount: 1, tapOffsets: noOffset, rowsPerFlush: max(1, 144 / vector), weightBlockStep: blockStep,
        outputStep: columns, outputBlockStep: vector,
        lastBlockLanes: depth - (depthBlocks - 1) * vector,
        weightsAhead: isLarge ? kernels.blocksPerTile * blockStep : 0)
      for column in stride(from: first, to: end, by: tile) {
        kernels.accumulateRow(
          x, weights: w + column / vector * blockStep, addend: b + column, addendStep: 0, addendBlockStep: vector,
          shift: nil, y + column, width: rows, blocks: min(tile, end - column) / vector, walk: walk)
      }
    }
  }
}
