import Apus

/// A model's convolutions and products in integers of eight bits, with levels that samples have shown to fit (static
/// quantisation, each output of a weight with a scale of its own).
///
///     var quantization = try StaticQuantization(model)
///     for sample in samples { try quantization.observe(sample) }
///     let choice = try quantization.choice(probes: Array(samples.prefix(4)))
///     let small = try quantization.model(choice.layers)
///
/// Activations are unsigned bytes with a zero point, weights signed bytes without, all eight bits of both used, and every
/// sum of products is exact. The model is made of operators of the ONNX standard.
public struct StaticQuantization: Sendable {
  /// How the range of a value's levels follows from the numbers that samples have shown.
  public enum RangeRule: Sendable, Equatable {
    /// From the least to the greatest.
    case extremes
    /// Without the outermost numbers of each side; 0.9999 leaves out one in ten thousand. Above a half, 1 at most.
    case percentile(Double)
    /// The range with the least mean squared error: what it cuts off against how far apart its levels lie.
    case leastError

    /// - Throws: ``QuantizationError`` for a part that would leave nothing between the two sides.
    func check() throws {
      guard case .percentile(let part) = self, !(part > 0.5 && part <= 1) else { return }
      throw QuantizationError(
        "the part \(part) of the numbers: more than 0.5 and at most 1 was expected", fault: .usage)
    }
  }

  /// A convolution or a product that can be computed in eight bits.
  public struct Layer: Sendable {
    /// The node's name.
    public let name: String
    /// `Conv`, `MatMul` or `Gemm`.
    public let operatorName: OperatorName
    /// Its weight's.
    public let shape: [Int]
    /// How far the weight's bytes are from it, root of the mean squares, as a part of it.
    public let weightError: Double
  }

  /// A convolution or a product that stays in floats whatever it costs.
  public struct Exception: Sendable, Hashable {
    /// The node's name.
    public let name: String
    /// `Conv`, `MatMul` or `Gemm`.
    public let operatorName: OperatorName
    /// Why, in words.
    public let reason: String
  }

  /// The convolutions and products that are no layers, in the order of the graph.
  public let exceptions: [Exception]
  /// The layers, in the order of the graph.
  public let layers: [Layer]
  /// The samples seen so far.
  public private(set) var sampleCount = 0

  let folded: DerivedModel
  let quantizable: [QuantizableLayer]
  private let observed: [Graph.ValueID]
  /// The model in floats.
  let session: InferenceSession
  private var histograms: [RangeHistogram]
  /// The types of outputs as samples show them, where the model declares another one, or not all that the standard asks for.
  private var outputTypes: [String: GraphValueType] = [:]
  /// How ranges follow from samples.
  public var rangeRule: RangeRule

  /// - Throws: ``GraphError`` for a model that cannot be run; ``QuantizationError`` for one that has no layer to quantise,
  ///   or whose operators are of a version before 10, and for a rule that leaves no range.
  public init(_ model: any GraphModel, rangeRule: RangeRule = .leastError, options: InferenceSession.Options = .init())
    throws
  {
    try rangeRule.check()
    let graph = try model.graph.inliningConstants().withoutIdentities().foldingConstants().foldingScales(.fast)
    (quantizable, exceptions) = try Self.layers(of: graph)
    guard !quantizable.isEmpty else { throw QuantizationError(Self.emptiness(of: graph, exceptions)) }
    if let old = quantizable.map({ graph.nodes[$0.index] }).first(where: { $0.opset < 10 }) {
      throw QuantizationError(
        "'\(old.name)' is of version \(old.opset) of the standard's operators; integers of eight bits came with "
          + "version 10: convert the model first")
    }
    layers = quantizable.map {
      let node = graph.nodes[$0.index]
      return Layer(
        name: node.name, operatorName: node.operatorName, shape: $0.weight.bytes.shape,
        weightError: $0.weight.relativeError)
    }
    folded = DerivedModel(of: model, graph: graph)
    session = try InferenceSession(folded, options: options)
    observed = graph.valuesToQuantize(for: quantizable)
    histograms = [RangeHistogram](repeating: RangeHistogram(), count: observed.count)
    self.rangeRule = rangeRule
  }

  private static func layers(of graph: Graph) throws -> ([QuantizableLayer], [Exception]) {
    let rewriter = GraphRewriter(graph)
    var (layers, exceptions): ([QuantizableLayer], [Exception]) = ([], [])
    for (index, node) in graph.nodes.enumerated() {
      let finding = try graph.naming(node) {
        try QuantizableLayer.finding(rewriter.description(of: node), at: index, inputs: node.inputs)
      }
      switch finding {
      case .layer(let layer): layers.append(layer)
      case .obstacle(let reason):
        exceptions.append(Exception(name: node.name, operatorName: node.operatorName, reason: reason))
      case nil: continue
      }
    }
    return (layers, exceptions)
  }

