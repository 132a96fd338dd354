import ApusKernelInterface

/// One direction of a recurrent layer: its cell and its weights.
struct RecurrentSweep<Scalar: FloatingPointScalar>: Sendable {
  let cell: RecurrentCell
  let hidden: Int
  let isReversed: Bool
  /// What input and last state contribute to the gates.
  let input: GateWeights<Scalar>
  let state: GateWeights<Scalar>

  /// Reads `weight_ih` and the like, with `suffix` behind their names.
  init(
    _ weights: Weights, suffix: String, cell: RecurrentCell, inputs: Int, hidden: Int, isReversed: Bool
  ) throws {
    let rows = cell.gates * hidden
    self.cell = cell
    self.hidden = hidden
    self.isReversed = isReversed
    input = try GateWeights(
      weights.tensor("weight_ih\(suffix)", shape: [rows, inputs]),
      bias: weights.optionalTensor("bias_ih\(suffix)", shape: [rows]), gates: cell.gates, hidden: hidden)
    state = try GateWeights(
      weights.tensor("weight_hh\(suffix)", shape: [rows, hidden]),
      bias: weights.optionalTensor("bias_hh\(suffix)", shape: [rows]), gates: cell.gates, hidden: hidden)
  }

  /// Where a sequence lies: row `row` of step `step` begins at `base + step * timeStep + row * rowStep`.
  struct Rows<Pointer>: @unchecked Sendable {
    let base: Pointer
    let timeStep: Int
    let rowStep: Int
  }

  private var blocks: Int { input.columns / cell.gates / Scalar.kernels.vectorWidth }

  /// How many steps' inputs are multiplied together: as many as the second-level cache holds the results of, and enough
  /// to fill a register tile.
  func stepsTogether(rows: Int, time: Int) -> Int {
    min(time, max(32_768 / (rows * input.columns), (14 + rows - 1) / rows))
  }

  /// Elements of memory that ``callAsFunction`` needs for at most `rows` rows, `together` steps at a time.
  func scratchCount(rows: Int, together: Int) -> Int {
    let vector = Scalar.kernels.vectorWidth
    let inputs = (input.depth + vector - 1) / vector * vector
    return rows * (together * (inputs + input.columns) + state.columns + 2 * blocks * vector)
  }

  /// All steps of some rows of the batch, or those before the ``StopSign`` was seen to be raised.
  ///
  /// - Parameters:
  ///   - x: what goes in, `inputs` elements per row.
  ///   - y: where the states go, `hidden` elements per row.
  ///   - together: how many steps' inputs are multiplied together; no more than the scratch is made for.
  ///   - finalState: the states, `[rows, hidden]`, read and replaced.
  ///   - finalCells: likewise what an LSTM remembers.
  ///   - scratch: as many elements as ``scratchCount(rows:together:)`` says.
  func callAsFunction(
    _ x: Rows<UnsafePointer<Scalar>>, into y: Rows<UnsafeMutablePointer<Scalar>>, rows: Int, time: Int, together: Int,
    finalState: UnsafeMutablePointer<Scalar>, finalCells: UnsafeMutablePointer<Scalar>,
    scratch: UnsafeMutablePointer<Scalar>
  ) {
    let kernels = Scalar.kernels
    let stop = Execution.current.stop
    let vector = kernels.vectorWidth
    let h = scratch
    let c = h + rows * blocks * vector
    let fromState = c + rows * blocks * vector
    let fromInput = fromState + rows * state.columns
    let panel = fromInput + together * rows * input.columns
    kernels.packRows(finalState, rowStep: hidden, columnStep: 1, rows: rows, depth: hidden, scale: 1, h)
    kernels.packRows(finalCells, rowStep: hidden, columnStep: 1, rows: rows, depth: hidden, scale: 1, c)

    sweep: for first in stride(from: 0, to: time, by: together) {
      let steps = min(together, time - first)
      let earliest = isReversed ? time - first - steps : first
      pack(x, rows: rows, from: earliest, steps: steps, into: panel)
      input.multiply(panel, rows: steps * rows, into: fromInput)
      for step in 0..<steps {
        // A short step takes no longer than a few looks.
        if step.isMultiple(of: 16), let stop, stop.check() { break sweep }
        let index = isReversed ? steps - 1 - step : step
        state.multiply(h, rows: rows, into: fromState)
        cell.step(
          kernels, fromInput: fromInput + index * rows * input.columns, fromState: fromState, state: h, cells: c,
          rows: rows, blocks: blocks)
        kernels.unpackRows(
          h, rows: rows, count: hidden, y.base + (earliest + index) * y.timeStep, rowStep: y.rowStep)
      }
    }
    kernels.unpackRows(h, rows: rows, count: hidden, finalState, rowStep: hidden)
    kernels.unpackRows(c, rows: rows, count: hidden, finalCells, rowStep: hidden)
  }

  /// Lays some steps out as a left operand `[inputs / vector, steps · rows, vector]`.
  private func pack(
    _ x: Rows<UnsafePointer<Scalar>>, rows: Int, from first: Int, steps: Int, into panel: UnsafeMutablePointer<Scalar>
  ) {
    let kernels = Scalar.kernels
    let vector = kernels.vectorWidth
    let base = x.base + first * x.timeStep
    if rows == 1 || x.timeStep == rows * x.rowStep {
      kernels.packRows(
        base, rowStep: rows == 1 ? x.timeStep : x.rowStep, columnStep: 1, rows: steps * rows, depth: input.depth,
        scale: 1, panel)
      return
    }
    for column in stride(from: 0, to: input.depth, by: vector) {
      for step in 0..<steps {
        kernels.packRows(
          base + step * x.timeStep + column, rowStep: x.rowStep, columnStep: 1, rows: rows,
          depth: min(vector, input.depth - column), scale: 1, panel + (column * steps + step * vector) * rows)
      }
    }
  }
}
