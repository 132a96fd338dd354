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
      node.inputs[0] = try rewriter.addConstant(GraphValue(Tensor([Int64(turns)], shape: [])), named: "\(node.name)/turns")
      node.inputs[1] = nil
      body.outputs[0] = body.inputs[1]
      node.subgraphs["body"] = body.withoutDeadNodes()
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
    return try condition.turns(from: states, most: most, in: graph)
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
  /// The inputs of the body that are states of this part.
  private(set) var states: [Int] = []
  private var part: Graph

  private static let most = (turns: 512, bytes: 1024)
  /// Operators that make nothing large of small values.
  private static let simple = Set(
    [
      "Add", "And", "Cast", "Equal", "Greater", "GreaterOrEqual", "Identity", "Less", "LessOrEqual", "Max", "Min", "Mul",
      "Not", "Or", "Squeeze", "Sub", "Unsqueeze",
    ].map { OperatorName(type: $0) })

  /// Nil where the condition depends on something else, or on nothing.
  init?(of body: Graph) {
    part = body
    var isNeeded = [Bool](repeating: false, count: body.values.count)
    var isTaken = [Bool](repeating: false, count: body.nodes.count)
    isNeeded[body.outputs[0]] = true
    var isComplete = false
    while !isComplete {
      isComplete = true
      for index in body.nodes.indices.reversed() where !isTaken[index] {
        let node = body.nodes[index]
        guard node.outputs.contains(where: { $0.map { isNeeded[$0] } ?? false }) else { continue }
        guard Self.simple.contains(node.operatorName) else { return nil }
        node.forEachRead { isNeeded[$0] = true }
        (isTaken[index], isComplete) = (true, false)
      }
      for input in body.inputs.indices.dropFirst(2) where isNeeded[body.inputs[input]] && !states.contains(input) {
        states.append(input)
        isNeeded[body.outputs[input - 1]] = true
        isComplete = false
      }
    }
    part.nodes = body.nodes.indices.filter { isTaken[$0] }.map { body.nodes[$0] }
    part.constants = body.constants.filter { isNeeded[$0.key] }
    part.inputs = body.inputs.prefix(2) + states.map { body.inputs[$0] }
    part.outputs = [body.outputs[0]] + states.map { body.outputs[$0 - 1] }
    part.captures = []
    var isGiven = [Bool](repeating: false, count: body.values.count)
    for id in part.inputs + part.constants.keys + part.nodes.flatMap({ $0.outputs.compactMap { $0 } }) { isGiven[id] = true }
    guard !part.nodes.isEmpty, isNeeded.indices.allSatisfy({ !isNeeded[$0] || isGiven[$0] }) else { return nil }
  }

  /// How often the condition holds, beginning with true; nil beyond some hundred turns, and where something fails, as it then
  /// does when the Loop runs.
  func turns(from initial: [GraphValue], most: Int, in graph: Graph) throws -> Int? {
    guard let body = try? Subplan(part, around: graph, firstCapture: 0, depth: 1) else { return nil }
    let shapes = [body.scalarShape(input: 0), body.scalarShape(input: 1)]
    let context = RunContext()
    return try Execution.with(stop: context.stop) {
      var (state, turn, holds) = (initial, 0, true)
      while holds, turn < most {
        try context.checkCancellation()
        guard turn < Self.most.turns, state.allSatisfy({ $0.byteCount <= Self.most.bytes }),
          let outputs = try? body(
            [GraphValue(Tensor([Int64(turn)], shape: shapes[0])), GraphValue(Tensor([true], shape: shapes[1]))] + state,
            Arguments(context: context)),
          case .tensor(.bool(let condition))? = outputs.first, condition.count == 1
        else { return nil }
        holds = try condition.scalar
        state = Array(outputs.dropFirst())
        turn += 1
      }
      return turn
    }
  }
}
