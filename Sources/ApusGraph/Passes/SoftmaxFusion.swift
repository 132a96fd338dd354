import Apus

extension Graph {
  /// A softmax and zeros where all that it is taken of is -∞ become one node, the same bit for bit. PyTorch's attention is
  /// written so:
  ///
  ///     max(x) = -∞ ? 0 : softmax(x)        ¬ any(¬ (x = -∞)) ? 0 : softmax(x)
  func fusingMaskedSoftmax() -> Graph {
    guard hasNode("Softmax"), hasNode("Where") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "Softmax") { rewriter.fuseMaskedSoftmax(index) }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  fileprivate mutating func fuseMaskedSoftmax(_ index: Int) {
    guard let softmax = nodes[index], softmax.opset >= 13, let x = softmax.input(0), let output = softmax.output(0),
      let axis = try? description(of: softmax).int("axis", default: -1), let choice = soleReader(of: output),
      isNode(choice, "Where"), let node = nodes[choice], node.inputs.count == 3, node.input(2) == output,
      number(node.input(1))?.bitPattern == 0, let test = test(node.input(0), axis), test.x == x
    else { return }
    var fused = softmax
    fused.operatorName = OperatorName(domain: "apus", type: "Softmax")
    fused.opset = 1
    fused.outputs = node.outputs
    for other in [choice] + test.nodes { remove(other) }
    replace(index, by: fused)
  }

  /// What a value says the numbers along an axis to be all -∞ of, and the nodes that find it out.
  private func test(_ value: Graph.ValueID?, _ axis: Int) -> (x: Graph.ValueID, nodes: [Int])? {
    for types in [["Equal", "ReduceMax"], ["Not", "Greater", "ReduceSum", "Cast", "Not", "Equal"]] {
      if let test = chain(types, endingWith: value, axis) { return test }
    }
    return nil
  }

  /// The nodes of these types that follow each other, the last one first, and what the first of them reads.
  private func chain(
    _ types: [String], endingWith value: Graph.ValueID?, _ axis: Int
  ) -> (x: Graph.ValueID, nodes: [Int])? {
    var (value, found): (Graph.ValueID?, [Int]) = (value, [])
    for type in types {
      guard let index = soleProducer(of: value), isNode(index, type), let node = nodes[index],
        hasExpectedOperand(node, axis)
      else { return nil }
      found.append(index)
      value = node.input(0)
    }
    return value.map { ($0, found) }
  }

  /// Whether what a node of such a chain reads beside its first input is what it has to be.
  private func hasExpectedOperand(_ node: Node, _ axis: Int) -> Bool {
    switch node.operatorName.type {
    case "Equal": number(node.input(1)) == -.infinity
    case "Greater": number(node.input(1)) == 0
    case "ReduceMax", "ReduceSum": reduces(node, along: axis)
    default: true
    }
  }

  /// The number of any type, without axes, that `value` is known to be.
  private func number(_ value: Graph.ValueID?) -> Double? {
    guard case .tensor(let tensor)? = constant(value), tensor.rank == 0 else { return nil }
    return try? tensor.converted(to: Double.self).elements.first
  }

  private func reduces(_ node: Node, along axis: Int) -> Bool {
    guard (try? description(of: node).flag("keepdims", default: true)) == true,
      case .tensor(let axes)? = constant(node.input(1))
    else { return false }
    return (try? axes.converted(to: Double.self).elements) == [Double(axis)]
  }
}
