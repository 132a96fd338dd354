/// The layers and directions of an ``RNN``, ``LSTM`` or ``GRU``, which differ in their cell only.
///
/// Directions, and ranges of the batch's rows, know nothing of each other within a layer: each is a task that runs
/// through all its steps by itself.
struct RecurrentStack<Scalar: FloatingPointScalar>: Sendable {
  private let operation: String
  private let inputs: Int
  private let hidden: Int
  private let layers: Int
  private let directions: Int
  private let batchFirst: Bool
  /// One for each layer and direction, directions side by side.
  private let sweeps: [RecurrentSweep<Scalar>]

  /// Reads `weight_ih_l0`, `weight_hh_l0` and, when there are any, `bias_ih_l0` and `bias_hh_l0`, for every layer, and
  /// the same with `_reverse` for the second direction.
  init(
    _ weights: Weights, operation: String, cell: RecurrentCell, inputs: Int, hidden: Int, layers: Int,
    bidirectional: Bool, batchFirst: Bool
  ) throws {
    let limit = 1 << 31
    for (name, value) in [("inputs", inputs), ("hidden", hidden), ("layers", layers)] where value < 1 || value > limit {
      throw TensorError.argument(operation: operation, reason: "\(name) \(value) is outside 1...\(limit)")
    }
    let directions = bidirectional ? 2 : 1
    var sweeps: [RecurrentSweep<Scalar>] = []
    for layer in 0..<layers {
      for direction in 0..<directions {
        let suffix = "_l\(layer)\(direction == 0 ? "" : "_reverse")"
        sweeps.append(
          try RecurrentSweep(
            weights, suffix: suffix, cell: cell, inputs: layer == 0 ? inputs : directions * hidden, hidden: hidden,
            isReversed: direction == 1))
      }
    }
    self.operation = operation
    self.inputs = inputs
    self.hidden = hidden
    self.layers = layers
    self.directions = directions
    self.batchFirst = batchFirst
    self.sweeps = sweeps
  }

  /// - Parameters:
  ///   - input: `[time, batch, inputs]`, or `[batch, time, inputs]` when the batch comes first.
  ///   - state: `[layers · directions, batch, hidden]`; zeros when absent.
  ///   - cells: likewise; what an LSTM remembers.
  /// - Returns: the states of the last layer at every step, `[time, batch, directions · hidden]` or with the batch
  ///   first, and the final states of all layers.
  func callAsFunction(
    _ input: Tensor<Scalar>, state: Tensor<Scalar>?, cells: Tensor<Scalar>?
  ) throws -> (output: Tensor<Scalar>, state: Tensor<Scalar>, cells: Tensor<Scalar>) {
    guard input.rank == 3, input.shape[2] == inputs, input.shape[batchFirst ? 1 : 0] > 0 else {
      let expected = batchFirst ? "[batch, time, \(inputs)]" : "[time, batch, \(inputs)]"
      throw TensorError.shape(
        operation: operation,
        reason: "input has shape \(input.shape), expected \(expected) with at least one step")
    }
    var sequence = try input.rowMajor
    let (time, batch) = batchFirst ? (input.shape[1], input.shape[0]) : (input.shape[0], input.shape[1])
    let shape = [layers * directions, batch, hidden]
    let finalState = try startingState(state, "state", shape)
    let finalCells = try startingState(cells, "cells", shape)
    for layer in 0..<layers {
      sequence = try apply(layer, to: sequence, time: time, batch: batch, state: finalState, cells: finalCells)
    }
    return (sequence, finalState, finalCells)
  }

  /// One layer over all steps. Its states are read and replaced.
  private func apply(
    _ layer: Int, to sequence: Tensor<Scalar>, time: Int, batch: Int, state: Tensor<Scalar>, cells: Tensor<Scalar>
  ) throws -> Tensor<Scalar> {
    let width = directions * hidden
    let output = try Tensor<Scalar>(uninitialized: [sequence.shape[0], sequence.shape[1], width])
    guard batch > 0 else { return output }
    let rowsPerTask = rowsPerTask(batch: batch)
    let ranges = (batch + rowsPerTask - 1) / rowsPerTask
    let sweeps = Array(sweeps[layer * directions..<(layer + 1) * directions])
    // The last range has fewer rows, and gets as many steps as the others: the scratch is no larger for it.
    let together = sweeps[0].stepsTogether(rows: rowsPerTask, time: time)
    let scratchCount = sweeps[0].scratchCount(rows: rowsPerTask, together: together)
    let offset = layer * directions * batch * hidden
    let (state, cells) = (Unchecked(state.mutablePointer + offset), Unchecked(cells.mutablePointer + offset))
    let (x, y) = (Unchecked(sequence.pointer), Unchecked(output.mutablePointer))
    let features = sequence.shape[2]
    let (batchFirst, hidden) = (batchFirst, hidden)
    try withExtendedLifetime((sequence.storage, output.storage)) {
      try parallelWithScratch(ranges * directions, of: Scalar.self, count: scratchCount) { task, scratch in
        let (direction, first) = (task % sweeps.count, task / sweeps.count * rowsPerTask)
        // The sequence's steps and rows are its first two axes, in one order or the other.
        let (timeStep, rowStep) = batchFirst ? (1, time) : (batch, 1)
        let place = (direction * batch + first) * hidden
        sweeps[direction](
          .init(
            base: x.value + first * rowStep * features, timeStep: timeStep * features, rowStep: rowStep * features),
          into: .init(
            base: y.value + first * rowStep * width + direction * hidden, timeStep: timeStep * width,
            rowStep: rowStep * width),
          rows: min(rowsPerTask, batch - first), time: time, together: together,
          finalState: state.value + place, finalCells: cells.value + place, scratch: scratch)
      }
    }
    return output
  }

  /// Rows of a task: as many as fill one register tile, or a few where weights do not fit the second-level cache and
  /// are read from further away for each task.
  private func rowsPerTask(batch: Int) -> Int {
    let limit = sweeps[0].state.columns * hidden > 262_144 ? 48 : 12
    let ranges = (batch + limit - 1) / limit
    return (batch + ranges - 1) / ranges
  }

  /// A copy of a state that a caller gave, or zeros.
  private func startingState(_ given: Tensor<Scalar>?, _ name: String, _ shape: [Int]) throws -> Tensor<Scalar> {
    guard let given else { return try Tensor(zeros: shape) }
    guard given.shape == shape else {
      throw TensorError.shape(operation: operation, reason: "\(name) has shape \(given.shape), expected \(shape)")
    }
    let source = try given.rowMajor
    return try withExtendedLifetime(source.storage) {
      try Tensor.filled(shape) { $0.update(from: source.pointer, count: source.count) }
    }
  }
}
