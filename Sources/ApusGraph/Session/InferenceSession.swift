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
    /// A folder in which weights are kept as they were laid out, for the next time that the model is opened: see
    /// ``InferenceSession/cacheUse``. Nowhere when nil; an empty path is an error.
    public var cacheFolder: String?

    /// The defaults rewrite the graph and plan memory, and change no bit of the result.
    public init(
      precision: Execution.Precision = .exact, computesInFloat64: Bool = false, optimizes: Bool = true,
      plansMemory: Bool = true, limits: Limits = Limits(), seed: UInt64 = 0, cacheFolder: String? = nil
    ) {
      self.precision = precision
      self.computesInFloat64 = computesInFloat64
      self.optimizes = optimizes
      self.plansMemory = plansMemory
      self.limits = limits
      self.seed = seed
      self.cacheFolder = cacheFolder
    }
  }

  /// What one run may use.
  public struct Limits: Sendable {
    /// Turns of all loops of one run together.
    public var iterations = 1_000_000
    /// Graphs within graphs while running.
    public var depth = 64
    /// The time that preparing a model, and each run of it, may take; nil for no limit. See ``TimeLimit`` for one that
    /// holds for several steps together.
    public var time: Duration?
    /// The bytes that tensors made by loops, scans and sequences of a run may take together.
    ///
    /// When nil: 64 for each byte of the model's constants and of the inputs, and 1 GiB; no limit of its own where
    /// `Execution.memoryLimit` was set.
    public var growth: Int?

    /// Graphs within graphs that are prepared at all.
    static let maximumNesting = 64

    /// - Parameters:
    ///   - iterations: turns of all loops of a run together.
    ///   - depth: graphs within graphs while running.
    ///   - time: what preparing, and each run, may take; nil for no limit.
    ///   - growth: bytes that loops, scans and sequences of a run may take; nil for what ``growth`` says.
    public init(iterations: Int = 1_000_000, depth: Int = 64, time: Duration? = nil, growth: Int? = nil) {
      self.iterations = iterations
      self.depth = depth
      self.time = time
      self.growth = growth
    }

    /// The limits that a run itself watches.
    var run: RunLimits { RunLimits(iterations: iterations, depth: depth, time: time) }

    /// The bytes of ``growth`` for a run, all told.
    ///
    /// - Parameters:
    ///   - constants: the bytes of the model's constants.
    ///   - inputs: what is fed to it.
    func growthLimit(constants: Int, inputs: [GraphValue?]) -> Int? {
      if let growth { return growth }
      guard !MemoryLimit.isGiven else { return nil }
      let bytes = inputs.reduce(constants) { $0.addingClamped($1?.byteCount ?? 0) }
      return bytes.multipliedClamped(by: 64).addingClamped(1 << 30)
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
  /// The bytes of the model's constants.
  private let constantByteCount: Int
  /// The inputs that have a default.
  private let defaults: [Graph.ValueID]
  /// The weights that are kept in a file.
  let cache: PackedCache?
  /// Memory is kept from run to run.
  private let use = RecurringUse()

  /// - Throws: ``GraphError`` for operators that Apus does not have and attributes that make no sense; ``FileError`` for
  ///   a ``Options/cacheFolder`` that is an empty path.
  public init(_ model: any GraphModel, options: Options = Options()) throws {
    self.model = model
    self.options = options
    variants = PlanVariants()
    let graph = model.graph
    constantByteCount = graph.constantByteCount
    defaults = graph.inputs.filter { graph.constants[$0] != nil }
    let cache = try PackedCache(of: graph, options)
    self.cache = cache
    plan = try Self.prepare(model, options, cache)
    try checkFiles()
  }

  private func checkFiles() throws {
    try model.checkFiles()
    try cache?.checkIsWhole()
  }

  /// Runs the model.
  ///
  /// - Parameters:
  ///   - inputs: a value for each input of the model that has no default, by name.
  ///   - names: the values wanted, those inside the graph included; the model's outputs when nil.
  /// - Returns: the values by name.
  /// - Throws: ``GraphError``.
  public func run(_ inputs: [String: GraphValue], fetching names: [String]? = nil) throws -> [String: GraphValue] {
    try run(inputs, fetching: names) { context(growth: $0) }
  }

  /// Runs the model, on the executor of the caller's task; other tasks may run the same session meanwhile.
  ///
  /// The run ends with ``GraphError/cancelled`` once the task is cancelled: before the next node or, within a long one,
  /// before its next piece of work.
  ///
  /// - Parameters:
  ///   - inputs: a value for each input of the model that has no default, by name.
  ///   - names: the values wanted, those inside the graph included; the model's outputs when nil.
  /// - Returns: the values by name.
  /// - Throws: ``GraphError``.
  public func run(_ inputs: [String: GraphValue], fetching names: [String]? = nil) async throws -> [String: GraphValue]
  {
    await Task.yield()
    return try run(inputs, fetching: names) { context(growth: $0) }
  }

  /// Runs the model and adds the time each node takes to `profile`.
  public func run(
    _ inputs: [String: GraphValue], fetching names: [String]? = nil, profile: InferenceProfile
  ) throws -> [String: GraphValue] {
    try run(inputs, fetching: names) { context(growth: $0, profile: profile) }
  }

  /// Runs the model and calls `tally` with the types of what every node takes and gives.
  package func run(
    _ inputs: [String: GraphValue], fetching names: [String]? = nil, tallying tally: @escaping RunContext.Tally
  ) throws -> [String: GraphValue] {
    try run(inputs, fetching: names) { context(growth: $0, tally: tally) }
  }

  /// Runs the model and calls `observer` with every value that a node gives, in the order of the nodes.
  ///
  /// With ``Options/optimizes`` off that is every value that the file names.
  public func run(
    _ inputs: [String: GraphValue], observing observer: @escaping (_ name: String, _ value: GraphValue) throws -> Void
  ) throws -> [String: GraphValue] {
    try run(inputs, fetching: nil) { context(growth: $0, observer: observer) }
  }

  private func context(
    growth: Int?, profile: InferenceProfile? = nil, tally: RunContext.Tally? = nil,
    observer: ((_ name: String, _ value: GraphValue) throws -> Void)? = nil
  ) -> RunContext {
    RunContext(
      limits: options.limits.run, seed: options.seed, growth: growth, profile: profile, tally: tally, observer: observer
    )
  }

  private func run(
    _ inputs: [String: GraphValue], fetching names: [String]?, context: (_ growth: Int?) -> RunContext
  ) throws -> [String: GraphValue] {
    let defaults = replacedDefaults(inputs)
    if names == nil, defaults.isEmpty { return try run(plan, inputs, context: context) }
    let variant = try variants.plan(for: .init(names: names, replaced: defaults)) {
      try Self.prepare(model, options, cache, fetching: names, replacing: defaults)
    }
    return try run(variant, inputs, context: context)
  }

  private func run(
    _ plan: Plan, _ inputs: [String: GraphValue], context: (_ growth: Int?) -> RunContext
  ) throws -> [String: GraphValue] {
    let checked = try plan.graph.checkedInputs(inputs, computesInFloat64: options.computesInFloat64)
    let context = context(options.limits.growthLimit(constants: constantByteCount, inputs: checked))
    return try Execution.with(precision: options.precision, stop: context.stop) {
      // An observer may retain values, so memory is not planned.
      let isPlanned = options.plansMemory && context.observer == nil
      let values =
        try isPlanned
        ? plan.runPlanned(checked, context: context) : plan.run(checked, context: context)
      // Every step looks before it begins; nobody has since the last one did.
      try context.checkCancellation()
      try checkFiles()
      cache?.save()
      let outputs = zip(plan.graph.outputs, values).lazy.map { (plan.graph.values[$0].name, $1) }
      return Dictionary(outputs, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The inputs given that have a default. Defaults count as constants, which are folded and laid out in advance, as long as
  /// no run gives anything in their place.
  private func replacedDefaults(_ inputs: [String: GraphValue]) -> Set<Graph.ValueID> {
    if defaults.isEmpty { return [] }
    let graph = model.graph
    return Set(defaults.filter { inputs[graph.values[$0].name] != nil })
  }

  private static func prepare(
    _ model: any GraphModel, _ options: Options, _ cache: PackedCache?, fetching names: [String]? = nil,
    replacing defaults: Set<Graph.ValueID> = []
  ) throws -> Plan {
    defer { Execution.releaseIdleMemory() }
    return try PackedCache.$current.withValue(cache) {
      guard let time = options.limits.time else {
        return try preparePlan(model, options, fetching: names, replacing: defaults)
      }
      return try TimeLimit.with(time) { try preparePlan(model, options, fetching: names, replacing: defaults) }
    }
  }

  private static func preparePlan(
    _ model: any GraphModel, _ options: Options, fetching names: [String]?, replacing defaults: Set<Graph.ValueID>
  ) throws -> Plan {
    var graph = model.graph
    for input in defaults { graph.constants[input] = nil }
    if let names {
      graph.outputs = try names.map { name in
        guard let id = graph.value(named: name) else {
          throw GraphError.noSuchValue(name: name, suggestion: nearestName(to: name, in: graph.values.map(\.name)))
        }
        return id
      }
    }
    try graph.checkSignatures()
    graph = try options.computesInFloat64 ? graph.widened() : graph.summingIntegers()
    return try Execution.with(precision: options.precision) {
      try Plan(options.optimizes ? try graph.optimized(options.precision) : graph.withoutDeadNodes())
    }
  }
}

/// Plans for sets of values that were asked for, and for sets of inputs with a default that were given, made once each.
private final class PlanVariants: Sendable {
  struct Key: Hashable {
    /// Nil for the model's outputs.
    var names: [String]?
    var replaced: Set<Graph.ValueID>
  }

  private let plans = Locked<[Key: Plan]>([:])

  func plan(for key: Key, prepare: () throws -> Plan) throws -> Plan {
    if let plan = plans.withLock({ $0[key] }) { return plan }
    let plan = try prepare()
    plans.withLock { $0[key] = plan }
    return plan
  }
}
