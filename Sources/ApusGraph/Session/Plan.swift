import Apus

/// A graph made ready to run: operations in order, with the slots that they read and write.
///
/// A value leaves its slot with its last reader, so that memory is reused as soon as it can be.
struct Plan: Sendable {
  let graph: Graph
  var steps: [PreparedNode] = []
  /// The values that each step reads, gives, and is the last to read.
  private(set) var traffic = StepTraffic()
  /// The constants that some step reads when it runs.
  var constants: [Graph.ValueID: GraphValue] = [:]
  let memoryPlans = MemoryPlans()
}

extension Plan {
  /// Prepares every node of `graph`.
  ///
  /// - Throws: ``GraphError/unsupported(operator:opset:node:)``, and ``GraphError/node(_:)`` for attributes that make
  ///   no sense.
  init(_ graph: Graph, depth: Int = 0) throws {
    guard depth <= InferenceSession.Limits.maximumNesting else {
      throw GraphError.graph("subgraphs are nested deeper than \(InferenceSession.Limits.maximumNesting)")
    }
    self.graph = graph
    var preparations = SharedPreparations(graph)
    for (index, node) in graph.nodes.enumerated() {
      if index.isMultiple(of: 64) { try TimeLimit.check() }
      try graph.naming(node) {
        steps.append(try preparations.step(node) { try Self.step(node, in: graph, depth: depth) })
      }
    }
    // Outputs are read by the plan's caller, constants by the next run.
    let lastUses = graph.lastUses(
      steps.map { ($0.inputs.compactMap { $0 } + $0.captures, $0.node.outputs.compactMap { $0 }) },
      keeping: graph.outputs + graph.constants.keys)
    for (step, lastUses) in zip(steps, lastUses) {
      traffic.append(inputs: step.inputs, outputs: step.node.outputs, lastUses: lastUses)
    }
    let used = Set(steps.flatMap { $0.inputs.compactMap { $0 } + $0.captures } + graph.outputs + graph.inputs)
    constants = graph.constants.filter { used.contains($0.key) }
  }

  static func step(_ node: Node, in graph: Graph, depth: Int) throws -> PreparedNode {
    guard let definition = Operators.byName[node.operatorName] else {
      throw GraphError.unsupported(operator: node.operatorName, opset: node.opset, node: node.name)
    }
    var captures: [Graph.ValueID] = []
    var subgraphs: [String: any PreparedSubgraph] = [:]
    for (name, subgraph) in node.subgraphs.sorted(by: { $0.key < $1.key }) {
      subgraphs[name] = try Subplan(subgraph, around: graph, firstCapture: captures.count, depth: depth + 1)
      captures += subgraph.captures.map(\.outer)
    }
    let absorbed = NodeDescription.Absorbed()
    let description = NodeDescription(
      node: node, constants: graph.knownInputs(of: node), subgraphs: subgraphs, isResult: graph.isResult(of: node),
      absorbed: absorbed)
    let operation = try definition.prepare(description)
    let inputs = node.inputs.enumerated().map { absorbed.indices.contains($0) ? nil : $1 }
    return PreparedNode(node, operation, inputs: inputs, captures: captures)
  }
}

// MARK: - Running

extension Plan {
  /// Runs every step.
  ///
  /// - Parameters:
  ///   - inputs: a value for each of ``Graph/inputs``; nil for one that has a default.
  ///   - captured: a value for each of ``Graph/captures``.
  ///   - prepare: called with the number of each step before it runs.
  /// - Returns: the values of ``Graph/outputs``.
  ///
  /// Inputs are given up: what the first reader may write over it does.
  func run(
    _ inputs: consuming [GraphValue?], captured: [GraphValue] = [], context: RunContext,
    beforeStep prepare: ((Int) -> Void)? = nil
  ) throws -> [GraphValue] {
    var slots = [GraphValue?](repeating: nil, count: graph.values.count)
    for (id, value) in constants { slots[id] = value }
    for (id, value) in zip(graph.inputs, consume inputs) { if let value { slots[id] = value } }
    for (capture, value) in zip(graph.captures, captured) { slots[capture.inner] = value }
    var arguments = Arguments(context: context)
    for index in steps.indices {
      prepare?(index)
      try run(index, in: &slots, by: &arguments)
    }
    return try graph.outputs.map { id in
      guard let value = slots[id] else {
        throw GraphError.graph("output '\(graph.values[id].name)' of graph '\(graph.name)' is given by no node")
      }
      return value
    }
  }

  /// - Parameter arguments: empty before and after.
  private func run(_ index: Int, in slots: inout [GraphValue?], by arguments: inout Arguments) throws {
    let context = arguments.context
    try context.checkCancellation()
    let step = steps[index]
    for place in traffic.inputs(of: index) {
      if let id = traffic[place].id { arguments.values.append(slots[id]) } else { arguments.values.append(nil) }
    }
    if !step.captures.isEmpty {
      arguments.captures = step.captures.compactMap { slots[$0] }
      guard arguments.captures.count == step.captures.count else {
        throw GraphError.graph("a subgraph of node '\(step.node.name)' reads a value that has not been computed")
      }
    }
    let types = context.tally.map { _ in
      step.node.inputs.map { $0.flatMap { slots[$0] ?? graph.constants[$0] }?.type }
    }
    for place in traffic.lastUses(of: index) { if let id = traffic[place].id { slots[id] = nil } }
    var results = try perform(step, &arguments)
    if let types { context.tally?(step.node, types, results.map { $0?.type }) }
    let outputs = traffic.outputs(of: index)
    for place in outputs {
      let output = traffic[place]
      let position = place - outputs.lowerBound
      guard let id = output.id else { continue }
      guard let value = position < results.count ? results[position].take() : nil else {
        throw graph.failure(
          of: step.node, "it gave no value for output \(position), '\(graph.values[id].name)'", type: arguments.type)
      }
      try context.observer?(graph.values[id].name, value)
      if output.isRead { slots[id] = value }
    }
    arguments.removeAll()
  }

  /// Runs one step on arguments from anywhere, and names the node in what it throws.
  func perform(_ step: PreparedNode, _ arguments: inout Arguments) throws -> [GraphValue?] {
    let context = arguments.context
    do {
      if arguments.values.contains(where: { $0 == nil }) { try checkInputs(of: step, arguments) }
      let profile = arguments.context.profile
      let start = profile == nil ? nil : ContinuousClock.now
      let results = try step.operation(&arguments)
      // Work that was broken off has left something undefined.
      if context.stop.isRaised { throw context.interruption }
      if let start { profile?.record(step.node, ContinuousClock.now - start) }
      return results
    } catch let error as GraphError {
      throw error
    } catch {
      throw context.stop.isRaised
        ? context.interruption : graph.failure(of: step.node, "\(error)", type: arguments.type)
    }
  }

  private func checkInputs(of step: PreparedNode, _ arguments: Arguments) throws {
    for (index, input) in step.inputs.enumerated() where input != nil && arguments[index] == nil {
      throw OperatorError("input \(index), '\(input.map { graph.values[$0].name } ?? "")', has no value")
    }
  }
}
