extension Graph {
  /// A state that a Loop's body hands on as it came is what it was before the first turn: the body reads it from around it,
  /// where a constant is one for the body too.
  ///
  /// TensorFlow's loops hand on all that they read, weights among them.
  func readingUnchangedStates() -> Graph {
    guard hasNode("Loop") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard rewriter.isNode(index, "Loop"), var node = rewriter.nodes[index], var body = node.subgraphs["body"],
        node.inputs.count == body.inputs.count, body.outputs.count + 1 >= body.inputs.count
      else { continue }
      let former = body.captures.count
      for state in body.unchangedStates.reversed() {
        guard let outer = node.inputs[2 + state] else { continue }
        if let output = node.output(state) {
          if rewriter.isOutput(output) { continue }
          rewriter.redirect(output, to: outer)
        }
        body.captures.append(Capture(outer: outer, inner: body.inputs[2 + state]))
        node.removeLoopState(state, body: &body)
      }
      guard body.captures.count > former else { continue }
      node.subgraphs["body"] = body
      rewriter.replace(index, by: node)
    }
    return rewriter.finished()
  }

  /// A state that only states are made of which nobody asks for, as a number of turns that went into the condition, is none.
  func withoutUnreadStates() -> Graph {
    guard hasNode("Loop") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard rewriter.isNode(index, "Loop"), var node = rewriter.nodes[index], var body = node.subgraphs["body"],
        node.inputs.count == body.inputs.count, node.inputs.count >= 2,
        body.outputs.count + 1 >= body.inputs.count
      else { continue }
      let states = body.inputs.count - 2
      let isWanted = body.outputs.indices.dropFirst().map { output in
        node.output(output - 1).map { !rewriter.isUnused($0) } ?? false
      }
      let unread = body.unreadStates(isWanted.prefix(states), scans: isWanted.dropFirst(states))
      guard !unread.isEmpty else { continue }
      for state in unread.reversed() { node.removeLoopState(state, body: &body) }
      node.subgraphs["body"] = body
      rewriter.replace(index, by: node)
    }
    return rewriter.finished()
  }

  /// The states of a Loop's body that nothing wanted is made of.
  private func unreadStates(_ areWanted: ArraySlice<Bool>, scans: ArraySlice<Bool>) -> [Int] {
    let wanted = zip(outputs.dropFirst(), areWanted + scans).compactMap { $1 ? $0 : nil }
    let isNeeded = needed(for: [outputs[0]] + wanted)
    return zip(inputs.dropFirst(2), areWanted).enumerated().compactMap { state, input in
      input.1 || isNeeded[input.0] ? nil : state
    }
  }

  /// For each value of a Loop's body whether one of `roots` is made of it, in this turn or in a later one.
  func needed(for roots: [ValueID]) -> [Bool] {
    var producers: [ValueID: Int] = [:]
    for (index, node) in nodes.enumerated() { for case let output? in node.outputs { producers[output] = index } }
    var next: [ValueID: ValueID] = [:]
    for (input, output) in zip(inputs.dropFirst(2), outputs.dropFirst()) { next[input] = output }
    var isNeeded = [Bool](repeating: false, count: values.count)
    var isVisited = [Bool](repeating: false, count: nodes.count)
    var pending = roots
    while let value = pending.popLast() {
      if isNeeded[value] { continue }
      isNeeded[value] = true
      if let former = next[value] { pending.append(former) }
      guard let index = producers[value], !isVisited[index] else { continue }
      isVisited[index] = true
      nodes[index].forEachRead { pending.append($0) }
    }
    return isNeeded
  }

  /// Of the body of a Loop, which gives (condition, state…) for (turn, condition, state…), the states that are given as they
  /// came.
  private var unchangedStates: [Int] {
    let sources = identitySources
    return inputs.indices.dropFirst(2).compactMap { input in
      let output = outputs[input - 1]
      return constants[inputs[input]] == nil && (sources[output] ?? output) == inputs[input] ? input - 2 : nil
    }
  }
}

extension Node {
  /// Takes a state out of a Loop and its body.
  fileprivate mutating func removeLoopState(_ state: Int, body: inout Graph) {
    inputs.remove(at: 2 + state)
    if state < outputs.count { outputs.remove(at: state) }
    body.inputs.remove(at: 2 + state)
    body.outputs.remove(at: 1 + state)
  }
}
