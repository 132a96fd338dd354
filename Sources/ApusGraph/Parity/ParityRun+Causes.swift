import Apus

// What a difference may be due to.

extension ParityRun {
  /// What the first output that differs tells of the reason.
  ///
  /// - Parameter isAlone: whether the node is the only one that the difference may be due to. Of the first such node, other
  ///   values of its attributes are tried.
  func patterns(_ step: ParityStep, _ outcome: ParityOutcome, isAlone: Bool) throws -> [DifferencePattern] {
    for (position, output) in step.node.outputs.enumerated() {
      guard let output, let expected = outcome.expected[output],
        let value = outcome.fed.outcome.value(position),
        let difference = outcome.judged.outputs.first(where: { $0.name == check.graph.values[output].name })?.isolated,
        !difference.isAcceptable, let tolerance = difference.comparison?.tolerance
      else { continue }
      let isFirst = !report.nodes.contains { $0.status == .wrong }
      let tried = isFirst && isAlone ? try variations(step.node, position, expected, tolerance) : []
      return try tried + DifferencePattern.all(value, expected, tolerance: tolerance)
    }
    return []
  }

  /// The other values of attributes with which a node gives what the reference has.
  private func variations(
    _ node: Node, _ position: Int, _ expected: GraphValue, _ tolerance: Tolerance
  ) throws -> [DifferencePattern] {
    let rank = node.inputs.first.flatMap { $0 }.flatMap { fed.lane.slots[$0]?.shape?.count } ?? 0
    var found: [DifferencePattern] = []
    var names: Set<String> = []
    for (name, value) in node.attributeVariations(rank: rank) where !names.contains(name) {
      try context.checkCancellation()
      var node = node
      node.attributes[name] = value
      // What the operator refuses is no hypothesis.
      guard let prepared = try? Plan.step(node, in: check.graph, depth: 0) else { continue }
      let outcome = try Execution.with(precision: check.options.precision, stop: context.stop) {
        try fed.lane.run(prepared, context)
      }
      guard let actual = outcome.value(position),
        try ValueDifference(actual, expected, tolerance: tolerance, allowsLevels: false).isAcceptable
      else { continue }
      names.insert(name)
      found.append(.attribute(name: name, value: value.summary))
    }
    return found
  }

  /// The nodes between node `index` and what the reference has, constants excluded.
  func suspects(_ index: Int) -> [String] {
    var found: [String] = []
    var wanted = Set(check.steps[index].node.reads).subtracting(held)
    for step in check.steps[..<index].reversed() where !step.isConstant {
      if wanted.isEmpty { break }
      let given = step.node.outputs.compactMap { $0 }
      guard !wanted.isDisjoint(with: given) else { continue }
      wanted.subtract(given)
      found.append(step.node.name)
      wanted.formUnion(Set(step.node.reads).subtracting(held))
    }
    return found.reversed()
  }
}
