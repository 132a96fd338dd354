import ApusKernelInterface

/// `y = f(x · weight + bias)` with the weight laid out for the register tile once, and used often.
///
/// Every result is the bias plus partial sums of at most 144 terms (for a single row 256, over eight accumulators),
/// in an order that the shape alone decides.
struct PackedLinear<Scalar: FloatingPointScalar>: Sendable {
  let inputs: Int
  let outputs: Int
  let weight: Weight
  /// Filled up with zeros to whole vectors; all zeros when there is none.
  let bias: TensorStorage

  /// - Parameters:
  ///   - pieces: the weight, `[inputs, outputs]`, in pieces that follow each other along the inputs.
  ///   - bias: `outputs` values, or none.
  init(stacking pieces: [PanelPiece<Scalar>], outputs: Int, bias: UnsafePointer<Scalar>?) throws {
    try self.init(
      .wide(RightPanel(stacking: pieces, columns: outputs)),
      inputs: pieces.reduce(0) { $0 + $1.depth }, outputs: outputs, bias: bias)
  }

  /// - Parameter matrix: the weight of a single product, `[inputs, outputs]`.
  init(forOneProduct matrix: MatrixOperand<Scalar>, inputs: Int, outputs: Int) throws {
    try self.init(
      .wide(RightPanel(matrix, depth: inputs, columns: outputs)), inputs: inputs, outputs: outputs, bias: nil)
  }

  /// - Parameter bias: as many values as the weight has columns, or none.
  init(narrow weight: NarrowPanel<Scalar>, bias: UnsafePointer<Scalar>?) throws {
    try self.init(.narrow(weight), inputs: weight.depth, outputs: weight.columns, bias: bias)
  }

  /// - Parameter bias: as many values as the weight has columns, or none.
  init(_ weight: BlockQuantizedPanel<Scalar>, bias: UnsafePointer<Scalar>?) throws {
    try self.init(.codes(weight), inputs: weight.depth, outputs: weight.columns, bias: bias)
  }

  private init(_ weight: Weight, inputs: Int, outputs: Int, bias: UnsafePointer<Scalar>?) throws {
    let vector = Scalar.kernels.vectorWidth
    self.inputs = inputs
    self.outputs = outputs
    self.weight = weight
    let padded = (outputs + vector - 1) / vector * vector
    self.bias = try TensorStorage(byteCount: padded * MemoryLayout<Scalar>.stride)
    let values = self.bias.base.assumingMemoryBound(to: Scalar.self)
    values.initialize(repeating: 0, count: padded)
    if let bias { values.update(from: bias, count: outputs) }
  }

  /// The weight, in the type it is computed in or in the one it is stored in.
  enum Weight: Sendable {
    case wide(RightPanel<Scalar>)
    case narrow(NarrowPanel<Scalar>)
    case codes(BlockQuantizedPanel<Scalar>)

    /// What the loops look at, valid as long as the weight is.
    var view: WeightView {
      switch self {
      case .wide(let panel):
        WeightView(columns: panel.columns, depthBlocks: panel.depthBlocks, .wide(panel.storage.base))
      case .narrow(let panel):
        WeightView(columns: panel.columns, depthBlocks: panel.depthBlocks, .pieces(panel.pieces.all))
      case .codes(let panel):
        WeightView(columns: panel.columns, depthBlocks: panel.depthBlocks, .codes(panel.view))
      }
    }
  }

  /// - Parameters:
  ///   - x: `[rows, inputs]`, contiguous.
  ///   - y: `[rows, outputs]`, contiguous.
  ///   - shift: `outputs` values added to each row of the rounded result, as if afterwards; none when nil.
  ///   - activation: applied to each part of the result while it is in the cache.
  func callAsFunction(
    _ x: UnsafePointer<Scalar>, rows: Int, into y: UnsafeMutablePointer<Scalar>, adding shift: UnsafePointer<Scalar>?,
    activation: UnaryOperation?
  ) throws {
    guard rows > 0, outputs > 0 else { return }
    let end = Ending(shift: shift.map { Unchecked($0) }, activation: activation)
    if rows == 1 {
      try multiplyRow(x, into: y, end)
    } else {
      try RowProduct(self, x, rows: rows, into: y, end).run()
    }
  }

  /// The epilogue applied to each part of the result.
  struct Ending: Sendable {
    let shift: Unchecked<UnsafePointer<Scalar>>?
    let activation: UnaryOperation?

