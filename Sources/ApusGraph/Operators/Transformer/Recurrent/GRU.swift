import Apus

extension Operators {
  /// Gated recurrent units, with `f`, `g` sigmoid and tanh by default:
  ///
  ///     zₜ = f(W_z xₜ + R_z hₜ₋₁ + b_z)
  ///     rₜ = f(W_r xₜ + R_r hₜ₋₁ + b_r)
  ///     h'ₜ = g(W_h xₜ + R_h (rₜ hₜ₋₁) + b_h), with linear_before_reset g(W_h xₜ + rₜ (R_h hₜ₋₁ + Rb_h) + Wb_h)
  ///     hₜ = (1 - zₜ) h'ₜ + zₜ hₜ₋₁
  static func GRU(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try GRUOperator<Float>(node), try GRUOperator<Double>(node))
  }
}

private struct GRUOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let settings: RecurrentSettings
  let prepared: PreparedRecurrent<Scalar>
  let resetsAfterwards: Bool
  let usesLayer: Bool

  init(_ node: NodeDescription) throws {
    let settings = try RecurrentSettings(node, defaults: [.sigmoid, .tanh])
    self.settings = settings
    resetsAfterwards = try node.flag("linear_before_reset")
    usesLayer = settings.hasDefaultFunctions && settings.clip == nil && resetsAfterwards
    let usesLayer = usesLayer
    prepared = try PreparedRecurrent(node, settings: settings, gates: 3) {
      usesLayer ? try Self.layer($0, settings) : nil
    }
  }

  /// Gates are in the order update, reset, new here, and reset, update, new there.
  private static func layer(
    _ weights: RecurrentWeights<Scalar>, _ settings: RecurrentSettings
  ) throws -> RecurrentLayer<Scalar>? {
    guard weights.hidden > 0, weights.inputs > 0 else { return nil }
    let layer = try Apus.GRU<Scalar>(
      weights.scope(order: [1, 0, 2], directions: 0..<settings.directions), inputs: weights.inputs,
      hidden: weights.hidden, bidirectional: settings.directions == 2)
    return RecurrentLayer(settings) { x, state, cell in
      let (output, last) = try layer(x, state: state)
      return (output, last, cell)
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let lengths = try arguments.optionalIntegers(4)
    let (weights, layer) = try prepared.weights(arguments) { usesLayer ? try Self.layer($0, settings) : nil }
    let sequences = try RecurrentSequences(
      arguments.floating(0, as: Scalar.self), lengths: lengths, batchFirst: settings.batchFirst, inputs: weights.inputs)
    let state = try RecurrentSequences.state(
      arguments.optionalFloating(5, as: Scalar.self), "initial_h",
      shape: [settings.directions, sequences.batch, weights.hidden], batchFirst: settings.batchFirst)
    if let layer, sequences.lengths == nil, sequences.time > 0 {
      return try layer(sequences, state: state, cell: state).values(settings, type: type, hasCell: false)
    }
    let loop = RecurrentLoop(
      sequences: sequences, hidden: weights.hidden, settings: settings, context: arguments.context)
    let result = try loop(state: state, cell: state) { direction in
      try weights.loopDirection(direction) { weight, bias in
        try step(weight, bias, settings.functions[direction], hidden: weights.hidden)
      }
    }
    return try result.values(settings, type: type, hasCell: false)
  }

  private func step(
    _ weight: Tensor<Scalar>, _ bias: Tensor<Scalar>?, _ functions: [RecurrentActivation], hidden: Int
  ) throws -> RecurrentLoop<Scalar>.Step {
    let clip = settings.clip.map { Scalar($0) }
    let (f, g) = (functions[0], functions[1])
    let sizes = [2 * hidden, hidden]
    let weights = try weight.split(sizes: sizes, axis: 0)
    let biases = try bias?.split(sizes: sizes, axis: 0)
    return { fromInput, state, cell in
      let inputs = try fromInput.split(sizes: sizes, axis: -1)
      let gates = try (inputs[0] + linear(state, weight: weights[0], bias: biases?[0])).split(
        sizes: [hidden, hidden], axis: -1)
      let (update, reset) = (try f(gates[0], clip: clip), try f(gates[1], clip: clip))
      let fromState =
        try resetsAfterwards
        ? reset * linear(state, weight: weights[1], bias: biases?[1])
        : linear(reset * state, weight: weights[1], bias: biases?[1])
      let new = try g(inputs[1] + fromState, clip: clip)
      return (try (1 - update) * new + update * state, cell)
    }
  }
}
