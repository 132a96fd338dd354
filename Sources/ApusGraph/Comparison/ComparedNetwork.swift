import Apus

/// A network written in Swift, with its weights, to hold a model against: an export against the layers that one can read.
///
/// ```swift
/// let weights = try Weights(path: "yolov8n.safetensors")
/// let network = try ComparedNetwork(YOLO<Float>.self, YOLO<Double>.self, weights: weights)
/// var comparison = try ModelComparison(ModelFile.open("yolov8n.onnx"), against: network)
/// ```
///
/// Values of the model are paired with its outputs and with whatever it reports of its inside (`Activations`), which have
/// the names of PyTorch's modules; weights with its parameters, as they are stored or with a normalisation folded in.
/// All activations of a run are in memory, as float64.
public struct ComparedNetwork: ComparisonReference {
  private let single: any VerifiableModel<Float>
  private let double: any VerifiableModel<Double>
  private let stored: [NamedNumbers]
  /// The parameters that layers do not take as they are stored, by name.
  private let prepared: [String: NamedNumbers]
  private let inputs: [ExpectedInput]
  private var precision = Execution.Precision.exact

  /// Builds the network twice: in float64, which a model is judged by, and in float32, whose own error is reported.
  ///
  /// - Parameters:
  ///   - weights: the scope of the whole network.
  ///   - metadata: what the weights' file says of them: a `configuration`, where the network has one.
  /// - Throws: what the network throws for weights and metadata that do not fit it.
  public init(
    _ single: any VerifiableModel<Float>.Type, _ double: any VerifiableModel<Double>.Type, weights: Weights,
    metadata: [String: String] = [:]
  ) throws {
    self.single = try single.init(verifying: weights, metadata: metadata)
    let (network, parameters) = try Activations.recording {
      try double.init(verifying: weights, metadata: metadata)
    }
    self.double = network
    inputs = network.expectedInputs
    stored = try weights.names.compactMap { try NamedNumbers($0, .tensor(weights.anyTensor($0))) }
    prepared = try parameters.reportedNames.reduce(into: [:]) { numbers, name in
      numbers[name] = try parameters[name].flatMap { try NamedNumbers(name, .tensor($0)) }
    }
  }

  /// The same network, whose float32 is computed so.
  func with(_ precision: Execution.Precision) -> ComparedNetwork {
    var network = self
    network.precision = precision
    return network
  }

  // MARK: ComparisonReference

  var isInFloat64: Bool { true }
  var graph: Graph? { nil }
  /// A dictionary has no order.
  var outputIdentity: ModelPairing.OutputIdentity { .namesAlone }

  func pairedInputs(of graph: Graph) throws -> [ModelPairing.Pair] {
    try ModelPairing.inputs(
      of: graph.requiredInfos, and: inputs.map(Self.info),
      optional: Set(inputs.filter(\.isOptional).map { Self.info($0).name }))
  }

  /// An input without a name is called `input`.
  private static func info(_ input: ExpectedInput) -> Graph.ValueInfo {
    let dimensions = input.extents.map { $0.map { $0.map(GraphDimension.size) ?? .unknown } }
    return Graph.ValueInfo(name: input.name.isEmpty ? "input" : input.name, type: .tensor(nil, dimensions))
  }

  func input(_ value: GraphValue, for pair: ModelPairing.Pair) throws -> GraphValue {
    let info = inputs.map(Self.info).first { $0.name == pair.referenceName }
    return try ModelPairing.referenceInput(value, for: pair, as: info?.type)
  }

  /// The network checks its inputs itself.
  func check(_ inputs: [String: GraphValue]) {}

  func values(_ inputs: [String: GraphValue]) throws -> ComparedValues {
    var tensors: [String: AnyTensor] = [:]
    for input in self.inputs {
      guard case .tensor(let tensor)? = inputs[Self.info(input).name] else { continue }
      tensors[input.name] = tensor
    }
    let sample = SampleInputs(tensors, source: "the inputs")
    let (outputs, activations) = try Execution.with(precision: .exact) {
      try Activations.recording { try double.outputs(for: sample) }
    }
    var values = ComparedValues(outputNames: outputs.keys.sorted())
    for name in activations.reportedNames where outputs[name] == nil {
      values.all[name] = activations[name].map { .tensor($0) }
    }
    values.all.merge(outputs.mapValues { GraphValue($0) }) { _, output in output }
    values.tensors = try (activations.reportedNames.filter { outputs[$0] == nil } + values.outputNames)
      .compactMap { name in try values.all[name].flatMap { try NamedNumbers(name, $0) } }
    values.outputs = try Execution.with(precision: precision) { try single.outputs(for: sample) }
      .mapValues { GraphValue($0) }
    return values
  }

  /// Of parameters that a normalisation is folded into, what is most like something of `own`: exporters fold it as well, or
  /// leave it.
  func weights(like own: [NamedNumbers]) throws -> [NamedNumbers] {
    let bySize = Dictionary(grouping: own) { $0.tensor.count }
    func likeness(_ numbers: NamedNumbers) throws -> Double {
      try (bySize[numbers.tensor.count] ?? [])
        .compactMap { try Likeness.best(of: numbers.tensor, for: $0.tensor)?.degree }.max() ?? -.infinity
    }
    let names = Set(stored.map(\.name))
    let chosen = try stored.map { numbers in
      guard let other = prepared[numbers.name] else { return numbers }
      return try likeness(other) > likeness(numbers) ? other : numbers
    }
    let others = prepared.values.filter { !names.contains($0.name) }
    return chosen + others.sorted { $0.name < $1.name }
  }
}
