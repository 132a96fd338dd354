import Apus

extension Graph {
  /// GELU, which exporters write out, becomes one node:
  ///
  ///     x · (1 + erf(x / √2)) · ½
  ///
  /// With `exact` one that rounds after every step, in the order in which the graph takes them; with `fast` the operator
  /// that it is.
  func fusingGELU(_ precision: Execution.Precision) -> Graph {
    guard hasNode("Erf") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "Erf") { rewriter.fuseGELU(index, precision) }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  fileprivate mutating func fuseGELU(_ erf: Int, _ precision: Execution.Precision) {
    guard let (x, argument, scaling) = argument(of: erf), let sum = only("Add", reading: result(of: erf)),
      number(beside: result(of: erf), of: sum) == 1, let product = only("Mul", reading: result(of: sum)),
      let factor = other(than: result(of: sum), of: product)
    else { return }
    var steps = argument
    var last = product
    var nodes = [scaling, erf, sum, product]
    if factor == x {
      guard let halving = only("Mul", reading: result(of: product)),
        number(beside: result(of: product), of: halving) == 0.5
      else { return }
      steps.half = .product
      last = halving
      nodes.append(halving)
    } else if number(beside: result(of: sum), of: product) == 0.5 {
      guard let final = only("Mul", reading: result(of: product)), other(than: result(of: product), of: final) == x
      else { return }
      steps.half = .distribution
      last = final
      nodes.append(final)
    } else {
      guard let halving = soleProducer(of: factor), isNode(halving, "Mul"), number(beside: x, of: halving) == 0.5
      else { return }
      steps.half = .input
      nodes.append(halving)
    }
    guard let end = self.nodes[last], end.outputs.count == 1 else { return }
    for node in nodes where node != last { remove(node) }
    replace(last, by: gelu(of: x, as: end, steps, precision))
  }

  private func gelu(of x: Graph.ValueID, as end: Node, _ steps: GELUProduct, _ precision: Execution.Precision) -> Node {
    let isExact = abs(steps.factor / steps.divisor - 0.5.squareRoot()) > 1e-6 || precision == .exact
    var node = Node(
      name: end.name, operatorName: OperatorName(domain: isExact ? "apus" : "", type: "Gelu"), opset: isExact ? 1 : 20,
      inputs: [x], outputs: end.outputs)
    if isExact {
      node.attributes = [
        "factor": .float(Float(steps.factor)), "divisor": .float(Float(steps.divisor)),
        "half": .string(Array(steps.half.rawValue.utf8)),
      ]
    }
    return node
  }

  /// What erf is taken of: a value, divided by or multiplied by a number.
  private func argument(of erf: Int) -> (x: Graph.ValueID, GELUProduct, node: Int)? {
    guard let node = nodes[erf], let scaling = soleProducer(of: node.input(0)), let scaled = nodes[scaling],
      scaled.inputs.count == 2, scaled.opset >= 7
    else { return nil }
    if isNode(scaling, "Div"), let x = scaled.input(0), let divisor = finiteFloat(scaled.input(1)), divisor != 0 {
      return (x, GELUProduct(divisor: divisor, half: .product), scaling)
    }
    guard isNode(scaling, "Mul"), let side = scaled.inputs.firstIndex(where: { finiteFloat($0) != nil }),
      let x = scaled.input(1 - side), let factor = finiteFloat(scaled.input(side))
    else { return nil }
    return (x, GELUProduct(factor: factor, half: .product), scaling)
  }
}
