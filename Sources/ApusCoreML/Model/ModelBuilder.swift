import Apus
import ApusGraph

/// Turns a model's messages into a graph, whatever kind of model it is.
struct ModelBuilder {
  let arithmetic: CoreMLArithmetic
  /// The function that is asked for.
  let function: String?
  /// The functions that an ML program has.
  private(set) var functions: [String] = []
  /// The version of the operations of an ML program.
  private(set) var operatorSet: Int?
  /// The keys of dictionaries, by feature.
  var keys: [String: [String]] = [:]
  /// Models within pipelines.
  private var depth = 0
  private static let depthLimit = 32

  init(arithmetic: CoreMLArithmetic, function: String?) {
    self.arithmetic = arithmetic
    self.function = function
  }

  /// The kinds of models, by the number of their field.
  static let modelTypes: [Int: String] = [
    200: "pipelineClassifier", 201: "pipelineRegressor", 202: "pipeline", 300: "glmRegressor",
    301: "supportVectorRegressor", 302: "treeEnsembleRegressor", 303: "neuralNetworkRegressor",
    304: "bayesianProbitRegressor", 400: "glmClassifier", 401: "supportVectorClassifier", 402: "treeEnsembleClassifier",
    403: "neuralNetworkClassifier", 404: "kNearestNeighborsClassifier", 500: "neuralNetwork",
    501: "itemSimilarityRecommender", 502: "mlProgram", 555: "customModel", 556: "linkedModel",
    560: "classConfidenceThresholding", 600: "oneHotEncoder", 601: "imputer", 602: "featureVectorizer",
    603: "dictVectorizer", 604: "scaler", 606: "categoricalMapping", 607: "normalizer", 609: "arrayFeatureExtractor",
    610: "nonMaximumSuppression", 900: "identity", 2000: "textClassifier", 2001: "wordTagger",
    2002: "visionFeaturePrint", 2003: "soundAnalysisPreprocessing", 2004: "gazetteer", 2005: "wordEmbedding",
    2006: "audioFeaturePrint", 3000: "serializedModel",
  ]

  /// A whole model.
  mutating func model(_ message: Fields) throws -> (graph: Graph, description: ModelDescription) {
    let fields = try message.message(2, "ModelDescription") ?? Fields(empty: "ModelDescription", of: message.source)
    var description = try ModelDescription(model: fields)
    if message.has(502), fields.has(20) {
      let all = try fields.messages(20, "FunctionDescription")
      let wanted = try function ?? fields.string(21)
      guard let own = try all.first(where: { try $0.string(1) == wanted }) else {
        let names = try all.map { "'\(try $0.string(1))'" }.joined(separator: ", ")
        throw CoreMLError.Reason.invalid(at: "", "it has no function '\(wanted)'; there is \(names)")
      }
      description = try ModelDescription(function: own)
    }
    let emitter = Emitter(name: "model")
    for feature in description.inputs {
      guard emitter.names[feature.name] == nil else {
        throw CoreMLError.Reason.invalid(at: "input '\(feature.name)'", "two inputs have the name")
      }
      let id = emitter.graph.addValue(named: feature.name, type: feature.graphType)
      emitter.graph.inputs.append(id)
      emitter.names[feature.name] = id
      emitter.declare(id, MILValueType(feature.graphType))
    }
    emitter.follow(
      zip(emitter.graph.inputs, description.inputs).map { id, feature in
        let (usual, others) = feature.possibleShapes
        return .init(
          id: id, elementType: MILValueType(feature.graphType).type?.elementType, shape: usual, otherShapes: others)
      })
    try write(message, description, to: emitter)
    // Not before, for what a run may replace is known to nobody.
    for (id, feature) in zip(emitter.graph.inputs, description.inputs) where emitter.graph.constants[id] == nil {
      // States of recurrent layers are zeros until something is given for them.
      emitter.graph.constants[id] = try feature.defaultValue(otherwise: Self.isNetwork(message) ? 0 : nil)
    }
    for feature in description.outputs {
      guard let id = emitter.names[feature.name] else {
        throw CoreMLError.Reason.invalid(at: "output '\(feature.name)'", "nothing in the model gives it")
      }
      emitter.begin("output")
      let first = emitter.graph.nodes.count
      let isNamed = emitter.graph.values[id].name == feature.name && !emitter.graph.inputs.contains(id)
      let output = try isNamed ? id : emitter.bind(id, to: feature.name, firstNode: first)
      emitter.graph.outputs.append(output)
    }
    try states(description, in: emitter)
    // Layers may give a name again, and a dictionary may have the name of the layer it is made of.
    emitter.graph.makeNamesUnique()
    return (emitter.graph, description)
  }

