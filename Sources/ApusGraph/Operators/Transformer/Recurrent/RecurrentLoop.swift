import Apus

/// A recurrent operator a step at a time, with everything the standard allows: other functions, clipping, peepholes,
/// coupled gates, sequences of different lengths.
struct RecurrentLoop<Scalar: FloatingPointScalar> {
  /// What a step makes of the last state: the next one, and what an LSTM remembers.
  typealias Step = (
    _ fromInput: Tensor<Scalar>, _ state: Tensor<Scalar>, _ cell: Tensor<Scalar>
  ) throws -> (state: Tensor<Scalar>, cell: Tensor<Scalar>)

  struct Result {
    /// `[time, directions, batch, hidden]`
    var output: Tensor<Scalar>
    /// `[directions, batch, hidden]`
    var state: Tensor<Scalar>
    var cell: Tensor<Scalar>
  }

  let sequences: RecurrentSequences<Scalar>
  let weights: RecurrentWeights<Scalar>
  let settings: RecurrentSettings
  let context: RunContext

  /// - Parameters:
  ///   - state: `[directions, batch, hidden]`, likewise `cell`.
  ///   - step: makes the step of one direction from its matrix `R` and the bias that belongs to it.
  func callAsFunction(
    state: Tensor<Scalar>, cell: Tensor<Scalar>,
    step: (_ direction: Int, _ weight: Tensor<Scalar>, _ bias: Tensor<Scalar>?) throws -> Step
  ) throws -> Result {
    var outputs: [Tensor<Scalar>] = []
    var (states, cells): ([Tensor<Scalar>], [Tensor<Scalar>]) = ([], [])
    for (direction, isReversed) in settings.areReversed.enumerated() {
      let own = try weights.direction(direction)
      let steps = try isReversed ? sequences.reversed(sequences.steps) : sequences.steps
      let fromInput = try linear(steps, weight: own.input, bias: own.inputBias)
      var output = try Tensor<Scalar>(zeros: [sequences.time, sequences.batch, weights.hidden])
      var last = (
        state: try state.selected(axis: 0, index: direction), cell: try cell.selected(axis: 0, index: direction)
      )
      let next = try step(direction, own.state, own.stateBias)
      for time in 0..<sequences.time {
        try context.checkCancellation()
        var new = try next(fromInput.selected(axis: 0, index: time), last.state, last.cell)
        try keepFinished(&new.state, last.state, time)
        try keepFinished(&new.cell, last.cell, time)
        last = new
        try write(new.state, to: &output, time)
      }
      outputs.append(try isReversed ? sequences.reversed(output) : output)
      states.append(last.state)
      cells.append(last.cell)
    }
    return Result(
      output: try stack(outputs, axis: 1), state: try stack(states, axis: 0), cell: try stack(cells, axis: 0))
  }

  /// Takes back the step of samples that have ended.
  private func keepFinished(_ new: inout Tensor<Scalar>, _ old: Tensor<Scalar>, _ time: Int) throws {
    guard let lengths = sequences.lengths else { return }
    let hidden = weights.hidden
    try new.withUnsafeMutableBufferPointer { new in
      try old.withUnsafeBufferPointer { old in
        guard let new = new.baseAddress, let old = old.baseAddress else { return }
        for (sample, length) in lengths.enumerated() where time >= length {
          if length == 0 {
            // What never began ends with zeros, as ONNX Runtime has it.
            (new + sample * hidden).update(repeating: 0, count: hidden)
          } else {
            (new + sample * hidden).update(from: old + sample * hidden, count: hidden)
          }
        }
      }
    }
  }

  /// Puts a step into the output; samples that have ended stay zero.
  private func write(_ state: Tensor<Scalar>, to output: inout Tensor<Scalar>, _ time: Int) throws {
    let (batch, hidden, lengths) = (sequences.batch, weights.hidden, sequences.lengths)
    try output.withUnsafeMutableBufferPointer { output in
      try state.withUnsafeBufferPointer { state in
        guard let state = state.baseAddress, let output = output.baseAddress else { return }
        for sample in 0..<batch where lengths.map({ time < $0[sample] }) ?? true {
          (output + (time * batch + sample) * hidden).update(from: state + sample * hidden, count: hidden)
        }
      }
    }
  }
}

extension RecurrentLoop.Result {
  /// The outputs of the node: the order of axes that it asks for, rounded to `type`.
  func values(_ settings: RecurrentSettings, type: ElementType, hasCell: Bool) throws -> [GraphValue?] {
    let states = hasCell ? [state, cell] : [state]
    return [try GraphValue(rounding: settings.batchFirst ? output.permuted([2, 0, 1, 3]) : output, to: type)]
      + (try states.map { try GraphValue(rounding: settings.batchFirst ? $0.permuted([1, 0, 2]) : $0, to: type) })
  }
}
