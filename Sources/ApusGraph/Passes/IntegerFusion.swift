import Apus

extension Graph {
  /// An integer convolution or product, its Cast to FLOAT, its scale and its bias become one node:
  ///
  ///     activation(Float(ConvInteger(x, weight, zero points)) · scale + bias)
  ///
  /// The sums never lie in memory as integers. Each operation is rounded as if it were a node, so no bit changes.
  func fusingIntegerScales() -> Graph {
    guard hasNode("ConvInteger", "MatMulInteger") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices
    where rewriter.isNode(index, "ConvInteger") || rewriter.isNode(index, "MatMulInteger") {
      rewriter.fuseScale(index)
    }
    return rewriter.finished()
  }

  /// Numbers that such a node gives and a QuantizeLinear alone reads are quantised by it, before they lie in memory.
  ///
  /// After activations have been fused: `QuantizeLinear(activation(…))`, each operation rounded as if it were a node.
  func fusingQuantization() -> Graph {
    guard hasNode("QuantizeLinear") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "QuantizeLinear") {
      rewriter.fuseQuantization(index)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  fileprivate mutating func fuseScale(_ index: Int) {
    guard let sums = nodes[index], let integers = sums.output(0),
      let cast = soleReader(of: integers), isNode(cast, "Cast"), case .int(1)? = nodes[cast]?.attributes["to"],
      let numbers = nodes[cast]?.output(0),
      let product = soleReader(of: numbers), isNode(product, "Mul"), let multiply = nodes[product],
      let scale = other(than: numbers, of: multiply), let scaled = multiply.output(0)
    else { return }
    var last = product
    var bias: Graph.ValueID?
    if let sum = soleReader(of: scaled), isNode(sum, "Add"), let add = nodes[sum],
      let addend = other(than: scaled, of: add), isBias(addend, after: sums.operatorName.type)
    {
      last = sum
      bias = addend
    }
    guard let end = nodes[last] else { return }
    let inputs = sums.inputs + [Graph.ValueID?](repeating: nil, count: max(0, 4 - sums.inputs.count))
    var fused = Node(
      name: sums.name, operatorName: OperatorName(domain: "apus", type: sums.operatorName.type), opset: 1,
      inputs: inputs + [scale, bias], outputs: end.outputs, attributes: sums.attributes)
    fused.activation = end.activation
    for removed in [index, cast, product] where removed != last { remove(removed) }
    replace(last, by: fused)
  }

  fileprivate mutating func fuseQuantization(_ index: Int) {
    guard let quantization = nodes[index], let x = quantization.input(0),
      let producer = soleProducer(of: x), var node = nodes[producer],
      node.operatorName.domain == "apus", ["ConvInteger", "MatMulInteger"].contains(node.operatorName.type),
      node.inputs.count == 6, quantization.inputs.count == 3,
      isScalar(quantization.input(1), [.float]), isScalar(quantization.input(2), [.uint8, .int8]),
      // What the quotient is computed in.
      quantization.attributes["precision"] == nil
    else { return }
    node.inputs += quantization.inputs[1...]
    node.outputs = quantization.outputs
    remove(index)
    replace(producer, by: node)
  }

  /// Whether a value is one known number of one of these types.
  private func isScalar(_ value: Graph.ValueID?, _ types: [ElementType]) -> Bool {
    guard case .tensor(let tensor)? = constant(value) else { return false }
    return tensor.count == 1 && types.contains(ElementType(tensor.dataType))
  }

  /// The other input of a node of two.
  private func other(than value: Graph.ValueID, of node: Node) -> Graph.ValueID? {
    guard node.inputs.count == 2, let side = node.inputs.firstIndex(where: { $0 != value }) else { return nil }
    return node.input(side)
  }

  /// Whether a value is known numbers, one for each channel of a map or column of a matrix.
  private func isBias(_ value: Graph.ValueID, after type: String) -> Bool {
    guard case .tensor(.float32(let tensor))? = constant(value) else { return false }
    if type == "MatMulInteger" { return tensor.rank == 1 }
    // [channels, 1, 1], with or without a batch of one.
    guard tensor.rank >= 2 else { return false }
    let channels = tensor.shape.firstIndex { $0 != 1 } ?? 0
    return tensor.count == tensor.shape[channels] && channels <= 1
  }
}
