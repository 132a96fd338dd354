import Apus

/// A model made ready to run.
///
/// ```swift
/// let model = try ONNXModel(path: "yolov8n.onnx")
/// let session = try InferenceSession(model)
/// let outputs = try session.run(["images": GraphValue(picture)])
/// ```
///
/// A session is a value that may be used from several threads at once. Sessions of one model share its weights, which
/// stay in the mapped file; only what packing makes faster is copied.
public struct InferenceSession: Sendable {
  /// How a model is prepared.
  public struct Options: Sendable {
    /// `exact`: what evaluation node by node gives, bit for bit.
    public var precision = Execution.Precision.exact
    /// Every floating-point tensor in float64: the reference for float32.
    public var computesInFloat64 = false
    /// Whether the graph is rewritten before it runs. Without, every node runs as the file has it.
    public var optimizes = true
    /// Whether memory for what nodes give is planned ahead, where its size follows from shapes.
    public var plansMemory = true
    /// The limits on loops and on graphs within graphs.
    public var limits = Limits()
    /// What random operators start from.
    public var seed: UInt64 = 0

    /// The defaults rewrite the graph and plan memory, and change no bit of the result.
    public init(
      precision: Execution.Precision = .exact, computesInFloat64: Bool = false, optimizes: Bool = true,
      plansMemory: Bool = true, limits: Limits = Limits(), seed: UInt64 = 0
    ) {
      self.precision = precision
      self.computesInFloat64 = computesInFloat64
      self.optimizes = optimizes
      self.plansMemory = plansMemory
      self.limits = limits
      self.seed = seed
    }
  }

  /// What one run may use.
  public struct Limits: Sendable {
    /// Turns of all loops of one run together.
    public var iterations = 1_000_000
    /// Graphs within graphs while running.
    public var depth = 64

    /// Graphs within graphs that are prepared at all.
    static let maximumNesting = 64

    /// - Parameters:
    ///   - iterations: turns of all loops of a run together.
    ///   - depth: graphs within graphs while running.
    public init(iterations: Int = 1_000_000, depth: Int = 64) {
      self.iterations = iterations
      self.depth = depth
    }
  }

  /// The model as it was given, nothing rewritten.
  public let model: any GraphModel
  /// The options that the session was made with.
  public let options: Options
  /// The graph that runs, after ``Options/optimizes``.
  public var graph: Graph { plan.graph }
  let plan: Plan
  private let variants: PlanVariants

  /// - Throws: ``GraphError`` for operators that Apus does not have and attributes that make no sense.
  public init(_ model: any GraphModel, options: Options = Options()) throws {
    self.model = model
    self.options = options
    variants = PlanVariants()
    plan = try Self.prepare(model, options, fetching: nil)
  }

  /// Runs the model.
  ///
  /// - Parameters:
  ///   - inputs: a value for each input of the model that has no default, by name.
  ///   - names: the values wanted, those inside the graph included; the model's outputs when nil.
  /// - Returns: the values by name.
  /// - Throws: ``GraphError``.
  public func run(_ inputs: [String: GraphValue], fetching names: [String]? = nil) throws -> [String: GraphValue] {
    try run(inputs, fetching: names, context: RunContext(limits: options.limits, seed: options.seed))
  }

  /// Runs the model, on the executor of the caller's task; other tasks may run the same session meanwhile.
  ///
  /// The run ends with ``GraphError/cancelled`` before the next node once the task is cancelled.
  ///
  /// - Parameters:
  ///   - inputs: a value for each input of the model that has no default, by name.
  ///   - names: the values wanted, those inside the graph included; the model's outputs when nil.
  /// - Returns: the values by name.
  /// - Throws: ``GraphError``.
  public func run(_ inputs: [String: GraphValue], fetching names: [String]? = nil) async throws -> [String: GraphValue]
  {
    await Task.yield()
    return try run(inputs, fetching: names, context: RunContext(limits: options.limits, seed: options.seed))
  }

  /// Runs the model and adds the time each node takes to `profile`.
  public func run(
    _ inputs: [String: GraphValue], fetching names: [String]? = nil, profile: InferenceProfile
  ) throws -> [String: GraphValue] {
    try run(inputs, fetching: names, context: RunContext(limits: options.limits, seed: options.seed, profile: profile))
  }

  /// Runs the model and calls `tally` with the types of what every node takes and gives.
  package func run(
    _ inputs: [String: GraphValue], fetching names: [String]? = nil, tallying tally: @escaping RunContext.Tally
  ) throws -> [String: GraphValue] {
    try run(inputs, fetching: names, context: RunContext(limits: options.limits, seed: options.seed, tally: tally))
  }

  /// Runs the model and calls `observer` with every value that a node gives, in the order of the nodes.
  ///
  /// With ``Options/optimizes`` off that is every value that the file names.
  public func run(
    _ inputs: [String: GraphValue], observing observer: @escaping (_ name: String, _ value: GraphValue) throws -> Void
  ) throws -> [String: GraphValue] {
    try run(
      inputs, fetching: nil, context: RunContext(limits: options.limits, seed: options.seed, observer: observer))
  }

  private func run(
    _ inputs: [String: GraphValue], fetching names: [String]?, context: RunContext
  ) throws -> [String: GraphValue] {
    let plan =
      try names.map { names in
        try variants.plan(for: names) { try Self.prepare(model, options, fetching: names) }
      } ?? plan
    return try Execution.with(precision: options.precision) {
      let checked = try plan.graph.checkedInputs(inputs, computesInFloat64: options.computesInFloat64)
      // An observer may retain values, so memory is not planned.
      let isPlanned = options.plansMemory && context.observer == nil
      let values =
        try isPlanned
        ? plan.runPlanned(checked, context: context) : plan.run(checked, context: context)
      let outputs = zip(plan.graph.outputs, values).map { (plan.graph.values[$0].name, $1) }
      return Dictionary(outputs, uniquingKeysWith: { first, _ in first })
    }
  }

  private static func prepare(_ model: any GraphModel, _ options: Options, fetching names: [String]?) throws -> Plan {
    var graph = model.graph
    if let names {
      graph.outputs = try names.map { name in
        guard let id = graph.value(named: name) else {
          throw GraphError.noSuchValue(name: name, suggestion: nearestName(to: name, in: graph.values.map(\.name)))
        }
        return id
      }
    }
    if options.computesInFloat64 { graph = try graph.widened() }
    return try Execution.with(precision: options.precision) {
      try Plan(options.optimizes ? try graph.optimized(options) : graph.withoutDeadNodes())
    }
  }
}

/// Plans for sets of values that were asked for, made once each.
private final class PlanVariants: Sendable {
  private let plans = Locked<[[String]: Plan]>([:])

  func plan(for names: [String], prepare: () throws -> Plan) throws -> Plan {
    if let plan = plans.withLock({ $0[names] }) { return plan }
    let plan = try prepare()
    plans.withLock { $0[names] = plan }
    return plan
  }
}
