import Apus

/// Holds a model against another that should compute the same: an export against what it was exported from, one format
/// against another.
///
/// The second model is the reference. It runs in float64 where it can, so that its own rounding is out of the question;
/// its values are paired with the model's (``ModelPairing``), and a ``ParityCheck`` finds the node at which the two part.
///
/// ```swift
/// var comparison = try ModelComparison(ModelFile.open("model.mlpackage"), against: ModelFile.open("model.onnx"))
/// for picture in pictures { try comparison.run(["image": picture]) }
/// print(comparison.report.isEqual)
/// ```
///
/// All values of both models are in memory during a run, those of the reference as float64.
public struct ModelComparison {
  /// What was found on all inputs so far.
  public private(set) var report: ModelComparisonReport

  private let model: ComparedModel
  private let reference: ComparedModel
  private let check: ParityCheck

  /// Prepares both models and pairs their inputs and weights.
  ///
  /// - Parameter options: how the model is judged; ``ParityCheck/Options/precision`` is the model's.
  /// - Throws: ``GraphError`` for a model that cannot be prepared, and for inputs of one that the other has not.
  public init(
    _ model: any GraphModel, against reference: any GraphModel, options: ParityCheck.Options = .init()
  ) throws {
    check = try ParityCheck(model, options: options)
    self.model = try ComparedModel(model, options)
    self.reference = try ComparedModel(reference, options)
    report = ModelComparisonReport(isReferenceInFloat64: self.reference.truth != nil)
    report.pairing.inputs = try ModelPairing.inputs(of: model.graph, and: reference.graph)
    let (weights, others) = (try self.model.weights(), try self.reference.weights())
    report.pairing.weightCount = weights.count
    report.pairing.weights = try ModelPairing.pairs(
      weights, others, leastCount: Self.leastCount, layouts: [[1, 0]])
    report.weights = try Self.compared(weights, others, report.pairing.weights)
  }

  /// Tensors with fewer elements are alike by chance.
  private static let leastCount = 4