  /// Why there is no layer.
  private static func emptiness(of graph: Graph, _ exceptions: [Exception]) -> String {
    // What this makes of a model, and what other quantisers do.
    if graph.hasNode("ConvInteger", "MatMulInteger", "QLinearConv", "QLinearMatMul", "QGemm") {
      return
        "there is nothing to quantise: what can be of its convolutions and products is in integers of eight bits already"
    }
    guard !exceptions.isEmpty else { return "there is nothing to quantise: no Conv, MatMul or Gemm of the standard" }
    let shown = exceptions.prefix(3).map { "'\($0.name)' (\($0.operatorName)): \($0.reason)" }
    return "there is nothing to quantise: no Conv, MatMul or Gemm can be: " + shown.joined(separator: "; ")
      + (exceptions.count > 3 ? "; and \(exceptions.count - 3) more" : "")
  }

  /// The model in floats, as its layers are found: what ``model(_:)`` gives where it is given no layer.
  public var unquantized: any GraphModel { folded }

  /// Runs the model in floats and counts where the numbers lie that are to be quantised.
  ///
  /// - Parameter inputs: a value for each input without a default, by name.
  /// - Throws: ``GraphError``; ``QuantizationError`` for values that hold NaN or infinity.
  public mutating func observe(_ inputs: [String: GraphValue]) throws {
    let graph = folded.graph
    let names = observed.map { graph.values[$0].name }
    let outputs = graph.outputs.map { graph.values[$0] }
    let fetched = Set(names + outputs.map(\.name)).sorted()
    let values = try session.run(inputs, fetching: fetched)
    for output in outputs {
      guard let value = values[output.name], output.type?.declares(value) != true else { continue }
      outputTypes[output.name] = value.type.withoutExtents
    }
    for (index, name) in names.enumerated() {
      guard case .tensor(let tensor)? = values[name], tensor.dataType.isFloatingPoint else { continue }
      do {
        // Of Double where the session computes in it.
        try histograms[index].add(tensor.converted(to: Float.self))
      } catch let error as OperatorError {
        throw QuantizationError("'\(name)' cannot be quantised: \(error)")
      }
    }
    sampleCount += 1
  }

  /// The model with some layers in eight bits.
  ///
  /// - Parameter chosen: indices of ``layers``; the others stay as they are.
  /// - Throws: ``QuantizationError`` where nothing was observed, for an index that no layer has, and for a rule that leaves
  ///   no range.
  public func model(_ chosen: Set<Int>) throws -> any GraphModel {
    guard sampleCount > 0 else { throw QuantizationError("no sample has shown which numbers there are to quantise") }
    try rangeRule.check()
    if let index = chosen.first(where: { !layers.indices.contains($0) }) {
      throw QuantizationError("layer \(index) of \(layers.count), counted from 0, is none", fault: .usage)
    }
    let positions = Dictionary(zip(observed, observed.indices), uniquingKeysWith: { first, _ in first })
    var graph = try folded.graph.quantizing(chosen.sorted().map { quantizable[$0] }) { value in
      positions[value].map { histograms[$0].range(rangeRule) } ?? 0...0
    }
    for id in graph.outputs {
      if let type = outputTypes[graph.values[id].name] { graph.values[id].type = type }
    }
    return DerivedModel(of: folded, graph: graph)
  }
}

/// Another graph for a model, with everything else that its file says.
struct DerivedModel: GraphModel {
  private let base: any GraphModel
  let graph: Graph

  init(of base: any GraphModel, graph: Graph) {
    (self.base, self.graph) = (base, graph)
  }

  var metadata: [String: String] { base.metadata }
  var summary: ModelSummary { base.summary }
  var warnings: [String] { base.warnings }
  var externalFiles: [String] { base.externalFiles }
  var hasNamedOutputs: Bool { base.hasNamedOutputs }
  func form(of value: String) -> ValueForm? { base.form(of: value) }
  func checkFiles() throws { try base.checkFiles() }
}

extension GraphValueType {
  /// Whether it says of a value what a file of the standard must say of an output: its kind, elements and rank.
  fileprivate func declares(_ value: GraphValue) -> Bool {
    switch self {
    case .tensor(_?, _?): admits(value)
    case .tensor: false
    // Of these a value is not always what the file calls it: ZipMap gives rows of numbers.
    case .sequence, .optional, .map, .unsupported: true
    }
  }

  /// The same with the rank alone of a tensor: other samples may have other extents.
  fileprivate var withoutExtents: GraphValueType {
    guard case .tensor(let elementType, let dimensions) = self else { return self }
    return .tensor(elementType, dimensions?.map { _ in .unknown })
  }
}
