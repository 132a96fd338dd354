import Apus

/// The smallest part of a model that still computes something else than the reference.
public struct ParityReduction: Sendable {
  /// What a part was kept for.
  public enum Kind: String, Sendable, Hashable, Encodable {
    /// A node that is wrong on the reference's own inputs.
    case isolated
    /// Rounding that only several nodes together amplify beyond the tolerance.
    case cumulative
  }

  /// The part: its inputs are the values to be fed, its one output is what differs.
  public let graph: Graph
  /// The reference's values for the inputs, by name.
  public let inputs: [String: GraphValue]
  /// The reference's value of the one output, by name.
  public let outputs: [String: GraphValue]
  /// The type of what the part gives for the one output, which the reference's value may not have, by name.
  public let outputTypes: [String: GraphValueType]
  /// The nodes that are left, in order.
  public let nodes: [String]
  /// Which of the two errors is left.
  public let kind: Kind
  /// How the output differs.
  public let difference: ValueDifference
}

extension ParityReduction {
  /// The same part with what constants alone lead to as constants: weights as the layers take them, whatever form the
  /// model's file has them in.
  /// - Throws: ``GraphError/cancelled``, ``GraphError/timeLimit(_:)``.
  public func foldingConstants() throws -> ParityReduction {
    var graph = try graph.foldingConstants()
    let reads = Set(graph.nodes.flatMap(\.reads))
    graph.constants = graph.constants.filter { reads.contains($0.key) }
    return ParityReduction(
      graph: graph, inputs: inputs, outputs: outputs, outputTypes: outputTypes, nodes: graph.nodes.map(\.name),
      kind: kind,
      difference: difference)
  }
}

extension ParityCheck {
  /// Cuts the model down to what still differs.
  ///
  /// The first node that is wrong by itself is kept, with the nodes before it up to values that the reference has. When
  /// no node is, the first value beyond the cumulative tolerance is kept, and as few nodes before it as suffice: later
  /// and later values of the reference replace what leads to them, all at once by halving, then one by one.
  ///
  /// What the report says does not fit the model is never the part, and nothing is cut there.
  ///
  /// - Parameter report: what ``run(_:reference:progress:)`` found on the same values.
  /// - Returns: nil when nothing differs.
  /// - Throws: ``GraphError`` for the report of another model and when a part cannot be run or written, what `reference`
  ///   throws.
  public func reduction(
    of inputs: [String: GraphValue], reference: ReferenceValues, report: ParityReport
  ) throws -> ParityReduction? {
    try checkIsOfThisModel(report)
    let reference = reference.without(report.unfitNames)
    let kind: ParityReduction.Kind
    let first: Int
    switch report.verdict {
    case .wrong(let index, _): (kind, first) = (.isolated, index)
    case .accumulated(let index): (kind, first) = (.cumulative, index)
    case .nothingChecked, .equal, .incomplete, .inconclusive: return nil
    }
    let node = report.nodes[first]
    let found = node.outputs.first { output in
      (kind == .isolated ? output.isolated : output.cumulative)?.isAcceptable == false
    }
    let step = steps[first]
    guard let name = found?.name,
      let target = step.node.outputs.compactMap({ $0 }).first(where: {
        graph.values[$0].name == name
      })
    else { return nil }
    let tolerance = (kind == .isolated ? found?.isolated : found?.cumulative)?.comparison?.tolerance
    let reducer = try ParityReducer(
      self, inputs: inputs, reference: reference, kind: kind, target: target, step: first,
      tolerance: tolerance ?? .exact, types: report.types)
    return try reducer.reduce()
  }

  private func checkIsOfThisModel(_ report: ParityReport) throws(GraphError) {
    let isOfThisModel =
      report.nodes.count == steps.count
      && zip(report.nodes, steps).allSatisfy { reported, step in
        reported.name == step.node.name
          && reported.outputNames == step.node.outputs.compactMap { $0.map { graph.values[$0].name } }
      }
    guard isOfThisModel else {
      throw .input(name: "report", reason: "it is of another model: its nodes are not those of this one")
    }
  }
}

/// The search for a small part that differs.
private struct ParityReducer {
  private let check: ParityCheck
  private let inputs: [Graph.ValueID: GraphValue]
  private let reference: ReferenceValues
  private let kind: ParityReduction.Kind
  private let target: Graph.ValueID
  private let targetStep: Int
  /// What the report held the target against.
  private let tolerance: Tolerance
  /// The element types that values have in the model, which those of the reference may surpass.
  private let types: [String: ElementType]
  private let expected: GraphValue
  /// The values that the reference has and no constant gives, in the order in which nodes give them.
  private let candidates: [Graph.ValueID]

