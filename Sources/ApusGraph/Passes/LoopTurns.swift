import Apus

extension Graph {
  /// A Loop that goes on by numbers that are known before it runs, as one of TensorFlow's that counts to a length, becomes
  /// one of so many turns, and its body asks nothing.
  /// - Throws: ``GraphError/cancelled``, ``GraphError/timeLimit(_:)``.
  func countingTurns() throws -> Graph {
    guard hasNode("Loop") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard rewriter.isNode(index, "Loop"), var node = rewriter.nodes[index], var body = node.subgraphs["body"],
        let turns = try rewriter.turns(of: node, body)
      else { continue }
      let number = GraphValue(try Tensor([Int64(turns)], shape: []))
      node.inputs[0] = rewriter.addConstant(number, named: "\(node.name)/turns")
      node.inputs[1] = nil
      body.outputs[0] = body.inputs[1]
      node.subgraphs["body"] = body
      rewriter.replace(index, by: node)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// How often the body of a Loop runs, where all that its condition depends on is known and simple, and that is not often.
  fileprivate func turns(of node: Node, _ body: Graph) throws -> Int? {
    guard node.inputs.count == body.inputs.count, node.inputs.count >= 2, body.outputs.count + 1 >= body.inputs.count,
      isTrue(node.inputs[1]), let condition = LoopCondition(of: body.closed(in: graph))
    else { return nil }
    var most = Int.max
    if node.inputs[0] != nil {
      guard let number = wholeNumber(node.inputs[0]) else { return nil }
      most = number
    }
    let states = condition.states.compactMap { constant(node.inputs[$0]) }
    guard states.count == condition.states.count else { return nil }
    return try condition.turns(from: states, most: most)
  }

  private func isTrue(_ value: Graph.ValueID?) -> Bool {
    guard case .tensor(.bool(let tensor))? = constant(value), tensor.count == 1 else { return false }
    return (try? tensor.scalar) ?? false
  }

  private func wholeNumber(_ value: Graph.ValueID?) -> Int? {
    guard case .tensor(.int64(let tensor))? = constant(value), tensor.count == 1 else { return nil }
    return (try? tensor.scalar).map { Int($0) }
  }
}

/// What the condition of a Loop depends on: the part of its body that can be run by itself.
private struct LoopCondition {
  private let body: Graph
  /// The inputs of the body that are states of this part.
  let states: [Int]
  private var nodes: [(node: Node, operation: PreparedOperator)] = []
  private let constants: [Graph.ValueID: GraphValue]

  /// Nodes that are run to find out, and bytes that each may give: opening a model is not running it.
  private static let mostSteps = 4096
  private static let mostBytes = 1024
  /// Operators that make nothing large of small values.
  private static let simple = Set(
    [
      "Add", "And", "Cast", "Equal", "Greater", "GreaterOrEqual", "Identity", "Less", "LessOrEqual", "Max", "Min",
      "Mul", "Not", "Or", "Squeeze", "Sub", "Unsqueeze",
    ].map { OperatorName(type: $0) })

  /// Nil where the condition depends on something else, or on nothing.
  init?(of body: Graph) {
    self.body = body
    let isNeeded = body.needed(for: [body.outputs[0]])
    let taken = body.nodes.filter { node in node.outputs.contains { $0.map { isNeeded[$0] } ?? false } }
    guard !taken.isEmpty, taken.allSatisfy({ Self.simple.contains($0.operatorName) }) else { return nil }
    states = body.inputs.indices.dropFirst(2).filter { isNeeded[body.inputs[$0]] }
    constants = body.constants.filter { isNeeded[$0.key] }
    var isGiven = [Bool](repeating: false, count: body.values.count)
    for id in body.inputs + constants.keys { isGiven[id] = true }
    for node in taken {
      let description = NodeDescription(node: node, constants: body.knownInputs(of: node))
      guard let operation = try? Operators.byName[node.operatorName]?.prepare(description) else { return nil }
      nodes.append((node, operation))
      for case let output? in node.outputs { isGiven[output] = true }
    }
    guard isNeeded.indices.allSatisfy({ !isNeeded[$0] || isGiven[$0] }) else { return nil }
  }

  /// How often the condition holds, beginning with true; nil where that takes long to find out, and where something fails, as
  /// it then does when the Loop runs.
  func turns(from initial: [GraphValue], most: Int) throws -> Int? {
    let context = RunContext()
    return try Execution.with(stop: context.stop) {
      var (state, turn, holds) = (initial, 0, true)
      while holds, turn < most {
        try context.checkCancellation()
        guard (turn + 1) * nodes.count <= Self.mostSteps,
          let values = try? values(turn: turn, state, context),
          case .tensor(.bool(let condition))? = values[body.outputs[0]], condition.count == 1
        else { return nil }
        holds = try condition.scalar
        state = states.compactMap { values[body.outputs[$0 - 1]] }
        guard state.count == states.count else { return nil }
        turn += 1
      }
      return turn
    }
  }

  /// All values that one turn gives; nil where one is not small.
  private func values(turn: Int, _ state: [GraphValue], _ context: RunContext) throws -> [Graph.ValueID: GraphValue]? {
    var values = constants
    func shape(_ input: Int) -> [Int] { body.values[body.inputs[input]].type.ofSingleNumber }
    values[body.inputs[0]] = GraphValue(try Tensor([Int64(turn)], shape: shape(0)))
    values[body.inputs[1]] = GraphValue(try Tensor([true], shape: shape(1)))
    for (input, value) in zip(states, state) { values[body.inputs[input]] = value }
    guard values.values.allSatisfy({ $0.byteCount <= Self.mostBytes }) else { return nil }
    for (node, operation) in nodes {
      let inputs = node.inputs.map { $0.flatMap { values[$0] } }
      guard !inputs.contains(where: { $0?.holdsTexts ?? false }) else { return nil }
      var arguments = Arguments(inputs, context: context)
      for case (let output?, let value?) in zip(node.outputs, try operation(&arguments)) {
        // Of such operands as are left not much more can come.
        guard value.byteCount <= Self.mostBytes else { return nil }
        values[output] = value
      }
    }
    return values
  }
}
