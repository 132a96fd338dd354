import Apus

extension Graph {
  /// Rectifiers with a slope below zero, which exporters write out, become the operators that they are:
  ///
  ///     max(x, slope · x), 0 < slope ≤ 1                                        LeakyRelu
  ///     max(x, 0) + slope · min(x, 0)    max(x, 0) - slope · max(-x, 0)         PRelu, with `fast`
  ///
  /// The sums give zeros another sign than the operator does.
  func fusingRectifiers(_ precision: Execution.Precision) throws -> Graph {
    guard precision == .fast || hasNode("Max") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard let node = rewriter.nodes[index], node.inputs.count == 2, node.opset >= 7 else { continue }
      switch node.operatorName {
      case OperatorName(type: "Add"), OperatorName(type: "Sub"):
        if precision == .fast { try rewriter.fuseSlopedRectifier(index, node) }
      case OperatorName(type: "Max"): rewriter.fuseLeakyRectifier(index, node)
      default: continue
      }
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// max(x, 0) and what is added to it or subtracted from it.
  fileprivate mutating func fuseSlopedRectifier(_ index: Int, _ sum: Node) throws {
    let isSum = sum.operatorName.type == "Add"
    for (above, below) in isSum ? [(0, 1), (1, 0)] : [(0, 1)] {
      guard let rectifier = soleProducer(of: sum.inputs[above]), isNode(rectifier, "Relu"),
        let x = nodes[rectifier]?.input(0),
        let scaling = soleProducer(of: sum.inputs[below]), isNode(scaling, "Mul"), let product = nodes[scaling],
        product.inputs.count == 2,
        let side = product.inputs.firstIndex(where: { constant($0) != nil }), let slope = product.input(side),
        case .tensor(let slopes)? = constant(slope), slopes.dataType == .float32,
        let negative = negativePart(product.input(1 - side), of: x),
        try slopes.converted(to: Double.self).elements.allSatisfy(\.isFinite)
      else { continue }
      var used = slope
      // max(-x, 0) has the other sign than x.
      if negative.isTurned == isSum {
        let turned = try slopes.converted(to: Float.self) * -1
        used = addConstant(GraphValue(turned), named: "\(graph.values[slope].name), negated")
      }
      let operation = Node(
        name: sum.name, operatorName: OperatorName(type: "PRelu"), opset: 16, inputs: [x, used], outputs: sum.outputs)
      for other in [rectifier, scaling] + negative.nodes { remove(other) }
      replace(index, by: operation)
      return
    }
  }

  /// The nodes that make `value`, which is min(x, 0), or turned, max(-x, 0).
  private func negativePart(_ value: Graph.ValueID?, of x: Graph.ValueID) -> (nodes: [Int], isTurned: Bool)? {
    guard let last = soleProducer(of: value), let node = nodes[last] else { return nil }
    if isNode(last, "Relu") {
      guard let turning = soleProducer(of: node.input(0)), isNode(turning, "Neg"),
        nodes[turning]?.inputs == [x]
      else { return nil }
      return ([last, turning], true)
    }
    guard isNode(last, "Min"), node.inputs.count == 2, node.opset >= 8, let side = node.inputs.firstIndex(of: x),
      float(node.input(1 - side)) == 0
    else { return nil }
    return ([last], false)
  }

  /// max(x, slope · x)
  fileprivate mutating func fuseLeakyRectifier(_ index: Int, _ node: Node) {
    for (own, scaled) in [(0, 1), (1, 0)] {
      guard let x = node.inputs[own], let scaling = soleProducer(of: node.inputs[scaled]), isNode(scaling, "Mul"),
        let product = nodes[scaling], product.inputs.count == 2, let side = product.inputs.firstIndex(of: x),
        let slope = float(product.input(1 - side)), slope > 0, slope <= 1
      else { continue }
      var operation = node
      operation.operatorName = OperatorName(type: "LeakyRelu")
      operation.opset = 16
      operation.inputs = [x]
      operation.attributes = ["alpha": .float(Float(slope))]
      remove(scaling)
      replace(index, by: operation)
      return
    }
  }
}
