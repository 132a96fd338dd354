import Apus
import ApusGraph

/// Writes the layers of a neural network as nodes.
///
/// Names stand for what was given to them last: a layer may give a name that another gave before.
struct NetworkBuilder {
  let e: Emitter
  /// Whether arrays have the five axes sequence, batch, channel, height, width.
  let hasFiveAxes: Bool
  private static let depthLimit = 32

  /// Layers that have a function of their own, by field number.
  typealias Layer = @Sendable (LayerCall) throws -> [Graph.ValueID?]

  static let layers: [Int: Layer] = {
    var result: [Int: Layer] = [:]
    for family in [elementwiseLayers, windowLayers, shapeLayers, indexLayers, matrixLayers, recurrentLayers] {
      result.merge(family) { first, _ in first }
    }
    return result
  }()

  func within(_ emitter: Emitter) -> NetworkBuilder { NetworkBuilder(e: emitter, hasFiveAxes: hasFiveAxes) }

  func write(_ layers: [Fields], depth: Int = 0) throws {
    guard depth <= Self.depthLimit else { throw OperatorError("networks are nested deeper than \(Self.depthLimit)") }
    for (index, layer) in layers.enumerated() {
      let name = try layer.string(1)
      do {
        try write(layer, name: name.isEmpty ? "layer_\(index)" : name, depth: depth)
      } catch let error where error is OperatorError || error is TensorError {
        throw CoreMLError.Reason.invalid(at: "layer '\(name)'", "\(error)")
      }
    }
  }

  private func write(_ layer: Fields, name: String, depth: Int) throws {
    e.begin(name)
    let firstNode = e.graph.nodes.count
    let names = try (inputs: layer.strings(2), outputs: layer.strings(3))
    guard let number = layer.numbers.first(where: { $0 >= 100 }) else { throw OperatorError("it has no kind") }
    let parameters = try layer.message(number, "layer parameters") ?? Fields(empty: "layer", of: layer.source)
    switch number {
    case 605: return try branch(layer, parameters, names.inputs, depth: depth)
    case 615: return try loop(parameters, names.inputs, depth: depth)
    default: break
    }
    guard let build = Self.layers[number] else {
      throw CoreMLError.Reason.unsupported(
        at: "layer '\(name)'", Self.unsupportedLayers[number] ?? "a layer of the kind \(number)")
    }
    let inputs = try names.inputs.map { input in
      guard let id = e.resolve(input) else { throw OperatorError("its input '\(input)' is given by nothing before it") }
      return id
    }
    let call = LayerCall(e: e, builder: self, p: parameters, inputs: inputs, outputCount: names.outputs.count)
    // A concatenation of sequences is along an axis that maps do not have.
    let keepsMaps = try Self.keepsMaps.contains(number) && !(number == 320 && parameters.bool(100))
    let results = try keepsMaps ? mapped(call, build) ?? build(call) : build(call)
    guard results.count >= names.outputs.count else {
      throw OperatorError("it has \(names.outputs.count) outputs; \(results.count) are given")
    }
    for (name, result) in zip(names.outputs, results) {
      if let result { _ = try e.bind(result, to: name, firstNode: firstNode) }
    }
    e.end(firstNode: firstNode)
  }

  /// Layers that count axes from the end or not at all, and so give of maps of four axes what they give of five.
  private static let keepsMaps: Set<Int> = [
    130, 175, 220, 230, 231, 240, 245, 250, 260, 261, 320, 600, 660, 665, 670, 680, 685, 700, 710, 715, 720, 730, 735,
    740, 750, 755, 760, 770, 775, 780, 790, 795, 870, 875, 880, 885, 890, 900, 905, 1460,
  ]

