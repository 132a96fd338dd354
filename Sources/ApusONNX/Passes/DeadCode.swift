extension Graph {
  /// Without nodes that no output depends on.
  func withoutDeadNodes() -> Graph {
    var graph = self
    var needed = Set(outputs)
    var kept: [Node] = []
    for node in nodes.reversed() where node.outputs.contains(where: { $0.map(needed.contains) ?? false }) {
      needed.formUnion(node.reads)
      kept.append(node)
    }
    graph.nodes = kept.reversed()
    graph.constants = constants.filter { needed.contains($0.key) || inputs.contains($0.key) }
    return graph
  }
}
