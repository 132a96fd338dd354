import Apus

extension Graph {
  /// The hard sigmoid and the hard swish, which exporters write out, become one node each:
  ///
  ///     min(max(x + 3, 0), 6) / 6        x · min(max(x + 3, 0), 6) / 6
  ///
  /// They stay the same, bit for bit: their kernels take these steps.
  func fusingHardActivations() -> Graph {
    guard hasNode("Clip") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "Add") { rewriter.fuseHardActivation(index) }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  fileprivate mutating func fuseHardActivation(_ sum: Int) {
    guard let node = nodes[sum], node.inputs.count == 2, node.opset >= 7,
      let side = node.inputs.firstIndex(where: { finiteFloat($0) == 3 }), let x = node.inputs[1 - side],
      let ramp = ramp(of: sum), let top = ramp.last
    else { return }
    let type: OperatorName
    let last: Int
    var others = [sum] + ramp
    if let quotient = division(of: top) {
      (type, last) = (OperatorName(domain: "apus", type: "HardSigmoid"), quotient)
    } else if let product = only("Mul", reading: result(of: top)), other(than: result(of: top), of: product) == x,
      let quotient = division(of: product)
    {
      (type, last) = (OperatorName(type: "HardSwish"), quotient)
      others.append(product)
    } else {
      return
    }
    guard let end = nodes[last], end.outputs.count == 1 else { return }
    for other in others { remove(other) }
    let opset = type.domain.isEmpty ? 14 : 1
    replace(last, by: Node(name: end.name, operatorName: type, opset: opset, inputs: [x], outputs: end.outputs))
  }

  /// The node that alone reads what node `index` gives, if it divides it by 6.
  private func division(of index: Int) -> Int? {
    guard let quotient = only("Div", reading: result(of: index)), let node = nodes[quotient],
      node.input(0) == result(of: index), finiteFloat(node.input(1)) == 6
    else { return nil }
    return quotient
  }

  /// The nodes that make min(max(y, 0), 6) of what node `index` gives: one, or one for each bound.
  private func ramp(of index: Int) -> [Int]? {
    guard let first = clip(reading: index) else { return nil }
    if first.bounds == 0...6 { return [first.index] }
    guard first.bounds.lowerBound == 0, first.bounds.upperBound > 6, let second = clip(reading: first.index),
      second.bounds.lowerBound < 0, second.bounds.upperBound == 6
    else { return nil }
    return [first.index, second.index]
  }

  private func clip(reading index: Int) -> (index: Int, bounds: ClosedRange<Double>)? {
    guard let value = result(of: index), let reader = soleReader(of: value), isNode(reader, "Clip"),
      let node = nodes[reader], node.input(0) == value, case .activation(let function)? = node.facts?.fusion,
      case .hardTanh(let low, let high)? = try? function(description(of: node)), low <= high,
      !(low == 0 && low.sign == .minus)
    else { return nil }
    return (reader, low...high)
  }
}
