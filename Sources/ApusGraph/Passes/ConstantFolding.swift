import Apus

extension Graph {
  /// What depends on constants alone is computed once, and becomes a constant.
  ///
  /// Nothing is computed that would take much more memory than what it is made of: a large Expand stays a node.
  func foldingConstants() -> Graph { folding { _ in true } }

  /// The values of Constant nodes become constants of the graph.
  func inliningConstants() -> Graph { folding { $0.operatorName == OperatorName(type: "Constant") } }

  private func folding(_ isWanted: (Node) -> Bool) -> Graph {
    var rewriter = GraphRewriter(self)
    let context = RunContext()
    for index in rewriter.nodes.indices {
      guard let node = rewriter.nodes[index], isWanted(node), let values = rewriter.folded(node, context) else {
        continue
      }
      rewriter.fold(index, values)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// The node's outputs when they can be known now; nil also for a node that fails, which then fails when it runs.
  fileprivate func folded(_ node: Node, _ context: RunContext) -> [GraphValue?]? {
    guard let definition = Operators.byName[node.operatorName], definition.facts.isDeterministic,
      node.subgraphs.isEmpty,
      node.inputs.allSatisfy({ $0 == nil || constant($0) != nil }),
      !node.outputs.contains(where: { $0.map(isOutput) ?? false })
    else { return nil }
    let inputs = node.inputs.map { constant($0) }
    guard let operation = try? definition.prepare(description(of: node)) else { return nil }
    var arguments = Arguments(inputs, context: context)
    guard let values = try? operation(&arguments), values.count >= node.outputs.count else { return nil }
    let limit = max(1 << 16, 8 * (inputs.compactMap { $0?.byteCount }.max() ?? 0))
    // A Constant's value is in the file already.
    guard node.inputs.isEmpty || values.allSatisfy({ ($0?.byteCount ?? 0) <= limit }) else { return nil }
    return values
  }
}

extension GraphValue {
  /// The memory that the elements of a tensor take; 0 for other values.
  var byteCount: Int {
    switch self {
    case .tensor(let tensor): tensor.count * tensor.dataType.byteCount
    case .coded(let tensor): tensor.codes.count
    case .strings, .sequence, .optional: 0
    }
  }
}
