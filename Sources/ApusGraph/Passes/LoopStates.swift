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
        if state < node.outputs.count { node.outputs.remove(at: state) }
        node.inputs.remove(at: 2 + state)
        body.outputs.remove(at: 1 + state)
        body.captures.append(Capture(outer: outer, inner: body.inputs.remove(at: 2 + state)))
      }
      guard body.captures.count > former else { continue }
      node.subgraphs["body"] = body
      rewriter.replace(index, by: node)
    }
    return rewriter.finished()
  }

  /// Of the body of a Loop, which gives (condition, state…) for (turn, condition, state…), the states that are given as they
  /// came.
  private var unchangedStates: [Int] {
    var sources: [ValueID: ValueID] = [:]
    for node in nodes where node.operatorName == OperatorName(type: "Identity") {
      if let input = node.input(0), let output = node.output(0) { sources[output] = sources[input] ?? input }
    }
    return inputs.indices.dropFirst(2).compactMap { input in
      let output = outputs[input - 1]
      return constants[inputs[input]] == nil && (sources[output] ?? output) == inputs[input] ? input - 2 : nil
    }
  }
}
