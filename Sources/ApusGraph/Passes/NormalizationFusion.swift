import Apus

extension Graph {
  /// A batch normalisation of what a convolution gives is applied by it, while its sums are in the cache; they stay the same,
  /// bit for bit.
  ///
  /// Where `foldingScales(_:)` could, it has made it a part of the weight.
  func fusingNormalizations() -> Graph {
    guard hasNode("BatchNormalization") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "Conv") {
      guard let convolution = rewriter.nodes[index], let output = convolution.output(0),
        let reader = rewriter.soleReader(of: output), let normalization = rewriter.nodes[reader],
        rewriter.canNormalize(convolution, normalization)
      else { continue }
      var fused = Node(
        name: convolution.name, operatorName: OperatorName(domain: "apus", type: "Conv"), opset: convolution.opset,
        inputs: [convolution.input(0), convolution.input(1), convolution.input(2)] + normalization.inputs[1...],
        outputs: normalization.outputs, attributes: convolution.attributes)
      fused.attributes["epsilon"] = normalization.attributes["epsilon"]
      rewriter.remove(reader)
      rewriter.replace(index, by: fused)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// Whether the second node normalises what the first gives by known numbers, one for each channel. In types of sixteen
  /// bits there is a rounding between the two.
  fileprivate func canNormalize(_ convolution: Node, _ normalization: Node) -> Bool {
    guard normalization.operatorName == OperatorName(type: "BatchNormalization"), normalization.opset >= 7,
      normalization.inputs.count == 5, normalization.inputs.first == convolution.output(0),
      normalization.outputs.count == 1, convolution.activation == .identity, normalization.activation == .identity,
      !convolution.computesInFloat64, normalization.attributes["training_mode"] == nil,
      normalization.attributes["spatial"] == nil,
      case .tensor(let weight)? = constant(convolution.input(1)), weight.rank >= 3,
      weight.dataType == .float32 || weight.dataType == .float64
    else { return false }
    return normalization.inputs[1...].allSatisfy {
      guard case .tensor(let numbers)? = constant($0) else { return false }
      return numbers.dataType == weight.dataType && numbers.shape == [weight.shape[0]]
    }
  }
}
