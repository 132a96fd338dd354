import Apus

extension Graph {
  /// Activations after a convolution or matrix product are applied by it, while its result is in the cache.
  ///
  /// A result stays the same, bit for bit: the same function of the same rounded sum. SiLU, in graphs a Sigmoid and a
  /// Mul, is two roundings with `exact` and one with `fast`.
  func fusingActivations(_ precision: Execution.Precision) -> Graph {
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard let node = rewriter.nodes[index], node.activation == .identity,
        node.facts?.fusion.appliesActivation == true, node.outputs.count == 1,
        let output = node.output(0)
      else { continue }
      var fused = node
      if let (function, last, others) = rewriter.activation(of: output, precision) {
        fused.activation = function
        fused.outputs = [last]
        for other in others { rewriter.remove(other) }
      } else if let reader = rewriter.soleReader(of: output), var reshaping = rewriter.nodes[reader],
        reshaping.facts?.results == .reshapedInput, reshaping.input(0) == output, let reshaped = reshaping.output(0),
        let (function, last, others) = rewriter.activation(of: reshaped, precision)
      {
        // A function of single numbers may come before it as well.
        let activated = rewriter.addValue(named: "\(rewriter.graph.values[last].name) before it is reshaped")
        fused.activation = function
        fused.outputs = [activated]
        reshaping.inputs[0] = activated
        reshaping.outputs = [last]
        for other in others { rewriter.remove(other) }
        rewriter.replace(reader, by: reshaping)
      } else {
        continue
      }
      rewriter.replace(index, by: fused)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// The function that all readers of `value` together are, the value it gives, and these readers.
  fileprivate func activation(
    of value: Graph.ValueID, _ precision: Execution.Precision
  ) -> (Activation, output: Graph.ValueID, nodes: [Int])? {
    if let reader = soleReader(of: value), let node = nodes[reader], let output = node.output(0),
      let function = function(of: node, applyingTo: value)
    {
      return (function, output, [reader])
    }
    // x · σ(x)
    guard !isOutput(value), readerCount(of: value) == 2 else { return nil }
    let readers = readers(of: value)
    guard let sigmoid = readers.first(where: { isNode($0, "Sigmoid") }),
      let product = readers.first(where: { isNode($0, "Mul") }),
      let gate = nodes[sigmoid]?.output(0), soleReader(of: gate) == product,
      let output = nodes[product]?.output(0)
    else { return nil }
    return (precision == .exact ? .sigmoidProduct : .silu, output, [sigmoid, product])
  }

  /// The activation that `node` computes, with the same kernel that it uses itself.
  private func function(of node: Node, applyingTo value: Graph.ValueID) -> Activation? {
    guard node.inputs.first == value, case .activation(let function)? = node.facts?.fusion else { return nil }
    return try? function(description(of: node))
  }
}
