import Apus

extension Graph {
  /// Layer normalisation that an exporter wrote out becomes one node again:
  ///
  ///     d = x - ReduceMean(x)      y = d / Sqrt(ReduceMean(d²) + ε) · γ + β
  ///
  /// Its sums are taken in another order than the nodes' own, so this is for `fast` alone.
  ///
  /// - Parameter types: what is known of values.
  func fusingLayerNorm(_ types: [ValueID: InferredType]) -> Graph {
    guard hasNode("ReduceMean"), hasNode("Sqrt") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "Div") {
      guard let match = rewriter.layerNorm(dividingAt: index, types) else { continue }
      for node in match.nodes.dropLast() { rewriter.remove(node) }
      rewriter.replace(match.last, by: match.replacement)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  fileprivate struct LayerNormMatch {
    var nodes: [Int]
    var last: Int { nodes[nodes.count - 1] }
    var replacement: Node
  }

  /// The nodes around a division by the deviation.
  fileprivate func layerNorm(
    dividingAt division: Int, _ types: [Graph.ValueID: InferredType]
  ) -> LayerNormMatch? {
    guard let divide = nodes[division], divide.inputs.count == 2, let d = divide.input(0),
      // d = x - mean
      let difference = producer(of: d), isNode(difference, "Sub"), let subtract = nodes[difference],
      subtract.inputs.count == 2, let x = subtract.input(0), let center = producer(of: subtract.input(1)),
      let opset = nodes[center]?.opset, lastAxisMean(center, of: x),
      // √(mean(d²) + ε)
      let root = producer(of: divide.input(1)), isNode(root, "Sqrt"),
      let sum = producer(of: nodes[root]?.input(0)), isNode(sum, "Add"), let add = nodes[sum],
      add.inputs.count == 2,
      let (variance, epsilon) = operand(add, scalar: { self.scalar($0) }), let spread = producer(of: variance),
      let power = producer(of: nodes[spread]?.input(0)), lastAxisMean(spread, of: nodes[power]?.output(0)),
      isSquare(power, of: d),
      // · γ + β
      let quotient = divide.output(0), let scaling = soleReader(of: quotient), isNode(scaling, "Mul"),
      let scale = nodes[scaling], let (_, gamma) = operand(scale, scalar: { self.vector($0) }),
      let product = scale.output(0), let shifting = soleReader(of: product), isNode(shifting, "Add"),
      let shift = nodes[shifting], let (_, beta) = operand(shift, scalar: { self.vector($0) }),
      [gamma, beta].allSatisfy({ canScale($0, types[x]) })
    else { return nil }
    let nodes = [center, difference, power, spread, sum, root, division, scaling, shifting]
    guard isPrivate(nodes), Set(nodes).count == nodes.count else { return nil }
    var node = Node(
      name: shift.name, operatorName: OperatorName(type: "LayerNormalization"), opset: max(17, opset),
      inputs: [x, gamma, beta], outputs: shift.outputs)
    node.attributes = ["axis": .int(-1), "epsilon": .float(Float(epsilon))]
    return LayerNormMatch(nodes: nodes, replacement: node)
  }

  /// The two inputs of a node, distinguished by what `scalar` knows of one.
  private func operand<Known>(
    _ node: Node, scalar: (Graph.ValueID?) -> Known?
  ) -> (Graph.ValueID, Known)? {
    guard node.inputs.count == 2, node.opset >= 7, let first = node.input(0), let second = node.input(1) else {
      return nil
    }
    if let known = scalar(second) { return (first, known) }
    return scalar(first).map { (second, $0) }
  }

  /// A constant of one axis.
  private func vector(_ value: Graph.ValueID?) -> Graph.ValueID? {
    guard let value, case .tensor(let tensor)? = constant(value), tensor.rank == 1, tensor.dataType.isFloatingPoint
    else { return nil }
    return value
  }

  /// Whether a list is as long as the last axis, as far as that is known: a longer one would stretch an axis of one element.
  private func canScale(_ list: Graph.ValueID, _ type: InferredType?) -> Bool {
    type?.shape.last.map { constant(list)?.shape == [$0] } ?? true
  }

  /// Whether a node is the mean of `value` over its last axis, which stays.
  private func lastAxisMean(_ index: Int, of value: Graph.ValueID?) -> Bool {
    guard isNode(index, "ReduceMean"), let node = nodes[index], node.inputs.first == value else { return false }
    if case .int(let keeps)? = node.attributes["keepdims"], keeps != 1 { return false }
    if case .ints(let axes)? = node.attributes["axes"] { return axes == [-1] }
    guard case .tensor(let axes)? = constant(node.input(1)) else { return false }
    return (try? axes.converted(to: Int64.self).elements) == [-1]
  }

  private func isSquare(_ index: Int, of value: Graph.ValueID) -> Bool {
    guard let node = nodes[index], node.inputs.count == 2, node.opset >= 7, node.input(0) == value else { return false }
    if isNode(index, "Mul") { return node.input(1) == value }
    return isNode(index, "Pow") && scalar(node.input(1)) == 2
  }
}
