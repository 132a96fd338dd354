import ApusKernelInterface

/// A product of several rows and a ``PackedLinear``, through the register tile.
///
/// Rows are read where they lie if that is faster (``LeftRows``). If not, a left operand that the second-level cache holds
/// is laid out once for all tasks; of a larger one each task lays out its own rows, a part of the depth at a time, and
/// multiplies them by that part of several tiles of columns.
struct RowProduct<Scalar: FloatingPointScalar>: @unchecked Sendable {
  /// What ``weight`` and ``bias`` lie in, kept as long as these are read.
  private let linear: PackedLinear<Scalar>
  private let weight: WeightView
  private let kernels: any FloatingKernels<Scalar>.Type
  private let x: UnsafePointer<Scalar>
  private let y: UnsafeMutablePointer<Scalar>
  private let bias: UnsafePointer<Scalar>
  private let end: PackedLinear<Scalar>.Ending
  private let rows: Int
  private let inputs: Int
  private let outputs: Int
  private let vector: Int
  /// The columns of a tile.
  private let tile: Int
  /// Rows as they are multiplied; nil where each task lays out its own.
  private let left: LeftRows<Scalar>?
  /// Rows and columns of a task.
  private let tasks: (rows: Int, columns: Int)
  private let columnTasks: Int
  private let rowTasks: Int
  private var taskCount: Int { columnTasks * rowTasks }
  /// Each works off a part of the tasks, with memory of its own.
  private let lanes: Int
  /// Terms are added up in blocks of `vector`, some blocks at a time.
  private let depthBlocks: Int
  private let blocksPerPart: Int
  private let rowsPerFlush: Int
  /// Each lane's rows as they are laid out, then each lane's tile of widened weights, then of every row the last columns,
  /// which fill no tile; nil where none of these is needed.
  private let scratch: TensorStorage?
  private let panelStep: Int
  private let wideStep: Int
  private let edgeStep: Int

  init(
    _ linear: PackedLinear<Scalar>, _ x: UnsafePointer<Scalar>, rows: Int, into y: UnsafeMutablePointer<Scalar>,
    _ end: PackedLinear<Scalar>.Ending
  ) throws {
    let execution = Execution.current
    kernels = Scalar.kernels(under: execution)
    (self.linear, self.x, self.y, self.rows, self.end) = (linear, x, y, rows, end)
    (inputs, outputs, weight) = (linear.inputs, linear.outputs, linear.weight.view)
    bias = UnsafePointer(linear.bias.base.assumingMemoryBound(to: Scalar.self))
    vector = kernels.vectorWidth
    tile = kernels.blocksPerTile * vector
    let matrix = MatrixOperand(x, leading: inputs)
    let isSmall = rows * inputs <= 65_536
    left =
      try LeftRows(inPlace: matrix, columns: outputs, vector: vector)
      ?? (isSmall ? LeftRows(layingOut: matrix, rows: rows, depth: inputs) : nil)
    tasks = linear.taskSizes(rows: rows, tile: tile, isSmall: isSmall)
    columnTasks = (outputs + tasks.columns - 1) / tasks.columns
    rowTasks = (rows + tasks.rows - 1) / tasks.rows
    let (count, threads) = (columnTasks * rowTasks, execution.threads)
    lanes = left != nil && !weight.isNarrow ? count : min(count, threads == 1 ? 1 : 2 * threads)

    // Whole flushes, so that sums are the same as in one go.
    rowsPerFlush = max(1, 144 / vector)
    depthBlocks = weight.depthBlocks
    // What is widened stays in the first-level cache.
    blocksPerPart =
      weight.isNarrow
      ? max(1, min(depthBlocks, weight.isOfHalves ? 2 * rowsPerFlush : rowsPerFlush))
      : max(1, isSmall && depthBlocks <= 4 * rowsPerFlush ? depthBlocks : min(depthBlocks, 2 * rowsPerFlush))
    panelStep = left != nil ? 0 : tasks.rows * blocksPerPart * vector
    wideStep = weight.isNarrow ? tile * blocksPerPart * vector : 0
    edgeStep = outputs.isMultiple(of: vector) ? 0 : tile
    let scratchCount = lanes * (panelStep + wideStep) + rows * edgeStep
    scratch =
      scratchCount == 0 ? nil : try TensorStorage(byteCount: Shape.byteCount([scratchCount], of: Scalar.self))
  }

  func run() {
    parallel(lanes) { lane in
      for task in evenPart(lane, of: lanes, in: taskCount) { run(task, lane: lane) }
    }
    withExtendedLifetime(self) {}
  }

  /// The part of the result that one task computes.
  private struct Block {
    let firstRow: Int
    let rows: Int
    let columns: Range<Int>
    /// Where the task after this one in the order of the weights begins.
    let next: Int
  }

