import Apus

/// One run of a ``ParityCheck``: the values of up to four ways through the graph, each kept until its last reader.
struct ParityRun {
  private let check: ParityCheck
  private let reference: ReferenceValues
  private let context: RunContext
  /// Apus' own run.
  private var own: ParityLane
  /// Each node on the reference's values.
  private var fed: ParityLane
  /// The two in DOUBLE.
  private var truth: ParityLane?
  private var fedTruth: ParityLane?
  /// The values that are the same in `own` and `fed`, so that no node need be run twice on them.
  private var shared: Set<Graph.ValueID>
  private var held: Set<Graph.ValueID> = []
  private let modelInputs: Set<Graph.ValueID>
  /// What the cumulative errors of the reference's values go by.
  private var scales: [Graph.ValueID: Double] = [:]
  private(set) var report = ParityReport()

  init(_ check: ParityCheck, inputs: [String: GraphValue], reference: ReferenceValues) throws {
    self.check = check
    self.reference = reference
    let graph = check.graph
    let values = try check.modelInputs(inputs)
    modelInputs = Set(graph.inputs)
    let limits = check.options.limits
    context = RunContext(
      limits: limits.run, seed: check.options.seed,
      growth: limits.growthLimit(constants: graph.constantByteCount, inputs: values))
    own = ParityLane(graph, check.steps, inputs: values)
    fed = own
    if let widened = check.truthGraph {
      truth = ParityLane(widened, check.truthSteps, inputs: try values.map { try $0?.widened() })
      fedTruth = truth
    }
    shared = Set(graph.inputs).union(graph.constants.keys)
    let known = Set(graph.values.map(\.name))
    report.unknownNames = reference.names.filter { !known.contains($0) && inputs[$0] == nil }.sorted()
    report.hasTruth = truth != nil
  }

