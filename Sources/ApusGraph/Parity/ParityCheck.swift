import Apus

/// Runs a model beside the values that another runtime computed, and finds where the two part.
///
/// Every node is run twice: on what Apus itself has computed so far, and on the reference's values for its inputs. The
/// first error is *cumulative*; the second is *isolated*, the node's own. A node whose isolated error is beyond the
/// tolerance computes something else; one that is off only cumulatively was handed an error.
///
/// ```swift
/// let check = try ParityCheck(ONNXModel(path: "model.onnx"))
/// let report = try check.run(["images": picture], reference: values)
/// ```
///
/// Where the reference lacks a value, the node that reads it gets what Apus makes of the last values that the reference
/// has. Where it has a value that was recorded elsewhere than the model computes it, before an exporter folded two layers
/// into one for example, that is recognised: see ``ParityReport/Status/unfit(_:)``.
public struct ParityCheck: Sendable {
  /// How the model is run and judged.
  public struct Options: Sendable {
    /// How far values may lie from the reference.
    public var tolerance = ParityTolerance()
    /// The precision that nodes are prepared and run with.
    public var precision = Execution.Precision.exact
    /// Whether every node, and the whole model, is computed in DOUBLE as well.
    public var computesTruth = false
    /// Whether outputs get an ``ErrorProfile``, which costs a pass over each.
    public var profilesErrors = false
    /// The limits on loops and nesting; a node that reaches one counts as failed.
    public var limits = InferenceSession.Limits()
    /// The seed of random operators without one of their own.
    public var seed: UInt64 = 0

    /// The defaults are the rules of ``ParityTolerance``, exact arithmetic, and no run in float64.
    public init(
      tolerance: ParityTolerance = ParityTolerance(), precision: Execution.Precision = .exact,
      computesTruth: Bool = false, profilesErrors: Bool = false, limits: InferenceSession.Limits = .init(),
      seed: UInt64 = 0
    ) {
      self.tolerance = tolerance
      self.precision = precision
      self.computesTruth = computesTruth
      self.profilesErrors = profilesErrors
      self.limits = limits
      self.seed = seed
    }
  }

  /// The model as it was given, nothing rewritten.
  public let model: any GraphModel
  /// The options that the nodes were prepared with.
  public let options: Options
  let graph: Graph
  let steps: [ParityStep]
  /// The position of the node that gives a value.
  let producers: [Graph.ValueID: Int]
  /// The same in DOUBLE; empty unless asked for.
  let truthSteps: [ParityStep]
  let truthGraph: Graph?
  /// Which draw what is computed in DOUBLE is moved by, as far as nodes may be off; nil where it is not moved.
  private(set) var driftDraw: UInt64?

  /// Prepares every node as the file has it; what cannot be prepared is reported, not thrown.
  /// - Throws: ``GraphError`` for a graph that contradicts itself.
  public init(_ model: any GraphModel, options: Options = Options()) throws {
    self.model = model
    self.options = options
    graph = model.graph.withoutDeadNodes()
    steps = Execution.with(precision: options.precision) { [graph] in ParityStep.all(of: graph) }
    producers = Dictionary(
      steps.enumerated().flatMap { index, step in step.node.outputs.compactMap { $0.map { ($0, index) } } },
      uniquingKeysWith: { first, _ in first })
    let widened = options.computesTruth ? try graph.widened() : nil
    truthGraph = widened
    truthSteps = widened.map(ParityStep.all) ?? []
  }

  /// Runs the model and compares every value that `reference` has.
  ///
  /// - Parameters:
  ///   - inputs: a value for each input of the model that has no default. Other names are ignored.
  ///   - progress: called before each node with its position; from the first on again where rounding alone may have carried
  ///     the model away, and it is run in DOUBLE too.
  /// - Throws: ``GraphError/input(name:reason:)`` for inputs that do not fit the model, what `reference` throws.
  public func run(
    _ inputs: [String: GraphValue], reference: ReferenceValues, progress: (Int) -> Void = { _ in }
  ) throws -> ParityReport {
    var report = try report(inputs, reference: reference, progress: progress)
    for draw in 0..<Self.driftDraws {
      guard case .accumulated = report.verdict, options.tolerance.isRules, !options.computesTruth else { break }
      report.takeDrifts(of: try measuringDrift(draw).report(inputs, reference: reference, progress: progress))
      // Where nothing jumps, nothing drifts, whatever the draw.
      if !report.nodes.contains(where: { $0.status == .drifts }) { break }
    }
    try model.checkFiles()
    return report
  }

