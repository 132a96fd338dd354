import Apus

/// What LSTM, GRU and RNN have in common: directions, functions, and the order of axes.
struct RecurrentSettings: Sendable {
  /// Whether each direction runs from the last step to the first.
  let areReversed: [Bool]
  let functions: [[RecurrentActivation]]
  let clip: Float?
  /// The batch is the first axis of sequences and states.
  let batchFirst: Bool
  let hidden: Int?
  let hasDefaultFunctions: Bool

  var directions: Int { areReversed.count }

  init(_ node: NodeDescription, defaults: [RecurrentActivation]) throws {
    let direction = try node.string("direction", default: "forward")
    switch direction {
    case "forward": areReversed = [false]
    case "reverse": areReversed = [true]
    case "bidirectional": areReversed = [false, true]
    default: throw OperatorError("direction is '\(direction)'; 'forward', 'reverse' or 'bidirectional' is needed")
    }
    functions = try RecurrentActivation.list(node, directions: areReversed.count, defaults: defaults)
    hasDefaultFunctions = functions.allSatisfy { $0 == defaults }
    let clip = try node.optionalFloat("clip")
    self.clip = clip.flatMap { $0 > 0 ? $0 : nil }
    let layout = try node.int("layout", default: 0)
    guard layout == 0 || layout == 1 else { throw OperatorError("layout is \(layout), which is neither 0 nor 1") }
    batchFirst = layout == 1
    hidden = try node.optionalInt("hidden_size")
  }
}

/// The weights of a recurrent operator, a row for each direction.
struct RecurrentWeights<Scalar: FloatingPointScalar>: Sendable {
  /// `[directions, gates · hidden, inputs]`
  let input: Tensor<Scalar>
  /// `[directions, gates · hidden, hidden]`
  let state: Tensor<Scalar>
  /// `[directions, 2 · gates · hidden]`
  let bias: Tensor<Scalar>?
  let gates: Int
  let hidden: Int
  var inputs: Int { input.shape[2] }

  init(
    input: Tensor<Scalar>, state: Tensor<Scalar>, bias: Tensor<Scalar>?, gates: Int, settings: RecurrentSettings
  ) throws {
    let hidden = state.shape.last ?? 0
    let directions = settings.directions
    let rows = hidden.multipliedReportingOverflow(by: gates).partialValue
    guard input.rank == 3, input.shape[0] == directions, input.shape[1] == rows,
      state.shape == [directions, rows, hidden],
      bias.map({ $0.shape == [directions, 2 &* rows] }) ?? true, settings.hidden.map({ $0 == hidden }) ?? true
    else {
      throw OperatorError(
        "weights W \(input.shape), R \(state.shape)" + (bias.map { ", B \($0.shape)" } ?? "")
          + " do not fit each other, \(directions) directions and \(gates) gates"
          + (settings.hidden.map { " of hidden_size \($0)" } ?? ""))
    }
    (self.input, self.state, self.bias, self.gates, self.hidden) = (input, state, bias, gates, hidden)
  }

  /// Those of one direction: `W`, `R`, and the biases of both, each without the axis of directions.
  private func direction(_ index: Int) throws -> (
    input: Tensor<Scalar>, state: Tensor<Scalar>, inputBias: Tensor<Scalar>?, stateBias: Tensor<Scalar>?
  ) {
    let biases = try bias?.selected(axis: 0, index: index).chunked(2, axis: 0)
    return (
      try input.selected(axis: 0, index: index), try state.selected(axis: 0, index: index), biases?.first, biases?.last
    )
  }

  /// One direction of a loop.
  /// - Parameter step: makes a step from the matrix `R` and the bias that belongs to it.
  func loopDirection(
    _ index: Int, step: (_ weight: Tensor<Scalar>, _ bias: Tensor<Scalar>?) throws -> RecurrentLoop<Scalar>.Step
  ) throws -> RecurrentLoop<Scalar>.Direction {
    let own = try direction(index)
    return .init(
      fromInput: { try linear($0, weight: own.input, bias: own.inputBias) },
      step: try step(own.state, own.stateBias))
  }