  /// The results of a layer on maps as they are; nil where its inputs are something else.
  private func mapped(_ call: LayerCall, _ build: Layer) throws -> [Graph.ValueID?]? {
    let maps = call.inputs.compactMap { e.maps[$0] }
    guard let outer = maps.first?.outer, maps.count == call.inputs.count, maps.allSatisfy({ $0.outer == outer }) else {
      return nil
    }
    let own = LayerCall(
      e: e, builder: self, p: call.p, inputs: maps.map(\.id), outputCount: call.outputCount)
    let batch = outer.product
    return try build(own).map { result in
      guard let result else { return nil }
      let shape = try e.shape(result)
      guard shape.count == 4, shape[0] ?? batch == batch else {
        throw OperatorError("what it gives of maps of \(batch) has the shape \(shape.map { $0 ?? -1 })")
      }
      return try e.withOuterAxes(result, outer)
    }
  }

  private static let unsupportedLayers = [
    500: "a custom layer, whose code the application brings,", 620: "leaving a loop from within",
    625: "going on to the next turn of a loop from within",
  ]

  // MARK: Control flow

  /// The names that layers give, in order, those within them too.
  private func given(_ layers: [Fields], depth: Int = 0) throws -> [String] {
    guard depth <= Self.depthLimit else { throw OperatorError("networks are nested deeper than \(Self.depthLimit)") }
    var names: [String] = []
    for layer in layers {
      names += try layer.strings(3)
      for (kind, numbers) in [(605, [1, 2]), (615, [3, 4])] {
        guard let parameters = try layer.message(kind, "layer parameters") else { continue }
        for number in numbers { names += try given(network(parameters, number), depth: depth + 1) }
      }
    }
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  private func network(_ parameters: Fields, _ number: Int) throws -> [Fields] {
    try parameters.message(number, "NeuralNetwork")?.messages(1, "NeuralNetworkLayer") ?? []
  }

  /// What a blob of one number says.
  private func truth(_ name: String, in e: Emitter) throws -> Graph.ValueID {
    guard let id = e.resolve(name) else { throw OperatorError("the condition '\(name)' is given by nothing before") }
    return try e.reshape(e.node("Cast", [id], ["to": .int(Int64(ElementType.bool.rawValue))]), [Int]())
  }

  private func branch(_ layer: Fields, _ parameters: Fields, _ inputs: [String], depth: Int) throws {
    guard let condition = inputs.first else { throw OperatorError("it has no condition") }
    let bodies = [try network(parameters, 1), try network(parameters, 2)]
    let names = try bodies.map { Set(try given($0)) }
    // What both give, and what one gives in the place of something that was there before.
    let all = try given(bodies[0] + bodies[1]).filter { name in
      names.allSatisfy { $0.contains(name) } || e.resolve(name) != nil
    }
    let isTrue = try truth(condition, in: e)
    var shapes: [[[Int?]?]] = []
    let graphs = try bodies.map { layers in
      let inner = Emitter(name: "branch", parent: e)
      try within(inner).write(layers, depth: depth + 1)
      for name in all {
        guard let id = inner.resolve(name) else { throw OperatorError("a branch does not give '\(name)'") }
        inner.graph.outputs.append(id)
      }
      shapes.append(inner.graph.outputs.map { try? inner.shape($0) })
      return inner.graph
    }
    let firstNode = e.graph.nodes.count
    guard !all.isEmpty else { return }
    e.begin(try layer.string(1))
    let results = try e.nodes(
      "If", [isTrue], outputs: all.count, subgraphs: ["then_branch": graphs[0], "else_branch": graphs[1]])
    for (index, (name, result)) in zip(all, results).enumerated() {
      let id = try e.bind(result, to: name, firstNode: firstNode)
      // What both branches give has the rank that they agree on.
      guard let first = shapes[0][index], let second = shapes[1][index], first.count == second.count else { continue }
      e.declare(id, MILValueType(type: .float32, shape: zip(first, second).map { $0 == $1 ? $0 : nil }))
    }
    e.end(firstNode: firstNode)
  }

  /// A body again and again, as long as a blob that a network of its own computes says so, or a number of times.
  private func loop(_ parameters: Fields, _ inputs: [String], depth: Int) throws {
    let condition = try network(parameters, 3)
    let body = try network(parameters, 4)
    let variable = try parameters.string(2)
    let count = try parameters.int(1)
    // The condition's network runs before the first turn too.
    if !condition.isEmpty { try write(condition, depth: depth + 1) }
    let names = try given(condition + body).filter { e.resolve($0) != nil }
    let variables = names.compactMap { e.resolve($0) }
    e.begin("loop")
    let isConditional = !variable.isEmpty
    let first = try isConditional ? truth(variable, in: e) : nil
    var turns: Graph.ValueID?
    if count > 0 {
      turns = try e.integer(count)
    } else if let name = inputs.first, let id = e.resolve(name), !isConditional {
      turns = try e.reshape(e.cast(id, to: .int64), [Int]())
    }
    let shapes = try loopShapes(names, variables, body + condition, depth: depth)
    let inner = Emitter(name: "body", parent: e)
    let turn = inner.graph.addValue(named: "turn", type: .tensor(.int64, []))
    let goesOn = inner.graph.addValue(named: "goes_on", type: .tensor(.bool, []))
    inner.graph.inputs = [turn, goesOn]
    for (name, shape) in zip(names, shapes) {
      let id = inner.graph.addValue(named: name)
      inner.names[name] = id
      inner.graph.inputs.append(id)
      inner.declare(id, MILValueType(type: .float32, shape: shape))
    }
    let inside = within(inner)
    try inside.write(body, depth: depth + 1)
    if !condition.isEmpty { try inside.write(condition, depth: depth + 1) }
    inner.begin("loop")
    inner.graph.outputs = [try isConditional ? truth(variable, in: inner) : inner.node("Identity", [goesOn])]
    for name in names { inner.graph.outputs.append(inner.resolve(name) ?? turn) }
    let firstNode = e.graph.nodes.count
    e.begin("loop")
    guard !names.isEmpty else { return }
    let results = try e.nodes(
      "Loop", [turns, first] + variables, outputs: names.count, subgraphs: ["body": inner.graph])
    for ((name, shape), result) in zip(zip(names, shapes), results) {
      e.declare(try e.bind(result, to: name, firstNode: firstNode), MILValueType(type: .float32, shape: shape))
    }
  }

  /// The extents of what a loop changes, nil where a turn changes the rank, and within where it changes an extent: found by
  /// writing the body for nobody.
  private func loopShapes(
    _ names: [String], _ variables: [Graph.ValueID], _ layers: [Fields], depth: Int
  ) throws -> [[Int?]?] {
    let trial = Emitter(name: "trial", parent: e)
    let first = variables.map { try? e.shape($0) }
    for (name, shape) in zip(names, first) {
      let id = trial.graph.addValue(named: name)
      trial.names[name] = id
      trial.declare(id, MILValueType(type: .float32, shape: shape))
    }
    try within(trial).write(layers, depth: depth + 1)
    return zip(names, first).map { name, before in
      guard let before, let id = trial.resolve(name), let after = try? trial.shape(id), after.count == before.count
      else { return nil }
      return zip(before, after).map { $0 == $1 ? $0 : nil }
    }
  }
}

/// One layer being turned into nodes.
struct LayerCall {
  let e: Emitter
  let builder: NetworkBuilder
  /// Its parameters.
  let p: Fields
  let inputs: [Graph.ValueID]
  let outputCount: Int

  func input(_ index: Int) throws -> Graph.ValueID {
    guard inputs.indices.contains(index) else { throw OperatorError("input \(index) is missing") }
    return inputs[index]
  }

  var x: Graph.ValueID { get throws { try input(0) } }

  func axis(_ number: Int = 1, rank: Int) throws -> Int { try e.axis(p.int(number), rank: rank) }

  /// Numbers that stand for indices or sizes.
  func indices(_ index: Int) throws -> Graph.ValueID { try e.cast(input(index), to: .int64) }

  /// What stands for numbers again.
  func floats(_ id: Graph.ValueID) throws -> Graph.ValueID { try e.cast(id, to: .float) }

  func truth(_ index: Int) throws -> Graph.ValueID {
    try e.node("Cast", [input(index)], ["to": .int(Int64(ElementType.bool.rawValue))])
  }
}
