import Apus

extension ParityRun {
  /// Compares the outputs of a node that the reference has.
  ///
  /// - Parameters:
  ///   - expected: the reference's values of its outputs.
  ///   - own: its outputs in Apus' own run.
  ///   - fed: its outputs on the values of `way`.
  ///   - held: the values of the reference among those.
  func judge(
    _ step: ParityStep, _ expected: [Graph.ValueID: GraphValue], own: ParityWay.Result, fed: ParityWay.Result,
    on way: ParityWay, _ held: Set<Graph.ValueID>
  ) throws -> ParityJudgement {
    var judgement = ParityJudgement()
    let node = step.node
    for case (let position, let output?) in node.outputs.enumerated() {
      let values = Values(
        own: own.outcome.value(position), fed: fed.outcome.value(position),
        truth: own.truth?.value(position), fedTruth: fed.truth?.value(position))
      if position == 0, let shape = values.fed?.shape ?? values.own?.shape {
        let shapes = node.inputs.map { id in id.flatMap { way.lane.slots[$0]?.shape } }
        judgement.terms = node.termCount(inputs: shapes, output: shape)
      }
      guard step.isDeterministic, values.own != nil || values.fed != nil, let expected = expected[output] else {
        continue
      }
      try judge(output, values, expected, step, way, held, into: &judgement)
    }
    return judgement
  }

  /// Compares one output.
  private func judge(
    _ output: Graph.ValueID, _ values: Values, _ expected: GraphValue, _ step: ParityStep, _ way: ParityWay,
    _ held: Set<Graph.ValueID>, into judgement: inout ParityJudgement
  ) throws {
    var allowance = 0.0
    var type = history.coarsest[output] ?? values.fed?.elementType ?? values.own?.elementType
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
    if alone?.isAcceptable == false, step.node.reads.contains(where: overflowed.contains) { alone = nil }
    let atEnd = try values.own.map {
      try cumulative($0, expected, output, type: type, adding: allowance, step)
    }
    judgement.outputs.append(
      ParityReport.Output(
        name: name,
        type: values.fed?.type ?? values.own?.type ?? check.graph.values[output].type, expectedType: expected.type,
        isolated: alone, cumulative: atEnd,
        isDrift: try history.jumping.contains(output) && isDrift(atEnd, values, step),
        truth: try truth(expected, values),
        profile: check.options.profilesErrors ? try profiled.flatMap { try ErrorProfile($0, expected) } : nil))
  }

  /// A value each way.
  private struct Values {
    var own: GraphValue?
    var fed: GraphValue?
    var truth: GraphValue?
    var fedTruth: GraphValue?
  }

  /// The elements of two values that are sequences of as many, which are judged one by one; nil for any others.
  private static func elements(_ value: GraphValue, _ expected: GraphValue) -> [(GraphValue, GraphValue)]? {
    guard case .sequence(let values, _) = value.held, case .sequence(let wanted, _) = expected.held,
      values.count == wanted.count
    else { return nil }
    return Array(zip(values, wanted))
  }

