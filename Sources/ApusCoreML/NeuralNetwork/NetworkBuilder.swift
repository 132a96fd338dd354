import Apus
import ApusGraph

/// Writes the layers of a neural network as nodes.
///
/// Names stand for what was given to them last: a layer may give a name that another gave before.
struct NetworkBuilder {
  let e: Emitter
  /// Whether arrays have the five axes sequence, batch, channel, height, width.
  let hasFiveAxes: Bool
  /// In how many loops the layers stand.
  var loopDepth = 0
  static let depthLimit = 32

  /// Layers that have a function of their own, by field number.
  typealias Layer = @Sendable (LayerCall) throws -> [Graph.ValueID?]

  static let layers: [Int: Layer] = {
    var result: [Int: Layer] = [:]
    for family in [elementwiseLayers, windowLayers, shapeLayers, indexLayers, matrixLayers, recurrentLayers] {
      result.merge(family) { first, _ in first }
    }
    return result
  }()

  /// The same for the graph of a block.
  func within(_ emitter: Emitter, isLoop: Bool = false) -> NetworkBuilder {
    NetworkBuilder(e: emitter, hasFiveAxes: hasFiveAxes, loopDepth: loopDepth + (isLoop ? 1 : 0))
  }

  func write(_ layers: [Fields], depth: Int = 0) throws {
    guard depth <= Self.depthLimit else { throw OperatorError("networks are nested deeper than \(Self.depthLimit)") }
    for (index, layer) in layers.enumerated() {
      let name = try layer.string(1)
      do {
        try write(layer, name: name.isEmpty ? "layer_\(index)" : name, depth: depth)
        let rest = Array(layers[(index + 1)...])
        if try !rest.isEmpty && !exits(of: [layer]).isEmpty {
          return try write(rest, unless: .turn, depth: depth)
        }
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
    case 605:
      guard let condition = names.inputs.first else { throw OperatorError("it has no condition") }
      return try branch(truth(condition), [network(parameters, 1), network(parameters, 2)], depth: depth)
    case 615: return try loop(parameters, names.inputs, depth: depth)
    case 620: return try leave([.turn, .loop])
    case 625: return try leave([.turn])
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

  private static let unsupportedLayers = [500: "a custom layer, whose code the application brings,"]
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
