import Apus

extension Operators {
  static let recurrentNetworks: [OperatorDefinition] = [
    OperatorDefinition("LSTM", .product(.recurrent, work: .recurrence, accuracy: .sum(.recurrence)), LSTM),
    OperatorDefinition(
      "LSTM", domain: "apus", .product(.recurrent, work: .recurrence, accuracy: .sum(.recurrence)), LSTM),
    OperatorDefinition("GRU", .product(.recurrent, work: .recurrence, accuracy: .sum(.recurrence)), GRU),
    OperatorDefinition("RNN", .product(.recurrent, work: .recurrence, accuracy: .sum(.recurrence)), RNN),
  ]

  /// Long short-term memory, with `f`, `g`, `h` sigmoid, tanh, tanh by default:
  ///
  ///     iₜ = f(W_i xₜ + R_i hₜ₋₁ + P_i cₜ₋₁ + b_i)
  ///     fₜ = f(W_f xₜ + R_f hₜ₋₁ + P_f cₜ₋₁ + b_f),  or 1 - iₜ with input_forget
  ///     c'ₜ = g(W_c xₜ + R_c hₜ₋₁ + b_c)
  ///     cₜ = fₜ cₜ₋₁ + iₜ c'ₜ
  ///     oₜ = f(W_o xₜ + R_o hₜ₋₁ + P_o cₜ + b_o)
  ///     hₜ = oₜ h(cₜ)
  ///
  /// In the domain `apus`, `cell_clip` bounds each cₜ.
  static func LSTM(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try LSTMOperator<Float>(node), try LSTMOperator<Double>(node))
  }
}

private struct LSTMOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let settings: RecurrentSettings
  let prepared: PreparedRecurrent<Scalar>
  let couplesGates: Bool
  let usesLayer: Bool
  let cellClip: Float?

  init(_ node: NodeDescription) throws {
    let settings = try RecurrentSettings(node, defaults: [.sigmoid, .tanh, .tanh])
    self.settings = settings
    couplesGates = try node.flag("input_forget")
    cellClip = node.node.operatorName.domain.isEmpty ? nil : try node.optionalFloat("cell_clip")
    usesLayer = settings.hasDefaultFunctions && settings.clip == nil && !couplesGates && !node.has(7)
    let usesLayer = usesLayer
    prepared = try PreparedRecurrent(node, settings: settings, gates: 4) {
      usesLayer ? try Self.layer($0, settings) : nil
    }
  }

  /// Gates are in the order input, output, forget, cell here, and input, forget, cell, output there.
  private static func layer(
    _ weights: RecurrentWeights<Scalar>, _ settings: RecurrentSettings
  ) throws -> RecurrentLayer<Scalar>? {
    guard weights.hidden > 0, weights.inputs > 0 else { return nil }
    let layer = try Apus.LSTM<Scalar>(
      weights.scope(order: [0, 2, 3, 1], directions: 0..<settings.directions), inputs: weights.inputs,
      hidden: weights.hidden, bidirectional: settings.directions == 2)
    return RecurrentLayer(settings) { x, state, cell in
      let (output, last) = try layer(x, state: .init(hidden: state, cell: cell))
      return (output, last.hidden, last.cell)
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let lengths = try arguments.optionalIntegers(4)
    let (weights, layer) = try prepared.weights(arguments) { usesLayer ? try Self.layer($0, settings) : nil }
    let sequences = try RecurrentSequences(
      arguments.floating(0, as: Scalar.self), lengths: lengths, batchFirst: settings.batchFirst, inputs: weights.inputs)
    let shape = [settings.directions, sequences.batch, weights.hidden]
    let state = try RecurrentSequences.state(
      arguments.optionalFloating(5, as: Scalar.self), "initial_h", shape: shape, batchFirst: settings.batchFirst)
    let cell = try RecurrentSequences.state(
      arguments.optionalFloating(6, as: Scalar.self), "initial_c", shape: shape, batchFirst: settings.batchFirst)
    // A cell with a bound is computed step by step.
    if let layer, sequences.lengths == nil, sequences.time > 0, cellClip == nil {
      return try layer(sequences, state: state, cell: cell).values(settings, type: type, hasCell: true)
    }
    let peepholes = try arguments.optionalFloating(7, as: Scalar.self)
    guard peepholes == nil || peepholes?.shape == [settings.directions, 3 * weights.hidden] else {
      throw OperatorError(
        "P has shape \(peepholes?.shape ?? []); [\(settings.directions), \(3 * weights.hidden)] is needed")
    }
    let loop = RecurrentLoop(sequences: sequences, weights: weights, settings: settings, context: arguments.context)
    let result = try loop(state: state, cell: cell) { direction, weight, bias in
      let peephole = try peepholes?.selected(axis: 0, index: direction).chunked(3, axis: 0)
      return step(weight, bias, peephole, settings.functions[direction], hidden: weights.hidden)
    }
    return try result.values(settings, type: type, hasCell: true)
  }

  private func step(
    _ weight: Tensor<Scalar>, _ bias: Tensor<Scalar>?, _ peephole: [Tensor<Scalar>]?,
    _ functions: [RecurrentActivation], hidden: Int
  ) -> RecurrentLoop<Scalar>.Step {
    let clip = settings.clip.map { Scalar($0) }
    let (f, g, h) = (functions[0], functions[1], functions[2])
    let bound = cellClip.map { Scalar($0) }
    return { fromInput, state, cell in
      let sums = try (fromInput + linear(state, weight: weight, bias: bias)).split(
        sizes: Array(repeating: hidden, count: 4), axis: -1)
      func gate(_ index: Int, _ peephole: Tensor<Scalar>?, _ cell: Tensor<Scalar>) throws -> Tensor<Scalar> {
        try f(peephole.map { try sums[index] + cell * $0 } ?? sums[index], clip: clip)
      }
      let input = try gate(0, peephole?[0], cell)
      let forget = try couplesGates ? 1 - input : gate(2, peephole?[2], cell)
      var new = try forget * cell + input * g(sums[3], clip: clip)
      if let bound { new = try new.clamp(min: -bound, max: bound) }
      let output = try gate(1, peephole?[1], new)
      return (try output * h(new, clip: nil), new)
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let recurrent = ShapeRule.rule { facts in
    let (x, state) = try (facts.input(0), facts.shape(2))
    let batchFirst = try facts.node.flag("layout")
    guard x.shape.count == 3, state.count == 3 else { throw ShapeFacts.Unknown() }
    let (time, batch) = batchFirst ? (x.shape[1], x.shape[0]) : (x.shape[0], x.shape[1])
    let (directions, hidden) = (state[0], state[2])
    let output = batchFirst ? [batch, time, directions, hidden] : [time, directions, batch, hidden]
    let last = InferredType(x.elementType, batchFirst ? [batch, directions, hidden] : [directions, batch, hidden])
    return [InferredType(x.elementType, output), last, last]
  }
}
