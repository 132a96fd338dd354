import Apus
import ApusGraph

// Models that are no networks. Numbers are DOUBLE, as the file has them.

extension ModelBuilder {
  private static let machineLearning = "ai.onnx.ml"

  /// What needs networks that only Apple has, or code that only an application has.
  private static let foreign: [String: String] = [
    "customModel": "a custom model, whose code the application brings,",
    "linkedModel": "a model that lies in another file of an application",
    "textClassifier": "a text classifier, which needs Apple's own network for text,",
    "wordTagger": "a word tagger, which needs Apple's own network for text,",
    "gazetteer": "a gazetteer, whose form only Apple's frameworks read,",
    "wordEmbedding": "a word embedding, whose form only Apple's frameworks read,",
    "visionFeaturePrint":
      "a vision feature print, Apple's own network; the models behind it in the pipeline can be run alone",
    "audioFeaturePrint":
      "an audio feature print, Apple's own network; the models behind it in the pipeline can be run alone",
    "soundAnalysisPreprocessing":
      "the preprocessing of sounds, Apple's own; the models behind it in the pipeline can be run alone",
    "serializedModel": "a serialized model, whose form only Apple's frameworks read,",
    "itemSimilarityRecommender": "a recommender of similar items",
    "bayesianProbitRegressor": "a Bayesian probit regressor",
    "classConfidenceThresholding": "the choosing of thresholds of confidence",
  ]

  mutating func classic(
    _ fields: Fields, kind: String, _ description: ModelDescription, to e: Emitter
  ) throws {
    if let what = Self.foreign[kind] { throw CoreMLError.Reason.unsupported(at: "", what) }
    e.begin(kind)
    let firstNode = e.graph.nodes.count
    do {
      switch kind {
      case "glmRegressor": try give(Self.transformed(linear(fields, description, e), fields.int(3), e), description, e)
      case "glmClassifier": try classified(linearScores(fields, description, e), fields, description, to: e)
      case "treeEnsembleRegressor":
        let (scores, _) = try trees(fields, description, e)
        try give(scored(scores, fields.int(2), binary: false, e), description, e)
      case "treeEnsembleClassifier":
        let (scores, count) = try trees(fields, description, e)
        // Without a transform the sums of several classes are shares.
        var shares = try scored(scores, fields.int(2), binary: count == 1, e)
        if try fields.int(2) == 0, count > 1 {
          shares = try e.node("Div", [shares, e.node("ReduceSum", [shares, nil], ["keepdims": .int(1)])])
        }
        try classified(shares, fields, description, to: e)
      case "supportVectorRegressor": try give(supportVectorRegression(fields, description, e), description, e)
      case "supportVectorClassifier": try supportVectorClassification(fields, description, e)
      case "scaler":
        func list(_ number: Int, _ neutral: Double) throws -> Graph.ValueID {
          let numbers = try fields.doubles(number)
          return e.constant(GraphValue(try Tensor(numbers.isEmpty ? [neutral] : numbers)))
        }
        let shifted = try e.node("Add", [input(description, e), list(1, 0)])
        try give(e.node("Mul", [shifted, list(2, 1)]), description, e)
      case "imputer": try give(imputed(fields, description, e), description, e)
      case "normalizer": try give(normalized(fields, description, e), description, e)
      case "featureVectorizer": try give(vectorized(fields, e), description, e)
      case "arrayFeatureExtractor":
        let places = try e.integers(fields.ints(1))
        try give(e.node("Gather", [input(description, e), places], ["axis": .int(0)]), description, e)
      case "oneHotEncoder": try give(oneHot(fields, description, e), description, e)
      case "dictVectorizer": try dictionary(fields, description, e)
      case "categoricalMapping": try give(mapped(fields, description, e), description, e)
      case "kNearestNeighborsClassifier": try neighbors(fields, description, e)
      case "nonMaximumSuppression": try suppression(fields, e)
      case "identity":
        for (source, target) in zip(description.inputs, description.outputs) {
          guard let id = e.names[source.name] else { continue }
          _ = try e.bind(e.node("Identity", [id]), to: target.name, firstNode: firstNode)
        }
      default: throw CoreMLError.Reason.unsupported(at: "", "the kind of model '\(kind)'")
      }
    } catch let error as OperatorError {
      throw CoreMLError.Reason.invalid(at: kind, error.description)
    }
  }