  /// Runs node `index` every way, compares its outputs and releases what no later node reads.
  mutating func step(_ index: Int) throws {
    try context.checkCancellation()
    let step = check.steps[index]
    let node = step.node
    let inputs = self.inputs(of: node)
    let isShared = node.reads.allSatisfy(shared.contains)
    let results = try Execution.with(precision: check.options.precision, stop: context.stop) {
      let ownResult = try own.run(index, context)
      return (own: ownResult, fed: isShared ? ownResult : try fed.run(index, context))
    }
    let (truthResult, fedTruthResult) = try Execution.with(stop: context.stop) {
      let truthResult = try truth?.run(index, context)
      return (truthResult, isShared ? truthResult : try fedTruth?.run(index, context))
    }
    let shapes = node.inputs.map { id in id.flatMap { fed.slots[$0]?.shape } }
    var outputs: [ParityReport.Output] = []
    var terms = 1
    for (position, output) in node.outputs.enumerated() {
      guard let output else { continue }
      let info = check.graph.values[output]
      let values = Ways(
        own: results.own.value(position), fed: results.fed.value(position),
        truth: step.isDeterministic ? truthResult?.value(position) : nil,
        fedTruth: step.isDeterministic ? fedTruthResult?.value(position) : nil)
      if position == 0, let shape = values.fed?.shape ?? values.own?.shape {
        terms = node.termCount(inputs: shapes, output: shape)
      }
      let expected = try reference.value(named: info.name)
      if let expected {
        held.insert(output)
        scales[output] = max(try expected.largestMagnitude(), scale(of: node))
        if step.isDeterministic, values.own != nil || values.fed != nil {
          outputs.append(try compare(info, expected, values, step, terms: terms))
        }
      }
      try store(output, values, expected, declared: info.type, step, isShared: isShared)
    }
    report.nodes.append(
      ParityReport.NodeReport(
        index: index, name: node.name, operatorName: node.operatorName, opset: node.opset,
        attributes: node.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value.summary) }, inputs: inputs,
        outputs: outputs, status: status(step, results.own, results.fed, outputs), terms: terms,
        suspects: outputs.contains { $0.isolated?.isAcceptable == false } ? suspects(index) : [],
        isConstant: step.isConstant, bodyNodeCount: node.subgraphs.values.reduce(0) { $0 + $1.nodeCount }))
    release(step.lastUses)
  }

  private struct Ways {
    var own: GraphValue?
    var fed: GraphValue?
    var truth: GraphValue?
    var fedTruth: GraphValue?
  }

  private func inputs(of node: Node) -> [ParityReport.Input] {
    node.inputs.compactMap { id in
      guard let id else { return nil }
      let info = check.graph.values[id]
      let source: ParityReport.Input.Source =
        check.graph.constants[id] != nil
        ? .constant : held.contains(id) ? .reference : modelInputs.contains(id) ? .input : .computed
      return ParityReport.Input(name: info.name, type: fed.slots[id]?.type ?? info.type, source: source)
    }
  }

  // MARK: Values

  private mutating func store(
    _ id: Graph.ValueID, _ values: Ways, _ expected: GraphValue?, declared: GraphValueType?, _ step: ParityStep,
    isShared: Bool
  ) throws {
    let type = values.own?.elementType ?? values.fed?.elementType ?? declared?.elementType
    let given = try expected?.narrowed(to: type)
    // What depends on chance, or could not be computed, is taken over: the rest can still be judged.
    let ownValue = step.isDeterministic ? values.own ?? given : given ?? values.own
    let fedValue = given ?? values.fed
    let isDone = step.lastUses.contains(id)
    own.slots[id] = isDone ? nil : ownValue
    fed.slots[id] = isDone ? nil : fedValue
    if truth != nil {
      let widened = try expected?.widened()
      truth?.slots[id] = isDone ? nil : values.truth ?? widened
      fedTruth?.slots[id] = isDone ? nil : widened ?? values.fedTruth
    }
    if let ownValue, let fedValue {
      if given == nil ? isShared : try ownValue.hasSameBytes(as: fedValue) { shared.insert(id) }
    }
  }

  private mutating func release(_ ids: [Graph.ValueID]) {
    for id in ids {
      own.slots[id] = nil
      fed.slots[id] = nil
      truth?.slots[id] = nil
      fedTruth?.slots[id] = nil
    }
  }

  // MARK: Comparing

  private func compare(
    _ info: Graph.ValueInfo, _ expected: GraphValue, _ values: Ways, _ step: ParityStep, terms: Int
  ) throws -> ParityReport.Output {
    let rule = check.options.tolerance
    let type = values.fed?.elementType ?? values.own?.elementType
    let allowsLevels = rule.absolute == nil
    let leastScale = step.node.facts?.accuracy.leastScale ?? 0
    func judged(_ value: GraphValue, leastScale: Double) throws -> ValueDifference {
      try ValueDifference(
        value, expected,
        tolerance: rule.isolated(expected, computedIn: type, terms: terms, leastScale: leastScale),
        allowsLevels: allowsLevels && step.makesLevels)
    }
    var isolated = try values.fed.map { try judged($0, leastScale: leastScale) }
    if let value = values.fed, isolated?.isAcceptable == false, rule.absolute == nil {
      // The size of the terms costs a run of the node, and is wanted only where that of the result does not explain it.
      let inputs = step.node.inputs.map { $0.flatMap { fed.slots[$0] } }
      if let scale = step.node.largestSum(of: inputs, context) {
        isolated = try judged(value, leastScale: scale)
      }
    }
    let cumulative = try values.own.map { value in
      try ValueDifference(
        value, expected,
        tolerance: rule.cumulative(
          expected, computedIn: type, isQuantized: step.isQuantized, leastScale: scale(of: step.node)),
        allowsLevels: allowsLevels && step.isQuantized)
    }
    return ParityReport.Output(
      name: info.name, type: values.fed?.type ?? values.own?.type ?? info.type, expectedType: expected.type,
      isolated: isolated, cumulative: cumulative, truth: try truth(expected, values))
  }

  /// What the cumulative errors of a node's outputs go by at least.
  private func scale(of node: Node) -> Double {
    guard let accuracy = node.facts?.accuracy else { return 0 }
    guard accuracy.passesErrorsOn else { return accuracy.leastScale }
    return node.inputs.reduce(accuracy.leastScale) { scale, id in max(scale, id.flatMap { scales[$0] } ?? 0) }
  }

  private func truth(_ expected: GraphValue, _ values: Ways) throws -> ParityReport.Truth? {
    guard truth != nil, expected.elementType?.isFloatingPoint == true else { return nil }
    func difference(_ value: GraphValue?, _ truth: GraphValue?) throws -> ValueDifference? {
      guard let value, let truth, truth.elementType == .double else { return nil }
      return try ValueDifference(value, truth, tolerance: .exact, allowsLevels: false)
    }
    return ParityReport.Truth(
      isolatedReference: try difference(expected, values.fedTruth),
      isolatedActual: try difference(values.fed, values.fedTruth),
      cumulativeReference: try difference(expected, values.truth),
      cumulativeActual: try difference(values.own, values.truth))
  }

  private func status(
    _ step: ParityStep, _ own: ParityLane.Outcome, _ fed: ParityLane.Outcome, _ outputs: [ParityReport.Output]
  ) -> ParityReport.Status {
    if !step.isDeterministic { return .random }
    for outcome in [fed, own] {
      switch outcome {
      case .failed(let reason): return .failed(reason)
      case .missing(let name): return .notComputed(name)
      case .values: break
      }
    }
    if outputs.isEmpty { return .unchecked }
    if outputs.contains(where: { $0.isolated?.isAcceptable == false }) { return .wrong }
    if outputs.contains(where: { $0.cumulative?.isAcceptable == false }) { return .inherits }
    let levels = outputs.contains { $0.isolated?.isOffByOneLevel == true || $0.cumulative?.isOffByOneLevel == true }
    return levels ? .offByOneLevel : .equal
  }

  /// The nodes between node `index` and what the reference has, constants excluded.
  private func suspects(_ index: Int) -> [String] {
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

extension Graph {
  /// The nodes here and in all subgraphs.
  fileprivate var nodeCount: Int {
    nodes.reduce(nodes.count) { $0 + $1.subgraphs.values.reduce(0) { $0 + $1.nodeCount } }
  }
}

extension GraphValueType {
  fileprivate var elementType: ElementType? {
    if case .tensor(let type, _) = self { type } else { nil }
  }
}
