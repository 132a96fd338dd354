import Apus

// How much of a difference rounding alone explains: the same computed in DOUBLE, and on either side of jumps.

extension ParityRun {
  /// A value in DOUBLE, from the last values that the reference has: what rounding alone amounts to on the way shows beside
  /// it. Nil where it is one node's, and the reference has rounded as that was fed.
  ///
  /// - Parameter isOfDouble: whether the reference is in DOUBLE. What nodes of other types are fed is rounded first then,
  ///   and a cosine of 1000 radians, or a choice between two buckets, makes much of that.
  func inDouble(
    _ id: Graph.ValueID, _ value: GraphValue, _ held: Set<Graph.ValueID>, isOfDouble: Bool
  ) throws -> GraphValue? {
    guard let type = value.elementType, type.isFloatingPoint else { return nil }
    let part = ParityPart(of: id, cutting: held, given: Set(modelInputs.keys), in: check)
    let steps = part.steps.map { check.steps[$0] }
    // A body rounds as often as it has nodes.
    let roundings = steps.reduce(0) { $0 + ($1.isConstant ? 0 : 1 + $1.node.bodyNodeCount) }
    // Of levels, the nearest in DOUBLE may be another.
    guard isOfDouble && type != .double || roundings > 1,
      !steps.contains(where: { $0.makesLevels || !$0.isDeterministic || $0.node.roundsInBodies })
    else { return nil }
    do {
      let graph = try part.graph(of: check).widened()
      let feed = try part.boundary.map { id in
        try (modelInputs[id] ?? reference.value(named: check.graph.values[id].name))?.widened()
      }
      return try Execution.with(stop: context.stop) { try Plan(graph).run(feed, context: context) }.first
    } catch {
      if context.stop.isRaised { throw context.interruption }
      // The allowance only ever widens a tolerance: without it the stricter one holds.
      return nil
    }
  }

  /// Of a value in DOUBLE and the same with what leads to jumps a little less and a little more, each element that is nearest
  /// to the reference's; nil where no jump leads to it.
  func besideJumps(
    _ id: Graph.ValueID, _ exact: GraphValue, _ expected: GraphValue, _ held: Set<Graph.ValueID>, by relative: Double
  ) throws -> GraphValue? {
    let part = ParityPart(of: id, cutting: held, given: Set(modelInputs.keys), in: check)
    guard !history.jumps.isDisjoint(with: part.steps) else { return nil }
    do {
      let graph = part.graph(of: check)
      let values = try part.boundary.map { id in
        try modelInputs[id] ?? reference.value(named: check.graph.values[id].name)
      }
      let jumping = try JumpingPart(
        graph, of: id, jumps: part.steps.map(history.jumps.contains), given: values, context: context)
      let sides = try [-relative, relative].compactMap { try jumping.value(beside: $0) }
      return try ([exact] + sides).nearest(to: expected)
    } catch {
      if context.stop.isRaised { throw context.interruption }
      return nil
    }
  }
}

extension Node {
  /// The nodes in its bodies, and in theirs.
  var bodyNodeCount: Int {
    subgraphs.values.reduce(0) { $0 + $1.nodes.reduce($1.nodes.count) { $0 + $1.bodyNodeCount } }
  }

  /// Whether a node in its bodies rounds to levels.
  fileprivate var roundsInBodies: Bool { subgraphs.values.contains { !$0.nodesThatRound.isEmpty } }
}

extension GraphValue {
  /// The largest difference of the elements that are smaller than `limit`; 0 where there is none to speak of.
  func largestDifference(from other: GraphValue, below limit: Double) throws -> Double {
    guard case .tensor(let a) = self, case .tensor(let b) = other, a.shape == b.shape else { return 0 }
    let (x, y) = (try a.converted(to: Double.self), try b.converted(to: Double.self))
    return try x.withUnsafeBufferPointer { x in
      try y.withUnsafeBufferPointer { y in
        x.indices.reduce(0.0) { largest, index in
          let difference = (x[index] - y[index]).magnitude
          return x[index].magnitude < limit && difference.isFinite ? max(largest, difference) : largest
        }
      }
    }
  }
}