  /// The parameters of Apus' layer of one direction, or of both, with gates in the order that it has them in.
  /// - Parameter order: where each of the layer's gates stands among these.
  func scope(order: [Int], directions: Range<Int>) throws -> Weights {
    func reordered(_ tensor: Tensor<Scalar>) throws -> Tensor<Scalar> {
      let parts = try tensor.split(sizes: Array(repeating: hidden, count: gates), axis: 0)
      return try concatenate(order.map { parts[$0] }, axis: 0)
    }
    var tensors: [String: Tensor<Scalar>] = [:]
    for (place, index) in directions.enumerated() {
      let suffix = place == 0 ? "_l0" : "_l0_reverse"
      let own = try direction(index)
      tensors["weight_ih" + suffix] = try reordered(own.input)
      tensors["weight_hh" + suffix] = try reordered(own.state)
      tensors["bias_ih" + suffix] = try own.inputBias.map(reordered)
      tensors["bias_hh" + suffix] = try own.stateBias.map(reordered)
    }
    return Weights(tensors)
  }
}

/// The sequences that a recurrent operator runs over.
struct RecurrentSequences<Scalar: FloatingPointScalar>: Sendable {
  /// `[time, batch, inputs]`
  let steps: Tensor<Scalar>
  /// The steps of each sample; nil where all have all.
  let lengths: [Int]?
  let time: Int
  let batch: Int

  init(_ x: Tensor<Scalar>, lengths: [Int]?, batchFirst: Bool, inputs: Int) throws {
    guard x.rank == 3, x.shape[2] == inputs else {
      throw OperatorError("X has shape \(x.shape); three axes, the last of \(inputs) inputs, are needed")
    }
    steps = try batchFirst ? x.permuted([1, 0, 2]) : x
    (time, batch) = (steps.shape[0], steps.shape[1])
    // Without inputs there may be very many steps.
    try Shape.checkMemory([time, batch, 4], of: Int64.self, operation: "sequences")
    if let lengths {
      guard lengths.count == batch else {
        throw OperatorError("sequence_lens has \(lengths.count) elements for a batch of \(batch)")
      }
      let time = time
      for length in lengths where length < 0 || length > time {
        throw OperatorError("a sequence length of \(length) is outside 0...\(time)")
      }
      self.lengths = lengths.allSatisfy { $0 == time } ? nil : lengths
    } else {
      self.lengths = nil
    }
  }

  /// `tensor`, `[time, batch, …]`, with the steps of each sample in reverse order; those beyond its length stay.
  func reversed(_ tensor: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard let lengths else { return try tensor.flipped(axes: [0]) }
    let rows = try Tensor<Int64>(
      (0..<time).flatMap { step in
        lengths.indices.map { sample in
          let source = step < lengths[sample] ? lengths[sample] - 1 - step : step
          return Int64(source * batch + sample)
        }
      }, shape: [time * batch])
    let flat = try tensor.reshaped([time * batch] + tensor.shape.dropFirst(2))
    return try flat.indexSelect(axis: 0, rows).reshaped(tensor.shape)
  }

  /// A state to start from, `[directions, batch, hidden]`: a copy of what is given, or zeros.
  static func state(
    _ given: Tensor<Scalar>?, _ name: String, shape: [Int], batchFirst: Bool
  ) throws -> Tensor<Scalar> {
    guard let given else { return try Tensor(zeros: shape) }
    let state = try batchFirst && given.rank == 3 ? given.permuted([1, 0, 2]) : given
    guard state.shape == shape else {
      throw OperatorError("\(name) has shape \(given.shape), which does not fit [directions, batch, hidden] \(shape)")
    }
    return state
  }
}
