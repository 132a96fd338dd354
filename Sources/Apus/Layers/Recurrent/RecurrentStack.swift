import ApusKernelInterface

/// The layers and directions of an ``RNN``, ``LSTM`` or ``GRU``, which differ in their cell only.
///
/// What the input contributes is one matrix product over all steps; what the state contributes is one at each step.
struct RecurrentStack<Scalar: FloatingPointScalar>: Sendable {
  /// The parameters of one direction of one layer.
  private struct Parameters: Sendable {
    /// `[gates · hidden, inputs]`.
    let inputWeight: Tensor<Scalar>
    /// `[gates · hidden, hidden]`.
    let stateWeight: Tensor<Scalar>
    /// `[gates · hidden]`.
    let inputBias: Tensor<Scalar>?
    let stateBias: Tensor<Scalar>?
  }

  private let operation: String
  private let cell: RecurrentCell
  private let inputs: Int
  private let hidden: Int
  private let layers: Int
  private let directions: Int
  private let batchFirst: Bool
  /// One for each layer and direction, directions side by side.
  private let parameters: [Parameters]

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
    let rows = cell.gates * hidden
    var parameters: [Parameters] = []
    for layer in 0..<layers {
      for direction in 0..<directions {
        let name = "_l\(layer)\(direction == 0 ? "" : "_reverse")"
        parameters.append(
          Parameters(
            inputWeight: try weights.tensor(
              "weight_ih\(name)", shape: [rows, layer == 0 ? inputs : directions * hidden]),
            stateWeight: try weights.tensor("weight_hh\(name)", shape: [rows, hidden]),
            inputBias: try weights.optionalTensor("bias_ih\(name)", shape: [rows]),
            stateBias: try weights.optionalTensor("bias_hh\(name)", shape: [rows])))
      }
    }
    self.operation = operation
    self.cell = cell
    self.inputs = inputs
    self.hidden = hidden
    self.layers = layers
    self.directions = directions
    self.batchFirst = batchFirst
    self.parameters = parameters
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
    var sequence = batchFirst ? try input.transposed(0, 1) : try input.rowMajor
    let shape = [layers * directions, sequence.shape[1], hidden]
    let finalState = try startingState(state, "state", shape)
    let finalCells = try startingState(cells, "cells", shape)
    try withExtendedLifetime((finalState.storage, finalCells.storage)) {
      for layer in 0..<layers {
        let output = try Tensor<Scalar>(uninitialized: [sequence.shape[0], shape[1], directions * hidden])
        for direction in 0..<directions {
          let index = layer * directions + direction
          try sweep(
            sequence, parameters[index], isReversed: direction == 1,
            state: finalState.mutablePointer + index * shape[1] * hidden,
            cells: finalCells.mutablePointer + index * shape[1] * hidden,
            output: output.mutablePointer + direction * hidden)
        }
        sequence = output
      }
    }
    return (batchFirst ? try sequence.transposed(0, 1) : sequence, finalState, finalCells)
  }

  /// One direction of one layer over all steps. The states are read and replaced.
  private func sweep(
    _ sequence: Tensor<Scalar>, _ parameters: Parameters, isReversed: Bool,
    state: UnsafeMutablePointer<Scalar>, cells: UnsafeMutablePointer<Scalar>, output: UnsafeMutablePointer<Scalar>
  ) throws {
    let (time, batch) = (sequence.shape[0], sequence.shape[1])
    guard batch > 0 else { return }
    let rows = cell.gates * hidden
    let projected = try linear(sequence, weight: parameters.inputWeight, bias: parameters.inputBias)
    let weight = try parameters.stateWeight.rowMajor
    let bias = try parameters.stateBias?.rowMajor
    let scratch = try Tensor<Scalar>(uninitialized: [batch, rows])
    let kernels = Scalar.kernels
    try withExtendedLifetime((projected.storage, weight.storage, bias?.storage, scratch.storage, sequence.storage)) {
      for step in 0..<time {
        let now = isReversed ? time - 1 - step : step
        try gemm(
          m: batch, n: rows, k: hidden, MatrixOperand(UnsafePointer(state), leading: hidden),
          MatrixOperand(weight.pointer, leading: hidden, isTransposed: true),
          into: MatrixResult(base: scratch.mutablePointer, leading: rows))
        if let bias { kernels.addToRows(bias.pointer, scratch.mutablePointer, rows: batch, count: rows) }
        RecurrentStep(
          batch: batch, hidden: hidden, fromInput: projected.pointer + now * batch * rows,
          fromState: scratch.mutablePointer, state: state, cells: cells)(cell, kernels)
        for row in 0..<batch {
          (output + (now * batch + row) * directions * hidden).update(from: state + row * hidden, count: hidden)
        }
      }
    }
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

extension Tensor {
  /// The elements of a tensor that nobody else has seen yet, for an operator to fill.
  fileprivate var mutablePointer: UnsafeMutablePointer<Scalar> {
    storage.base.assumingMemoryBound(to: Scalar.self)
  }
}
