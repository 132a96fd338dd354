import Apus

/// A recurrent operator a step at a time, with everything the standard allows: other functions, clipping, peepholes,
/// coupled gates, sequences of different lengths.
struct RecurrentLoop<Scalar: FloatingPointScalar> {
  /// What a step makes of the last state: the next one, and what an LSTM remembers.
  typealias Step = (
    _ fromInput: Tensor<Scalar>, _ state: Tensor<Scalar>, _ cell: Tensor<Scalar>
  ) throws -> (state: Tensor<Scalar>, cell: Tensor<Scalar>)

  /// One direction: what all steps' inputs contribute to the gates, `[time, batch, gates · hidden]`, and its step.
  struct Direction {
    let fromInput: (_ steps: Tensor<Scalar>) throws -> Tensor<Scalar>
    let step: Step
  }

  struct Result {
    /// `[time, directions, batch, hidden]`
    var output: Tensor<Scalar>
    /// `[directions, batch, hidden]`
    var state: Tensor<Scalar>
    var cell: Tensor<Scalar>
  }

  let sequences: RecurrentSequences<Scalar>
  let hidden: Int
  let settings: RecurrentSettings
  let context: RunContext

  /// - Parameters:
  ///   - state: `[directions, batch, hidden]`, likewise `cell`.
  func callAsFunction(
    state: Tensor<Scalar>, cell: Tensor<Scalar>, direction: (_ index: Int) throws -> Direction
  ) throws -> Result {
    var outputs: [Tensor<Scalar>] = []
    var (states, cells): ([Tensor<Scalar>], [Tensor<Scalar>]) = ([], [])
    // No sample has steps beyond the longest.
    let count = sequences.lengths?.max() ?? sequences.time
    for (index, isReversed) in settings.areReversed.enumerated() {
      let own = try direction(index)
      let steps = try isReversed ? sequences.reversed(sequences.steps) : sequences.steps
      let fromInput = try own.fromInput(steps.sliced(axis: 0, to: count))
      var output = try Tensor<Scalar>(zeros: [sequences.time, sequences.batch, hidden])
      var running = (state: try state.selected(axis: 0, index: index), cell: try cell.selected(axis: 0, index: index))
      var final = running
      try finish(&running.state, into: &final.state, steps: 0)
      try finish(&running.cell, into: &final.cell, steps: 0)
      for time in 0..<count {
        try context.checkCancellation()
        running = try own.step(fromInput.selected(axis: 0, index: time), running.state, running.cell)
        try write(running.state, to: &output, time)
        try finish(&running.state, into: &final.state, steps: time + 1)
        try finish(&running.cell, into: &final.cell, steps: time + 1)
      }
      outputs.append(try isReversed ? sequences.reversed(output) : output)
      states.append(sequences.lengths == nil ? running.state : final.state)
      cells.append(sequences.lengths == nil ? running.cell : final.cell)
    }
    return Result(
      output: try stack(outputs, axis: 1), state: try stack(states, axis: 0), cell: try stack(cells, axis: 0))
  }

  /// Puts what samples of so many steps end with aside; a step later zeros are in its place. What never began ends with
  /// zeros. ONNX Runtime has both so, which shows where states are quantised together.
  private func finish(_ running: inout Tensor<Scalar>, into final: inout Tensor<Scalar>, steps: Int) throws {
    guard let lengths = sequences.lengths, lengths.contains(where: { $0 <= steps }) else { return }
    try running.withUnsafeMutableBufferPointer { running in
      try final.withUnsafeMutableBufferPointer { final in
        guard let running = running.baseAddress, let final = final.baseAddress else { return }
        for (sample, length) in lengths.enumerated() where length <= steps {
          let row = sample * hidden
          if length == steps, length > 0 { (final + row).update(from: running + row, count: hidden) }
          if length == 0 { (final + row).update(repeating: 0, count: hidden) }
          if length < steps { (running + row).update(repeating: 0, count: hidden) }
        }
      }
    }
  }

  /// Puts a step into the output; samples that have ended stay zero.
  private func write(_ state: Tensor<Scalar>, to output: inout Tensor<Scalar>, _ time: Int) throws {
    let (batch, lengths) = (sequences.batch, sequences.lengths)
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
