import Apus

extension Graph {
  /// What depends on constants alone is computed once, and becomes a constant.
  ///
  /// What takes much more memory than what it is made of, as a large Expand, stays a node beyond a ``FoldingAllowance``; but
  /// what is small again after that, as a sum of it, is computed all the same (``LargeConstants``). What reads texts stays a
  /// node too.
  /// - Throws: ``GraphError/cancelled``, ``GraphError/timeLimit(_:)``.
  func foldingConstants() throws -> Graph { try folding(withLarge: true) { _ in true } }

  /// The values of Constant nodes become constants of the graph.
  func inliningConstants() throws -> Graph {
    try folding { $0.operatorName == OperatorName(type: "Constant") }
  }

  /// Weights that a file stores in fewer bits become the numbers that they stand for, where they stand: before what moves
  /// them, so that a matrix that is transposed on its way can be packed from how it lies.
  func expandingWeights() throws -> Graph {
    let names = Set(
      ["Cast", "DequantizeLinear", "Reshape"].map { OperatorName(type: $0) } + Operators.compressedWeights.map(\.name))
    return try folding { names.contains($0.operatorName) }
  }

  private func folding(withLarge: Bool = false, _ isWanted: (Node) -> Bool) throws -> Graph {
    var large = LargeConstants()
    var rewriter = GraphRewriter(self)
    let context = RunContext()
    var allowance = FoldingAllowance(of: self)
    // What is laid out to compute a constant is not kept.
    try PackedCache.$current.withValue(nil) {
      try Execution.with(stop: context.stop) {
        for index in rewriter.nodes.indices {
          guard let node = rewriter.nodes[index], isWanted(node) else { continue }
          let limit = allowance.limit(of: node, in: rewriter)
          var values = rewriter.folded(node, context, within: limit)
          if withLarge, values == nil { values = large.folded(index, in: rewriter, context, within: limit) }
          // Whatever was broken off is undefined.
          try context.checkCancellation()
          guard let values else { continue }
          rewriter.fold(index, values)
          allowance.take(values, of: node, in: rewriter)
          for case let input? in node.inputs where rewriter.isUnused(input) {
            // What the graph came with may be an input's default.
            if allowance.giveBack(input) { rewriter.removeConstant(input) }
          }
        }
      }
    }
    return rewriter.finished()
  }
}

/// How far the constants of a graph may outgrow what they are made of: by as much as its weights take at a time, so that
/// relative positions and masks are computed once; and in all by a few times that, which bounds the time it takes.
private struct FoldingAllowance {
  private var bytesLeft: Int
  private var computedBytesLeft: Int
  private var taken: [Graph.ValueID: Int] = [:]
  /// The bytes of the largest constant that was there before and that a computed one is made of. By these it is measured
  /// what may be made: by those of a computed one a chain of nodes that double theirs would never end.
  private var sources: [Graph.ValueID: Int] = [:]
  /// Bytes by which values may exceed what they are made of, all together.
  private var growthLeft: Int

  /// What is made of one of the graph's constants may have so many times its bytes: as weights of four bits in `Float`.
  private static let expansion = 8
  /// What any value may take.
  private static let leastLimit = 1 << 16
  /// What all may grow by, however small the constants are.
  private static let leastGrowth = 256 << 20

  init(of graph: Graph) {
    bytesLeft = graph.constants.values.reduce(0) { min(1 << 40, $0 + $1.byteCount) }
    computedBytesLeft = 16 * bytesLeft
    growthLeft = computedBytesLeft + Self.leastGrowth
  }

  /// Bytes that a value may take which this node gives.
  func limit(of node: Node, in rewriter: GraphRewriter) -> Int {
    let inputs = Self.inputByteCounts(of: node, in: rewriter)
    let source = inputs.map { sources[$0.id] ?? $0.bytes }.max() ?? 0
    let limit = max(min(bytesLeft, computedBytesLeft), Self.leastLimit, source.multipliedClamped(by: Self.expansion))
    return min(limit, (inputs.map(\.bytes).max() ?? 0).addingClamped(growthLeft))
  }

  /// Counts what a node gives.
  mutating func take(_ values: [GraphValue?], of node: Node, in rewriter: GraphRewriter) {
    let inputs = Self.inputByteCounts(of: node, in: rewriter)
    let source = inputs.map { sources[$0.id] ?? $0.bytes }.max() ?? 0
    let largest = inputs.map(\.bytes).max() ?? 0
    for case (let output?, let value?) in zip(node.outputs, values) {
      let bytes = value.byteCount
      // A Constant's value is a constant that was there before.
      if !node.inputs.isEmpty {
        sources[output] = source
        growthLeft = max(0, growthLeft - max(0, bytes - largest))
      }
      guard bytes > 0 else { continue }
      taken[output] = bytes
      bytesLeft = max(0, bytesLeft - bytes)
      computedBytesLeft = max(0, computedBytesLeft - bytes)
    }
  }

  private static func inputByteCounts(of node: Node, in rewriter: GraphRewriter) -> [(id: Graph.ValueID, bytes: Int)] {
    node.inputs.compactMap { id in id.flatMap { id in rewriter.constant(id).map { (id, $0.byteCount) } } }
  }

  /// Gives back what a value took, if it took any.
  mutating func giveBack(_ id: Graph.ValueID) -> Bool {
    guard let bytes = taken.removeValue(forKey: id) else { return false }
    bytesLeft += bytes
    return true
  }
}

