import Apus

extension Graph {
  /// Shapes become constants, and what is computed of them, where every input's shape is declared.
  ///
  /// Inputs are checked against what the model declares before anything runs, so nothing else can come. For the graph
  /// of a model alone: what is fed to a subgraph is not checked.
  func foldingShapes() throws -> Graph {
    // What is computed of constants alone is folded without knowing shapes.
    guard nodes.contains(where: \.readsShapes), inputs.allSatisfy({ declaredType(of: $0) != nil }) else { return self }
    let known = try inference().known
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard let node = rewriter.nodes[index] else { continue }
      let values = node.outputs.map { $0.flatMap { known[$0] } }
      guard
        zip(node.outputs, values).allSatisfy({ output, value in
          output.map { value != nil && !rewriter.isOutput($0) } ?? true
        })
      else { continue }
      rewriter.fold(index, values)
    }
    return rewriter.finished()
  }
}

extension Node {
  /// Whether the node's outputs follow from the shapes of its inputs.
  var readsShapes: Bool {
    switch facts?.shapes {
    case .sizes: true
    case .parts: parts.contains(where: \.readsShapes)
    case .rule, .unknown, nil: false
    }
  }
}
