import Apus

extension Operators {
  /// `hₜ = f(W xₜ + R hₜ₋₁ + b)`, with `f` tanh by default.
  static func RNN(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try RNNOperator<Float>(node), try RNNOperator<Double>(node))
  }
}

private struct RNNOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let settings: RecurrentSettings
  let prepared: PreparedRecurrent<Scalar>
  let function: RNNNonlinearity?

  init(_ node: NodeDescription) throws {
    let settings = try RecurrentSettings(node, defaults: [.tanh])
    self.settings = settings
    let isRectified = settings.functions.allSatisfy { $0 == [.relu] }
    let function: RNNNonlinearity? =
      settings.clip != nil ? nil : settings.hasDefaultFunctions ? .tanh : isRectified ? .relu : nil
    self.function = function
    prepared = try PreparedRecurrent(node, settings: settings, gates: 1) { try Self.layer($0, settings, function) }
  }

  private static func layer(
    _ weights: RecurrentWeights<Scalar>, _ settings: RecurrentSettings, _ function: RNNNonlinearity?
  ) throws -> RecurrentLayer<Scalar>? {
    guard let function, weights.hidden > 0, weights.inputs > 0 else { return nil }
    let layer = try Apus.RNN<Scalar>(
      weights.scope(order: [0], directions: 0..<settings.directions), inputs: weights.inputs, hidden: weights.hidden,
      nonlinearity: function, bidirectional: settings.directions == 2)
    return RecurrentLayer(settings) { x, state, cell in
      let (output, last) = try layer(x, state: state)
      return (output, last, cell)
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let lengths = try arguments.optionalIntegers(4)
    let (weights, layer) = try prepared.weights(arguments) { try Self.layer($0, settings, function) }
    let sequences = try RecurrentSequences(
      arguments.floating(0, as: Scalar.self), lengths: lengths, batchFirst: settings.batchFirst, inputs: weights.inputs)
    let state = try RecurrentSequences.state(
      arguments.optionalFloating(5, as: Scalar.self), "initial_h",
      shape: [settings.directions, sequences.batch, weights.hidden], batchFirst: settings.batchFirst)
    if let layer, sequences.lengths == nil, sequences.time > 0 {
      return try layer(sequences, state: state, cell: state).values(settings, type: type, hasCell: false)
    }
    let clip = settings.clip.map { Scalar($0) }
    let loop = RecurrentLoop(
      sequences: sequences, hidden: weights.hidden, settings: settings, context: arguments.context)
    let result = try loop(state: state, cell: state) { direction in
      let function = settings.functions[direction][0]
      return try weights.loopDirection(direction) { weight, bias in
        { fromInput, state, cell in
          (try function(fromInput + linear(state, weight: weight, bias: bias), clip: clip), cell)
        }
      }
    }
    return try result.values(settings, type: type, hasCell: false)
  }
}
