import Apus

/// A way through the graph: the model's own numbers and, where they were asked for, the same in DOUBLE.
struct ParityWay {
  var lane: ParityLane
  var truth: ParityLane?

  /// What came of running a node.
  struct Result {
    var outcome: ParityLane.Outcome
    var truth: ParityLane.Outcome?
  }

  /// - Throws: ``GraphError/cancelled`` and ``GraphError/timeLimit(_:)`` only.
  func run(_ index: Int, _ precision: Execution.Precision, _ context: RunContext) throws -> Result {
    let outcome = try Execution.with(precision: precision, stop: context.stop) { try lane.run(index, context) }
    return Result(
      outcome: outcome, truth: try Execution.with(stop: context.stop) { try truth?.run(index, context) })
  }

  mutating func set(_ id: Graph.ValueID, to value: GraphValue?, truth trueValue: GraphValue?) {
    lane.slots[id] = value
    truth?.slots[id] = trueValue
  }

  mutating func release(_ ids: [Graph.ValueID]) {
    for id in ids { set(id, to: nil, truth: nil) }
  }
}

/// One way through the graph: its nodes prepared, and the values so far.
struct ParityLane {
  /// What came of running a node.
  enum Outcome {
    case values([GraphValue?])
    case failed(String)
    /// The name of an input that has no value.
    case missing(String)

    func value(_ index: Int) -> GraphValue? {
      guard case .values(let values) = self, values.indices.contains(index) else { return nil }
      return values[index]
    }
  }

  private let plan: Plan
  private let steps: [ParityStep]
  var slots: [GraphValue?]

  init(_ graph: Graph, _ steps: [ParityStep], inputs: [GraphValue?]) {
    plan = Plan(graph: graph)
    self.steps = steps
    slots = [GraphValue?](repeating: nil, count: graph.values.count)
    for (id, value) in graph.constants { slots[id] = value }
    for (id, value) in zip(graph.inputs, inputs) { if let value { slots[id] = value } }
  }

  /// - Throws: ``GraphError/cancelled`` and ``GraphError/timeLimit(_:)`` only; what else goes wrong is an outcome.
  func run(_ index: Int, _ context: RunContext) throws -> Outcome {
    let step: PreparedNode
    switch steps[index].prepared {
    case .success(let prepared): step = prepared
    case .failure(let error): return .failed("\(error)")
    }
    return try run(step, context)
  }

  /// Runs a node of the graph that was prepared otherwise.
  func run(_ step: PreparedNode, _ context: RunContext) throws -> Outcome {
    for id in step.inputs.compactMap({ $0 }) + step.captures where slots[id] == nil {
      return .missing(plan.graph.values[id].name)
    }
    var arguments = Arguments(
      step.inputs.map { $0.flatMap { slots[$0] } }, captures: step.captures.compactMap { slots[$0] }, context: context)
    do {
      return .values(try plan.perform(step, &arguments))
    } catch {
      if context.stop.isRaised { throw context.interruption }
      return .failed("\(error)")
    }
  }
}
