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
        Operators.byName[node.operatorName]?.appliesActivation == true, node.outputs.count == 1,
        let output = node.outputs[0]
      else { continue }
      guard let (function, last, others) = rewriter.activation(of: output, precision) else { continue }
      var fused = node
      fused.activation = function
      fused.outputs = [last]
      for other in others { rewriter.remove(other) }
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
    if let reader = soleReader(of: value), let node = nodes[reader], let output = node.outputs.first.flatMap({ $0 }),
      let function = function(of: node, applyingTo: value)
    {
      return (function, output, [reader])
    }
    // x · σ(x)
    let readers = readers(of: value)
    guard !isOutput(value), readers.count == 2, let sigmoid = readers.first(where: { isNode($0, "Sigmoid") }),
      let product = readers.first(where: { isNode($0, "Mul") }),
      let gate = nodes[sigmoid]?.outputs.first.flatMap({ $0 }), soleReader(of: gate) == product,
      let output = nodes[product]?.outputs.first.flatMap({ $0 })
    else { return nil }
    return (precision == .exact ? .sigmoidProduct : .silu, output, [sigmoid, product])
  }

  /// The activation that `node` computes, with the same kernel that it uses itself.
  private func function(of node: Node, applyingTo value: Graph.ValueID) -> Activation? {
    guard node.operatorName.domain.isEmpty, node.inputs.first == value else { return nil }
    func float(_ name: String, _ value: Float) -> Double {
      if case .float(let number)? = node.attributes[name] { Double(number) } else { Double(value) }
    }
    switch node.operatorName.type {
    case "Relu": return .relu
    case "Sigmoid": return .sigmoid
    case "Tanh": return .tanh
    case "LeakyRelu": return .leakyReLU(negativeSlope: float("alpha", 0.01))
    case "Clip": return clip(node)
    default: return nil
    }
  }

  private func clip(_ node: Node) -> Activation? {
    var bounds: [Double] = [-.infinity, .infinity]
    for (position, name) in ["min", "max"].enumerated() {
      if node.opset < 11 {
        if case .float(let number)? = node.attributes[name] { bounds[position] = Double(number) }
      } else if node.inputs.count > position + 1, let input = node.inputs[position + 1] {
        guard let number = scalar(input) else { return nil }
        bounds[position] = number
      }
    }
    guard !bounds[0].isNaN, !bounds[1].isNaN else { return nil }
    return .hardTanh(minimum: bounds[0], maximum: bounds[1])
  }
}
