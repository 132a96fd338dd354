import Apus

extension Graph {
  /// Zeros that a Pad puts around a map, and bytes that stand for zero, become the padding of the convolution that alone
  /// reads it, as it is or with its axes in another order.
  func fusingPadding() -> Graph {
    guard hasNode("Pad") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard rewriter.isNode(index, "Pad"), let pad = rewriter.nodes[index], let x = pad.input(0),
        var output = pad.output(0),
        // What is wrong with a node is said when it is prepared.
        var amounts = try? rewriter.amounts(of: pad)
      else { continue }
      var between: [Int] = []
      while let reader = rewriter.soleReader(of: output), let node = rewriter.nodes[reader], node.input(0) == output,
        let reordered = try? rewriter.amounts(amounts, behind: node), let result = node.output(0)
      {
        between.append(reader)
        (amounts, output) = (reordered, result)
      }
      guard let reader = rewriter.soleReader(of: output),
        var convolution = try? rewriter.convolution(reader, reading: output, of: pad, amounts)
      else { continue }
      rewriter.remove(index)
      convolution.inputs[0] = rewriter.apply(between, to: x)
      rewriter.replace(reader, by: convolution)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// What a Pad adds at the beginning of every axis, and then at the end of every axis; nil where that is not known.
  func amounts(of node: Node) throws -> [Int]? {
    let pad = description(of: node)
    guard !pad.has(3), pad.opset < 11 || pad.constant(1) != nil else { return nil }
    return try ShapeFacts(node: pad, inputs: [])
      .integers(1, attribute: pad.opset < 2 ? "paddings" : "pads", inputSince: 11)
  }

  /// What nodes that follow each other make of another value than they did.
  fileprivate mutating func apply(_ indices: [Int], to value: Graph.ValueID) -> Graph.ValueID {
    indices.reduce(value) { value, index in
      guard var node = nodes[index], let output = node.output(0) else { return value }
      let result = addValue(named: "\(graph.values[output].name) without its border")
      (node.inputs[0], node.outputs) = (value, [result])
      replace(index, by: node)
      return result
    }
  }

  /// The amounts as the axes lie behind a node that puts them into another order, or puts in one of one element; nil for
  /// others.
  fileprivate func amounts(_ amounts: [Int], behind node: Node) throws -> [Int]? {
    let rank = amounts.count / 2
    guard amounts.count == 2 * rank else { return nil }
    switch node.operatorName {
    case OperatorName(type: "Transpose"):
      let order = try description(of: node).ints("perm", default: (0..<rank).reversed())
      guard Shape.isPermutation(order, rank: rank) else { return nil }
      return order.map { amounts[$0] } + order.map { amounts[rank + $0] }
    case OperatorName(type: "Unsqueeze"):
      return unitAxis(of: node, rank: rank + 1).map { Self.amounts(amounts, puttingIn: $0) }
    default: return nil
    }
  }

  /// The amounts with none for one more axis.
  static func amounts(_ amounts: [Int], puttingIn axis: Int) -> [Int] {
    var whole = amounts
    whole.insert(0, at: amounts.count / 2 + axis)
    whole.insert(0, at: axis)
    return whole
  }

  /// Node `reader` with padding of its own instead of the zeros that `pad` puts around its input, so many of them there.
  fileprivate func convolution(
    _ reader: Int, reading value: Graph.ValueID, of pad: Node, _ amounts: [Int]
  ) throws -> Node? {
    let description = description(of: pad)
    guard var node = nodes[reader], let operands = Operands(of: node), node.inputs.first == value,
      case .tensor(let weight)? = constant(node.input(operands.weight)),
      amounts.count == 2 * weight.rank, amounts.allSatisfy({ $0 >= 0 }),
      let zero = number(operands.zeroPoint.flatMap { node.input($0) }),
      try puts(zero, aroundInputOf: description)
    else { return nil }
    // A convolution passes over what lies outside, where an infinite weight would have made NaN.
    if operands.zeroPoint == nil {
      guard try weight.converted(to: Double.self).elements.allSatisfy(\.isFinite) else { return nil }
    }
    let rank = weight.rank
    guard [0, 1, rank, rank + 1].allSatisfy({ amounts[$0] == 0 }) else { return nil }
    let own = self.description(of: node)
    let placement = try own.string("auto_pad", default: "NOTSET")
    guard placement == "NOTSET" || placement == "VALID" else { return nil }
    let added = amounts[2..<rank] + amounts[(rank + 2)...]
    var pads = [Int](repeating: 0, count: added.count)
    if placement == "NOTSET" { pads = try own.ints("pads", default: pads) }
    guard pads.count == added.count, pads.allSatisfy({ $0 >= 0 }) else { return nil }
    var sums: [Int64] = []
    for (a, b) in zip(pads, added) {
      let (sum, overflow) = a.addingReportingOverflow(b)
      if overflow { return nil }
      sums.append(Int64(sum))
    }
    node.attributes["auto_pad"] = nil
    node.attributes["pads"] = .ints(sums)
    return node
  }

  /// Whether a Pad puts `value`, and nothing else, around its input.
  func puts(_ value: Double, aroundInputOf pad: NodeDescription) throws -> Bool {
    guard try pad.string("mode", default: "constant") == "constant" else { return false }
    if pad.opset < 11 { return try Double(pad.float("value", default: 0)) == value }
    return (pad.has(2) ? number(pad.node.input(2)) : 0) == value
  }

  /// The single number or integer that `value` is known to be; 0 for none.
  private func number(_ value: Graph.ValueID?) -> Double? {
    guard let value else { return 0 }
    guard case .tensor(let tensor)? = constant(value), tensor.count == 1 else { return nil }
    return try? tensor.converted(to: Double.self).scalar
  }
}

/// Where a convolution has its weight, and the zero point of its input if that is of bytes.
private struct Operands {
  let weight: Int
  let zeroPoint: Int?

  init?(of node: Node) {
    switch node.operatorName {
    case OperatorName(type: "Conv"): (weight, zeroPoint) = (1, nil)
    case OperatorName(type: "ConvInteger"), OperatorName(domain: "apus", type: "ConvInteger"):
      (weight, zeroPoint) = (1, 2)
    case OperatorName(type: "QLinearConv"): (weight, zeroPoint) = (3, 2)
    default: return nil
    }
  }
}