  /// The model's only input, in a row of DOUBLE.
  private func input(_ description: ModelDescription, _ e: Emitter) throws -> Graph.ValueID {
    guard let feature = description.inputs.first, let id = e.names[feature.name] else {
      throw OperatorError("it has no input")
    }
    return try e.reshape(e.cast(id, to: .double), [-1])
  }

  /// The first output is `id`, in the type and shape that it is declared to have.
  private func give(_ id: Graph.ValueID, _ description: ModelDescription, _ e: Emitter) throws {
    guard let feature = description.outputs.first else { throw OperatorError("it has no output") }
    var result = id
    switch feature.kind {
    case .int64: result = try e.reshape(e.cast(id, to: .int64), [1])
    case .double: result = try e.reshape(e.cast(id, to: .double), [1])
    case .multiArray(let type, let shape, _):
      result = try e.node("Cast", [id], ["to": .int(Int64(type.rawValue))])
      if !shape.isEmpty { result = try e.reshape(result, shape) }
    default: break
    }
    _ = try e.bind(e.node("Identity", [result]), to: feature.name, firstNode: 0)
  }

  private func double(_ value: Double, _ e: Emitter) throws -> Graph.ValueID {
    e.constant(GraphValue(try Tensor([value], shape: [])))
  }

  // MARK: Linear models

  /// W · x + b
  private func linear(_ fields: Fields, _ description: ModelDescription, _ e: Emitter) throws -> Graph.ValueID {
    let rows = try fields.messages(1, "DoubleArray").map { try $0.doubles(1) }
    guard let width = rows.first?.count, width > 0, rows.allSatisfy({ $0.count == width }) else {
      throw OperatorError("its weights have rows of \(rows.map(\.count))")
    }
    let offsets = try fields.doubles(2)
    let weights = e.constant(GraphValue(try Tensor(rows.flatMap { $0 }, shape: [rows.count, width])))
    let product = try e.node("MatMul", [weights, input(description, e)])
    return try offsets.isEmpty ? product : e.node("Add", [product, e.constant(GraphValue(Tensor(offsets)))])
  }

  /// Nothing, 1 / (1 + e⁻ˣ), or the normal distribution below x.
  private static func transformed(_ x: Graph.ValueID, _ transform: Int, _ e: Emitter) throws -> Graph.ValueID {
    switch transform {
    case 0: return x
    case 1: return try e.node("Sigmoid", [x])
    case 2:
      func double(_ value: Double) throws -> Graph.ValueID { e.constant(GraphValue(try Tensor([value], shape: []))) }
      let erf = try e.node("Erf", [e.node("Mul", [x, double(0.5.squareRoot())])])
      return try e.node("Mul", [e.node("Add", [erf, double(1)]), double(0.5)])
    default: throw OperatorError("the transform \(transform) is not known")
    }
  }

  private func linearScores(
    _ fields: Fields, _ description: ModelDescription, _ e: Emitter
  ) throws -> Graph.ValueID {
    let scores = try linear(fields, description, e)
    let count = try fields.messages(1, "DoubleArray").count
    let transform = try fields.int(3) + 1
    if try fields.int(4) == 1, count > 1 {
      let each = try Self.transformed(scores, transform, e)
      return try e.node("Div", [each, e.node("ReduceSum", [each, nil], ["keepdims": .int(1)])])
    }
    if count == 1 {
      let positive = try Self.transformed(scores, transform, e)
      return try e.node("Concat", [e.node("Sub", [double(1, e), positive]), positive], ["axis": .int(0)])
    }
    guard transform == 1 else { throw OperatorError("a probit of several classes is not known") }
    let zero = e.constant(GraphValue(try Tensor([0.0])))
    return try e.node("Softmax", [e.node("Concat", [zero, scores], ["axis": .int(0)])], ["axis": .int(0)])
  }

  // MARK: Trees