  private static func isNetwork(_ message: Fields) -> Bool {
    message.numbers.contains { modelTypes[$0]?.hasPrefix("neuralNetwork") == true }
  }

  /// States become inputs with zeros for a default, and outputs that the next run takes.
  private func states(_ description: ModelDescription, in emitter: Emitter) throws {
    for feature in description.states {
      guard let id = emitter.names[feature.name] else { continue }
      emitter.begin("\(feature.name).updated")
      let first = emitter.graph.nodes.count
      let updated = try emitter.node("Identity", [id])
      let output = try emitter.bind(updated, to: "\(feature.name).updated", firstNode: first)
      let input = emitter.graph.inputs.first { emitter.graph.values[$0].name == feature.name }
      emitter.graph.values[output].type = input.flatMap { emitter.graph.values[$0].type }
      emitter.graph.outputs.append(output)
      emitter.end(firstNode: first)
    }
  }

  /// Writes a model whose inputs have their names in `emitter`, so that its outputs have theirs.
  mutating func write(_ message: Fields, _ description: ModelDescription, to emitter: Emitter) throws {
    guard let number = message.numbers.last(where: { Self.modelTypes[$0] != nil }), let kind = Self.modelTypes[number]
    else {
      let unknown = message.numbers.filter { $0 >= 200 }.map(String.init).joined(separator: ", ")
      throw CoreMLError.Reason.unsupported(
        at: "", unknown.isEmpty ? "a model without a kind" : "a model of the unknown kind \(unknown)")
    }
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else {
      throw CoreMLError.Reason.invalid(at: "", "pipelines are nested deeper than \(Self.depthLimit)")
    }
    let fields = try message.message(number, kind) ?? Fields(empty: kind, of: message.source)
    switch kind {
    case "mlProgram": try program(fields, message, description, to: emitter)
    case "neuralNetwork", "neuralNetworkClassifier", "neuralNetworkRegressor":
      try network(fields, kind: kind, description, to: emitter)
    case "pipeline": try pipeline(fields, to: emitter)
    case "pipelineClassifier", "pipelineRegressor":
      try pipeline(fields.message(1, "Pipeline") ?? Fields(empty: "Pipeline", of: fields.source), to: emitter)
    default: try classic(fields, kind: kind, description, to: emitter)
    }
  }

  // MARK: Programs

  private mutating func program(
    _ program: Fields, _ message: Fields, _ description: ModelDescription, to emitter: Emitter
  ) throws {
    let all = try program.namedMessages(2, "Function")
    if depth == 1 { functions = all.keys.sorted() }
    let declared = try message.message(2, "ModelDescription")?.string(21) ?? ""
    let name = (depth == 1 ? function : nil) ?? (declared.isEmpty ? "main" : declared)
    guard let function = all[name] else {
      throw CoreMLError.Reason.invalid(
        at: "", "the program has no function '\(name)'; there is \(all.keys.sorted().joined(separator: ", "))")
    }
    let opset = try function.string(2)
    guard let block = try function.namedMessages(3, "Block")[opset] else {
      throw CoreMLError.Reason.invalid(
        at: "function '\(name)'", "it has no operations of the set '\(opset)' that it names")
    }
    let builder = try ProgramBuilder(opset: opset, arithmetic: arithmetic)
    operatorSet = builder.opset
    for port in try function.messages(1, "NamedValueType").map({ try MILPort($0) }) {
      try parameter(port, description, builder, in: emitter)
    }
    try builder.write(block, to: emitter)
    // A block's results have the names of the features, but in files that were written by hand.
    for (output, feature) in zip(try block.strings(2), description.outputs) where emitter.names[feature.name] == nil {
      emitter.names[feature.name] = emitter.names[output]
    }
    for operation in try block.messages(3, "Operation") where try operation.string(1) == "classify" {
      try classes(of: MILOperation(operation), in: emitter)
    }
  }

