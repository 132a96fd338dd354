import Apus

/// One run of a ``ParityCheck``: the values of up to four ways through the graph, each kept until its last reader.
struct ParityRun {
  private let check: ParityCheck
  private let reference: ReferenceValues
  private let context: RunContext
  /// Apus' own run.
  private var own: ParityWay
  /// Each node on the reference's values.
  private var fed: ParityWay
  /// The values that are the same in `own` and `fed`, so that no node need be run twice on them.
  private var shared: Set<Graph.ValueID>
  /// The values of the reference that nodes are fed with.
  private var held: Set<Graph.ValueID> = []
  /// The values that nodes are fed with infinities of, where the reference has numbers.
  private var overflowed: Set<Graph.ValueID> = []
  private var doubts = ParityDoubts()
  /// The values that the reference fits but for a difference in doubt that their node hands on.
  private var handedOn: Set<Graph.ValueID> = []
  private let modelInputs: [Graph.ValueID: GraphValue]
  private let modelOutputs: Set<Graph.ValueID>
  /// What values were rounded to, by their own node or before it: the coarsest type, where that is not DOUBLE.
  private var coarsest: [Graph.ValueID: ElementType] = [:]
  /// The positions of the nodes that jump; see ``Node/jumps(from:to:)``.
  private var jumps: Set<Int> = []
  /// The values that a jump has led to.
  private var jumping: Set<Graph.ValueID> = []
  /// What the cumulative errors of the reference's values go by.
  private var scales: [Graph.ValueID: Double] = [:]
  private(set) var report = ParityReport()

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
    report.hasTruth = own.truth != nil
  }

  /// Runs node `index` every way, compares its outputs and releases what no later node reads.
  mutating func step(_ index: Int) throws {
    try context.checkCancellation()
    let step = check.steps[index]
    let node = step.node
    let isShared = node.reads.allSatisfy(shared.contains)
    let ownResult = try own.run(index, check.options.precision, context)
    var fedResult = isShared ? ownResult : try fed.run(index, check.options.precision, context)
    let expected = try expectedValues(of: node)
    if !step.isConstant { noteTypes(of: node, ownResult) }
    noteJumps(of: node, at: index, ownResult)
    var judged = try judge(step, expected, Results(own: ownResult, fed: fedResult), fed, held)
    var inDoubt = doubts.nodes(behind: node.reads)
    var doubted: ParityWay.Result?
    var passedOn: Set<String> = []
    if !inDoubt.isEmpty {
      let way = doubts.applied(to: fed)
      let result = try way.run(index, check.options.precision, context)
      let left = held.subtracting(disputed(inDoubt))
      let other = try judge(step, expected, Results(own: ownResult, fed: result), way, left)
      doubted = result
      switch settlement(judged, other, expected, inDoubt) {
      case .open: noteEffect(of: inDoubt, judged, other, on: node)
      case .passesOn:
        passedOn = other.harmless
        handedOn.formUnion(
          node.outputs.compactMap { $0 }.filter { passedOn.contains(check.graph.values[$0].name) })
        if isOutput(node, passedOn) { doubts.noteEffect(of: inDoubt) }
      case .referenceFits:
        doubts.clear(inDoubt)
        inDoubt = []
      case .referenceDoesNotFit(let cause):
        for position in inDoubt where !disputed([position]).isEmpty {
          report.nodes[position].status = .unfit(
            .init(values: names(disputed([position])), witness: node.name, cause: cause))
        }
        held = left
        doubts.settle(inDoubt, into: &fed)
        (fedResult, judged, inDoubt) = (result, other, [])
      }
    }
    // How a node's inputs were rounded may decide what all that follows comes to.
    for output in judged.sensitive { coarsest[output] = .bfloat16 }
    let status = status(step, ownResult.outcome, fedResult.outcome, judged.outputs)
    let suspects = status == .wrong ? self.suspects(index) : []
    report.nodes.append(
      ParityReport.NodeReport(
        index: index, name: node.name, operatorName: node.operatorName, opset: node.opset,
        attributes: node.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value.summary) },
        inputs: inputs(of: node), outputs: judged.outputs,
        outputNames: node.outputs.compactMap { $0.map { check.graph.values[$0].name } }, status: status,
        terms: judged.terms,
        suspects: suspects,
        patterns: status == .wrong
          ? try self.patterns(step, judged, expected, fedResult, isAlone: suspects.isEmpty) : [],
        isConstant: step.isConstant,
        bodyNodeCount: node.subgraphs.values.reduce(0) { $0 + $1.nodeCount }))
    noteHarmless(index, judged.harmless.union(passedOn), judged)
    for (position, output) in node.outputs.enumerated() {
      guard let output else { continue }
      try store(
        output, position, expected[output], Results(own: ownResult, fed: fedResult), step, terms: judged.terms,
        isShared: isShared)
      let computed = doubted ?? fedResult
      guard !inDoubt.isEmpty || status == .wrong, !step.lastUses.contains(output),
        let value = computed.outcome.value(position)
      else { continue }
      // What was judged right takes the reference's value either way, and with it doubts end.
      let name = check.graph.values[output].name
      let isDisputed = (judged.differs(name) || passedOn.contains(name)) && !modelOutputs.contains(output)
      if expected[output] == nil ? !inDoubt.isEmpty : isDisputed {
        doubts.add(
          output, try value.narrowed(to: fedResult.outcome.value(position)?.elementType),
          truth: computed.truth?.value(position), nodes: isDisputed ? inDoubt.union([index]) : inDoubt)
      }
    }
    own.release(step.lastUses)
    fed.release(step.lastUses)
    doubts.release(step.lastUses)
    setHarmlessApart()
  }

  /// What a node came to in Apus' own run and on the reference's values.
  private struct Results {
    var own: ParityWay.Result
    var fed: ParityWay.Result
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

  // MARK: Values

  /// Takes note of what the outputs of a node were rounded to, by itself or before it.
  private mutating func noteTypes(of node: Node, _ result: ParityWay.Result) {
    let before = node.reads.reduce(nil as ElementType?) { type, id in
      Self.coarser(type, coarsest[id] ?? modelInputs[id]?.elementType)
    }
    for (position, output) in node.outputs.enumerated() {
      guard let output else { continue }
      coarsest[output] = Self.coarser(before, result.outcome.value(position)?.elementType)
    }
  }

  /// Takes note of which outputs of a node come of a jump.
  private mutating func noteJumps(of node: Node, at index: Int, _ result: ParityWay.Result) {
    let reads = node.reads.filter { check.graph.constants[$0] == nil }
    let isBehind = reads.contains(where: jumping.contains)
    let types = reads.map { own.lane.slots[$0]?.elementType }
    for case (let position, let output?) in node.outputs.enumerated() {
      let isJump = node.jumps(from: types, to: result.outcome.value(position)?.elementType)
      if isJump { jumps.insert(index) }
      if isJump || isBehind { jumping.insert(output) }
    }
  }

  /// Of two types the one that rounds more; nil of DOUBLE and of what is no floating-point number.
  private static func coarser(_ a: ElementType?, _ b: ElementType?) -> ElementType? {
    [.bfloat16, .float16, .float].first { $0 == a || $0 == b }
  }

  /// The type that a node's result is judged by where it was fed: the coarsest of its own and of what it read, which is
  /// another where it casts.
  private func computedType(of value: GraphValue, _ step: ParityStep, _ way: ParityWay) -> ElementType? {
    guard value.elementType?.isFloatingPoint == true else { return value.elementType }
    return step.node.reads.filter { check.graph.constants[$0] == nil }.reduce(value.elementType) { type, id in
      Self.coarser(type, way.lane.slots[id]?.elementType) ?? type
    }
  }

  /// The reference's values of a node's outputs, which later nodes are fed with from here on.
  private mutating func expectedValues(of node: Node) throws -> [Graph.ValueID: GraphValue] {
    var expected: [Graph.ValueID: GraphValue] = [:]
    for case let output? in node.outputs {
      guard let value = try reference.value(named: check.graph.values[output].name) else { continue }
      held.insert(output)
      let scale = try ValueScale(value)
      scales[output] = max(scale.largest, self.scale(of: node, below: scale.limit))
      expected[output] = value
    }
    return expected
  }

  private mutating func store(
    _ id: Graph.ValueID, _ position: Int, _ expected: GraphValue?, _ results: Results, _ step: ParityStep,
    terms: Int, isShared: Bool
  ) throws {
    let (ownValue, fedValue) = (results.own.outcome.value(position), results.fed.outcome.value(position))
    let type = ownValue?.elementType ?? fedValue?.elementType ?? check.graph.values[id].type?.elementType
    let given = try expected?.narrowed(to: type)
    // What depends on chance, or could not be computed, is taken over: the rest can still be judged.
    let nextOwn = step.isDeterministic ? ownValue ?? given : given ?? ownValue
    let nextFed = given ?? fedValue
    if try expected?.overflows(type) ?? step.node.reads.contains(where: overflowed.contains) { overflowed.insert(id) }
    if !step.lastUses.contains(id) {
      let widened = own.truth == nil ? nil : try expected?.widened()
      func truth(_ result: ParityWay.Result) -> GraphValue? {
        step.isDeterministic ? result.truth?.value(position) : nil
      }
      own.set(id, to: nextOwn, truth: try truth(results.own).map { try moved($0, id, step, terms: terms) } ?? widened)
      fed.set(id, to: nextFed, truth: widened ?? truth(results.fed))
    }
    if let nextOwn, let nextFed {
      if given == nil ? isShared : try nextOwn.hasSameBytes(as: nextFed) { shared.insert(id) }
    }
  }

  /// A result in DOUBLE, moved by chance where drift is measured: as far as the node may be off by itself, whose own
  /// arithmetic rounds.
  private func moved(_ value: GraphValue, _ id: Graph.ValueID, _ step: ParityStep, terms: Int) throws -> GraphValue {
    guard let draw = check.driftDraw, !step.isConstant, let type = coarsest[id],
      step.node.facts?.accuracy.passesErrorsOn != true
    else { return value }
    let tolerance = try check.options.tolerance.isolated(
      value, computedIn: type, terms: terms, leastScale: step.node.facts?.accuracy.leastScale ?? 0)
    let seed = check.options.seed ^ UInt64(truncatingIfNeeded: id) &* 0x9E37_79B9_7F4A_7C15
    return try value.moved(within: tolerance, seed: seed &+ draw &* 0xD1B5_4A32_D192_ED03)
  }

  // MARK: Doubts

  private enum Settlement {
    case open
    case referenceFits
    case referenceDoesNotFit(ParityReport.UnfitReference.Cause)
    /// It hands on what may differ without effect.
    case passesOn
  }

  /// What a node says of the doubts that lead to it.
  ///
  /// - Parameters:
  ///   - fed: its outputs on the reference's values.
  ///   - doubted: its outputs on what the model computes in place of those in doubt.
  private func settlement(
    _ fed: Judgement, _ doubted: Judgement, _ expected: [Graph.ValueID: GraphValue], _ inDoubt: Set<Int>
  ) -> Settlement {
    // NaN comes of whatever leads to NaN: where nothing is a number, nothing is told.
    guard doubted.hasNumbers, fed.hasNumbers else { return .open }
    switch (fed.isRight, doubted.isRight) {
    case (true, false): return doubted.differsHarmlessly && doubts.areHarmless(inDoubt) ? .passesOn : .referenceFits
    case (false, true): return .referenceDoesNotFit(.folded)
    case (false, false): return .open
    case (true, true):
      // Both lead to the same, as a negative number and zero do before Relu: only that the reference has one value
      // under two names tells that the later was recorded in place of the earlier.
      let values = disputed(inDoubt).compactMap { try? reference.value(named: check.graph.values[$0].name) }
      let isOverwritten = values.allSatisfy { value in
        expected.values.contains { (try? $0.hasSameBytes(as: value)) == true }
      }
      return isOverwritten && !values.isEmpty ? .referenceDoesNotFit(.overwritten) : .open
    }
  }

  /// The values at which the nodes were judged to differ, or to hand a difference on.
  private func disputed(_ nodes: Set<Int>) -> Set<Graph.ValueID> {
    nodes.reduce(into: []) { values, position in
      let differing = Set(report.nodes[position].outputs.filter { $0.isolated?.isAcceptable == false }.map(\.name))
      for case let output? in check.steps[position].node.outputs
      where differing.contains(check.graph.values[output].name) || handedOn.contains(output) {
        values.insert(output)
      }
    }
  }

  private func names(_ values: Set<Graph.ValueID>) -> [String] { values.sorted().map { check.graph.values[$0].name } }

  // MARK: Without effect

  /// Whether one of the names is an output of the model.
  private func isOutput(_ node: Node, _ names: Set<String>) -> Bool {
    node.outputs.contains { output in
      output.map { modelOutputs.contains($0) && names.contains(check.graph.values[$0].name) } ?? false
    }
  }

  /// - Parameter names: the outputs of the node that differ by what may have no effect.
  private mutating func noteHarmless(_ index: Int, _ names: Set<String>, _ judged: Judgement) {
    guard !names.isEmpty, judged.differsHarmlessly, !isOutput(check.steps[index].node, names) else { return }
    doubts.noteHarmless(index, names.isDisjoint(with: reference.guesses) ? .mask : .likeness)
  }

  /// What a node says of such differences in doubt that lead to it: where it is checked and not right either way, they have
  /// an effect. A value that is paired by likeness alone and differs either way says nothing.
  private mutating func noteEffect(of inDoubt: Set<Int>, _ fed: Judgement, _ doubted: Judgement, on node: Node) {
    let isModelOutput = node.outputs.contains { output in output.map(modelOutputs.contains) ?? false }
    if fed.outputs.isEmpty, !isModelOutput { return }
    if !fed.isRight, !doubted.isRight, [fed, doubted].allSatisfy({ $0.differsOnlyAt(reference.guesses) }) { return }
    if !fed.outputs.isEmpty, fed.isRight, doubted.isRight, fed.hasNumbers, doubted.hasNumbers {
      doubts.noteNoEffect(of: inDoubt, on: node.name)
    } else {
      doubts.noteEffect(of: inDoubt)
    }
  }

  /// Of differences that nothing reads from here on, those that need have an effect and had none do not count.
  private mutating func setHarmlessApart() {
    for (position, witness, cause) in doubts.ended() {
      let names = report.nodes[position].outputs
        .filter { $0.isolated?.isAcceptable == false || $0.cumulative?.isAcceptable == false }.map(\.name)
      guard !names.isEmpty else { continue }
      report.nodes[position].status = .unfit(.init(values: names, witness: witness, cause: cause))
    }
  }

  // MARK: Judging

  /// The outputs of a node that the reference has, compared.
  private struct Judgement {
    var outputs: [ParityReport.Output] = []
    var terms = 1
    /// Those at which it depends on how the inputs were rounded.
    var sensitive: [Graph.ValueID] = []
    /// The names of those whose difference may have no effect: by the constants of masks alone, or from what they were paired
    /// with for being alike.
    var harmless: Set<String> = []

    var differsHarmlessly: Bool { differsOnlyAt(harmless) }

    func differsOnlyAt(_ names: Set<String>) -> Bool {
      outputs.allSatisfy { $0.isolated?.isAcceptable == true || names.contains($0.name) }
    }

    var hasNumbers: Bool { outputs.contains { !$0.hasNoNumbers } }

    var isRight: Bool { outputs.allSatisfy { $0.isolated?.isAcceptable == true } }

    func differs(_ name: String) -> Bool {
      outputs.contains { $0.name == name && $0.isolated?.isAcceptable == false }
    }
  }

  /// - Parameters:
  ///   - way: what the node was fed with.
  ///   - held: the values of the reference among it.
  private func judge(
    _ step: ParityStep, _ expected: [Graph.ValueID: GraphValue], _ results: Results, _ way: ParityWay,
    _ held: Set<Graph.ValueID>
  ) throws -> Judgement {
    var judgement = Judgement()
    let node = step.node
    for (position, output) in node.outputs.enumerated() {
      guard let output else { continue }
      let values = Values(
        own: results.own.outcome.value(position), fed: results.fed.outcome.value(position),
        truth: results.own.truth?.value(position), fedTruth: results.fed.truth?.value(position))
      if position == 0, let shape = values.fed?.shape ?? values.own?.shape {
        let shapes = node.inputs.map { id in id.flatMap { way.lane.slots[$0]?.shape } }
        judgement.terms = node.termCount(inputs: shapes, output: shape)
      }
      guard step.isDeterministic, values.own != nil || values.fed != nil, let expected = expected[output] else {
        continue
      }
      var allowance = 0.0
      var type = coarsest[output] ?? values.fed?.elementType ?? values.own?.elementType
      var alone = try values.fed.map { value in
        let (difference, added) = try isolated(value, expected, output, step, terms: judgement.terms, way, held)
        if added > 0 {
          judgement.sensitive.append(output)
          allowance = added
          type = .bfloat16
        }
        return difference
      }
      let name = check.graph.values[output].name
      if let alone, !alone.isAcceptable, let tolerance = alone.comparison?.tolerance,
        try reference.guesses.contains(name)
          || values.fed?.differsByMasksAlone(from: expected, within: tolerance) == true
      {
        judgement.harmless.insert(name)
      }
      let profiled = alone?.isAcceptable == false ? values.fed : values.own ?? values.fed
      // What comes of an infinity that the reference does not have is no error of the node's own.
      if alone?.isAcceptable == false, node.reads.contains(where: overflowed.contains) { alone = nil }
      let atEnd = try values.own.map {
        try cumulative($0, expected, output, type: type, adding: allowance, step)
      }
      judgement.outputs.append(
        ParityReport.Output(
          name: name,
          type: values.fed?.type ?? values.own?.type ?? check.graph.values[output].type, expectedType: expected.type,
          isolated: alone, cumulative: atEnd, isDrift: try jumping.contains(output) && isDrift(atEnd, values, step),
          truth: try truth(expected, values),
          profile: check.options.profilesErrors ? try profiled.flatMap { try ErrorProfile($0, expected) } : nil))
    }
    return judgement
  }

  /// A value each way.
  private struct Values {
    var own: GraphValue?
    var fed: GraphValue?
    var truth: GraphValue?
    var fedTruth: GraphValue?
  }

  /// - Returns: the difference, and what it was allowed because the node makes much of how its inputs were rounded.
  private func isolated(
    _ value: GraphValue, _ expected: GraphValue, _ id: Graph.ValueID, _ step: ParityStep, terms: Int,
    _ way: ParityWay, _ held: Set<Graph.ValueID>
  ) throws -> (difference: ValueDifference, allowance: Double) {
    let rule = check.options.tolerance
    var leastScale = step.node.facts?.accuracy.leastScale ?? 0
    let type = computedType(of: value, step, way)
    func judged(adding rounding: Double = 0) throws -> ValueDifference {
      var tolerance = try rule.isolated(expected, computedIn: type, terms: terms, leastScale: leastScale)
      tolerance.absolute += rounding
      return try ValueDifference(
        value, expected.overflowing(as: value, within: tolerance), tolerance: tolerance,
        allowsLevels: rule.absolute == nil && step.makesLevels)
    }
    let difference = try judged()
    // The size of the terms, and the rounding of several nodes, cost runs, and are wanted only where the size of the
    // result does not explain the difference.
    guard !difference.isAcceptable, rule.absolute == nil else { return (difference, 0) }
    if let scale = step.node.largestSum(of: step.node.inputs.map { $0.flatMap { way.lane.slots[$0] } }, context) {
      leastScale = scale
    }
    let isOfDouble = expected.elementType == .double
    let strict = try judged()
    guard var exact = try inDouble(id, value, held, isOfDouble: isOfDouble) else { return (strict, 0) }
    if isOfDouble {
      let type = Self.coarser(coarsest[id], value.elementType) ?? value.elementType
      let plain = try rule.isolated(expected, computedIn: type, terms: terms, leastScale: leastScale)
      func isRight(_ value: GraphValue) throws -> Bool {
        try ValueDifference(value, expected, tolerance: plain, allowsLevels: false).isAcceptable
      }
      if try !isRight(exact) {
        guard let other = try besideJumps(id, exact, expected, held, by: plain.relative), try isRight(other) else {
          return (strict, 0)
        }
        exact = other
      }
    }
    let rounding = try exact.largestDifference(from: value, below: ValueScale(exact).limit)
    let allowance = ParityTolerance.allowance(forRounding: rounding)
    return (try judged(adding: allowance), isOfDouble && !strict.isAcceptable ? allowance : 0)
  }

  /// A value in DOUBLE, from the last values that the reference has: what rounding alone amounts to on the way shows beside
  /// it. Nil where it is one node's, and the reference has rounded as that was fed.
  ///
  /// - Parameter isOfDouble: whether the reference is in DOUBLE. What nodes of other types are fed is rounded first then,
  ///   and a cosine of 1000 radians, or a choice between two buckets, makes much of that.
  private func inDouble(
    _ id: Graph.ValueID, _ value: GraphValue, _ held: Set<Graph.ValueID>, isOfDouble: Bool
  ) throws -> GraphValue? {
    guard let type = value.elementType, type.isFloatingPoint else { return nil }
    let part = ParityPart(of: id, cutting: held, given: Set(modelInputs.keys), in: check)
    let steps = part.steps.map { check.steps[$0] }
    // Of levels, the nearest in DOUBLE may be another.
    guard isOfDouble && type != .double || steps.count(where: { !$0.isConstant }) > 1,
      !steps.contains(where: { $0.makesLevels || !$0.isDeterministic })
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
  private func besideJumps(
    _ id: Graph.ValueID, _ exact: GraphValue, _ expected: GraphValue, _ held: Set<Graph.ValueID>, by relative: Double
  ) throws -> GraphValue? {
    let part = ParityPart(of: id, cutting: held, given: Set(modelInputs.keys), in: check)
    guard !jumps.isDisjoint(with: part.steps) else { return nil }
    do {
      let graph = part.graph(of: check)
      let values = try part.boundary.map { id in
        try modelInputs[id] ?? reference.value(named: check.graph.values[id].name)
      }
      let jumping = try JumpingPart(
        graph, of: id, jumps: part.steps.map(jumps.contains), given: values, context: context)
      let sides = try [-relative, relative].compactMap { try jumping.value(beside: $0) }
      return try ([exact] + sides).nearest(to: expected)
    } catch {
      if context.stop.isRaised { throw context.interruption }
      return nil
    }
  }

  /// What the first output that differs tells of the reason.
  ///
  /// - Parameter isAlone: whether the node is the only one that the difference may be due to. Of the first such node, other
  ///   values of its attributes are tried.
  private func patterns(
    _ step: ParityStep, _ judged: Judgement, _ expected: [Graph.ValueID: GraphValue], _ result: ParityWay.Result,
    isAlone: Bool
  ) throws -> [DifferencePattern] {
    for (position, output) in step.node.outputs.enumerated() {
      guard let output, let expected = expected[output], let value = result.outcome.value(position),
        let difference = judged.outputs.first(where: { $0.name == check.graph.values[output].name })?.isolated,
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

  private func cumulative(
    _ value: GraphValue, _ expected: GraphValue, _ id: Graph.ValueID, type: ElementType?, adding allowance: Double,
    _ step: ParityStep
  ) throws -> ValueDifference {
    let rule = check.options.tolerance
    let isFloatingPoint = value.elementType?.isFloatingPoint == true
    var tolerance = try rule.cumulative(
      expected, computedIn: isFloatingPoint ? type : value.elementType, levels: step.levels, leastScale: scales[id] ?? 0
    )
    if rule.absolute == nil { tolerance.absolute += allowance }
    return try ValueDifference(
      value, expected.overflowing(as: value, within: tolerance), tolerance: tolerance,
      allowsLevels: rule.absolute == nil && step.givesLevels)
  }

  /// Whether an error at the end of a run of its own, behind a jump, is no more than rounding alone makes on the way: the
  /// same run in DOUBLE is as far away.
  private func isDrift(_ difference: ValueDifference?, _ values: Values, _ step: ParityStep) throws -> Bool {
    guard let difference, !difference.isAcceptable, let own = values.own, let truth = values.truth,
      own.elementType?.isFloatingPoint == true || step.givesLevels || step.addsUpLevels,
      let error = difference.comparison?.relativeRootMeanSquare, error.isFinite,
      let drift = try ValueDifference(own, truth, tolerance: .exact, allowsLevels: false).comparison?
        .relativeRootMeanSquare
    else { return false }
    return error <= ParityTolerance.allowance(forRounding: drift)
  }

  /// What the cumulative errors of a node's outputs go by at least.
  ///
  /// - Parameter limit: what is left out of the output's own scale begins here. A mask that is added is no scale either.
  private func scale(of node: Node, below limit: Double) -> Double {
    guard let accuracy = node.facts?.accuracy else { return 0 }
    guard accuracy.passesErrorsOn else { return accuracy.leastScale }
    return node.inputs.compactMap { id in id.flatMap { scales[$0] } }.filter { $0 < limit }
      .reduce(accuracy.leastScale, max)
  }

  private func truth(_ expected: GraphValue, _ values: Values) throws -> ParityReport.Truth? {
    guard own.truth != nil, expected.elementType?.isFloatingPoint == true else { return nil }
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
    let inherited = outputs.filter { $0.cumulative?.isAcceptable == false }
    if !inherited.isEmpty { return inherited.allSatisfy(\.isDrift) ? .drifts : .inherits }
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

extension GraphValue {
  /// The largest difference of the elements that are smaller than `limit`; 0 where there is none to speak of.
  fileprivate func largestDifference(from other: GraphValue, below limit: Double) throws -> Double {
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

extension Graph {
  /// The nodes here and in all subgraphs.
  fileprivate var nodeCount: Int {
    nodes.reduce(nodes.count) { $0 + $1.subgraphs.values.reduce(0) { $0 + $1.nodeCount } }
  }
}

extension GraphValueType {
  var elementType: ElementType? {
    if case .tensor(let type, _) = self { type } else { nil }
  }
}
