import Apus

extension Graph {
  /// Attention that an exporter wrote out becomes one node:
  ///
  ///     Softmax(MatMul(query, Transpose(key)) · scale + mask) → MatMul with value
  ///
  /// The scores are never whole in memory. Their sums are taken in another order, so this is for `fast` alone.
  ///
  /// - Parameter types: what is known of values.
  func fusingAttention(_ types: [ValueID: InferredType]) -> Graph {
    guard hasNode("Softmax"), hasNode("Transpose") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "Softmax") {
      rewriter.fuseAttention(around: index, types)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// - Parameter softmax: the node in the middle.
  fileprivate mutating func fuseAttention(
    around softmax: Int, _ types: [Graph.ValueID: InferredType]
  ) {
    guard let middle = nodes[softmax], isLastAxis(middle, types), let weights = middle.output(0),
      let second = soleReader(of: weights), isNode(second, "MatMul"), let product = nodes[second],
      product.inputs.count == 2, product.input(0) == weights, let value = product.input(1)
    else { return }
    var removed = [softmax]
    // Back from the softmax: a mask, a scale, the product of queries and keys.
    var scores = middle.input(0)
    var mask: Graph.ValueID?
    var scale = 1.0
    if let sum = soleProducer(of: scores), isNode(sum, "Add"), let add = nodes[sum], add.inputs.count == 2,
      add.opset >= 7,
      let side = add.inputs.firstIndex(where: { leadsToProduct($0) })
    {
      removed.append(sum)
      (scores, mask) = (add.input(side), add.input(1 - side))
    }
    if let scaling = soleProducer(of: scores), let (scaled, factor) = self.scaling(scaling) {
      removed.append(scaling)
      (scores, scale) = (scaled, factor)
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
    guard let index = soleProducer(of: value) else { return false }
    if isNode(index, "MatMul") { return true }
    return scaling(index).map { isNode(soleProducer(of: $0.value), "MatMul") } ?? false
  }

  /// What node `index` multiplies by a known number, and the number.
  private func scaling(_ index: Int) -> (value: Graph.ValueID, factor: Double)? {
    guard let node = nodes[index], node.inputs.count == 2, node.opset >= 7, let first = node.input(0),
      let second = node.input(1)
    else { return nil }
    if isNode(index, "Div") { return scalar(second).map { (first, 1 / $0) } }
    guard isNode(index, "Mul") else { return nil }
    return scalar(second).map { (first, $0) } ?? scalar(first).map { (second, $0) }
  }

  private func isLastAxis(_ softmax: Node, _ types: [Graph.ValueID: InferredType]) -> Bool {
    guard softmax.opset >= 13, let axis = try? description(of: softmax).int("axis", default: -1) else { return false }
    return axis == -1 || softmax.input(0).flatMap { types[$0] }?.shape.count == axis + 1
  }
}