  private func run(_ task: Int, lane: Int) {
    let (firstRow, firstColumn) = (task % rowTasks * tasks.rows, task / rowTasks * tasks.columns)
    let block = Block(
      firstRow: firstRow, rows: min(tasks.rows, rows - firstRow),
      columns: firstColumn..<min(firstColumn + tasks.columns, outputs), next: (task + 1) / rowTasks * tasks.columns)
    // Without any, nothing reads or writes there.
    let scratch = scratch?.base.assumingMemoryBound(to: Scalar.self) ?? y
    let out = y + firstRow * outputs
    let edge = scratch + lanes * (panelStep + wideStep) + firstRow * edgeStep
    var depth = 0
    repeat {
      let blocks = min(blocksPerPart, depthBlocks - depth)
      let part = part(of: block, depth: depth, blocks: blocks, scratch + lane * panelStep)
      multiply(
        part, block, depth: depth..<depth + blocks, into: out, edge, room: scratch + lanes * panelStep + lane * wideStep
      )
      depth += blocks
    } while depth < depthBlocks
    if edgeStep > 0, block.columns.upperBound == outputs {
      let column = outputs - outputs % tile
      for row in 0..<block.rows {
        (out + row * outputs + column).update(from: edge + row * edgeStep, count: outputs - column)
      }
      end.add(kernels, out + column, rows: block.rows, columns: outputs - column, rowStep: outputs, first: column)
    }
    end.activate(kernels, out + firstColumn, rows: block.rows, columns: block.columns.count, rowStep: outputs)
  }

  /// A part of the depth of a task's rows.
  private func part(
    of block: Block, depth: Int, blocks: Int, _ own: UnsafeMutablePointer<Scalar>
  ) -> LeftRows<Scalar> {
    if let left { return left.part(row: block.firstRow, block: depth) }
    kernels.packRows(
      x + block.firstRow * inputs + depth * vector, rowStep: inputs, columnStep: 1, rows: block.rows,
      depth: min(blocks * vector, inputs - depth * vector), scale: 1, own)
    return LeftRows(panel: own, count: block.rows)
  }

  /// Adds the products of a part of the depth, tile by tile.
  private func multiply(
    _ part: LeftRows<Scalar>, _ block: Block, depth: Range<Int>, into out: UnsafeMutablePointer<Scalar>,
    _ edge: UnsafeMutablePointer<Scalar>, room: UnsafeMutablePointer<Scalar>
  ) {
    let isLast = depth.upperBound == depthBlocks
    for column in stride(from: block.columns.lowerBound, to: block.columns.upperBound, by: tile) {
      let isWhole = column + tile <= outputs || edgeStep == 0
      let target = isWhole ? out + column : edge
      let step = isWhole ? outputs : tile
      let columns = (min(tile, outputs - column) + vector - 1) / vector
      let weights = weight.tile(
        column: column, columns: columns, blocks: depth,
        next: column + tile < block.columns.upperBound ? column + tile : block.next, room: room, kernels: kernels)
      let isFirst = depth.lowerBound == 0
      withUnsafePointer(to: 0) { noOffset in
        kernels.accumulateRow(
          part.base, weights: weights.base, addend: isFirst ? bias + column : UnsafePointer(target),
          addendStep: isFirst ? 0 : step, addendBlockStep: vector,
          shift: isLast && isWhole ? end.shift.map { $0.value + column } : nil, target, width: block.rows,
          blocks: columns,
          walk: TileWalk(
            positionStep: part.rowStep, termStep: vector, blockCount: depth.count, blockStep: part.blockStep,
            rowCount: 1, rowStep: 0, tapCount: 1, tapOffsets: noOffset, rowsPerFlush: rowsPerFlush,
            weightBlockStep: weights.step, outputStep: step, outputBlockStep: vector,
            lastBlockLanes: isLast ? inputs - (depthBlocks - 1) * vector : vector, weightsAhead: weights.ahead))
      }
    }
  }
}

extension PackedLinear {
  /// Rows and columns of a task.
  fileprivate func taskSizes(rows: Int, tile: Int, isSmall: Bool) -> (rows: Int, columns: Int) {
    let columns = columnsPerTask(rows: min(rows, 256), tile: tile)
    if isSmall { return (min(rows, 256), columns) }
    // Laying out the rows is repaid by eight tiles.
    let wide = min(max(columns, 8 * tile), max(outputs, 1))
    let aligned = (wide + tile - 1) / tile * tile
    let columnTasks = (outputs + aligned - 1) / aligned
    let limit = max(32, min(256, rows * columnTasks / 8))
    let rowTasks = (rows + limit - 1) / limit
    return ((rows + rowTasks - 1) / rowTasks, aligned)
  }
}
