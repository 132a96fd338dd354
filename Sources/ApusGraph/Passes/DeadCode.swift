extension Graph {
  /// Without nodes that no output depends on.
  func withoutDeadNodes() -> Graph {
    var graph = self
    var isNeeded = [Bool](repeating: false, count: values.count)
    for output in outputs { isNeeded[output] = true }
    var isKept = [Bool](repeating: true, count: nodes.count)
    var isWhole = true
    for index in nodes.indices.reversed() {
      let node = nodes[index]
      if node.outputs.contains(where: { $0.map { isNeeded[$0] } ?? false }) {
        node.forEachRead { isNeeded[$0] = true }
      } else {
        (isKept[index], isWhole) = (false, false)
      }
    }
    if !isWhole { graph.nodes = nodes.indices.filter { isKept[$0] }.map { nodes[$0] } }
    for input in inputs { isNeeded[input] = true }
    // A copy of a table takes longer than a look at it, and most passes leave nothing to take out.
    if constants.keys.contains(where: { !isNeeded[$0] }) { graph.constants = constants.filter { isNeeded[$0.key] } }
    return graph
  }

  /// Nodes are not asked for what nobody reads, such as the mean and the deviation beside a layer normalisation. What is left
  /// keeps its place.
  func withoutUnreadOutputs() -> Graph {
    var isRead = [Bool](repeating: false, count: values.count)
    for output in outputs { isRead[output] = true }
    for node in nodes { node.forEachRead { isRead[$0] = true } }
    var graph = self
    // Before version 14, a batch normalisation that is asked for statistics is one in training.
    for (index, node) in nodes.enumerated()
    where node.outputs.count > 1 && node.operatorName.type != "BatchNormalization" {
      for (place, output) in node.outputs.enumerated() {
        if let output, !isRead[output] { graph.nodes[index].outputs[place] = nil }
      }
    }
    return graph
  }
}
