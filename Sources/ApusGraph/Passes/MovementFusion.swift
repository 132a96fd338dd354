import Apus

extension Graph {
  /// Nodes that move elements and follow each other (Reshape, Transpose, Slice, Split, a Gather of one place) become one that
  /// moves them once, or one Reshape where nothing moves. The heads of attention are cut out of queries, keys and values in
  /// four to seven nodes each.
  ///
  /// Where an element would be moved more often than before, nodes stay. For the graph of a model alone, whose inputs are
  /// checked against what it declares: of anything else extents are not certain.
  func fusingMovements() throws -> Graph {
    let moved = Set(nodes.lazy.filter(\.operatorName.isMovement).flatMap { $0.outputs.compactMap { $0 } })
    guard nodes.contains(where: { $0.operatorName.isMovement && $0.input(0).map(moved.contains) ?? false }) else {
      return self
    }
    var fusion = MovementFusion(self, types: try inference().types)
    for index in nodes.indices {
      if index.isMultiple(of: 64) { try TimeLimit.check() }
      fusion.visit(index)
    }
    return fusion.rewriter.finished()
  }
}

extension OperatorName {
  private static let movements = Set(
    ["Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Gather", "Slice", "Split"].map {
      OperatorName(type: $0)
    })

  fileprivate var isMovement: Bool { Self.movements.contains(self) }
  fileprivate var isSplit: Bool { self == OperatorName(type: "Split") }
}

private struct MovementFusion {
  private(set) var rewriter: GraphRewriter
  private let types: [Graph.ValueID: InferredType]
  private var origins: [Graph.ValueID: Origin] = [:]
  /// Whether the readers of a value are to read what it is made of.
  private var isPassed: [Graph.ValueID: Bool] = [:]
  /// Values that may be kept channel-blocked, which have movements of their own.
  private var blocked: Set<Graph.ValueID> = []

  /// Where the elements of a value lie in another.
  private struct Origin {
    let source: Graph.ValueID
    /// The elements in their order.
    let view: StridedView
    /// The shape of the value.
    let shape: [Int]
    /// How many nodes moved them so far.
    var nodeCount = 0

    func moved(_ newView: StridedView, _ newShape: [Int]) -> Origin {
      Origin(source: source, view: newView, shape: newShape, nodeCount: nodeCount + 1)
    }
  }

  init(_ graph: Graph, types: [Graph.ValueID: InferredType]) {
    rewriter = GraphRewriter(graph)
    self.types = types
  }

  /// A node whose inputs have been visited.
  mutating func visit(_ index: Int) {
    guard let node = rewriter.nodes[index] else { return }
    noteLayout(of: node)
    guard node.operatorName.isMovement, let input = node.input(0), !blocked.contains(input),
      let origin = passed(input) ?? itself(input), let moved = results(of: node, on: origin)
    else { return }
    for (output, origin) in zip(node.outputs, moved) { if let output { origins[output] = origin } }
    if node.operatorName.isSplit {
      // It stays where one of its parts is needed.
      let areParts = partsPass(node, moved)
      for case let output? in node.outputs { isPassed[output] = areParts }
      return
    }
    guard moved[0].nodeCount > 1, let output = node.output(0) else { return }
    replace(index, by: moved[0], giving: output)
  }

  private mutating func noteLayout(of node: Node) {
    let mayBeBlocked =
      switch node.facts?.layout {
      case .rowMajor: false
      case .makesBlocked, nil: true
      case .keepsBlocked, .joinsBlocked, .keepsBlockedChannels:
        node.inputs.contains { $0.map(blocked.contains) ?? false }
      }
    if mayBeBlocked { blocked.formUnion(node.outputs.compactMap { $0 }) }
  }

  // MARK: Where elements come from

  private func itself(_ value: Graph.ValueID) -> Origin? {
    guard let shape = types[value]?.shape, let view = StridedView(of: shape) else { return nil }
    return Origin(source: value, view: view, shape: shape)
  }

  /// Where the elements of `value` come from, if all that read it can read that, and move no more elements than are moved
  /// to make it.
  private mutating func passed(_ value: Graph.ValueID) -> Origin? {
    guard let origin = origins[value] else { return nil }
    if let known = isPassed[value] { return known ? origin : nil }
    let passes = canPass(value, origin)
    isPassed[value] = passes
    return passes ? origin : nil
  }

