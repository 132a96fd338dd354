extension Graph {
  /// Without nodes that return their input: Identity, and Dropout outside training.
  ///
  /// - Parameter isWhole: whether this is the model's graph, whose outputs keep their names.
  func withoutIdentities(isWhole: Bool = true) -> Graph {
    guard hasNode("Identity", "Dropout") else { return self }
    if !isWhole {
      var graph = self
      let sources = identitySources
      graph.outputs = outputs.map { output in
        guard let source = sources[output] else { return output }
        // What is declared is what a Loop without turns gives.
        let declared = values[output].type
        if graph.values[source].type == nil { graph.values[source].type = declared }
        return graph.values[source].type == declared ? source : output
      }
      return graph.withoutDeadNodes().withoutIdentities()
    }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard let node = rewriter.nodes[index], rewriter.handsOn(index),
        let input = node.input(0), let output = node.output(0),
        !rewriter.isOutput(output)
      else { continue }
      rewriter.redirect(output, to: input)
      rewriter.remove(index)
    }
    return rewriter.finished()
  }

  /// For what an Identity gives, what it is given, through all that follow each other.
  var identitySources: [ValueID: ValueID] {
    var sources: [ValueID: ValueID] = [:]
    for node in nodes where node.operatorName == OperatorName(type: "Identity") {
      if let input = node.input(0), let output = node.output(0) { sources[output] = sources[input] ?? input }
    }
    return sources
  }
}

extension GraphRewriter {
  fileprivate func handsOn(_ index: Int) -> Bool {
    guard let node = nodes[index] else { return false }
    if isNode(index, "Identity") { return true }
    // From version 12 on a third input says whether this is training; before, and without it, it is not.
    let isTraining = node.input(2) != nil
    return isNode(index, "Dropout") && node.outputs.count == 1 && !isTraining && node.opset >= 7
  }
}