  init(
    _ check: ParityCheck, inputs: [String: GraphValue], reference: ReferenceValues, kind: ParityReduction.Kind,
    target: Graph.ValueID, step: Int, tolerance: Tolerance, types: [String: ElementType]
  ) throws {
    (self.check, self.reference, self.kind, self.target, self.targetStep) = (check, reference, kind, target, step)
    (self.tolerance, self.types) = (tolerance, types)
    let graph = check.graph
    let values = try check.modelInputs(inputs)
    self.inputs = Dictionary(
      zip(graph.inputs, values).compactMap { id, value in value.map { (id, $0) } },
      uniquingKeysWith: { first, _ in first })
    guard let expected = try reference.value(named: graph.values[target].name) else {
      throw GraphError.noSuchValue(name: graph.values[target].name, suggestion: nil)
    }
    self.expected = expected
    var candidates: [Graph.ValueID] = []
    for (index, step) in check.steps.enumerated() {
      for case let output? in step.node.outputs {
        let isKnown = !step.isConstant && reference.names.contains(graph.values[output].name)
        if isKnown, index < targetStep { candidates.append(output) }
      }
    }
    self.candidates = candidates
  }

  func reduce() throws -> ParityReduction? {
    guard kind == .cumulative else { return try reduction(cutting: Set(candidates)) }
    // The most candidates, from the first on, that may be cut with the difference still there.
    var (low, high) = (0, candidates.count)
    while low < high {
      let middle = (low + high + 1) / 2
      if try differs(cutting: Set(candidates[..<middle])) { low = middle } else { high = middle - 1 }
    }
    var cuts = Set(candidates[..<low])
    // One by one, those that are still computed; each costs a run of the part.
    for candidate in candidates[low...].prefix(Self.attempts) where part(cutting: cuts).values.contains(candidate) {
      if try differs(cutting: cuts.union([candidate])) { cuts.insert(candidate) }
    }
    return try reduction(cutting: cuts)
  }

  private static let attempts = 256

  private func part(cutting cuts: Set<Graph.ValueID>) -> ParityPart {
    ParityPart(of: target, cutting: cuts, given: Set(inputs.keys), in: check)
  }

  private func feed(_ part: ParityPart) throws -> [Graph.ValueID: GraphValue] {
    var feed: [Graph.ValueID: GraphValue] = [:]
    for id in part.boundary {
      let info = check.graph.values[id]
      if let value = inputs[id] {
        feed[id] = value
      } else if let value = try reference.value(named: info.name) {
        feed[id] = try value.narrowed(to: types[info.name])
      }
    }
    return feed
  }

  private func output(of part: ParityPart) throws -> GraphValue {
    let feed = try feed(part)
    let graph = part.graph(of: check)
    let inputs = graph.inputs.map { feed[$0] }
    let limits = check.options.limits
    let context = RunContext(
      limits: limits.run, seed: check.options.seed,
      growth: limits.growthLimit(constants: graph.constantByteCount, inputs: inputs))
    let actual = try Execution.with(precision: check.options.precision, stop: context.stop) {
      try Plan(graph).run(inputs, context: context)
    }
    guard let actual = actual.first else { throw GraphError.graph("the part has no output") }
    return actual
  }

  private func difference(_ actual: GraphValue) throws -> ValueDifference {
    let step = check.steps[targetStep]
    let allowsLevels = kind == .isolated ? step.makesLevels : step.givesLevels
    return try ValueDifference(
      actual, expected, tolerance: tolerance,
      allowsLevels: allowsLevels && check.options.tolerance.absolute == nil)
  }

  private func differs(cutting cuts: Set<Graph.ValueID>) throws -> Bool {
    try !difference(output(of: part(cutting: cuts))).isAcceptable
  }

  private func reduction(cutting cuts: Set<Graph.ValueID>) throws -> ParityReduction? {
    let part = part(cutting: cuts)
    let actual = try output(of: part)
    let difference = try difference(actual)
    guard !difference.isAcceptable else { return nil }
    let graph = part.graph(of: check)
    let feed = try feed(part)
    let name = check.graph.values[target].name
    return ParityReduction(
      graph: graph,
      inputs: Dictionary(feed.map { (graph.values[$0.key].name, $0.value) }, uniquingKeysWith: { first, _ in first }),
      outputs: [name: expected], outputTypes: [name: actual.type], nodes: graph.nodes.map(\.name), kind: kind,
      difference: difference)
  }
}

extension ParityReport {
  /// The element types of all inputs of nodes.
  fileprivate var types: [String: ElementType] {
    var types: [String: ElementType] = [:]
    for input in nodes.lazy.flatMap(\.inputs) {
      if case .tensor(let type?, _) = input.type { types[input.name] = type }
    }
    return types
  }
}

extension ParityReduction {
  /// Runs the part as it was written, and says how it differs.
  ///
  /// - Parameters:
  ///   - model: what was read from the file.
  ///   - inputs: what was read from the file beside it; likewise `outputs`.
  /// - Returns: whether some element is still beyond the tolerance.
  public func stillDiffers(
    _ model: any GraphModel, inputs: [String: GraphValue], outputs: [String: GraphValue], options: ParityCheck.Options
  ) throws -> Bool {
    var session = InferenceSession.Options()
    session.precision = options.precision
    session.optimizes = false
    session.limits = options.limits
    session.seed = options.seed
    let actual = try InferenceSession(model, options: session).run(inputs)
    for (name, expected) in outputs {
      guard let value = actual[name] else { return false }
      let again = try ValueDifference(
        value, expected, tolerance: difference.comparison?.tolerance ?? .exact, allowsLevels: false)
      if !again.isAcceptable { return true }
    }
    return false
  }
}