  /// The keys of the dictionary that a classifier gives.
  private mutating func classes(of operation: MILOperation, in emitter: Emitter) throws {
    guard operation.outputs.count > 1, let binding = operation.inputs["classes"]?.first else { return }
    switch binding {
    case .value(let fields): keys[operation.outputs[1].name] = try MILConstant(fields).value.texts
    case .name(let name): keys[operation.outputs[1].name] = emitter.constant(emitter.names[name])?.texts
    }
  }

  /// An input of a function, as the type that is computed in.
  private mutating func parameter(
    _ port: MILPort, _ description: ModelDescription, _ builder: ProgramBuilder, in emitter: Emitter
  ) throws {
    let type = builder.computed(port.type)
    if port.type.isState {
      guard let elementType = type.type?.elementType, let shape = port.type.shape else {
        throw CoreMLError.Reason.invalid(at: "state '\(port.name)'", "its type is not known")
      }
      let known = shape.compactMap { $0 }
      guard known.count == shape.count else {
        throw CoreMLError.Reason.invalid(at: "state '\(port.name)'", "its shape is not known")
      }
      let id = emitter.graph.addValue(
        named: port.name, type: .tensor(elementType, known.map(GraphDimension.size)))
      emitter.graph.inputs.append(id)
      emitter.graph.constants[id] = try GraphValue.zeros(elementType, known)
      emitter.names[port.name] = id
      emitter.declare(id, type)
      return
    }
    guard let id = emitter.names[port.name] else {
      throw CoreMLError.Reason.invalid(at: "input '\(port.name)'", "the model's description does not have it")
    }
    // The description may leave open what the function's own declaration says.
    emitter.begin(port.name)
    let declared = emitter.elementType(id)
    if let wanted = type.type?.elementType, declared != wanted, declared != nil {
      let first = emitter.graph.nodes.count
      let converted = try emitter.cast(id, to: wanted)
      emitter.names[port.name] = converted
      emitter.end(firstNode: first)
      emitter.declare(converted, type)
    } else {
      emitter.declare(id, type)
    }
  }
}

extension MILValueType {
  /// What a graph declares, as far as it goes.
  init(_ type: GraphValueType) {
    guard case .tensor(let elementType, let dimensions) = type else {
      self.init(type: nil, shape: nil)
      return
    }
    let types: [ElementType: MILType] = [
      .bool: .bool, .string: .string, .float16: .float16, .float: .float32, .double: .float64, .int8: .int8,
      .int16: .int16, .int32: .int32, .int64: .int64, .uint8: .uint8, .uint16: .uint16, .uint32: .uint32,
      .uint64: .uint64,
    ]
    self.init(
      type: elementType.flatMap { types[$0] },
      shape: dimensions?.map(\.extent))
  }
}

extension GraphValue {
  /// Zeros of a type that can be computed in.
  static func zeros(_ elementType: ElementType, _ shape: [Int]) throws -> GraphValue {
    func make<Scalar: TensorScalar>(_: Scalar.Type) throws -> GraphValue {
      GraphValue(try Tensor<Scalar>(zeros: shape))
    }
    switch elementType {
    case .double: return try make(Double.self)
    case .int32: return try make(Int32.self)
    case .int64: return try make(Int64.self)
    case .int8: return try make(Int8.self)
    case .uint8: return try make(UInt8.self)
    case .int16: return try make(Int16.self)
    case .uint16: return try make(UInt16.self)
    case .bool: return try make(Bool.self)
    case .float: return try make(Float.self)
    default: throw OperatorError("zeros of \(elementType) are not possible")
    }
  }
}