  private static func compared(
    _ own: [NamedNumbers], _ others: [NamedNumbers], _ pairs: [ModelPairing.Pair]
  ) throws -> [ModelComparisonReport.Weight] {
    let own = Dictionary(own.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
    let others = Dictionary(others.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
    return try pairs.compactMap { pair in
      guard let tensor = own[pair.name], let other = others[pair.referenceName] else { return nil }
      let expected = try pair.order(other)
      let scale = try GraphValue(expected).largestMagnitude()
      return ModelComparisonReport.Weight(
        pair: pair,
        comparison: try Comparison(
          actual: tensor, expected: expected, tolerance: Tolerance(relative: 0x1p-23, absolute: 0x1p-24 * scale)))
    }
  }

  /// Runs both models on one set of inputs and adds what is found to the ``report``.
  ///
  /// - Parameters:
  ///   - inputs: a value for each input of the model that has no default, by the model's names.
  ///   - name: what the report calls the inputs.
  ///   - progress: called before each node of the model with its position.
  /// - Throws: ``GraphError`` for inputs that do not fit, and what a model throws that cannot be run.
  public mutating func run(
    _ inputs: [String: GraphValue], named name: String = "", progress: (Int) -> Void = { _ in }
  ) throws {
    var given: [String: GraphValue] = [:]
    for pair in report.pairing.inputs {
      guard let value = inputs[pair.name] else {
        throw GraphError.input(name: pair.name, reason: "no value was given for it")
      }
      given[pair.referenceName] = try ModelPairing.referenceInput(value, for: pair, in: reference.model.graph)
    }
    let other = try reference.values(given)
    let own = try model.values(inputs)
    if report.samples.isEmpty { try pair(own, other) }
    var expected = try Dictionary(
      report.pairing.values.compactMap { pair in
        try other.all[pair.referenceName].map { (pair.name, try Self.arranged($0, pair, like: own.all[pair.name])) }
      }, uniquingKeysWith: { first, _ in first })
    expected.merge(inputs) { _, input in input }
    let parity = try check.run(inputs, reference: ReferenceValues(expected), progress: progress)
    report.samples.append(ModelComparisonReport.Sample(name: name, parity: parity))
    try addOutputs(own, other, expected)
  }

  /// The reference's value as it lies in the model.
  private static func arranged(
    _ value: GraphValue, _ pair: ModelPairing.Pair, like own: GraphValue?
  ) throws -> GraphValue {
    guard case .tensor(let any) = value else { return value }
    let lies = pair.order.axes == nil && any.shape == pair.order.shape
    // The shape is that of the first inputs; those of others may differ where the model leaves extents open.
    let order = AxisOrder(axes: pair.order.axes, shape: own?.shape ?? pair.order.shape)
    let isFitting = (try? Shape.elementCount(order.shape)) == any.count
    let arranged = lies || !isFitting ? any : try any.reordered(by: order)
    guard case .tensor(let ownTensor)? = own, !ownTensor.dataType.isFloatingPoint else { return .tensor(arranged) }
    return try GraphValue.tensor(arranged).counted(as: ElementType(ownTensor.dataType))
  }

  // MARK: Pairing

  private mutating func pair(_ own: ComparedModel.Values, _ other: ComparedModel.Values) throws {
    let outputs = try pairedOutputs(own, other)
    let computed = model.computedValues
    report.pairing.valueCount = own.tensors.count { computed.contains($0.name) }
    report.pairing.values = try ModelPairing.pairs(
      own.tensors.filter { computed.contains($0.name) },
      other.tensors.filter { reference.computedValues.contains($0.name) }, known: outputs, leastCount: Self.leastCount,
      layouts: Set((report.pairing.inputs + outputs).compactMap(\.order.axes)))
    func byName(_ tensors: [NamedNumbers]) -> [String: NamedNumbers] {
      Dictionary(tensors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    let placed = try ModelPairing.placed(
      model.model.graph, reference.model.graph, known: report.pairing.inputs + report.pairing.values,
      layouts: Set(report.pairing.values.compactMap(\.order.axes)),
      own: byName(own.tensors), others: byName(other.tensors))
    report.pairing.values += placed.filter { computed.contains($0.name) }
    let order = Dictionary(
      own.tensors.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    report.pairing.values.sort { order[$0.name] ?? .max < order[$1.name] ?? .max }
    // Outputs of integers are no tensors to be paired by content.
    let names = Set(report.pairing.values.map(\.name))
    report.pairing.values += outputs.filter { !names.contains($0.name) }
    report.pairing.unpairedOutputs = model.outputs.filter { name in !outputs.contains { $0.name == name } }
  }

  /// By name, and what is left in order where the shapes fit.
  private func pairedOutputs(
    _ own: ComparedModel.Values, _ other: ComparedModel.Values
  ) throws -> [ModelPairing.Pair] {
    var left = reference.outputs
    func order(_ name: String, _ match: String) throws -> AxisOrder? {
      guard let value = own.all[name], let candidate = other.all[match] else { return nil }
      guard let a = try NamedNumbers(name, value)?.tensor, let b = try NamedNumbers(match, candidate)?.tensor else {
        return value.shape.flatMap { shape in candidate.shape.flatMap { AxisOrder.all(from: $0, to: shape).first } }
      }
      return try name == match ? Likeness.order(of: b, for: a) : Likeness.best(of: b, for: a)?.order
    }
    var pairs: [ModelPairing.Pair] = []
    for name in model.outputs where left.contains(name) {
      guard let order = try order(name, name) else { continue }
      pairs.append(.init(name: name, referenceName: name, evidence: .name, order: order))
      left.removeAll { $0 == name }
    }
    for name in model.outputs where !pairs.contains(where: { $0.name == name }) {
      for match in left {
        guard let order = try order(name, match) else { continue }
        pairs.append(.init(name: name, referenceName: match, evidence: .place, order: order))
        left.removeAll { $0 == match }
        break
      }
    }
    return pairs
  }

  // MARK: Outputs

  private mutating func addOutputs(
    _ own: ComparedModel.Values, _ other: ComparedModel.Values, _ expected: [String: GraphValue]
  ) throws {
    for pair in report.pairing.values where model.outputs.contains(pair.name) {
      guard let value = own.outputs[pair.name], let expected = expected[pair.name],
        case .tensor(let a) = value, case .tensor(let e) = expected, a.shape == e.shape
      else { continue }
      var statistics = report.outputs.first { $0.name == pair.name } ?? .init(name: pair.name)
      let difference = try Comparison(actual: a, expected: e, tolerance: .exact, checksDataType: false)
      statistics.add(difference)
      if model.truth != nil, let truth = own.all[pair.name] { statistics.ownError.add(try Self.distance(value, truth)) }
      if reference.truth != nil, let single = other.outputs[pair.referenceName],
        let truth = other.all[pair.referenceName]
      {
        statistics.referenceError.add(try Self.distance(single, truth))
      }
      try statistics.addRanks(of: a, and: e)
      report.outputs.removeAll { $0.name == pair.name }
      report.outputs.append(statistics)
    }
  }

  /// The largest difference; nil where there is none to speak of.
  private static func distance(_ a: GraphValue, _ b: GraphValue) throws -> Double? {
    guard case .tensor(let x) = a, case .tensor(let y) = b, x.shape == y.shape else { return nil }
    let comparison = try Comparison(actual: x, expected: y, tolerance: .exact, checksDataType: false)
    return comparison.differences.map { $0.largestAbsolute?.value ?? 0 }
  }
}

/// One of two models: sessions in its own numbers and in float64, and which of its values inputs reach.
struct ComparedModel {
  let model: any GraphModel
  let session: InferenceSession
  /// nil where the model cannot be computed in float64.
  let truth: InferenceSession?
  let outputs: [String]
  /// The values that some input reaches.
  let computedValues: Set<String>

  init(_ model: any GraphModel, _ options: ParityCheck.Options) throws {
    self.model = model
    var own = InferenceSession.Options(precision: options.precision, optimizes: false, limits: options.limits)
    own.seed = options.seed
    session = try InferenceSession(model, options: own)
    own.computesInFloat64 = true
    own.precision = .exact
    do {
      truth = model.graph.nodesThatRound.isEmpty ? try InferenceSession(model, options: own) : nil
    } catch GraphError.unsupported, GraphError.node {
      truth = nil
    }
    let graph = model.graph
    outputs = graph.outputs.map { graph.values[$0].name }
    var reached = Set(graph.inputs)
    for node in graph.nodes where !reached.isDisjoint(with: node.reads) {
      reached.formUnion(node.outputs.compactMap { $0 })
    }
    computedValues = Set(reached.subtracting(graph.inputs).map { graph.values[$0].name })
  }

  /// What a model computes of some inputs.
  struct Values {
    /// Every value, in float64 where the model can be computed in it.
    var all: [String: GraphValue] = [:]
    /// The floating-point tensors among them, in the order of the nodes.
    var tensors: [NamedNumbers] = []
    /// The outputs in the model's own numbers.
    var outputs: [String: GraphValue] = [:]
  }

  func values(_ inputs: [String: GraphValue]) throws -> Values {
    var values = Values()
    let ordered = Ordered()
    let outputs = try (truth ?? session).run(inputs, observing: { ordered.entries.append(($0, $1)) })
    values.all = Dictionary(ordered.entries, uniquingKeysWith: { first, _ in first })
    values.all.merge(outputs) { first, _ in first }
    values.tensors = try ordered.entries.compactMap { try NamedNumbers($0, $1) }
    values.outputs = truth == nil ? outputs : try session.run(inputs)
    return values
  }

  private final class Ordered {
    var entries: [(String, GraphValue)] = []
  }

  /// The constants that nodes read, with what leads to them from constants alone computed: dequantised, transposed.
  func weights() throws -> [NamedNumbers] {
    let graph = try model.graph.withoutDeadNodes().foldingConstants()
    var seen: Set<Graph.ValueID> = []
    let read = graph.nodes.flatMap(\.reads).filter { graph.constants[$0] != nil && seen.insert($0).inserted }
    return try read.compactMap { id in
      try graph.constants[id].flatMap { try NamedNumbers(graph.values[id].name, $0) }
    }.filter { $0.tensor.count > 1 }
  }
}