extension GraphRewriter {
  /// The node's outputs when they can be known now; nil also for a node that fails, which then fails when it runs.
  ///
  /// - Parameter limit: bytes that an output may take.
  fileprivate func folded(_ node: Node, _ context: RunContext, within limit: Int) -> [GraphValue?]? {
    guard let definition = foldable(node), node.inputs.allSatisfy({ $0 == nil || constant($0) != nil }) else {
      return nil
    }
    let inputs = node.inputs.map { constant($0) }
    let description = description(of: node)
    // A Constant's value is in the file already.
    guard node.inputs.isEmpty || isForecast(description, inputs, definition, within: limit) else { return nil }
    if let weights = try? Operators.deferredWeights(description, inputs) { return [weights] }
    guard let operation = try? definition.prepare(description) else { return nil }
    var arguments = Arguments(inputs, context: context)
    guard let values = try? operation(&arguments), values.count >= node.outputs.count else { return nil }
    guard node.inputs.isEmpty || values.allSatisfy({ ($0?.byteCount ?? 0) <= limit }) else { return nil }
    return values
  }

  /// What is known of the operator of a node that may be computed before anything runs, if its inputs are known.
  fileprivate func foldable(_ node: Node) -> OperatorDefinition? {
    guard let definition = Operators.byName[node.operatorName], definition.facts.isDeterministic,
      node.subgraphs.isEmpty, !node.outputs.contains(where: { $0.map(isOutput) ?? false }),
      !node.inputs.contains(where: { constant($0)?.holdsTexts ?? false })
    else { return nil }
    return definition
  }

  /// Whether no output is known to be larger than `limit` bytes before anything is computed.
  private func isForecast(
    _ description: NodeDescription, _ inputs: [GraphValue?], _ definition: OperatorDefinition, within limit: Int
  ) -> Bool {
    guard case .rule(let rule) = definition.facts.shapes else { return true }
    let types = inputs.map { value in value?.shape.map { InferredType(value?.elementType, $0) } }
    guard let outputs = try? rule(ShapeFacts(node: description, inputs: types)) else { return true }
    return outputs.allSatisfy { output in
      guard let output else { return true }
      return output.shape.product <= limit / (output.elementType?.dataType?.byteCount ?? 1)
    }
  }
}

/// Values that depend on constants alone and are too large to be kept: made when something small is made of them, and
/// forgotten again. A state-space layer's kernel is a sum of exponentials, a hundred times as many numbers as it has.
private struct LargeConstants {
  /// Bytes that one of them may take, and all that are made together, which bounds the time; none counts for fewer than that
  /// it takes to make anything.
  private static let largest = 64 << 20
  private var bytesLeft = 256 << 20
  private static let leastCost = 1 << 16
  /// Nodes that lead to something small.
  private static let longestWay = 64

  private var makers: [Graph.ValueID: Int] = [:]
  private var types: [Graph.ValueID: InferredType] = [:]

  /// What node `index` gives where that is small and one of its inputs is large. Notes what it will give where that is large.
  mutating func folded(
    _ index: Int, in rewriter: GraphRewriter, _ context: RunContext, within limit: Int
  ) -> [GraphValue?]? {
    guard let node = rewriter.nodes[index], let definition = rewriter.foldable(node),
      case .none = definition.facts.work, case .rule(let rule) = definition.facts.shapes,
      node.inputs.allSatisfy({ input in input.map { rewriter.constant($0) != nil || types[$0] != nil } ?? true })
    else { return nil }
    let inputs = node.inputs.map { input -> InferredType? in
      guard let input else { return nil }
      guard let value = rewriter.constant(input) else { return types[input] }
      return value.shape.map { InferredType(value.elementType, $0) }
    }
    guard let outputs = try? rule(ShapeFacts(node: rewriter.description(of: node), inputs: inputs)) else { return nil }
    let sizes = outputs.compactMap { $0.flatMap(Self.byteCount) }
    guard sizes.count == outputs.count, sizes.count >= node.outputs.count, let size = sizes.max(), size <= Self.largest
    else { return nil }
    guard size > limit else {
      let isMadeOfLarge = node.inputs.contains { $0.map { types[$0] != nil } ?? false }
      return isMadeOfLarge ? made(index, in: rewriter, context) : nil
    }
    for case (let output?, let type?) in zip(node.outputs, outputs) { (makers[output], types[output]) = (index, type) }
    return nil
  }

  /// The bytes of a tensor of this type.
  private static func byteCount(_ type: InferredType) -> Int? {
    guard let width = type.elementType?.dataType?.byteCount else { return nil }
    return try? Shape.elementCount(type.shape + [width])
  }

  /// What node `last` gives, and on the way what that is made of.
  private mutating func made(_ last: Int, in rewriter: GraphRewriter, _ context: RunContext) -> [GraphValue?]? {
    var way: Set<Int> = []
    var open = [last]
    while let index = open.popLast() {
      guard way.insert(index).inserted else { continue }
      guard way.count <= Self.longestWay else { return nil }
      for case let input? in rewriter.nodes[index]?.inputs ?? [] where rewriter.constant(input) == nil {
        guard let maker = makers[input] else { return nil }
        open.append(maker)
      }
    }
    var values: [Graph.ValueID: GraphValue] = [:]
    // The nodes' order is one in which they can run.
    for index in way.sorted() {
      bytesLeft -= Self.leastCost
      guard bytesLeft >= 0, let node = rewriter.nodes[index], let definition = Operators.byName[node.operatorName],
        let operation = try? definition.prepare(rewriter.description(of: node))
      else { return nil }
      let inputs = node.inputs.map { input in input.flatMap { rewriter.constant($0) ?? values[$0] } }
      var arguments = Arguments(inputs, context: context)
      guard let results = try? operation(&arguments), results.count >= node.outputs.count else { return nil }
      bytesLeft -= results.reduce(0) { $0 + ($1?.byteCount ?? 0) }
      if index == last { return results }
      for case (let output?, let value?) in zip(node.outputs, results) { values[output] = value }
    }
    return nil
  }
}
