import Apus

/// One run of a ``ParityCheck``: the values of up to four ways through the graph, each kept until its last reader.
struct ParityRun {
  let check: ParityCheck
  let reference: ReferenceValues
  let context: RunContext
  /// Apus' own run.
  private var own: ParityWay
  /// Each node on the reference's values.
  var fed: ParityWay
  /// The values that are the same in `own` and `fed`, so that no node need be run twice on them.
  private var shared: Set<Graph.ValueID>
  /// The values of the reference that nodes are fed with.
  var held: Set<Graph.ValueID> = []
  /// The values that nodes are fed with infinities of, where the reference has numbers.
  private(set) var overflowed: Set<Graph.ValueID> = []
  var doubts = ParityDoubts()
  /// The values that the reference fits but for a difference in doubt that their node hands on.
  var handedOn: Set<Graph.ValueID> = []
  let modelInputs: [Graph.ValueID: GraphValue]
  let modelOutputs: Set<Graph.ValueID>
  private(set) var history = ParityHistory()
  var report = ParityReport()

  init(_ check: ParityCheck, inputs: [String: GraphValue], reference: ReferenceValues) throws {
    self.check = check
    self.reference = reference
    let graph = check.graph
    let values = try check.modelInputs(inputs)
    modelInputs = Dictionary(
      zip(graph.inputs, values).compactMap { id, value in value.map { (id, $0) } },
      uniquingKeysWith: { first, _ in first })
    modelOutputs = Set(graph.outputs)
    report.modelOutputs = graph.outputs.map { graph.values[$0].name }
    var seen = reference.names
    report.uncomparedOutputs = graph.outputs.filter { check.producers[$0] != nil }.map { graph.values[$0].name }
      .filter { seen.insert($0).inserted }
    let limits = check.options.limits
    context = RunContext(
      limits: limits.run, seed: check.options.seed,
      growth: limits.growthLimit(constants: graph.constantByteCount, inputs: values))
    own = ParityWay(
      lane: ParityLane(graph, check.steps, inputs: values),
      truth: try check.truthGraph.map {
        ParityLane($0, check.truthSteps, inputs: try values.map { try $0?.widened() })
      })
    fed = own
    shared = Set(graph.inputs).union(graph.constants.keys)
    let known = Set(graph.values.map(\.name))
    report.unknownNames = reference.names.filter { !known.contains($0) && inputs[$0] == nil }.sorted()
    let constants = graph.constants.filter { modelInputs[$0.key] == nil }
    report.differingConstants = try reference.namesThatDiffer(from: constants, in: graph)
    report.differingInputs = try reference.namesThatDiffer(from: modelInputs, in: graph)
    report.hasTruth = own.truth != nil
  }

  /// Runs node `index` every way, compares its outputs and releases what no later node reads.
  mutating func step(_ index: Int) throws {
    try context.checkCancellation()
    let step = check.steps[index]
    var outcome = try run(step, at: index)
    if !outcome.inDoubt.isEmpty { try settle(&outcome, step, at: index) }
    history.noteSensitive(outcome.judged.sensitive)
    let node = try nodeReport(index, step, outcome)
    report.nodes.append(node)
    noteHarmless(index, outcome.judged.harmless.union(outcome.passedOn), outcome.judged)
    for case (let position, let output?) in step.node.outputs.enumerated() {
      try store(output, position, outcome, step)
      try noteDoubt(of: output, position, outcome, step, at: index, isWrong: node.status == .wrong)
    }
    own.release(step.lastUses)
    fed.release(step.lastUses)
    doubts.release(step.lastUses)
    setHarmlessApart()
  }

  /// Runs a node in Apus' own run and on the reference's values, and judges what it came to.
  private mutating func run(_ step: ParityStep, at index: Int) throws -> ParityOutcome {
    let node = step.node
    let isShared = node.reads.allSatisfy(shared.contains)
    let ownResult = try own.run(index, check.options.precision, context)
    let fedResult = isShared ? ownResult : try fed.run(index, check.options.precision, context)
    let expected = try expectedValues(of: node)
    if !step.isConstant { history.noteTypes(of: node, ownResult.outcome, modelInputs: modelInputs) }
    let inputs = node.reads.filter { check.graph.constants[$0] == nil }
    history.noteJumps(
      of: node, at: index, ownResult.outcome, inputs: inputs.map { ($0, own.lane.slots[$0]?.elementType) })
    return ParityOutcome(
      expected: expected, own: ownResult, fed: fedResult, isShared: isShared,
      judged: try judge(step, expected, own: ownResult, fed: fedResult, on: fed, held),
      inDoubt: doubts.nodes(behind: node.reads))
  }

  // MARK: Values

  /// The reference's values of a node's outputs, which later nodes are fed with from here on.
  private mutating func expectedValues(of node: Node) throws -> [Graph.ValueID: GraphValue] {
    var expected: [Graph.ValueID: GraphValue] = [:]
    for case let output? in node.outputs {
      guard let value = try reference.value(named: check.graph.values[output].name) else { continue }
      held.insert(output)
      history.noteScale(of: output, of: node, try ValueScale(value), sum: sumOfElements(node, value))
      expected[output] = value
    }
    return expected
  }