  /// The most draws until each value is no further off than in one of them: a number next to a jump stays on its side in
  /// every second.
  private static let driftDraws: UInt64 = 8

  /// The same check beside a run in DOUBLE whose results are moved by chance.
  private func measuringDrift(_ draw: UInt64) throws -> ParityCheck {
    var options = options
    (options.computesTruth, options.profilesErrors) = (true, false)
    var check = try ParityCheck(model, options: options)
    check.driftDraw = draw
    return check
  }

  private func report(
    _ inputs: [String: GraphValue], reference: ReferenceValues, progress: (Int) -> Void
  ) throws -> ParityReport {
    var run = try ParityRun(self, inputs: inputs, reference: reference)
    for index in steps.indices {
      progress(index)
      try run.step(index)
    }
    return run.report
  }

  /// The inputs of the graph among `inputs`, in floating-point types of the model's own, checked against it.
  func modelInputs(_ inputs: [String: GraphValue]) throws -> [GraphValue?] {
    let names = Set(graph.inputs.map { graph.values[$0].name })
    let given = inputs.filter { names.contains($0.key) }
    return try graph.checkedInputs(given, computesInFloat64: false)
  }
}

/// A node, prepared to be run by itself.
struct ParityStep: Sendable {
  let node: Node
  /// The node prepared, or why it could not be.
  let prepared: Result<PreparedNode, GraphError>
  /// The values that no later node reads.
  let lastUses: [Graph.ValueID]
  /// Whether no input of the model reaches it, and nothing left to chance.
  let isConstant: Bool
  let isDeterministic: Bool
  /// Whether its outputs come, near or far, from rounding to levels.
  let isQuantized: Bool
  /// Whether its outputs are rounded to levels by itself.
  let makesLevels: Bool
  /// Whether its outputs are levels: rounded by itself, or moved from where they were.
  let givesLevels: Bool
  /// Whether its outputs, where they are integers, are levels multiplied and added up.
  let addsUpLevels: Bool

  /// What cumulative errors of its outputs go by.
  var levels: ParityTolerance.Levels {
    givesLevels ? .levels : addsUpLevels ? .sums : isQuantized ? .behind : .none
  }

  static func all(of graph: Graph) -> [ParityStep] {
    let lastUses = graph.lastUses(
      graph.nodes.map { ($0.reads, $0.outputs.compactMap { $0 }) }, keeping: Array(graph.constants.keys))
    var constants = Set(graph.constants.keys)
    var quantized: Set<Graph.ValueID> = []
    var levels: Set<Graph.ValueID> = []
    let known = graph.constants.merging(graph.constantNodeValues) { first, _ in first }
    return zip(graph.nodes, lastUses).map { node, lastUses in
      let isDeterministic = (node.facts?.isDeterministic ?? true) && !node.dropsOut(known)
      let isConstant = isDeterministic && node.reads.allSatisfy(constants.contains)
      let outputs = node.outputs.compactMap { $0 }
      if isConstant { constants.formUnion(outputs) }
      let makesLevels = makesLevels(node)
      let isQuantized = makesLevels || node.reads.contains(where: quantized.contains)
      if isQuantized { quantized.formUnion(outputs) }
      let movesLevels = node.facts?.accuracy.passesErrorsOn == true && node.reads.contains(where: levels.contains)
      let givesLevels = makesLevels || movesLevels
      if givesLevels { levels.formUnion(outputs) }
      return ParityStep(
        node: node, prepared: prepare(node, in: graph), lastUses: lastUses, isConstant: isConstant,
        isDeterministic: isDeterministic, isQuantized: isQuantized, makesLevels: makesLevels,
        givesLevels: givesLevels, addsUpLevels: isQuantized && countsMultiplyAdds(node))
    }
  }

  private static func makesLevels(_ node: Node) -> Bool {
    if case .roundsToLevels? = node.facts?.float64 { true } else { false }
  }

  private static func countsMultiplyAdds(_ node: Node) -> Bool {
    switch node.facts?.work {
    case nil, .some(.none): false
    default: true
    }
  }

  private static func prepare(_ node: Node, in graph: Graph) -> Result<PreparedNode, GraphError> {
    do {
      return .success(try graph.naming(node) { try Plan.step(node, in: graph, depth: 0) })
    } catch let error as GraphError {
      return .failure(error)
    } catch {
      return .failure(.graph("\(error)"))
    }
  }
}
