import Apus
import ApusGraph

extension ModelBuilder {
  /// A neural network, a classifier's or regressor's included.
  mutating func network(_ fields: Fields, kind: String, _ description: ModelDescription, to emitter: Emitter) throws {
    let arraysHaveFive = try fields.int(5) == 0
    let imagesHaveFive = try fields.int(6) == 0
    for feature in description.inputs {
      guard let id = emitter.names[feature.name] else { continue }
      emitter.begin(feature.name)
      let first = emitter.graph.nodes.count
      var value = try emitter.cast(id, to: .float)
      if case .image = feature.kind {
        if imagesHaveFive { value = try emitter.unsqueeze(value, [0]) }
      } else if arraysHaveFive {
        value = try Self.withFiveAxes(value, emitter)
      }
      for preprocessing in try fields.messages(2, "NeuralNetworkPreprocessing") {
        let name = try preprocessing.string(1)
        if name == feature.name || (name.isEmpty && description.inputs.count == 1) {
          value = try Self.preprocessed(value, feature, preprocessing, emitter)
        }
      }
      emitter.names[feature.name] = value
      emitter.end(firstNode: first)
    }
    let layers = try fields.messages(1, "NeuralNetworkLayer")
    try NetworkBuilder(e: emitter, hasFiveAxes: arraysHaveFive).write(layers)
    if kind == "neuralNetworkClassifier" {
      let layer = try fields.string(200)
      let name = try layer.isEmpty ? layers.last?.strings(3).first ?? "" : layer
      guard let scores = emitter.names[name] else {
        throw CoreMLError.Reason.invalid(at: "classifier", "no layer gives its probabilities, '\(name)'")
      }
      emitter.begin("classifier")
      try classified(scores, fields, description, to: emitter)
    }
    for feature in description.outputs {
      guard arraysHaveFive, let id = emitter.names[feature.name], case .multiArray(_, let shape, _) = feature.kind,
        let own = emitter.knownShape(id), own != shape, own.product == shape.product, !shape.isEmpty
      else { continue }
      emitter.begin("\(feature.name)/shape")
      let first = emitter.graph.nodes.count
      _ = try emitter.bind(emitter.reshape(id, shape), to: feature.name, firstNode: first)
      emitter.end(firstNode: first)
    }
  }

  /// An array as sequence, batch, channel, height, width.
  private static func withFiveAxes(_ x: Graph.ValueID, _ e: Emitter) throws -> Graph.ValueID {
    switch try e.rank(x) {
    case 1: try e.unsqueeze(x, [0, 1, 3, 4])
    case 2: try e.unsqueeze(x, [2, 3, 4])
    case 3: try e.unsqueeze(x, [0, 1])
    case 4: try e.unsqueeze(x, [1])
    default: x
    }
  }

  /// Pixels multiplied and shifted, or without a mean picture.
  private static func preprocessed(
    _ x: Graph.ValueID, _ feature: CoreMLFeature, _ fields: Fields, _ e: Emitter
  ) throws -> Graph.ValueID {
    if let mean = try fields.message(11, "NeuralNetworkMeanImage") {
      let numbers = try mean.floats(1)
      let shape = try e.shape(x).suffix(3).compactMap { $0 }
      guard shape.count == 3, shape.product == numbers.count else {
        throw CoreMLError.Reason.invalid(
          at: "input '\(feature.name)'", "a mean picture of \(numbers.count) numbers does not fit it")
      }
      return try e.node("Sub", [x, e.numbers(numbers, shape: Array(shape))])
    }
    guard let scaler = try fields.message(10, "NeuralNetworkImageScaler") else { return x }
    let scale = try scaler.float(10)
    // Zero is what a missing field reads as, and no scale.
    var y = try scale == 0 || scale == 1 ? x : e.node("Mul", [x, e.number(scale)])
    let (blue, green, red) = try (scaler.float(20), scaler.float(21), scaler.float(22))
    let planes: [Float]
    if case .image(let image) = feature.kind {
      switch image.colors {
      case .rgb: planes = [red, green, blue]
      case .bgr: planes = [blue, green, red]
      case .gray, .grayFloat16: planes = [try scaler.float(30)]
      }
    } else {
      planes = [red, green, blue]
    }
    if planes.contains(where: { $0 != 0 }) {
      y = try e.node("Add", [y, e.numbers(planes, shape: [planes.count, 1, 1])])
    }
    return y
  }

