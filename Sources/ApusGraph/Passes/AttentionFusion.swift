import Apus

extension Graph {
  /// Attention that an exporter wrote out becomes one node:
  ///
  ///     Softmax(MatMul(query, Transpose(key)) · scale + mask) → MatMul with value
  ///
  /// The scores are never whole in memory. Their sums are taken in another order, so this is for `fast` alone.
  func fusingAttention() -> Graph {
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "Softmax") {
      rewriter.fuseAttention(around: index)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// - Parameter softmax: the node in the middle.
  fileprivate mutating func fuseAttention(around softmax: Int) {
    guard let middle = nodes[softmax], isLastAxis(middle), let weights = middle.output(0),
      let second = soleReader(of: weights), isNode(second, "MatMul"), let product = nodes[second],
      product.inputs.count == 2, product.input(0) == weights, let value = product.input(1)
    else { return }
    var removed = [softmax]
    // Back from the softmax: a mask, a scale, the product of queries and keys.
    var scores = middle.input(0)
    var mask: Graph.ValueID?
    var scale = 1.0
    if let sum = soleProducer(of: scores), isNode(sum, "Add"), let add = nodes[sum], add.inputs.count == 2,
      let side = add.inputs.firstIndex(where: { leadsToProduct($0) })
    {
      removed.append(sum)
      (scores, mask) = (add.input(side), add.input(1 - side))
    }
    if let scaling = soleProducer(of: scores), let node = nodes[scaling], node.inputs.count == 2,
      isNode(scaling, "Mul") || isNode(scaling, "Div"), let number = scalar(node.input(1))
    {
      removed.append(scaling)
      scale = isNode(scaling, "Mul") ? number : 1 / number
      scores = node.input(0)
    }
    guard let first = soleProducer(of: scores), isNode(first, "MatMul"), let node = nodes[first],
      node.inputs.count == 2,
      let query = node.input(0), let transposition = producer(of: node.input(1)), isNode(transposition, "Transpose"),
      let transpose = nodes[transposition], case .ints(var order)? = transpose.attributes["perm"], order.count >= 3
    else { return }
    removed.append(first)
    // The keys as rows: the same transposition with its last two axes the other way round.
    order.swapAt(order.count - 1, order.count - 2)
    var keys = transpose
    keys.name += ".rows"
    keys.attributes["perm"] = .ints(order)
    let key = insert(keys, before: second, giving: keys.name)
    var fused = Node(
      name: product.name, operatorName: OperatorName(domain: "apus", type: "Attention"), opset: 1,
      inputs: [query, key, value, mask], outputs: product.outputs)
    fused.attributes["scale"] = .float(Float(scale))
    for index in removed { remove(index) }
    replace(second, by: fused)
  }

  /// Whether a value is scores, rather than what is added to them.
  private func leadsToProduct(_ value: Graph.ValueID?) -> Bool {
    guard let index = soleProducer(of: value), let node = nodes[index] else { return false }
    if isNode(index, "MatMul") { return true }
    return (isNode(index, "Mul") || isNode(index, "Div"))
      && isNode(soleProducer(of: node.input(0)), "MatMul")
  }

  private func isLastAxis(_ softmax: Node) -> Bool {
    guard softmax.opset >= 13, case .int(let axis)? = softmax.attributes["axis"] else { return softmax.opset >= 13 }
    return axis == -1 || axis == 3
  }
}
