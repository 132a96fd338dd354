import Apus

extension Operators {
  static let recurrentNetworks: [OperatorDefinition] = [
    OperatorDefinition("LSTM", .product(.recurrent, work: .recurrence, accuracy: .sum(.recurrence())), LSTM),
    OperatorDefinition(
      "LSTM", domain: "apus", .product(.recurrent, work: .recurrence, accuracy: .sum(.recurrence())), LSTM),
    OperatorDefinition(
      "DynamicQuantizeLSTM", domain: "com.microsoft",
      .product(
        .recurrent(hiddenAxis: 1), work: .recurrence, accuracy: .sum(.recurrence(inputAxis: 1)),
        float64: .roundsInputs),
      DynamicQuantizeLSTM),
    OperatorDefinition("GRU", .product(.recurrent, work: .recurrence, accuracy: .sum(.recurrence())), GRU),
    OperatorDefinition("RNN", .product(.recurrent, work: .recurrence, accuracy: .sum(.recurrence())), RNN),
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
  let step: LSTMStep
  let prepared: PreparedRecurrent<Scalar>

  init(_ node: NodeDescription) throws {
    let step = try LSTMStep(node)
    self.step = step
    prepared = try PreparedRecurrent(node, settings: step.settings, gates: 4) { try Self.layer($0, step) }
  }

  /// Gates are in the order input, output, forget, cell here, and input, forget, cell, output there.
  private static func layer(
    _ weights: RecurrentWeights<Scalar>, _ step: LSTMStep
  ) throws -> RecurrentLayer<Scalar>? {
    guard step.isPlain, weights.hidden > 0, weights.inputs > 0 else { return nil }
    let layer = try Apus.LSTM<Scalar>(
      weights.scope(order: [0, 2, 3, 1], directions: 0..<step.settings.directions), inputs: weights.inputs,
      hidden: weights.hidden, bidirectional: step.settings.directions == 2)
    return RecurrentLayer(step.settings) { x, state, cell in
      let (output, last) = try layer(x, state: .init(hidden: state, cell: cell))
      return (output, last.hidden, last.cell)
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let settings = step.settings
    let lengths = try arguments.optionalIntegers(4)
    let (weights, layer) = try prepared.weights(arguments) { try Self.layer($0, step) }
    let sequences = try RecurrentSequences(
      arguments.floating(0, as: Scalar.self), lengths: lengths, batchFirst: settings.batchFirst, inputs: weights.inputs)
    let (state, cell) = try step.state(arguments, of: sequences, hidden: weights.hidden)
    if let layer, sequences.lengths == nil, sequences.time > 0 {
      return try layer(sequences, state: state, cell: cell).values(settings, type: type, hasCell: true)
    }
    let peepholes = try step.peepholes(arguments, as: Scalar.self, hidden: weights.hidden)
    let loop = RecurrentLoop(
      sequences: sequences, hidden: weights.hidden, settings: settings, context: arguments.context)
    let result = try loop(state: state, cell: cell) { direction in
      try weights.loopDirection(direction) { weight, bias in
        try step(direction, peepholes, hidden: weights.hidden) { try linear($0, weight: weight, bias: bias) }
      }
    }
    return try result.values(settings, type: type, hasCell: true)
  }
}

/// A step of an LSTM with everything the standard allows, whatever its weights are.
struct LSTMStep: Sendable {
  let settings: RecurrentSettings
  /// No gate is coupled, bounded, or looks at the cell, and the functions are the usual ones.
  let isPlain: Bool
  private let couplesGates: Bool
  private let cellClip: Float?

  init(_ node: NodeDescription) throws {
    settings = try RecurrentSettings(node, defaults: [.sigmoid, .tanh, .tanh])
    couplesGates = try node.flag("input_forget")
    cellClip = node.node.operatorName.domain == "apus" ? try node.optionalFloat("cell_clip") : nil
    isPlain =
      settings.hasDefaultFunctions && settings.clip == nil && !couplesGates && cellClip == nil && !node.has(7)
  }

  /// What a node starts with, inputs 5 and 6, or zeros: both `[directions, batch, hidden]`.
  func state<Scalar: FloatingPointScalar>(
    _ arguments: Arguments, of sequences: RecurrentSequences<Scalar>, hidden: Int
  ) throws -> (state: Tensor<Scalar>, cell: Tensor<Scalar>) {
    func given(_ index: Int, _ name: String) throws -> Tensor<Scalar> {
      try RecurrentSequences.state(
        arguments.optionalFloating(index, as: Scalar.self), name,
        shape: [settings.directions, sequences.batch, hidden], batchFirst: settings.batchFirst)
    }
    return (try given(5, "initial_h"), try given(6, "initial_c"))
  }

  /// What the gates make of the cell, input 7, `[directions, 3 · hidden]`.
  func peepholes<Scalar: FloatingPointScalar>(
    _ arguments: Arguments, as type: Scalar.Type, hidden: Int
  ) throws -> Tensor<Scalar>? {
    let peepholes = try arguments.optionalFloating(7, as: type)
    guard peepholes == nil || peepholes?.shape == [settings.directions, 3 * hidden] else {
      throw OperatorError("P has shape \(peepholes?.shape ?? []); [\(settings.directions), \(3 * hidden)] is needed")
    }
    return peepholes
  }

  /// - Parameter fromState: what the last state contributes to the gates, `[batch, 4 · hidden]`.
  func callAsFunction<Scalar: FloatingPointScalar>(
    _ direction: Int, _ peepholes: Tensor<Scalar>?, hidden: Int,
    fromState: @escaping (_ state: Tensor<Scalar>) throws -> Tensor<Scalar>
  ) throws -> RecurrentLoop<Scalar>.Step {
    let peephole = try peepholes?.selected(axis: 0, index: direction).chunked(3, axis: 0)
    let functions = settings.functions[direction]
    let clip = settings.clip.map { Scalar($0) }
    let (f, g, h) = (functions[0], functions[1], functions[2])
    let bound = cellClip.map { Scalar($0) }
    return { fromInput, state, cell in
      let sums = try (fromInput + fromState(state)).split(sizes: Array(repeating: hidden, count: 4), axis: -1)
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
  static let recurrent = recurrent(hiddenAxis: 2)

  /// - Parameter hiddenAxis: the axis of the matrix `R` that a state goes along.
  static func recurrent(hiddenAxis: Int) -> ShapeRule {
    .rule { facts in
      let (x, state) = try (facts.input(0), facts.shape(2))
      let batchFirst = try facts.node.flag("layout")
      guard x.shape.count == 3, state.count == 3 else { throw ShapeFacts.Unknown() }
      let (time, batch) = batchFirst ? (x.shape[1], x.shape[0]) : (x.shape[0], x.shape[1])
      let (directions, hidden) = (state[0], state[hiddenAxis])
      let output = batchFirst ? [batch, time, directions, hidden] : [time, directions, batch, hidden]
      let last = InferredType(x.elementType, batchFirst ? [batch, directions, hidden] : [directions, batch, hidden])
      return [InferredType(x.elementType, output), last, last]
    }
  }
}
