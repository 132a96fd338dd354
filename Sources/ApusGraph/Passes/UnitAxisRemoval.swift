import Apus

// Axes of one element, which TensorFlow puts into sequences around every convolution, as it convolves pictures alone.

extension Graph {
  /// A Reshape that puts in one axis of one element, or takes one out, is called what it is, so that others can move past
  /// it.
  func namingUnitAxes(isWhole: Bool) throws -> Graph {
    guard hasNode("Conv"), hasNode("Reshape") else { return self }
    let types = try inference(isWhole: isWhole).types
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard rewriter.isNode(index, "Reshape"), var node = rewriter.nodes[index],
        let input = node.input(0), let output = node.output(0),
        let given = types[input]?.shape, let made = types[output]?.shape
      else { continue }
      let (added, removed) = (Self.unitAxis(of: made, beside: given), Self.unitAxis(of: given, beside: made))
      guard let axis = added ?? removed else { continue }
      node.operatorName = OperatorName(type: added == nil ? "Squeeze" : "Unsqueeze")
      node.opset = 13
      node.attributes = [:]
      node.inputs = try [input, rewriter.addAxis(axis, of: node.name)]
      rewriter.replace(index, by: node)
    }
    return rewriter.finished()
  }

  /// The last axis of one element without which `longer` is `shorter`.
  private static func unitAxis(of longer: [Int], beside shorter: [Int]) -> Int? {
    guard longer.count == shorter.count + 1 else { return nil }
    return longer.indices.last { axis in
      longer[axis] == 1 && longer[..<axis] == shorter[..<axis] && longer[(axis + 1)...] == shorter[axis...]
    }
  }

  /// Squeezes of one axis move past the nodes behind them, which work on all axes alike or name them, until they meet an
  /// Unsqueeze that undoes them.
  ///
  /// Every element is computed as before. Where no fewer axes would be put in and taken out, the graph stays as it is.
  func withoutOpposedUnitAxes(isWhole: Bool) throws -> Graph {
    guard hasNode("Squeeze"), hasNode("Unsqueeze") else { return self }
    var motion = UnitAxisMotion(self, types: try inference(isWhole: isWhole).types)
    for index in nodes.indices {
      if index.isMultiple(of: 64) { try TimeLimit.check() }
      try motion.visit(index)
    }
    guard motion.rewriter.isChanged else { return self }
    let moved = motion.rewriter.finished()
    return moved.unitAxisChanges < unitAxisChanges ? moved : self
  }

  private var unitAxisChanges: Int {
    nodes.count { [OperatorName(type: "Squeeze"), OperatorName(type: "Unsqueeze")].contains($0.operatorName) }
  }
}

extension GraphRewriter {
  /// The one axis that a Squeeze or an Unsqueeze names, counted among `rank`.
  func unitAxis(of node: Node, rank: Int) -> Int? {
    let facts = ShapeFacts(node: description(of: node), inputs: [])
    guard let axes = try? facts.integers(1, attribute: "axes", inputSince: 13), axes.count == 1 else { return nil }
    return try? Axes.resolve(axes[0], rank: rank)
  }

  /// An axis as the input that names it.
  fileprivate mutating func addAxis(_ axis: Int, of name: String) throws -> Graph.ValueID {
    try addConstant(GraphValue(Tensor([Int64(axis)])), named: "\(name), axis")
  }
}

/// A graph in which Squeezes are on their way to the outputs.
private struct UnitAxisMotion {
  private(set) var rewriter: GraphRewriter
  private let types: [Graph.ValueID: InferredType]
  /// Values that are others without an axis of one element.
  private var sources: [Graph.ValueID: Source] = [:]

  private struct Source {
    let value: Graph.ValueID
    let axis: Int
    /// Axes, that one included.
    let rank: Int
  }

  init(_ graph: Graph, types: [Graph.ValueID: InferredType]) {
    rewriter = GraphRewriter(graph)
    self.types = types
  }

