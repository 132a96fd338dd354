extension Graph {
  /// Without nodes that return their input: Identity, and Dropout outside training.
  func withoutIdentities() -> Graph {
    guard hasNode("Identity", "Dropout") else { return self }
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
