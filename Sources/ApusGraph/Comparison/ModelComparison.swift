import Apus

/// Holds a model against another that should compute the same: an export against what it was exported from, one format
/// against another, a file against a network written in Swift (``ComparedNetwork``).
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

  private let model: ComparedGraph
  private let reference: any ComparisonReference
  private let check: ParityCheck
  /// The values that are paired for being alike alone, and not much.
  private var guesses: Set<String> = []

  /// Prepares both models and pairs their inputs and weights.
  ///
  /// - Parameter options: how the model is judged; ``ParityCheck/Options/precision`` is the model's.
  /// - Throws: ``GraphError`` for a model that cannot be prepared, and for inputs of one that the other has not.
  public init(
    _ model: any GraphModel, against reference: any GraphModel, options: ParityCheck.Options = .init()
  ) throws {
    try self.init(model, to: ComparedGraph(reference, options), options)
  }

  /// Prepares a model, and pairs its inputs and weights with those of a network written in Swift.
  ///
  /// - Parameter options: how the model is judged; ``ParityCheck/Options/precision`` is that of both in float32.
  /// - Throws: ``GraphError`` for a model that cannot be prepared, and for inputs that the network does not take.
  public init(
    _ model: any GraphModel, against network: ComparedNetwork, options: ParityCheck.Options = .init()
  ) throws {
    try self.init(model, to: network.with(options.precision), options)
  }

  private init(
    _ model: any GraphModel, to reference: any ComparisonReference, _ options: ParityCheck.Options
  ) throws {
    check = try ParityCheck(model, options: options)
    self.model = try ComparedGraph(model, options)
    self.reference = reference
    report = ModelComparisonReport(isReferenceInFloat64: reference.isInFloat64)
    report.pairing.inputs = try reference.pairedInputs(of: model.graph)
    let weights = try self.model.weights()
    let others = try reference.weights(like: weights)
    report.pairing.weightCount = weights.count
    report.pairing.weights = try ModelPairing.pairs(
      weights, others, leastCount: Self.leastCount, leastDegreeOfLists: Self.leastDegreeOfLists, layouts: [[1, 0]])
    let paired = Set(report.pairing.weights.map(\.name))
    report.pairing.unpairedWeights = weights.map(\.name).filter { !paired.contains($0) }
    report.weights = try Self.compared(weights, others, report.pairing.weights)
  }

  /// Tensors with fewer elements are alike by chance.
  private static let leastCount = 4
  /// Biases and what normalisations left of them are alike by chance where they are less alike than this, 30 dB.
  private static let leastDegreeOfLists = 0.999

  private static func compared(
    _ own: [NamedNumbers], _ others: [NamedNumbers], _ pairs: [ModelPairing.Pair]
  ) throws -> [ModelComparisonReport.Weight] {
    let own = Dictionary(own.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
    let others = Dictionary(others.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
    return try pairs.compactMap { pair in
      guard let tensor = own[pair.name], let other = others[pair.referenceName] else { return nil }
      let expected = try pair.order(other)
      let scale = try GraphValue(expected).largestMagnitude()
      let comparison = try Comparison(
        actual: tensor, expected: expected, tolerance: Tolerance(relative: 0x1p-23, absolute: 0x1p-24 * scale))
      let isFolded = try pair.evidence == .content && !comparison.isEqual && FoldedScale.relates(tensor, expected)
      return ModelComparisonReport.Weight(pair: pair, comparison: comparison, isFolded: isFolded)
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
    var inputs = inputs
    var given: [String: GraphValue] = [:]
    for pair in report.pairing.inputs {
      guard let value = inputs[pair.name] else {
        throw GraphError.input(name: pair.name, reason: "no value was given for it")
      }
      inputs[pair.name] = try value.given(as: model.elementType(of: pair.name))
      given[pair.referenceName] = try reference.input(value, for: pair)
    }
    // Here, and not where all is widened, what is wrong is said in the types that both have.
    _ = try check.modelInputs(inputs)
    try reference.check(given)
    let other = try reference.values(given)
    let own = try model.values(inputs)
    if report.samples.isEmpty {
      let layouts = noteInputs(inputs, given)
      try pair(own, other, layouts: layouts)
    }
    let outputs = Set(model.outputs).subtracting(report.pairing.unpairedOutputs)
    var expected = try Dictionary(
      report.pairing.values.compactMap { pair in
        try other.all[pair.referenceName].map { value in
          let isOutput = outputs.contains(pair.name)
          return (
            pair.name,
            try isOutput
              ? pair.turned(value, like: own.all[pair.name]) : Self.arranged(value, pair, like: own.all[pair.name])
          )
        }
      }, uniquingKeysWith: { first, _ in first })
    expected.merge(inputs) { _, input in input }
    var values = ReferenceValues(expected)
    values.guesses = guesses
    var parity = try check.run(inputs, reference: values, progress: progress)
    parity.isReferenceModel = true
    parity.unknownNames = report.pairing.unpairedReferenceOutputs
    // What the reference computes on its way and does not give is compared, and yet is no output of it.
    let seen = Set(parity.uncomparedOutputs)
    parity.uncomparedOutputs += report.pairing.unpairedOutputs.filter { !seen.contains($0) }
    setLabelsApart(in: &parity)
    report.samples.append(ModelComparisonReport.Sample(name: name, parity: parity))
    try addOutputs(own, other, expected)
  }

  /// A label that the reference does not give has been judged with the scores, unless an output of the reference that has no
  /// counterpart may be it.
  private func setLabelsApart(in parity: inout ParityReport) {
    guard parity.unknownNames.isEmpty, !parity.uncomparedOutputs.isEmpty else { return }
    let compared = Set(parity.nodes.flatMap(\.outputs).map(\.name)).subtracting(parity.unfitNames)
    parity.impliedOutputs = parity.uncomparedOutputs.filter { check.isLabel($0, of: compared.subtracting([$0])) }
    let implied = Set(parity.impliedOutputs)
    parity.uncomparedOutputs.removeAll(where: implied.contains)
  }

  /// Takes note of how inputs were handed to the reference, which declared types need not say.
  ///
  /// - Returns: the orders of axes that they show.
  private mutating func noteInputs(_ own: [String: GraphValue], _ given: [String: GraphValue]) -> Layouts {
    var layouts = Layouts()
    report.pairing.inputs = report.pairing.inputs.map { pair in
      guard let shape = own[pair.name]?.shape, let other = given[pair.referenceName]?.shape else { return pair }
      let isPlain = pair.order.axes == nil && shape == other
      let axes = isPlain ? nil : pair.order.axes ?? AxisOrder.all(from: other, to: shape).first?.axes
      let order = AxisOrder(axes: axes, shape: shape)
      layouts.insert(order, from: other)
      return .init(
        name: pair.name, referenceName: pair.referenceName, evidence: pair.evidence, order: order,
        referenceShape: shape == other ? nil : other)
    }
    return layouts
  }

  /// The reference's value in between as it lies in the model.
  private static func arranged(
    _ value: GraphValue, _ pair: ModelPairing.Pair, like own: GraphValue?
  ) throws -> GraphValue {
    guard case .tensor(let any) = value else { return value }
    let lies = pair.order.axes == nil && any.shape == pair.order.shape
    // The shape is that of the first inputs; those of others may differ where the model leaves extents open.
    let order = AxisOrder(axes: pair.order.axes, shape: own?.shape ?? pair.order.shape)
    let isFitting = (try? Shape.elementCount(order.shape)) == any.count
    return .tensor(lies || !isFitting ? any : try any.reordered(by: order))
  }

  // MARK: Pairing

  /// - Parameter layouts: the orders of axes that inputs show.
  private mutating func pair(_ own: ComparedValues, _ other: ComparedValues, layouts inputs: Layouts) throws {
    let outputs = try ModelPairing.outputs(
      own, other, by: reference.outputIdentity.joined(with: model.outputIdentity), layouts: inputs,
      leastCount: Self.leastCount)
    let layouts = inputs.axes.union(outputs.compactMap(\.order.axes))
    let tensors = Set(own.tensors.map(\.name))
    report.pairing.valueCount = own.tensors.count + model.outputs.count { !tensors.contains($0) }
    var known = outputs
    // The value that a file calls `relu` need not be that of the module `relu`.
    if let graph = reference.graph {
      known += try ModelPairing.named(
        model.model.graph, graph, own: own.tensors, others: other.tensors, known: report.pairing.inputs + outputs,
        leastCount: Self.leastCount, layouts: layouts)
    }
    report.pairing.values = try ModelPairing.pairs(
      own.tensors, other.tensors, known: known, leastCount: Self.leastCount, layouts: layouts, matchesNames: false,
      lineage: reference.graph.map { Lineage(own: model.model.graph, other: $0) })
    if let graph = reference.graph {
      func byName(_ tensors: [NamedNumbers]) -> [String: NamedNumbers] {
        Dictionary(tensors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      }
      report.pairing.values += try ModelPairing.placed(
        model.model.graph, graph, known: report.pairing.inputs + report.pairing.values,
        layouts: Set(report.pairing.values.compactMap(\.order.axes)),
        own: byName(own.tensors), others: byName(other.tensors))
      guesses = try ModelPairing.guesses(
        model.model.graph, graph, among: report.pairing.inputs + report.pairing.values,
        own: byName(own.tensors), others: byName(other.tensors))
    }
    let order = Dictionary(
      own.tensors.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    report.pairing.values.sort { order[$0.name] ?? .max < order[$1.name] ?? .max }
    // Outputs of integers are no tensors to be paired by content.
    let names = Set(report.pairing.values.map(\.name))
    report.pairing.values += outputs.filter { !names.contains($0.name) }
    let paired = Set(report.pairing.values.map(\.referenceName))
    report.pairing.unpairedReferenceOutputs = other.outputNames.filter { !paired.contains($0) }
    report.pairing.unpairedOutputs = model.outputs.filter { name in !outputs.contains { $0.name == name } }
  }

  // MARK: Outputs

  private mutating func addOutputs(
    _ own: ComparedValues, _ other: ComparedValues, _ expected: [String: GraphValue]
  ) throws {
    for pair in report.pairing.values where model.outputs.contains(pair.name) {
      guard let value = own.outputs[pair.name], let expected = expected[pair.name],
        case .tensor(let a) = value, case .tensor(let e) = expected
      else { continue }
      var statistics = report.outputs.first { $0.name == pair.name } ?? .init(name: pair.name)
      let difference = try Comparison(actual: a, expected: e, tolerance: .exact, checksDataType: false)
      statistics.add(difference)
      if model.isInFloat64, let truth = own.all[pair.name] { statistics.ownError.add(try Self.distance(value, truth)) }
      if reference.isInFloat64, let single = other.outputs[pair.referenceName],
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