  /// The largest sum of the magnitudes of what a node adds up, where these are elements of its inputs: all that is left
  /// of them may be rounding.
  private func sumOfElements(_ node: Node, _ expected: GraphValue) -> Double? {
    guard node.facts?.accuracy.addends == .elements, expected.elementType?.isFloatingPoint == true else { return nil }
    return node.largestSum(of: node.inputs.map { $0.flatMap { fed.lane.slots[$0] } }, context)
  }

  /// Keeps an output each way for the nodes that read it: on the reference's values, the reference's.
  private mutating func store(
    _ id: Graph.ValueID, _ position: Int, _ outcome: ParityOutcome, _ step: ParityStep
  ) throws {
    let expected = outcome.expected[id]
    let (ownValue, fedValue) = (outcome.own.outcome.value(position), outcome.fed.outcome.value(position))
    let type = ownValue?.elementType ?? fedValue?.elementType ?? check.graph.values[id].type?.elementType
    let given = try expected?.narrowed(as: ownValue ?? fedValue, otherwise: type)
    // What depends on chance, or could not be computed, is taken over: the rest can still be judged.
    let nextOwn = step.isDeterministic ? ownValue ?? given : given ?? ownValue
    let nextFed = given ?? fedValue
    if try expected?.overflows(type) ?? step.node.reads.contains(where: overflowed.contains) { overflowed.insert(id) }
    if !step.lastUses.contains(id) {
      let widened = own.truth == nil ? nil : try expected?.widened()
      func truth(_ result: ParityWay.Result) -> GraphValue? {
        step.isDeterministic ? result.truth?.value(position) : nil
      }
      own.set(
        id, to: nextOwn,
        truth: try truth(outcome.own).map { try moved($0, id, step, terms: outcome.judged.terms) } ?? widened)
      fed.set(id, to: nextFed, truth: widened ?? truth(outcome.fed))
    }
    if let nextOwn, let nextFed {
      if given == nil ? outcome.isShared : try nextOwn.hasSameBytes(as: nextFed) { shared.insert(id) }
    }
  }

  /// A result in DOUBLE, moved by chance where drift is measured: as far as the node may be off by itself, whose own
  /// arithmetic rounds.
  private func moved(_ value: GraphValue, _ id: Graph.ValueID, _ step: ParityStep, terms: Int) throws -> GraphValue {
    guard let draw = check.driftDraw, !step.isConstant, let type = history.coarsest[id],
      step.node.facts?.accuracy.passesErrorsOn != true
    else { return value }
    let tolerance = try check.options.tolerance.isolated(
      value, computedIn: type, terms: terms, leastScale: step.node.facts?.accuracy.leastScale ?? 0)
    let seed = check.options.seed ^ UInt64(truncatingIfNeeded: id) &* 0x9E37_79B9_7F4A_7C15
    return try value.moved(within: tolerance, seed: seed &+ draw &* 0xD1B5_4A32_D192_ED03)
  }

  // MARK: Report

  private func nodeReport(_ index: Int, _ step: ParityStep, _ outcome: ParityOutcome) throws -> ParityReport.NodeReport
  {
    let node = step.node
    let status = status(step, outcome)
    let suspects = status == .wrong ? self.suspects(index) : []
    return ParityReport.NodeReport(
      index: index, name: node.name, operatorName: node.operatorName, opset: node.opset,
      attributes: node.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value.summary) },
      inputs: inputs(of: node), outputs: outcome.judged.outputs,
      outputNames: node.outputs.compactMap { $0.map { check.graph.values[$0].name } }, status: status,
      terms: outcome.judged.terms,
      suspects: suspects,
      patterns: status == .wrong ? try patterns(step, outcome, isAlone: suspects.isEmpty) : [],
      isConstant: step.isConstant,
      bodyNodeCount: node.bodyNodeCount)
  }

  private func inputs(of node: Node) -> [ParityReport.Input] {
    node.inputs.compactMap { id in
      guard let id else { return nil }
      let info = check.graph.values[id]
      let source: ParityReport.Input.Source =
        check.graph.constants[id] != nil
        ? .constant : held.contains(id) ? .reference : check.graph.inputs.contains(id) ? .input : .computed
      return ParityReport.Input(name: info.name, type: fed.lane.slots[id]?.type ?? info.type, source: source)
    }
  }

  private func status(_ step: ParityStep, _ result: ParityOutcome) -> ParityReport.Status {
    if !step.isDeterministic { return .random }
    for outcome in [result.fed.outcome, result.own.outcome] {
      switch outcome {
      case .failed(let reason): return .failed(reason)
      case .missing(let name): return .notComputed(name)
      case .values: break
      }
    }
    let outputs = result.judged.outputs
    if outputs.isEmpty { return .unchecked }
    if outputs.contains(where: { $0.isolated?.isAcceptable == false }) { return .wrong }
    let inherited = outputs.filter { $0.cumulative?.isAcceptable == false }
    if !inherited.isEmpty { return inherited.allSatisfy(\.isDrift) ? .drifts : .inherits }
    let levels = outputs.contains { $0.isolated?.isOffByOneLevel == true || $0.cumulative?.isOffByOneLevel == true }
    return levels ? .offByOneLevel : .equal
  }
}

extension GraphValueType {
  var elementType: ElementType? {
    if case .tensor(let type, _) = self { type } else { nil }
  }
}