  /// The same of all the parts of a Split.
  private func partsPass(_ node: Node, _ parts: [Origin]) -> Bool {
    zip(node.outputs, parts).allSatisfy { output, part in output.map { canPass($0, part, isPart: true) } ?? true }
  }

  private func canPass(_ value: Graph.ValueID, _ origin: Origin, isPart: Bool = false) -> Bool {
    guard !rewriter.isOutput(value) else { return false }
    let count = origin.view.count
    var moved = 0
    for reader in rewriter.readers(of: value) {
      guard let node = rewriter.nodes[reader], node.operatorName.isMovement,
        node.reads.count(where: { $0 == value }) == 1,
        node.input(0) == value, let results = results(of: node, on: origin)
      else { return false }
      moved = moved.addingClamped(results.reduce(0) { $0.addingClamped($1.view.count) })
      guard origin.view.isInOrder || moved <= count else { return false }
      // Parts of parts are not followed: there may be a million.
      if node.operatorName.isSplit { guard !isPart, partsPass(node, results) else { return false } }
    }
    return true
  }

  /// Where the elements of a node's outputs come from when its input is `origin`; nil where that is not known, or no view.
  private func results(of node: Node, on origin: Origin) -> [Origin]? {
    let shapes = node.outputs.map { $0.flatMap { types[$0]?.shape } }
    guard let shape = shapes.first ?? nil else { return nil }
    let facts = ShapeFacts(node: rewriter.description(of: node), inputs: node.inputs.map { $0.flatMap { types[$0] } })
    switch node.operatorName.type {
    case "Transpose":
      let axes = try? facts.node.optionalInts("perm") ?? origin.shape.indices.reversed()
      return axes.flatMap { origin.view.permuted($0, of: origin.shape) }.map { [origin.moved($0, shape)] }
    case "Slice":
      return (try? Cut(facts)).flatMap { origin.view.cut($0, of: origin.shape) }.map { [origin.moved($0, shape)] }
    case "Gather":
      let cut = try? Cut(singlePlaceOf: facts)
      return cut.flatMap { origin.view.cut($0, of: origin.shape) }.map { [origin.moved($0, shape)] }
    case "Split":
      guard let axis = try? Axes.resolve(facts.node.int("axis", default: 0), rank: origin.shape.count) else {
        return nil
      }
      var start = 0
      var parts: [Origin] = []
      for shape in shapes {
        guard let shape, shape.indices.contains(axis) else { return nil }
        var cut = Cut(whole: origin.shape)
        guard (try? cut.take(axis, from: start, to: start + shape[axis], step: 1)) != nil, cut.counts == shape,
          let part = origin.view.cut(cut, of: origin.shape)
        else { return nil }
        parts.append(origin.moved(part, shape))
        start += shape[axis]
      }
      return parts
    default:
      // Where axes cannot be divided so, nothing but another reshape can follow.
      return [origin.moved(origin.view.divided(for: shape) ?? origin.view, shape)]
    }
  }

  // MARK: Nodes

  private mutating func replace(_ index: Int, by origin: Origin, giving output: Graph.ValueID) {
    guard var node = rewriter.nodes[index], let source = types[origin.source]?.shape else { return }
    func list(_ numbers: [Int]) -> AttributeValue { .ints(numbers.map { Int64($0) }) }
    node.attributes = [:]
    node.inputs = [origin.source]
    if origin.view.isInOrder, origin.view.count == source.reduce(1, *) {
      if origin.shape == source, !rewriter.isOutput(output) {
        rewriter.redirect(output, to: origin.source)
        rewriter.remove(index)
        return
      }
      guard let shape = try? Tensor(origin.shape.map { Int64($0) }) else { return }
      (node.operatorName, node.opset) = (OperatorName(type: "Reshape"), 13)
      node.inputs.append(rewriter.addConstant(GraphValue(shape), named: "\(node.name), its shape"))
    } else {
      (node.operatorName, node.opset) = (OperatorName(domain: "apus", type: "Rearrange"), 1)
      node.attributes = [
        "source": list(source), "view": list(origin.view.shape), "strides": list(origin.view.strides),
        "offset": .int(Int64(origin.view.offset)), "shape": list(origin.shape),
      ]
    }
    rewriter.replace(index, by: node)
  }
}
