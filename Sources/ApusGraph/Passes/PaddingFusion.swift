import Apus

extension Graph {
  /// Zeros that a Pad puts around a map, and bytes that stand for zero, become the padding of the convolution that alone
  /// reads it.
  func fusingPadding() -> Graph {
    guard hasNode("Pad") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard rewriter.isNode(index, "Pad"), let pad = rewriter.nodes[index], let x = pad.input(0),
        let output = pad.output(0), let reader = rewriter.soleReader(of: output),
        // What is wrong with a node is said when it is prepared.
        var convolution = try? rewriter.convolution(reader, reading: output, of: pad)
      else { continue }
      convolution.inputs[0] = x
      rewriter.remove(index)
      rewriter.replace(reader, by: convolution)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// What a Pad adds at the beginning of every axis, and then at the end of every axis; nil where that is not known.
  private func amounts(of pad: NodeDescription) throws -> [Int]? {
    guard !pad.has(3), pad.opset < 11 || pad.constant(1) != nil else { return nil }
    return try ShapeFacts(node: pad, inputs: [])
      .integers(1, attribute: pad.opset < 2 ? "paddings" : "pads", inputSince: 11)
  }

  /// Node `reader` with padding of its own instead of the zeros that `pad` puts around its input.
  fileprivate func convolution(_ reader: Int, reading value: Graph.ValueID, of pad: Node) throws -> Node? {
    let description = description(of: pad)
    guard var node = nodes[reader], let operands = Operands(of: node), node.inputs.first == value,
      case .tensor(let weight)? = constant(node.input(operands.weight)),
      let amounts = try amounts(of: description), amounts.count == 2 * weight.rank, amounts.allSatisfy({ $0 >= 0 }),
      let zero = number(operands.zeroPoint.flatMap { node.input($0) }),
      try puts(zero, aroundInputOf: description)
    else { return nil }
    // A depthwise convolution passes over what lies outside, where an infinite weight would have made NaN.
    if operands.zeroPoint == nil, try self.description(of: node).int("group", default: 1) != 1 {
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
