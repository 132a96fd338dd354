import Apus

extension Operators {
  /// ONNX Runtime's ``LSTM(_:)`` over matrices of 8-bit integers that lie transposed, `W` `[directions, inputs,
  /// 4 · hidden]` and `R` `[directions, hidden, 4 · hidden]`. The input is quantised over all steps, and the state at
  /// each step over the whole batch, as ``DynamicQuantizeLinear(_:)`` does.
  static func DynamicQuantizeLSTM(_ node: NodeDescription) throws -> PreparedOperator {
    let step = try LSTMStep(node)
    let weights = 1...3, levels = 8...11
    let known = (Array(weights) + levels).filter(node.has)
    var constant: QuantizedDirections?
    if known.allSatisfy({ node.constant($0) != nil }) {
      constant = try QuantizedDirections(step.settings) { node.constant($0) }
      known.forEach(node.absorb)
    }
    return { [constant] arguments in
      let settings = step.settings
      let type = try arguments.floatingType(0)
      let lengths = try arguments.optionalIntegers(4)
      let weights = try constant ?? QuantizedDirections(settings) { [arguments] in arguments[$0] }
      let sequences = try RecurrentSequences(
        arguments.floating(0, as: Float.self), lengths: lengths, batchFirst: settings.batchFirst,
        inputs: weights.inputs)
      let (state, cell) = try step.state(arguments, of: sequences, hidden: weights.hidden)
      if step.isPlain, sequences.lengths == nil {
        return try weights.run(sequences, state: state, cell: cell, settings, context: arguments.context)
          .values(settings, type: type, hasCell: true)
      }
      let peepholes = try step.peepholes(arguments, as: Float.self, hidden: weights.hidden)
      let loop = RecurrentLoop(
        sequences: sequences, hidden: weights.hidden, settings: settings, context: arguments.context)
      let result = try loop(state: state, cell: cell) { index in
        let own = weights.directions[index]
        return .init(
          fromInput: { steps in
            let sums = try own.input(steps)
            return try weights.biases.map { try sums + $0[index] } ?? sums
          }, step: try step(index, peepholes, hidden: weights.hidden, fromState: own.state.callAsFunction))
      }
      return try result.values(settings, type: type, hasCell: true)
    }
  }
}

/// The matrices of a quantised LSTM, with their scales and zero points.
private struct QuantizedDirections: Sendable {
  let directions: [DynamicQuantizedLSTM]
  /// Those of input and state together, `[4 · hidden]` for each direction.
  let biases: [Tensor<Float>]?
  let inputs: Int
  let hidden: Int

  /// - Parameter value: the inputs of the node.
  init(_ settings: RecurrentSettings, value: (_ index: Int) throws -> GraphValue?) throws {
    func tensor(_ index: Int) throws -> AnyTensor? {
      guard let value = try value(index) else { return nil }
      guard case .tensor(let tensor) = value else {
        throw OperatorError("input \(index) is \(value.type); a tensor is needed")
      }
      return tensor
    }
    func numbers(_ index: Int) throws -> Tensor<Float>? {
      try tensor(index).map {
        guard $0.dataType.isFloatingPoint else {
          throw OperatorError("input \(index) is \(ElementType($0.dataType)); a floating-point type is needed")
        }
        return try $0.converted(to: Float.self)
      }
    }
    guard let w = try tensor(1), let r = try tensor(2), let wScale = try numbers(8), let rScale = try numbers(10) else {
      throw OperatorError("W, R and their scales, inputs 1, 2, 8 and 10, are needed")
    }
    let count = settings.directions
    let hidden = r.rank == 3 ? r.shape[1] : 0
    let columns = hidden.multipliedReportingOverflow(by: 4).partialValue
    let bias = try numbers(3)
    guard w.rank == 3, w.shape[0] == count, w.shape[2] == columns, r.shape == [count, hidden, columns],
      bias.map({ $0.shape == [count, 2 &* columns] }) ?? true, settings.hidden.map({ $0 == hidden }) ?? true
    else {
      throw OperatorError(
        "weights W \(w.shape), R \(r.shape)" + (bias.map { ", B \($0.shape)" } ?? "")
          + " do not fit each other, \(count) directions and 4 gates"
          + (settings.hidden.map { " of hidden_size \($0)" } ?? ""))
    }
    let (wPoint, rPoint) = (try tensor(9), try tensor(11))
    for (name, shape) in [
      ("W_scale", wScale.shape), ("R_scale", rScale.shape), ("W_zero_point", wPoint?.shape ?? [count]),
      ("R_zero_point", rPoint?.shape ?? [count]),
    ] where shape != [count] && shape != [count, columns] {
      throw OperatorError("\(name) has shape \(shape); [\(count)] or [\(count), \(columns)] is needed")
    }
    let biases = try bias.map { bias in
      try (0..<count).map { index in
        let halves = try bias.selected(axis: 0, index: index).chunked(2, axis: 0)
        return try halves[0] + halves[1]
      }
    }
    self.biases = biases
    (self.hidden, inputs) = (hidden, w.shape[1])
    directions = try (0..<count).map { index in
      try DynamicQuantizedLSTM(
        input: Self.gates(w, wPoint, wScale, index), state: Self.gates(r, rPoint, rScale, index),
        bias: biases?[index])
    }
  }

  private static func gates(
    _ matrices: AnyTensor, _ points: AnyTensor?, _ scales: Tensor<Float>, _ index: Int
  ) throws -> QuantizedGates {
    func gates<Element: ByteScalar>(_ matrices: Tensor<Element>) throws -> QuantizedGates {
      try QuantizedGates(
        matrices.selected(axis: 0, index: index),
        zeroPoint: points?.bytes(like: matrices, "the matrix").selected(axis: 0, index: index),
        scale: scales.selected(axis: 0, index: index))
    }
    switch matrices {
    case .int8(let matrices): return try gates(matrices)
    case .uint8(let matrices): return try gates(matrices)
    default: throw OperatorError("matrices of \(ElementType(matrices.dataType)) are not of 8-bit integers")
    }
  }

  /// All steps of sequences that are equally long, with the usual functions.
  func run(
    _ sequences: RecurrentSequences<Float>, state: Tensor<Float>, cell: Tensor<Float>, _ settings: RecurrentSettings,
    context: RunContext
  ) throws -> RecurrentLoop<Float>.Result {
    let results = try directions.enumerated().map { index, direction in
      try context.checkCancellation()
      return try direction(
        sequences.steps, state: state.selected(axis: 0, index: index), cell: cell.selected(axis: 0, index: index),
        isReversed: settings.areReversed[index])
    }
    return .init(
      output: try stack(results.map(\.output), axis: 1), state: try stack(results.map(\.state), axis: 0),
      cell: try stack(results.map(\.cell), axis: 0))
  }
}