  /// A node whose inputs have been visited.
  mutating func visit(_ index: Int) throws {
    guard let node = rewriter.nodes[index], node.subgraphs.isEmpty, node.outputs.count == 1, let output = node.output(0)
    else { return }
    switch node.operatorName {
    case OperatorName(type: "Squeeze"):
      guard let input = node.input(0), sources[input] == nil, let shape = types[input]?.shape,
        let axis = rewriter.unitAxis(of: node, rank: shape.count), shape[axis] == 1
      else { return }
      sources[output] = Source(value: input, axis: axis, rank: shape.count)
    case OperatorName(type: "Unsqueeze"):
      guard let source = node.input(0).flatMap({ sources[$0] }),
        rewriter.unitAxis(of: node, rank: source.rank) == source.axis, !rewriter.isOutput(output)
      else { return }
      rewriter.redirect(output, to: source.value)
      rewriter.remove(index)
    case OperatorName(type: "Pad"):
      guard let source = node.input(0).flatMap({ sources[$0] }), node.opset >= 11,
        let amounts = try? rewriter.amounts(of: node), amounts.count == 2 * (source.rank - 1)
      else { return }
      let whole = GraphRewriter.amounts(amounts, puttingIn: source.axis).map { Int64($0) }
      var moved = node
      moved.inputs[0] = source.value
      moved.inputs[1] = try rewriter.addConstant(GraphValue(Tensor(whole)), named: "\(node.name), of all axes")
      try put(moved, at: index, source)
    default:
      guard case .free? = node.facts?.axes,
        node.inputs.count == 1 || node.opset >= 7 || !node.operatorName.domain.isEmpty,
        let source = node.inputs.compactMap({ $0.flatMap { sources[$0] } }).first
      else { return }
      let operands = node.inputs.map { operand($0, beside: source) }
      guard operands.allSatisfy({ $0 != nil }) else { return }
      var moved = node
      moved.inputs = operands.enumerated().map { position, operand in
        switch operand {
        case .value(let value)?: value
        case .constant(let constant)?:
          rewriter.addConstant(constant, named: "\(node.name), input \(position) with all axes")
        case nil: nil
        }
      }
      try put(moved, at: index, source)
    }
  }

  private enum Operand {
    case value(Graph.ValueID?)
    case constant(GraphValue)
  }

  /// An input as it stands beside others that have the axis of `source`.
  private func operand(_ input: Graph.ValueID?, beside source: Source) -> Operand? {
    guard let input else { return .value(nil) }
    if let own = sources[input] {
      return own.axis == source.axis && own.rank == source.rank ? .value(own.value) : nil
    }
    guard let shape = rewriter.constant(input)?.shape ?? types[input]?.shape, shape.count < source.rank else {
      return nil
    }
    if shape.allSatisfy({ $0 == 1 }) { return .value(input) }
    var whole = [Int](repeating: 1, count: source.rank - 1 - shape.count) + shape
    whole.insert(1, at: source.axis)
    guard let constant = try? rewriter.constant(input)?.reshaped(whole) else { return nil }
    return .constant(constant)
  }

  /// Puts `node`, of values with the axis of `source`, and a Squeeze behind it in the place of node `index`.
  private mutating func put(_ node: Node, at index: Int, _ source: Source) throws {
    guard let output = node.output(0) else { return }
    let name = rewriter.graph.values[output].name
    let whole = rewriter.insert(node, before: index, giving: "\(name) with all axes")
    let axis = try rewriter.addAxis(source.axis, of: name)
    rewriter.replace(
      index,
      by: Node(
        name: "Squeeze of \(name)", operatorName: OperatorName(type: "Squeeze"), opset: 13, inputs: [whole, axis],
        outputs: [output]))
    sources[output] = Source(value: whole, axis: source.axis, rank: source.rank)
  }
}
