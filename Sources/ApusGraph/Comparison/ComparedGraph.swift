import Apus

/// One of two graphs: sessions in its own numbers and in float64, and which of its values inputs reach.
struct ComparedGraph: ComparisonReference {
  let model: any GraphModel
  private let session: InferenceSession
  /// nil where the model cannot be computed in float64.
  private let truth: InferenceSession?
  let outputs: [String]
  /// The values that some input reaches and something reads, outputs included.
  private let computedValues: Set<String>
  /// Those of them that the shapes of inputs, and not their elements, decide.
  private let valuesOfShapes: Set<String>

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
    func names(_ values: some Sequence<Graph.ValueID>) -> Set<String> { Set(values.map { graph.values[$0].name }) }
    outputs = graph.outputs.map { graph.values[$0].name }
    let nodes = graph.withoutDeadNodes().nodes
    var read = Set(graph.outputs)
    var (reached, decided) = (Set(graph.inputs), Set(graph.inputs))
    for node in nodes {
      let (reads, given) = (node.reads, node.outputs.compactMap { $0 })
      read.formUnion(reads)
      if !reached.isDisjoint(with: reads) { reached.formUnion(given) }
      if !node.givesSizes, !decided.isDisjoint(with: reads) { decided.formUnion(given) }
    }
    computedValues = names(reached.subtracting(graph.inputs).intersection(read))
    valuesOfShapes = names(reached.subtracting(decided))
  }

  var isInFloat64: Bool { truth != nil }
  var graph: Graph? { model.graph }
  var outputIdentity: ModelPairing.OutputIdentity { model.hasNamedOutputs ? .names : .order }

  func pairedInputs(of graph: Graph) throws -> [ModelPairing.Pair] {
    try ModelPairing.inputs(of: graph.requiredInfos, and: model.graph.requiredInfos)
  }

  func input(_ value: GraphValue, for pair: ModelPairing.Pair) throws -> GraphValue {
    let graph = model.graph
    let type = graph.value(named: pair.referenceName).flatMap { graph.values[$0].type }
    return try ModelPairing.referenceInput(value, for: pair, as: type)
  }

  /// nil where it is not declared.
  func elementType(of input: String) -> ElementType? {
    model.graph.value(named: input).flatMap { model.graph.values[$0].type?.elementType }
  }

  func check(_ inputs: [String: GraphValue]) throws {
    _ = try model.graph.checkedInputs(inputs, computesInFloat64: false, of: "the reference")
  }

  func values(_ inputs: [String: GraphValue]) throws -> ComparedValues {
    var values = ComparedValues(outputNames: outputs)
    let ordered = Ordered()
    let outputs = try (truth ?? session).run(inputs, observing: { ordered.entries.append(($0, $1)) })
    values.all = Dictionary(ordered.entries, uniquingKeysWith: { first, _ in first })
    values.all.merge(outputs) { first, _ in first }
    values.tensors = try ordered.entries.filter { computedValues.contains($0.0) }.compactMap { name, value in
      var numbers = try NamedNumbers(name, value)
      numbers?.isOfShapes = valuesOfShapes.contains(name)
      return numbers
    }
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

  func weights(like own: [NamedNumbers]) throws -> [NamedNumbers] { try weights() }
}

extension Graph {
  /// The inputs that must be given.
  var requiredInfos: [ValueInfo] { requiredInputs.map { values[$0] } }
}

extension Node {
  /// Whether only the shapes of its inputs count.
  fileprivate var givesSizes: Bool {
    if case .sizes? = facts?.shapes { true } else { false }
  }
}
