import ApusGraph

extension ScoreScale {
  /// What the operator says that an output comes from, whatever moves or rounds its numbers afterwards: probabilities
  /// come from Softmax or Sigmoid, logits from a product and its bias. Nil where it is another one.
  package init?(ofOutput name: String, in graph: Graph) {
    guard var value = graph.value(named: name) else { return nil }
    var hasBias = false
    for _ in graph.nodes {
      guard let node = graph.nodes.first(where: { $0.outputs.contains(value) }) else { return nil }
      let inputs = node.inputs.compactMap(\.self)
      switch node.operatorName.type {
      case "Softmax" where !hasBias, "Sigmoid" where !hasBias: self = .probabilities
      case "Gemm", "MatMul", "Conv", "LogSoftmax": self = .logits
      case "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Cast", "Transpose", "QuantizeLinear",
        "DequantizeLinear":
        guard let input = inputs.first else { return nil }
        value = input
        continue
      case "Add":
        let moving = inputs.filter { graph.constants[$0] == nil }
        guard moving.count == 1 else { return nil }
        (value, hasBias) = (moving[0], true)
        continue
      default: return nil
      }
      return
    }
    return nil
  }
}