  /// The sums of what the leaves give, and how many there are.
  private func trees(
    _ fields: Fields, _ description: ModelDescription, _ e: Emitter
  ) throws -> (Graph.ValueID, count: Int) {
    guard let ensemble = try fields.message(1, "TreeEnsembleParameters") else { throw OperatorError("it has no trees") }
    let modes = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "LEAF"]
    let targets = max(1, try ensemble.int(2))
    var lists: [String: [Int64]] = [:]
    var names: [[UInt8]] = []
    var values: [Double] = []
    var weights: [Double] = []
    func add(_ name: String, _ value: Int) { lists[name, default: []].append(Int64(value)) }
    for node in try ensemble.messages(1, "TreeNode") {
      let mode = try node.int(3)
      guard modes.indices.contains(mode) else { throw OperatorError("a node of the kind \(mode) is not known") }
      let (tree, id) = try (node.int(1), node.int(2))
      names.append(Array(modes[mode].utf8))
      add("nodes_treeids", tree)
      add("nodes_nodeids", id)
      add("nodes_featureids", try node.int(10))
      add("nodes_truenodeids", try node.int(12))
      add("nodes_falsenodeids", try node.int(13))
      add("nodes_missing_value_tracks_true", try node.int(14))
      values.append(try node.double(11))
      guard mode == 6 else { continue }
      for leaf in try node.messages(20, "EvaluationInfo") {
        add("target_treeids", tree)
        add("target_nodeids", id)
        add("target_ids", try leaf.int(1))
        weights.append(try leaf.double(2))
      }
    }
    var attributes = lists.mapValues { AttributeValue.ints($0) }
    attributes["nodes_modes"] = .strings(names)
    attributes["nodes_values_as_tensor"] = .tensor(GraphValue(try Tensor(values)))
    attributes["target_weights_as_tensor"] = .tensor(GraphValue(try Tensor(weights)))
    attributes["n_targets"] = .int(Int64(targets))
    let base = try ensemble.doubles(3)
    if !base.isEmpty { attributes["base_values_as_tensor"] = .tensor(GraphValue(try Tensor(base))) }
    let row = try e.reshape(input(description, e), [1, -1])
    let scores = try e.node("TreeEnsembleRegressor", [row], domain: Self.machineLearning, attributes)
    return (try e.cast(e.reshape(scores, [-1]), to: .double), targets)
  }

  private func scored(_ scores: Graph.ValueID, _ transform: Int, binary: Bool, _ e: Emitter) throws -> Graph.ValueID {
    func pair(_ positive: Graph.ValueID) throws -> Graph.ValueID {
      guard binary else { return positive }
      return try e.node("Concat", [e.node("Sub", [double(1, e), positive]), positive], ["axis": .int(0)])
    }
    switch transform {
    case 0: return try pair(scores)
    case 1: return try e.node("Softmax", [scores], ["axis": .int(0)])
    case 2: return try pair(e.node("Sigmoid", [scores]))
    case 3:
      let zero = e.constant(GraphValue(try Tensor([0.0])))
      return try e.node("Softmax", [e.node("Concat", [zero, scores], ["axis": .int(0)])], ["axis": .int(0)])
    default: throw OperatorError("the transform \(transform) is not known")
    }
  }

  // MARK: Support vectors

  /// The kernel and the support vectors as the standard's operators take them.
  private func machine(
    _ fields: Fields, sparse: Int, dense: Int, _ x: Graph.ValueID, _ e: Emitter
  ) throws -> (attributes: [String: AttributeValue], count: Int) {
    guard let size = e.knownShape(x)?.last, size <= 1 << 20 else {
      throw OperatorError("the number of its features is not known, or larger than \(1 << 20)")
    }
    var rows: [[Double]] = []
    if let vectors = try fields.message(dense, "DenseSupportVectors") {
      rows = try vectors.messages(1, "DenseVector").map { try $0.doubles(1) }
    } else if let vectors = try fields.message(sparse, "SparseSupportVectors") {
      for vector in try vectors.messages(1, "SparseVector") {
        var row = [Double](repeating: 0, count: size)
        for node in try vector.messages(1, "SparseNode") {
          // Numbers of features begin with 1 here.
          let index = try node.int(1)
          guard index >= 1, index <= size else {
            throw OperatorError("a support vector has feature \(index) of \(size)")
          }
          row[index - 1] = try node.double(2)
        }
        rows.append(row)
      }
    }
    guard !rows.isEmpty, rows.allSatisfy({ $0.count == size }) else {
      throw OperatorError("its support vectors do not fit \(size) features")
    }
    var (type, parameters) = ("LINEAR", [0.0, 0, 0])
    if let kernel = try fields.message(1, "Kernel") {
      if let rbf = try kernel.message(2, "RBFKernel") {
        (type, parameters) = ("RBF", [try rbf.double(1), 0, 0])
      } else if let poly = try kernel.message(3, "PolyKernel") {
        (type, parameters) = ("POLY", [try poly.double(3), try poly.double(2), Double(try poly.int(1))])
      } else if let sigmoid = try kernel.message(4, "SigmoidKernel") {
        (type, parameters) = ("SIGMOID", [try sigmoid.double(1), try sigmoid.double(2), 0])
      }
    }
    return (
      [
        "kernel_type": .string(Array(type.utf8)), "kernel_params": .floats(parameters.map { Float($0) }),
        "support_vectors": .floats(rows.flatMap { $0.map { Float($0) } }),
      ], rows.count
    )
  }

  private func supportVectorRegression(
    _ fields: Fields, _ description: ModelDescription, _ e: Emitter
  ) throws -> Graph.ValueID {
    let x = try row(description, e)
    var (attributes, count) = try machine(fields, sparse: 2, dense: 3, x, e)
    let alpha = try fields.message(4, "Coefficients")?.doubles(1) ?? []
    guard alpha.count == count else { throw OperatorError("\(alpha.count) coefficients for \(count) support vectors") }
    attributes["n_supports"] = .int(Int64(count))
    attributes["coefficients"] = .floats(alpha.map { Float($0) })
    // What the file takes away the standard adds.
    attributes["rho"] = .floats([-Float(try fields.double(5))])
    return try e.reshape(e.node("SVMRegressor", [x], domain: Self.machineLearning, attributes), [-1])
  }

  /// Each two classes decide between themselves. Votes count, and with the numbers for it pairs give probabilities.
  private mutating func supportVectorClassification(
    _ fields: Fields, _ description: ModelDescription, _ e: Emitter
  ) throws {
    let x = try row(description, e)
    var (attributes, count) = try machine(fields, sparse: 3, dense: 4, x, e)
    let counts = try fields.ints(2)
    let rows = try fields.messages(5, "Coefficients").map { try $0.doubles(1) }
    guard rows.allSatisfy({ $0.count == count }), counts.count >= 2, counts.count <= 4096 else {
      throw OperatorError("rows of \(rows.map(\.count)) coefficients for \(count) support vectors")
    }
    attributes["vectors_per_class"] = .ints(counts.map(Int64.init))
    attributes["coefficients"] = .floats(rows.flatMap { $0.map { Float($0) } })
    attributes["rho"] = .floats(try fields.doubles(6).map { -Float($0) })
    let (a, b) = try (fields.doubles(7), fields.doubles(8))
    if !a.isEmpty {
      attributes["prob_a"] = .floats(a.map { Float($0) })
      attributes["prob_b"] = .floats(b.map { Float($0) })
    }
    attributes["classlabels_ints"] = .ints((0..<counts.count).map(Int64.init))
    let outputs = try e.nodes("SVMClassifier", [x], outputs: 2, domain: Self.machineLearning, attributes)
    let chosen = try e.reshape(outputs[0], [Int]())
    try labelled(e.cast(outputs[1], to: .double), labels(fields), description, chosen: chosen, to: e)
  }

  /// The input as a matrix of one row, FLOAT.
  private func row(_ description: ModelDescription, _ e: Emitter) throws -> Graph.ValueID {
    try e.reshape(e.cast(input(description, e), to: .float), [1, -1])
  }

  // MARK: Features

  private func imputed(_ fields: Fields, _ description: ModelDescription, _ e: Emitter) throws -> Graph.ValueID {
    let x = try input(description, e)
    var values: [Double]
    if let list = try fields.message(4, "DoubleVector") {
      values = try list.doubles(1)
    } else if let list = try fields.message(5, "Int64Vector") {
      values = try list.int64s(1).map(Double.init)
    } else if fields.has(1) {
      values = [try fields.double(1)]
    } else if fields.has(2) {
      values = [Double(try fields.int64(2))]
    } else {
      throw OperatorError("what it puts in is no number")
    }
    if values.isEmpty { values = [0] }
    let replaced = try fields.has(12) ? Double(fields.int64(12)) : fields.optionalDouble(11) ?? .nan
    let isMissing =
      try replaced.isNaN ? e.node("IsNaN", [x]) : e.node("Equal", [x, double(replaced, e)])
    return try e.node("Where", [isMissing, e.constant(GraphValue(Tensor(values))), x])
  }

  private func normalized(_ fields: Fields, _ description: ModelDescription, _ e: Emitter) throws -> Graph.ValueID {
    let x = try input(description, e)
    let types = ["ReduceMax", "ReduceL1", "ReduceL2"]
    let type = try fields.int(1)
    guard types.indices.contains(type) else { throw OperatorError("the norm \(type) is not known") }
    let source = try type == 0 ? e.node("Abs", [x]) : x
    let norm = try e.node(types[type], [source, nil], ["keepdims": .int(1)])
    // A row of zeros stays what it is.
    let isZero = try e.node("Equal", [norm, double(0, e)])
    return try e.node("Div", [x, e.node("Where", [isZero, double(1, e), norm])])
  }

  private func vectorized(_ fields: Fields, _ e: Emitter) throws -> Graph.ValueID {
    let columns = try fields.messages(1, "InputColumn").map { column -> Graph.ValueID in
      let name = try column.string(1)
      guard let id = e.names[name] else { throw OperatorError("the feature '\(name)' is given by nothing") }
      return try e.reshape(e.cast(id, to: .double), [-1])
    }
    guard !columns.isEmpty else { throw OperatorError("it joins no features") }
    return try e.node("Concat", columns, ["axis": .int(0)])
  }

  private func oneHot(_ fields: Fields, _ description: ModelDescription, _ e: Emitter) throws -> Graph.ValueID {
    guard let feature = description.inputs.first, let id = e.names[feature.name] else {
      throw OperatorError("it has no input")
    }
    var attributes: [String: AttributeValue] = ["zeros": .int(Int64(try fields.int(11)))]
    if let texts = try fields.message(1, "StringVector") {
      attributes["cats_strings"] = .strings(try texts.strings(1).map { Array($0.utf8) })
    } else {
      attributes["cats_int64s"] = .ints(try fields.message(2, "Int64Vector")?.int64s(1).map(Int64.init) ?? [])
    }
    return try e.reshape(e.node("OneHotEncoder", [id], domain: Self.machineLearning, attributes), [-1])
  }

  /// A dictionary is a list of numbers in the order of its keys already.
  private mutating func dictionary(_ fields: Fields, _ description: ModelDescription, _ e: Emitter) throws {
    guard let feature = description.inputs.first else { throw OperatorError("it has no input") }
    if let texts = try fields.message(1, "StringVector") {
      keys[feature.name] = try texts.strings(1)
    } else {
      keys[feature.name] = try fields.message(2, "Int64Vector")?.int64s(1).map { "\($0)" }
    }
    try give(input(description, e), description, e)
  }

  private func mapped(_ fields: Fields, _ description: ModelDescription, _ e: Emitter) throws -> Graph.ValueID {
    guard let feature = description.inputs.first, let id = e.names[feature.name] else {
      throw OperatorError("it has no input")
    }
    var attributes: [String: AttributeValue] = [:]
    if let map = try fields.message(1, "StringToInt64Map") {
      let entries = try map.messages(1, "MapEntry")
      attributes["cats_strings"] = .strings(try entries.map { Array(try $0.string(1).utf8) })
      attributes["cats_int64s"] = .ints(try entries.map { Int64(try $0.int64(2)) })
      attributes["default_int64"] = .int(Int64(try fields.int64(102)))
    } else {
      let entries = try fields.message(2, "Int64ToStringMap")?.messages(1, "MapEntry") ?? []
      attributes["cats_int64s"] = .ints(try entries.map { Int64(try $0.int64(1)) })
      attributes["cats_strings"] = .strings(try entries.map { Array(try $0.string(2).utf8) })
      attributes["default_string"] = .string(Array(try fields.string(101).utf8))
    }
    return try e.node("CategoryMapper", [id], domain: Self.machineLearning, attributes)
  }

  // MARK: Neighbours and boxes

  /// The classes of the nearest examples, each counted once or by the inverse of its distance.
  private mutating func neighbors(_ fields: Fields, _ description: ModelDescription, _ e: Emitter) throws {
    guard let index = try fields.message(1, "NearestNeighborsIndex") else { throw OperatorError("it has no examples") }
    let width = try index.int(1)
    let rows = try index.messages(2, "FloatVector").map { try $0.floats(1) }
    let count = try fields.message(3, "Int64Parameter")?.int(1) ?? 1
    guard !rows.isEmpty, width > 0, rows.allSatisfy({ $0.count == width }) else {
      throw OperatorError("its examples do not have \(width) numbers each")
    }
    // Each example has its label; classes are these in order.
    let labels: [String]
    let areTexts = fields.has(100)
    if let texts = try fields.message(100, "StringVector") {
      labels = try texts.strings(1)
    } else {
      labels = try fields.message(101, "Int64Vector")?.int64s(1).map { "\($0)" } ?? []
    }
    guard labels.count == rows.count, count > 0 else {
      throw OperatorError("\(labels.count) labels are given for \(rows.count) examples")
    }
    let classes =
      areTexts ? Array(Set(labels)).sorted() : Array(Set(labels.compactMap { Int($0) })).sorted().map(String.init)
    let places = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1, $0) })
    let examples = e.constant(
      GraphValue(try Tensor(rows.flatMap { $0.map(Double.init) }, shape: [rows.count, width])))
    let difference = try e.node("Sub", [examples, input(description, e)])
    let distances = try e.node("ReduceSumSquare", [difference, e.integers([1])], ["keepdims": .int(0)])
    let nearest = try e.nodes(
      "TopK", [distances, e.integers([min(count, rows.count)])], outputs: 2, ["axis": .int(0), "largest": .int(0)])
    let own = e.constant(GraphValue(try Tensor(labels.map { Int64(places[$0] ?? 0) })))
    let chosen = try e.node("Gather", [own, nearest[1]], ["axis": .int(0)])
    let hot = try e.cast(
      e.node("OneHot", [chosen, e.integer(classes.count), e.numbers([0, 1])], ["axis": .int(-1)]), to: .double)
    var weights: Graph.ValueID?
    if fields.has(210) {
      let distance = try e.node("Sqrt", [nearest[0]])
      weights = try e.node("Reciprocal", [e.node("Max", [distance, double(1e-12, e)])])
    }
    let counted = try weights.map { try e.node("Mul", [hot, e.unsqueeze($0, [1])]) } ?? hot
    let sums = try e.node("ReduceSum", [counted, e.integers([0])], ["keepdims": .int(0)])
    let scores = try e.node("Div", [sums, e.node("ReduceSum", [sums, nil], ["keepdims": .int(1)])])
    let names: GraphValue =
      areTexts
      ? .strings(try StringTensor(classes, shape: [classes.count]))
      : GraphValue(try Tensor(classes.compactMap { Int64($0) }))
    try labelled(scores, names, description, to: e)
  }

  /// Boxes without those that overlap better ones, as many as are left.
  private mutating func suppression(_ fields: Fields, _ e: Emitter) throws {
    func value(_ number: Int) throws -> Graph.ValueID {
      let name = try fields.string(number)
      guard let id = e.names[name] else { throw OperatorError("the feature '\(name)' is given by nothing") }
      return id
    }
    // A threshold that a feature gives is the file's own where a run leaves the feature out.
    func threshold(_ number: Int, feature: Int) throws -> Graph.ValueID {
      let usual = GraphValue(try Tensor([try fields.double(number)], shape: [1]))
      guard let id = e.names[try fields.string(feature)] else { return e.constant(usual) }
      if e.graph.inputs.contains(id), e.constant(id) == nil, e.elementType(id) == .double {
        e.graph.constants[id] = usual
      }
      return id
    }
    let (confidence, coordinates) = try (value(200), value(201))
    guard let count = try e.shape(coordinates).first ?? nil else {
      throw OperatorError("the number of boxes is not known")
    }
    let firstNode = e.graph.nodes.count
    let outputs = try e.nodes(
      "BoxSuppression",
      [
        e.unsqueeze(e.cast(coordinates, to: .float), [0]), e.unsqueeze(e.cast(confidence, to: .float), [0]),
        threshold(110, feature: Self.suppressionThresholds[0]), threshold(111, feature: Self.suppressionThresholds[1]),
      ], outputs: 4, domain: "apus",
      [
        "max_boxes": .int(Int64(count)),
        "per_class": .int(try fields.message(1, "PickTop")?.bool(1) == true ? 1 : 0),
      ])
    let kept = try e.reshape(e.cast(outputs[3], to: .int64), [1])
    keys[try fields.string(210)] = try labels(fields).texts
    for (output, number) in [(outputs[1], 210), (outputs[0], 211)] {
      let rows = try e.node(
        "Slice", [e.squeeze(output, [0]), e.integers([0]), kept, e.integers([0])])
      _ = try e.bind(rows, to: fields.string(number), firstNode: firstNode)
    }
  }

  /// The fields with the names of the features that give the thresholds of overlap and confidence.
  static let suppressionThresholds = [202, 203]
}
