import Apus

extension Graph {
  /// What depends on constants alone is computed once, and becomes a constant.
  ///
  /// What takes much more memory than what it is made of, as a large Expand, stays a node beyond a ``FoldingAllowance``.
  /// - Throws: ``GraphError/cancelled``, ``GraphError/timeLimit(_:)``.
  func foldingConstants() throws -> Graph { try folding { _ in true } }

  /// The values of Constant nodes become constants of the graph.
  func inliningConstants() throws -> Graph {
    try folding { $0.operatorName == OperatorName(type: "Constant") }
  }

  /// Weights that a file stores in fewer bits become the numbers that they stand for, where they stand: before what moves
  /// them, so that a matrix that is transposed on its way can be packed from how it lies.
  func expandingWeights() throws -> Graph {
    let names = Set(
      ["Cast", "DequantizeLinear", "Reshape"].map { OperatorName(type: $0) } + Operators.compressedWeights.map(\.name))
    return try folding { names.contains($0.operatorName) }
  }

  private func folding(_ isWanted: (Node) -> Bool) throws -> Graph {
    var rewriter = GraphRewriter(self)
    let context = RunContext()
    var allowance = FoldingAllowance(of: self)
    // What is laid out to compute a constant is not kept.
    try PackedCache.$current.withValue(nil) {
      try Execution.with(stop: context.stop) {
        for index in rewriter.nodes.indices {
          guard let node = rewriter.nodes[index], isWanted(node) else { continue }
          let values = rewriter.folded(node, context, within: allowance.limit)
          // Whatever was broken off is undefined.
          try context.checkCancellation()
          guard let values else { continue }
          rewriter.fold(index, values)
          for (output, value) in zip(node.outputs, values) { allowance.take(output, value) }
          for case let input? in node.inputs where rewriter.isUnused(input) {
            // What the graph came with may be an input's default.
            if allowance.giveBack(input) { rewriter.removeConstant(input) }
          }
        }
      }
    }
    return rewriter.finished()
  }
}

/// How far the constants of a graph may outgrow what they are made of: by as much as its weights take at a time, so that
/// relative positions and masks are computed once; and in all by a few times that, which bounds the time it takes.
private struct FoldingAllowance {
  private var bytesLeft: Int
  private var computedBytesLeft: Int
  private var taken: [Graph.ValueID: Int] = [:]

  init(of graph: Graph) {
    bytesLeft = graph.constants.values.reduce(0) { min(1 << 40, $0 + $1.byteCount) }
    computedBytesLeft = 16 * bytesLeft
  }

  /// Bytes that one value may take.
  var limit: Int { min(bytesLeft, computedBytesLeft) }

  mutating func take(_ id: Graph.ValueID?, _ value: GraphValue?) {
    guard let id, let bytes = value?.byteCount, bytes > 0 else { return }
    taken[id] = bytes
    bytesLeft = max(0, bytesLeft - bytes)
    computedBytesLeft = max(0, computedBytesLeft - bytes)
  }

  /// Gives back what a value took, if it took any.
  mutating func giveBack(_ id: Graph.ValueID) -> Bool {
    guard let bytes = taken.removeValue(forKey: id) else { return false }
    bytesLeft += bytes
    return true
  }
}

extension GraphRewriter {
  /// The node's outputs when they can be known now; nil also for a node that fails, which then fails when it runs.
  ///
  /// - Parameter allowance: bytes that an output may take, whatever it is made of.
  fileprivate func folded(
    _ node: Node, _ context: RunContext, within allowance: Int
  ) -> [GraphValue?]? {
    guard let definition = Operators.byName[node.operatorName], definition.facts.isDeterministic,
      node.subgraphs.isEmpty,
      node.inputs.allSatisfy({ $0 == nil || constant($0) != nil }),
      !node.outputs.contains(where: { $0.map(isOutput) ?? false })
    else { return nil }
    let inputs = node.inputs.map { constant($0) }
    let limit = max(allowance, 1 << 16, 8 * (inputs.compactMap { $0?.byteCount }.max() ?? 0))
    let description = description(of: node)
    // A Constant's value is in the file already.
    guard node.inputs.isEmpty || isForecast(description, inputs, definition, within: limit) else { return nil }
    if let weights = try? Operators.deferredWeights(description, inputs) { return [weights] }
    guard let operation = try? definition.prepare(description) else { return nil }
    var arguments = Arguments(inputs, context: context)
    guard let values = try? operation(&arguments), values.count >= node.outputs.count else { return nil }
    guard node.inputs.isEmpty || values.allSatisfy({ ($0?.byteCount ?? 0) <= limit }) else { return nil }
    return values
  }

  /// Whether no output is known to be larger than `limit` bytes before anything is computed.
  private func isForecast(
    _ description: NodeDescription, _ inputs: [GraphValue?], _ definition: OperatorDefinition, within limit: Int
  ) -> Bool {
    guard case .rule(let rule) = definition.facts.shapes else { return true }
    let types = inputs.map { value in value?.shape.map { InferredType(value?.elementType, $0) } }
    guard let outputs = try? rule(ShapeFacts(node: description, inputs: types)) else { return true }
    return outputs.allSatisfy { output in
      guard let output else { return true }
      return output.shape.product <= limit / (output.elementType?.dataType?.byteCount ?? 1)
    }
  }
}