    /// - Parameter y: `rows` rows of `columns` values, `rowStep` apart, from column `first` on.
    func add(
      _ kernels: any FloatingKernels<Scalar>.Type, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int,
      rowStep: Int, first: Int
    ) {
      if let shift { kernels.addToRows(shift.value + first, y, rows: rows, count: columns, rowStep: rowStep) }
    }

    func activate(
      _ kernels: any FloatingKernels<Scalar>.Type, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int,
      rowStep: Int
    ) {
      guard let activation else { return }
      if columns == rowStep {
        kernels.unary(activation, y, y, count: rows * columns)
      } else {
        kernels.unary(activation, y, rows: rows, count: columns, rowStep: rowStep)
      }
    }
  }

  /// Columns that make a task worth handing to another thread: about 2.5 µs at 100 multiply-adds a nanosecond, where
  /// reading a weight counts as three. No more than sixteen tasks: tiles that lie side by side are fetched ahead.
  func columnsPerTask(rows: Int, tile: Int) -> Int {
    let tiles = 262_144 / max(1, (rows + 3) * inputs * tile)
    return max(1, tiles, outputs / (16 * tile)) * tile
  }

  private func multiplyRow(
    _ x: UnsafePointer<Scalar>, into y: UnsafeMutablePointer<Scalar>, _ end: Ending
  ) throws {
    let kernels = Scalar.kernels
    let vector = kernels.vectorWidth
    // A short last vector is computed here and its valid part copied.
    let edge = outputs.isMultiple(of: vector) ? nil : try TensorStorage(byteCount: vector * MemoryLayout<Scalar>.stride)
    let columnsPerTask = columnsPerTask(rows: 1, tile: vector)
    let weight = weight.view
    let depthBlocks = weight.depthBlocks
    let blockSize = depthBlocks * vector * vector
    let (x, y) = (Unchecked(x), Unchecked(y))
    let b = Unchecked(bias.base.assumingMemoryBound(to: Scalar.self))
    let rest = edge.map { Unchecked($0.base.assumingMemoryBound(to: Scalar.self)) }
    let (inputs, outputs) = (inputs, outputs)
    // What is widened at a time stays in the first-level cache.
    let needsRoom = weight.isWidenedForRow
    let blocksPerTile = needsRoom ? max(1, 8192 / max(blockSize, 1)) : .max
    let tasks = (outputs + columnsPerTask - 1) / columnsPerTask
    let body: @Sendable (Int, UnsafeMutablePointer<Scalar>) -> Void = { task, room in
      let first = task * columnsPerTask
      let columns = min(columnsPerTask, outputs - first)
      let blocks = (columns + vector - 1) / vector
      var block = 0
      while block < blocks {
        let count = min(blocksPerTile, blocks - block)
        let column = first + block * vector
        let weights = weight.columns(
          from: column, count: count, next: column + count * vector, room: room, kernels: kernels)
        func multiply(from first: Int, blocks: Int, into target: UnsafeMutablePointer<Scalar>) {
          let addend = b.value + column + first * vector
          switch weights {
          case .codes(let codes):
            kernels.multiplyRow(
              x.value, depth: inputs, columns: codes.advanced(by: first, of: vector, Scalar.self), blocks: blocks,
              addend: addend, target)
          case .halves(let base, let type, let step):
            kernels.multiplyRow(
              x.value, depth: inputs, halves: base + first * step, type, blockStep: step, blocks: blocks,
              addend: addend, target)
          case .numbers(let base, let step):
            kernels.multiplyRow(
              x.value, depth: inputs, panel: base + first * step, blockStep: step, blocks: blocks, addend: addend,
              target)
          }
        }
        let whole = min(count, (outputs - column) / vector)
        multiply(from: 0, blocks: whole, into: y.value + column)
        if whole < count, let rest {
          multiply(from: whole, blocks: 1, into: rest.value)
          let done = column + whole * vector
          (y.value + done).update(from: rest.value, count: outputs - done)
        }
        block += count
      }
      end.add(kernels, y.value + first, rows: 1, columns: columns, rowStep: columns, first: first)
      end.activate(kernels, y.value + first, rows: 1, columns: columns, rowStep: columns)
    }
    if needsRoom {
      try parallelWithScratch(tasks, of: Scalar.self, count: blocksPerTile * blockSize, body)
    } else {
      parallel(tasks) { body($0, y.value) }
    }
    withExtendedLifetime(edge) {}
    withExtendedLifetime(self) {}
  }
}
