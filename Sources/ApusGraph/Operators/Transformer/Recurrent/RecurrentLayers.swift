import Apus

/// One of Apus' layers, made ready for the directions of a node.
struct RecurrentLayer<Scalar: FloatingPointScalar>: Sendable {
  /// A sequence `[time, batch, inputs]`, states and cells `[directions, batch, hidden]`; the output is
  /// `[time, batch, directions · hidden]`.
  typealias Layer =
    @Sendable (
      _ x: Tensor<Scalar>, _ state: Tensor<Scalar>, _ cell: Tensor<Scalar>
    ) throws -> (output: Tensor<Scalar>, state: Tensor<Scalar>, cell: Tensor<Scalar>)

  private let layer: Layer
  private let settings: RecurrentSettings

  init(_ settings: RecurrentSettings, _ layer: @escaping Layer) {
    self.settings = settings
    self.layer = layer
  }

  func callAsFunction(
    _ sequences: RecurrentSequences<Scalar>, state: Tensor<Scalar>, cell: Tensor<Scalar>
  ) throws -> RecurrentLoop<Scalar>.Result {
    // The layer's directions are forward, and both.
    let isReversed = settings.areReversed == [true]
    let steps = try isReversed ? sequences.reversed(sequences.steps) : sequences.steps
    let result = try layer(steps, state, cell)
    let hidden = state.shape[2]
    let directions = settings.directions
    var output = try result.output.reshaped([sequences.time, sequences.batch, directions, hidden])
    output =
      try directions == 1
      ? output.reshaped([sequences.time, 1, sequences.batch, hidden]) : output.permuted([0, 2, 1, 3])
    if isReversed { output = try output.flipped(axes: [0]) }
    return .init(output: output, state: result.state, cell: result.cell)
  }
}

/// What is known of a recurrent node's weights before it runs: a layer packed once, or none.
struct PreparedRecurrent<Scalar: FloatingPointScalar>: Sendable {
  let settings: RecurrentSettings
  let gates: Int
  private let constant: (weights: RecurrentWeights<Scalar>, layer: RecurrentLayer<Scalar>?)?

  /// - Parameter layer: Apus' layer for the weights, where it computes what the node asks for.
  init(
    _ node: NodeDescription, settings: RecurrentSettings, gates: Int,
    layer: (RecurrentWeights<Scalar>) throws -> RecurrentLayer<Scalar>?
  ) throws {
    self.settings = settings
    self.gates = gates
    guard let input = try node.ownConstant(1, as: Scalar.self), let state = try node.ownConstant(2, as: Scalar.self),
      !node.has(3) || node.constant(3) != nil
    else {
      constant = nil
      return
    }
    let weights = try RecurrentWeights(
      input: input, state: state, bias: node.constantFloating(3, as: Scalar.self), gates: gates, settings: settings)
    constant = (weights, try layer(weights))
    for index in 1...3 where node.has(index) { node.absorb(index) }
  }

  /// The node's weights, and a layer of them where the node's sequences allow one.
  func weights(
    _ arguments: Arguments, layer: (RecurrentWeights<Scalar>) throws -> RecurrentLayer<Scalar>?
  ) throws -> (weights: RecurrentWeights<Scalar>, layer: RecurrentLayer<Scalar>?) {
    if let constant { return constant }
    let weights = try RecurrentWeights(
      input: arguments.floating(1, as: Scalar.self), state: arguments.floating(2, as: Scalar.self),
      bias: arguments.optionalFloating(3, as: Scalar.self), gates: gates, settings: settings)
    return (weights, try layer(weights))
  }
}