  /// The label with the highest of the scores, and the scores under their labels.
  mutating func classified(
    _ scores: Graph.ValueID, _ fields: Fields, _ description: ModelDescription, to e: Emitter
  ) throws {
    try labelled(scores, labels(fields), description, to: e)
  }

  /// The classes that a classifier knows: texts or integers.
  func labels(_ fields: Fields) throws -> GraphValue {
    if let texts = try fields.message(100, "StringVector") {
      let list = try texts.strings(1)
      return .strings(try StringTensor(list, shape: [list.count]))
    }
    let numbers = try fields.message(101, "Int64Vector")?.int64s(1) ?? []
    return GraphValue(try Tensor(numbers.map(Int64.init), shape: [numbers.count]))
  }

  /// - Parameter chosen: the number of the class; that of the highest score, when nil.
  mutating func labelled(
    _ scores: Graph.ValueID, _ labels: GraphValue, _ description: ModelDescription, chosen: Graph.ValueID? = nil,
    to e: Emitter
  ) throws {
    let firstNode = e.graph.nodes.count
    let flat = try e.reshape(scores, [-1])
    // A list of one, as features have it.
    let best =
      try chosen.map { try e.reshape($0, [1]) } ?? e.node("ArgMax", [flat], ["axis": .int(0), "keepdims": .int(1)])
    let label = try e.node("Gather", [e.constant(labels), best], ["axis": .int(0)])
    if !description.predictedFeature.isEmpty {
      _ = try e.bind(label, to: description.predictedFeature, firstNode: firstNode)
    }
    let name = description.predictedProbabilities
    if !name.isEmpty {
      keys[name] = labels.texts
      _ = try e.bind(e.node("Identity", [flat]), to: name, firstNode: firstNode)
    }
  }

  // MARK: Pipelines

  /// Models one after the other: each sees the features of all before it, and of the pipeline.
  mutating func pipeline(_ fields: Fields, to emitter: Emitter) throws {
    let names = try fields.strings(2)
    for (index, model) in try fields.messages(1, "Model").enumerated() {
      let own = try model.message(2, "ModelDescription") ?? Fields(empty: "ModelDescription", of: model.source)
      let description = try ModelDescription(model: own)
      let outer = emitter.names
      emitter.names = [:]
      for feature in description.inputs {
        guard let id = outer[feature.name] else {
          throw CoreMLError.Reason.invalid(
            at: "model \(index) of the pipeline", "its input '\(feature.name)' is given by nothing before it")
        }
        emitter.names[feature.name] = id
      }
      // Exporters leave these out of the description.
      if let suppression = try model.message(610, "NonMaximumSuppression") {
        for name in try Self.suppressionThresholds.map({ try suppression.string($0) }) {
          emitter.names[name] = emitter.names[name] ?? outer[name]
        }
      }
      let prefix = emitter.prefix
      emitter.prefix += names.indices.contains(index) && !names[index].isEmpty ? "\(names[index])/" : "\(index)/"
      try write(model, description, to: emitter)
      emitter.prefix = prefix
      let given = emitter.names
      emitter.names = outer
      for feature in description.outputs {
        guard let id = given[feature.name] else {
          throw CoreMLError.Reason.invalid(
            at: "model \(index) of the pipeline", "nothing in it gives its output '\(feature.name)'")
        }
        emitter.names[feature.name] = id
      }
    }
  }
}
