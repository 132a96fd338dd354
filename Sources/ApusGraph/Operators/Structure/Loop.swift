import Apus

// Control flow: a graph again and again, as often as a number or a condition says.

extension Operators {
  static let loops: [OperatorDefinition] = [
    OperatorDefinition("Loop", .plain(.unknown("it depends on how often the body runs")), Loop),
    OperatorDefinition("SequenceMap", .plain(.unknown("it gives sequences")), SequenceMap),
  ]

  /// Runs `body` on (turn, condition, state…) for (condition, state…, scanned…), at most as often as input 0 says and,
  /// where input 1 is given, as long as the condition holds. Gives the last state, and what was scanned as tensors with
  /// an axis of turns in front.
  ///
  /// Without input 1 what the body says of the condition is of no account. The run's limits count every turn, and what
  /// the body makes.
  static func Loop(_ node: NodeDescription) throws -> PreparedOperator {
    let body = try node.subgraph("body")
    let states = max(0, node.inputCount - 2)
    let scans = body.outputCount - 1 - states
    guard body.inputCount == 2 + states, scans >= 0, node.outputCount <= states + scans else {
      throw OperatorError(
        "the body has \(body.inputCount) inputs and \(body.outputCount) outputs, the node \(node.inputCount) and "
          + "\(node.outputCount)")
    }
    let isConditional = node.has(1)
    let wanted = (0..<scans).map { node.wants(states + $0) }
    let readsTurn = body.reads(input: 0)
    let scalarShapes = body.inputTypes.prefix(2).map(\.ofSingleNumber)
    return { arguments in
      let turns = try arguments.has(0) ? arguments.integer(0) : nil
      var condition = try isConditional ? arguments.truth(1) : true
      var state = (0..<states).map { arguments.takeIfGiven(2 + $0) }
      return try arguments.context.growing {
        var scanned = wanted.map { _ in [GraphValue]() }
        var turn = 0
        // While the body runs the condition holds.
        let holds = try GraphValue(Tensor([true], shape: scalarShapes[1]))
        while condition, turns.map({ turn < $0 }) ?? true {
          try arguments.context.countIteration()
          // Nobody but the body holds the state, so that it may write over it.
          let number = try readsTurn ? GraphValue(Tensor([Int64(turn)], shape: scalarShapes[0])) : nil
          let inputs = [number, holds] + state
          state = []
          let outputs = try body(consume inputs, arguments)
          if isConditional { condition = try Arguments(outputs, context: arguments.context).truth(0) }
          state = Array(outputs[1..<(1 + states)])
          for scan in 0..<scans where wanted[scan] { scanned[scan].append(outputs[1 + states + scan]) }
          turn += 1
        }
        let results = try (0..<scans).map { scan -> GraphValue? in
          guard wanted[scan] else { return nil }
          return try stacked(scanned[scan], axis: 0, declared: body.outputTypes[1 + states + scan])
        }
        return state + results
      }
    }
  }

  /// `values` along a new axis; an empty tensor as `declared` has it when there are none.
  static func stacked(_ values: [GraphValue], axis: Int, declared: GraphValueType?) throws -> GraphValue {
    if let first = values.first {
      let rank = try first.extents.count + 1
      return try Stacking(axis: Axes.resolve(axis, rank: rank)).single(values)
    }
    guard case .tensor(let elementType?, let dimensions)? = declared else {
      throw OperatorError("a graph that never ran declares no type for an output, so that its empty result has none")
    }
    var shape = (dimensions ?? []).map { if case .size(let size) = $0 { size } else { 0 } }
    shape.insert(0, at: try Axes.resolve(axis, rank: shape.count + 1))
    return try GraphValue(zeros: elementType, shape: shape)
  }

  /// Runs `body` for every element of the sequence in input 0, together with the elements of other sequences of the
  /// same length and with tensors, and gives its outputs as sequences.
  static func SequenceMap(_ node: NodeDescription) throws -> PreparedOperator {
    let body = try node.subgraph("body")
    guard body.inputCount == node.inputCount, body.outputCount >= node.outputCount else {
      throw OperatorError(
        "the body has \(body.inputCount) inputs and \(body.outputCount) outputs, the node \(node.inputCount) and "
          + "\(node.outputCount)")
    }
    return { arguments in
      let count = try arguments.sequence(0).values.count
      var results = [[GraphValue]](repeating: [], count: body.outputCount)
      try arguments.context.growing {
        for index in 0..<count {
          try arguments.context.countIteration()
          let inputs = try (0..<arguments.count).map { input -> GraphValue? in
            guard case .sequence(let values, _)? = arguments[input] else { return arguments[input] }
            guard values.count == count else {
              throw OperatorError("sequence \(input) has \(values.count) elements and sequence 0 \(count)")
            }
            return values[index]
          }
          for (output, value) in try body(inputs, arguments).enumerated() { results[output].append(value) }
        }
      }
      return try results.enumerated().map { output, values in
        try .sequence(values, declared: body.outputTypes[output])
      }
    }
  }
}

extension GraphValueType? {
  /// The shape of a single number as a graph declares it: with no axes, or, as old files have it, with one.
  var ofSingleNumber: [Int] {
    if case .tensor(_, let dimensions?)? = self, dimensions.count == 1 { [1] } else { [] }
  }
}
