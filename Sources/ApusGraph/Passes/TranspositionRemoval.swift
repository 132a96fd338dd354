import Apus

extension Graph {
  /// Transpositions move past the nodes behind them, which work on the axes as they lie in memory, until they meet one
  /// that undoes them. Graphs from TensorFlow have two around every convolution.
  ///
  /// Every element is computed as before, and keeps its bits; sums along axes only move aside with `fast`. Where no fewer
  /// elements would be moved, the graph stays as it is.
  func withoutOpposedTranspositions(_ precision: Execution.Precision, isWhole: Bool) throws -> Graph {
    guard nodes.contains(where: { $0.operatorName == .transpose }) else { return self }
    let types = try inference(isWhole: isWhole).types
    var motion = TranspositionMotion(self, types: types, precision: precision)
    for index in nodes.indices {
      if index.isMultiple(of: 64) { try TimeLimit.check() }
      motion.visit(index)
    }
    guard motion.rewriter.isChanged else { return self }
    let moved = motion.rewriter.finished()
    return try moved.transposedElements(moved.inference(isWhole: isWhole).types) < transposedElements(types)
      ? moved : self
  }

  /// How many elements transpositions move; 1 for a tensor of unknown shape.
  private func transposedElements(_ types: [ValueID: InferredType]) -> Double {
    nodes.reduce(0) { sum, node in
      guard node.operatorName == .transpose else { return sum }
      guard let input = node.input(0), let shape = types[input]?.shape,
        let order = try? AxisPermutation(of: node, rank: shape.count)
      else { return sum + 1 }
      return order.moves(shape) ? sum + shape.reduce(1) { $0 * Double($1) } : sum
    }
  }
}

extension OperatorName {
  fileprivate static let transpose = OperatorName(type: "Transpose")
}

extension AxisPermutation {
  /// What a Transpose does.
  fileprivate init(of node: Node, rank: Int?) throws {
    if let axes = try NodeDescription(node: node).optionalInts("perm") {
      guard rank == nil || rank == axes.count else { throw ShapeFacts.Unknown() }
      try self.init(axes)
    } else {
      guard let rank else { throw ShapeFacts.Unknown() }
      try self.init((0..<rank).reversed())
    }
  }

  /// Whether a tensor of this shape comes to lie otherwise in memory.
  fileprivate func moves(_ shape: [Int]) -> Bool {
    let extended = axes.filter { shape[$0] != 1 }
    return extended != extended.sorted()
  }
}

/// A graph in which transpositions are on their way to the outputs.
private struct TranspositionMotion {
  private(set) var rewriter: GraphRewriter
  private let types: [Graph.ValueID: InferredType]
  private let precision: Execution.Precision
  /// Values that are others with their axes in another order.
  private var sources: [Graph.ValueID: Source] = [:]
  /// Values that are there in an order of axes already.
  private var known: [Source: Graph.ValueID] = [:]

  private struct Source: Hashable {
    let value: Graph.ValueID
    let order: AxisPermutation
  }

  init(_ graph: Graph, types: [Graph.ValueID: InferredType], precision: Execution.Precision) {
    rewriter = GraphRewriter(graph)
    self.types = types
    self.precision = precision
  }

  /// A node whose inputs have been visited.
  mutating func visit(_ index: Int) {
    guard let node = rewriter.nodes[index] else { return }
    if node.operatorName == .transpose { return visitTransposition(index, node) }
    guard node.subgraphs.isEmpty, node.outputs.contains(where: { $0 != nil }), let axes = node.facts?.axes else {
      return
    }
    // What may not be known throws, and the node stays where it is.
    switch axes {
    case .fixed: return
    case .free:
      // Before, the second operand was stretched by rules of its own.
      guard node.inputs.count == 1 || node.opset >= 7 || !node.operatorName.domain.isEmpty,
        let order = order(of: node.inputs)
      else { return }
      try? move(index, node, inputs: node.inputs.indices, order, AxisRule.Renaming(order))
    case .named(let inputs, let isExact, let rule):
      guard isExact || precision == .fast else { return }
      let moved = inputs == .all ? node.inputs.indices : 0..<min(1, node.inputs.count)
      guard let order = order(of: node.inputs[moved]) else { return }
      let facts = ShapeFacts(
        node: rewriter.description(of: node), inputs: node.inputs.map { $0.flatMap { types[$0] } })
      guard let renaming = try? rule(facts, order) else { return }
      try? move(index, node, inputs: moved, order, renaming)
    }
  }