  /// - Parameter path: the positions of an element in sequences.
  /// - Returns: the difference, and what it was allowed because the node makes much of how its inputs were rounded.
  private func isolated(
    _ value: GraphValue, _ expected: GraphValue, _ id: Graph.ValueID, _ step: ParityStep, terms: Int,
    _ way: ParityWay, _ held: Set<Graph.ValueID>, at path: [Int] = []
  ) throws -> (difference: ValueDifference, allowance: Double) {
    if let elements = Self.elements(value, expected) {
      let judged = try elements.enumerated().map { index, pair in
        try isolated(pair.0, pair.1, id, step, terms: terms, way, held, at: path + [index])
      }
      return (ValueDifference(elements: judged.map(\.difference)), judged.map(\.allowance).max() ?? 0)
    }
    let (value, expected) = (value.held, expected.held)
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
    if strict.isAcceptable { return (strict, 0) }
    if let difference = try behindLevels(value, expected, id, step, held) { return (difference, 0) }
    guard var exact = try inDouble(id, value, held, isOfDouble: isOfDouble)?.element(at: path) else {
      return (strict, 0)
    }
    if isOfDouble {
      let type = ElementType.coarser(history.coarsest[id], value.elementType) ?? value.elementType
      let plain = try rule.isolated(expected, computedIn: type, terms: terms, leastScale: leastScale)
      func isRight(_ value: GraphValue) throws -> Bool {
        try ValueDifference(value, expected, tolerance: plain, allowsLevels: false).isAcceptable
      }
      if try !isRight(exact) {
        guard path.isEmpty, let other = try besideJumps(id, exact, expected, held, by: plain.relative),
          try isRight(other)
        else {
          return (strict, 0)
        }
        exact = other
      }
    }
    let rounding = try exact.largestDifference(from: value, below: ValueScale(exact).limit)
    let allowance = ParityTolerance.allowance(forRounding: rounding)
    return (try judged(adding: allowance), isOfDouble ? allowance : 0)
  }

  /// A value that a node before the last has rounded to levels, of several that are judged together: by the rule for the end
  /// of a run, for one rounding that falls the other way makes a level there too. Nil where there is none, or the
  /// difference is more than rounding.
  ///
  /// Rounding falls the other way in few elements, and what it is off is little in the root mean square. A scale or a zero
  /// point is off in all.
  private func behindLevels(
    _ value: GraphValue, _ expected: GraphValue, _ id: Graph.ValueID, _ step: ParityStep, _ held: Set<Graph.ValueID>
  ) throws -> ValueDifference? {
    guard step.levels != .none else { return nil }
    let part = ParityPart(of: id, cutting: held, given: Set(modelInputs.keys), in: check)
    guard part.steps.dropLast().contains(where: { check.steps[$0].makesLevels && !check.steps[$0].isConstant }) else {
      return nil
    }
    let tolerance = try check.options.tolerance.cumulative(
      expected, computedIn: value.elementType, levels: step.levels)
    let difference = try ValueDifference(value, expected, tolerance: tolerance, allowsLevels: false)
    guard difference.isAcceptable, let error = difference.comparison?.differences?.rootMeanSquare,
      error <= ParityTolerance.halfLevel(of: tolerance)
    else { return nil }
    return difference
  }

  /// The type that a node's result is judged by where it was fed: the coarsest of its own and of what it read, which is
  /// another where it casts.
  private func computedType(of value: GraphValue, _ step: ParityStep, _ way: ParityWay) -> ElementType? {
    guard value.elementType?.isFloatingPoint == true else { return value.elementType }
    return step.node.reads.filter { check.graph.constants[$0] == nil }.reduce(value.elementType) { type, id in
      ElementType.coarser(type, way.lane.slots[id]?.elementType) ?? type
    }
  }

  private func cumulative(
    _ value: GraphValue, _ expected: GraphValue, _ id: Graph.ValueID, type: ElementType?, adding allowance: Double,
    _ step: ParityStep
  ) throws -> ValueDifference {
    if let elements = Self.elements(value, expected) {
      return ValueDifference(
        elements: try elements.map { value, expected in
          let coarsest = ElementType.coarser(type, value.elementType) ?? value.elementType
          return try cumulative(value, expected, id, type: coarsest, adding: allowance, step)
        })
    }
    let (value, expected) = (value.held, expected.held)
    let rule = check.options.tolerance
    let isFloatingPoint = value.elementType?.isFloatingPoint == true
    var tolerance = try rule.cumulative(
      expected, computedIn: isFloatingPoint ? type : value.elementType, levels: step.levels,
      leastScale: history.scales[id] ?? 0
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

  private func truth(_ expected: GraphValue, _ values: Values) throws -> ParityReport.Truth? {
    guard report.hasTruth, expected.elementType?.isFloatingPoint == true else { return nil }
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
}