  /// A transposition of a value that is one already is a single one of what that was made of, or none.
  private mutating func visitTransposition(_ index: Int, _ node: Node) {
    guard let input = node.input(0), let output = node.output(0),
      let order = try? AxisPermutation(of: node, rank: types[input]?.shape.count)
    else { return }
    // The axes as they are, of a tensor whose rank nobody knows yet: the node finds out whether they are all.
    if order.isIdentity, types[input]?.shape == nil { return }
    var source = Source(value: input, order: order)
    if let earlier = sources[input], let both = try? earlier.order.followed(by: order) {
      source = Source(value: earlier.value, order: both)
    }
    if !rewriter.isOutput(output), let same = source.order.isIdentity ? source.value : known[source] {
      rewriter.redirect(output, to: same)
      rewriter.remove(index)
      return
    }
    if source.order.isIdentity {
      var node = node
      (node.operatorName, node.inputs, node.attributes) = (OperatorName(type: "Identity"), [source.value], [:])
      rewriter.replace(index, by: node)
    } else {
      put(source, as: output, at: index)
    }
  }

  /// The order that the axes of all these inputs are in; nil where there is none.
  private func order(of inputs: some Sequence<Graph.ValueID?>) -> AxisPermutation? {
    let orders = Set(inputs.compactMap { $0.flatMap { sources[$0]?.order } })
    return orders.count == 1 ? orders.first : nil
  }

  /// Puts transpositions of the results in the place of node `index`, and before them the node, of `inputs` as they lie
  /// in memory.
  private mutating func move(
    _ index: Int, _ node: Node, inputs: Range<Int>, _ order: AxisPermutation, _ renaming: AxisRule.Renaming
  ) throws {
    let operands = try inputs.map { try operand(node.inputs[$0], order) }
    var moved = node
    for (position, operand) in zip(inputs, operands) { moved.inputs[position] = value(operand, before: index) }
    moved.attributes.merge(renaming.attributes) { $1 }
    for (position, list) in renaming.lists {
      let values = GraphValue(try Tensor(list.map { Int64($0) }))
      while moved.inputs.count <= position { moved.inputs.append(nil) }
      moved.inputs[position] = rewriter.addConstant(values, named: "\(node.name), input \(position) reordered")
    }
    moved.outputs = node.outputs.map { output in
      output.map { rewriter.addValue(named: "\(rewriter.graph.values[$0].name) reordered") }
    }
    rewriter.insert(moved, before: index)
    let results = zip(node.outputs, moved.outputs).compactMap { output, stored in
      output.flatMap { output in stored.map { (output, Source(value: $0, order: renaming.order)) } }
    }
    for (output, source) in results.dropLast() {
      rewriter.insert(transposition(source, giving: output), before: index)
      enter(source, as: output)
    }
    if let (output, source) = results.last { put(source, as: output, at: index) }
  }

  // MARK: Operands

  private enum Operand {
    case value(Graph.ValueID?)
    case constant(GraphValue, named: String)
    /// One that is to be transposed, which moves nothing.
    case view(Graph.ValueID, AxisPermutation)
  }

  /// An input as it has to lie in memory beside others whose axes are in `order`.
  private func operand(_ input: Graph.ValueID?, _ order: AxisPermutation) throws -> Operand {
    guard let input else { return .value(nil) }
    if let source = sources[input] { return .value(source.value) }
    let inverse = order.inverse
    if let constant = rewriter.constant(input) {
      guard let shape = constant.shape, shape.count <= order.rank else { throw ShapeFacts.Unknown() }
      if shape.allSatisfy({ $0 == 1 }) { return .value(input) }
      let whole = [Int](repeating: 1, count: order.rank - shape.count) + shape
      let name = "\(rewriter.graph.values[input].name) reordered"
      return .constant(try Permutation(axes: inverse.axes).run(constant.reshaped(whole)), named: name)
    }
    guard let shape = types[input]?.shape, shape.count <= order.rank else { throw ShapeFacts.Unknown() }
    if shape.allSatisfy({ $0 == 1 }) { return .value(input) }
    guard shape.count == order.rank, !inverse.moves(shape) else { throw ShapeFacts.Unknown() }
    return .view(input, inverse)
  }

  private mutating func value(_ operand: Operand, before index: Int) -> Graph.ValueID? {
    switch operand {
    case .value(let value): return value
    case .constant(let constant, let name): return rewriter.addConstant(constant, named: name)
    case .view(let value, let order):
      let name = "\(rewriter.graph.values[value].name) reordered"
      let output = rewriter.addValue(named: name)
      rewriter.insert(transposition(Source(value: value, order: order), giving: output), before: index)
      return output
    }
  }

  // MARK: Transpositions

  private func transposition(_ source: Source, giving output: Graph.ValueID) -> Node {
    Node(
      name: "Transpose of \(rewriter.graph.values[source.value].name)", operatorName: .transpose, opset: 13,
      inputs: [source.value], outputs: [output], attributes: ["perm": .ints(source.order.axes.map { Int64($0) })])
  }

  private mutating func enter(_ source: Source, as output: Graph.ValueID) {
    sources[output] = source
    if known[source] == nil { known[source] = output }
  }

  private mutating func put(_ source: Source, as output: Graph.ValueID, at index: Int) {
    rewriter.replace(index, by: transposition(source, giving: output))
    enter(source, as: output)
  }
}
