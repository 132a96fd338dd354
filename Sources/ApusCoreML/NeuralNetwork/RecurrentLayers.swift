import Apus
import ApusGraph

// Recurrent layers: their matrices stand alone in the file and are put into the standard's blocks of gates.

extension NetworkBuilder {
  static let recurrentLayers: [Int: Layer] = [
    400: { c in try simple(c) },
    410: { c in try gru(c) },
    420: { c in try lstm(c, directions: 1) },
    430: { c in try lstm(c, directions: 2) },
  ]

  /// The standard's name of a function, and its two numbers.
  private static func function(_ fields: Fields) throws -> (name: String, alpha: Float, beta: Float) {
    guard let number = fields.numbers.last else { throw OperatorError("it names no function") }
    let p = try fields.message(number, "Activation") ?? Fields(empty: "Activation", of: fields.source)
    switch number {
    case 5: return p.numbers.isEmpty ? ("Affine", 1, 0) : ("Affine", try p.float(1), try p.float(2))
    case 10: return ("Relu", 0, 0)
    case 30: return ("Tanh", 0, 0)
    // Without their numbers, as coremltools writes them, these two have those that the format allows.
    case 31: return p.numbers.isEmpty ? ("ScaledTanh", 1.7159, 2 / 3) : ("ScaledTanh", try p.float(1), try p.float(2))
    case 40: return ("Sigmoid", 0, 0)
    case 41:
      return p.numbers.isEmpty ? ("HardSigmoid", 0.2, 0.5) : ("HardSigmoid", try p.float(1), try p.float(2))
    default: throw OperatorError("the function \(number) is not known in recurrent layers")
    }
  }

  /// What the sums of gates are cut to, on both sides of zero, before their functions.
  private static let bound: Float = 50

  /// Whether a function has its last value long before the bound, so that cutting changes nothing.
  private static func saturates(_ function: (name: String, alpha: Float, beta: Float)) -> Bool {
    let (name, alpha, beta) = function
    switch name {
    case "Affine", "Relu": return false
    // The hyperbolic tangent of 20 is 1 in sixty-four bits.
    case "ScaledTanh": return abs(beta) * bound >= 20
    case "HardSigmoid": return abs(alpha) * bound >= max(abs(beta), abs(1 - beta))
    default: return true
    }
  }

  /// - Parameter gates: how many functions of each list are those of gates, whose sums are bounded.
  private static func functions(
    _ lists: [[Fields]], defaults: [String], gates: Int
  ) throws -> [String: AttributeValue] {
    let each: [[(name: String, alpha: Float, beta: Float)]] = try lists.map { list in
      try list.isEmpty ? defaults.map { ($0, 0, 0) } : list.map { try function($0) }
    }
    let all = each.flatMap { $0 }
    // Numbers are listed for the functions alone that have any.
    let measured = all.filter { ["Affine", "ScaledTanh", "HardSigmoid"].contains($0.0) }
    var attributes: [String: AttributeValue] = ["activations": .strings(all.map { Array($0.0.utf8) })]
    if !measured.isEmpty {
      attributes["activation_alpha"] = .floats(measured.map { $0.1 })
      attributes["activation_beta"] = .floats(measured.map { $0.2 })
    }
    if !each.allSatisfy({ $0.prefix(gates).allSatisfy(saturates) }) { attributes["clip"] = .float(bound) }
    return attributes
  }

  /// The input as `[steps, batch, features]`, and whether it had two axes more.
  private static func steps(_ c: LayerCall) throws -> (x: Graph.ValueID, hasFiveAxes: Bool) {
    let rank = try c.e.rank(c.x)
    if rank == 3 { return (try c.x, false) }
    guard rank == 5 else { throw OperatorError("its input has rank \(rank); 3 or 5 is needed") }
    return (try c.e.squeeze(c.x, [3, 4]), true)
  }

  /// A state `[1, batch, hidden]` with any axes of extent 1 as the standard has it.
  private static func state(_ c: LayerCall, _ index: Int, hidden: Int) throws -> Graph.ValueID? {
    guard c.inputs.count > index else { return nil }
    return try c.e.reshape(c.input(index), [1, -1, hidden])
  }

  private static func rows(_ parts: [Graph.ValueID], _ e: Emitter, axis: Int = 0) throws -> Graph.ValueID {
    try e.node("Concat", parts, ["axis": .int(Int64(axis))])
  }

  /// What a layer gives: the steps or the last, and the last states.
  private static func results(
    _ c: LayerCall, _ y: Graph.ValueID, _ states: [Graph.ValueID], all: Bool, hasFiveAxes: Bool,
    reverses: Bool
  ) throws -> [Graph.ValueID?] {
    let e = c.e
    var sequence = try e.squeeze(y, [1])
    if reverses { sequence = try ProgramBuilder.reversed(sequence, axes: [0], e) }
    func shaped(_ x: Graph.ValueID) throws -> Graph.ValueID { try hasFiveAxes ? e.unsqueeze(x, [3, 4]) : x }
    return try [shaped(all ? sequence : states[0])] + states.map { try shaped($0) }
  }

  private static func simple(_ c: LayerCall) throws -> [Graph.ValueID?] {
    let e = c.e
    let (inputs, hidden) = try (c.p.int(1), c.p.int(2))
    let (x, hasFiveAxes) = try steps(c)
    let w = try e.unsqueeze(c.builder.weights(c.p, 30, [hidden, inputs]), [0])
    let r = try e.unsqueeze(c.builder.weights(c.p, 31, [hidden, hidden]), [0])
    var b: Graph.ValueID?
    if try c.p.bool(20) {
      let zeros = e.constant(GraphValue(try Tensor<Float>(zeros: [hidden])))
      b = try e.unsqueeze(rows([c.builder.weights(c.p, 32, [hidden]), zeros], e), [0])
    }
    let reverses = try c.p.bool(100)
    var attributes = try functions([c.p.messages(10, "ActivationParams")], defaults: ["Tanh"], gates: 1)
    attributes["hidden_size"] = .int(Int64(hidden))
    attributes["direction"] = .string(Array((reverses ? "reverse" : "forward").utf8))
    let outputs = try e.nodes("RNN", [x, w, r, b, nil, state(c, 1, hidden: hidden)], outputs: 2, attributes)
    return try results(
      c, outputs[0], [outputs[1]], all: c.p.bool(15), hasFiveAxes: hasFiveAxes, reverses: reverses)
  }

  /// Gates: update, reset, output, as the standard's z, r, h.
  private static func gru(_ c: LayerCall) throws -> [Graph.ValueID?] {
    let e = c.e
    let (inputs, hidden) = try (c.p.int(1), c.p.int(2))
    let (x, hasFiveAxes) = try steps(c)
    let w = try e.unsqueeze(rows((30...32).map { try c.builder.weights(c.p, $0, [hidden, inputs]) }, e), [0])
    let r = try e.unsqueeze(rows((50...52).map { try c.builder.weights(c.p, $0, [hidden, hidden]) }, e), [0])
    var b: Graph.ValueID?
    if try c.p.bool(20) {
      let zeros = e.constant(GraphValue(try Tensor<Float>(zeros: [3 * hidden])))
      b = try e.unsqueeze(rows((70...72).map { try c.builder.weights(c.p, $0, [hidden]) } + [zeros], e), [0])
    }
    let reverses = try c.p.bool(100)
    var attributes = try functions([c.p.messages(10, "ActivationParams")], defaults: ["Sigmoid", "Tanh"], gates: 2)
    attributes["hidden_size"] = .int(Int64(hidden))
    attributes["direction"] = .string(Array((reverses ? "reverse" : "forward").utf8))
    let outputs = try e.nodes("GRU", [x, w, r, b, nil, state(c, 1, hidden: hidden)], outputs: 2, attributes)
    return try results(
      c, outputs[0], [outputs[1]], all: c.p.bool(15), hasFiveAxes: hasFiveAxes, reverses: reverses)
  }

  private static func lstm(_ c: LayerCall, directions: Int) throws -> [Graph.ValueID?] {
    let hidden = try c.p.int(2)
    let (x, hasFiveAxes) = try steps(c)
    let settings = try c.p.message(15, "LSTMParams") ?? Fields(empty: "LSTMParams", of: c.p.source)
    let weights = try lstmWeights(c, settings, directions: directions)
    // States: h and c of each direction.
    func states(_ first: Int) throws -> Graph.ValueID? {
      guard c.inputs.count > first else { return nil }
      let own = try stride(from: first, to: first + 2 * directions, by: 2).map { index -> Graph.ValueID in
        guard let state = try state(c, index, hidden: hidden) else { throw OperatorError("a state is missing") }
        return state
      }
      return try own.count == 1 ? own[0] : rows(own, c.e)
    }
    let reverses = try directions == 1 && c.p.bool(100)
    let outputs = try c.e.nodes(
      "LSTM", [x] + weights.prefix(3) + [nil, states(1), states(2)] + weights.suffix(1), outputs: 3, domain: "apus",
      lstmAttributes(c, settings, directions: directions, reverses: reverses))
    let wantsAll = try settings.bool(10)
    return directions == 1
      ? try results(
        c, outputs[0], [outputs[1], outputs[2]], all: wantsAll, hasFiveAxes: hasFiveAxes, reverses: reverses)
      : try resultsOfBoth(c.e, outputs, all: wantsAll, hasFiveAxes: hasFiveAxes)
  }

  /// What inputs and states are multiplied by, biases and peepholes. Gates: input, output, forget, block input, as the
  /// standard's i, o, f, c.
  private static func lstmWeights(
    _ c: LayerCall, _ settings: Fields, directions: Int
  ) throws -> [Graph.ValueID?] {
    let e = c.e
    let (inputs, hidden) = try (c.p.int(1), c.p.int(2))
    let all = try c.p.messages(20, "LSTMWeightParams")
    guard all.count == directions else {
      throw OperatorError("it has the weights of \(all.count) directions; \(directions) are needed")
    }
    func each(_ parts: (Fields) throws -> [Graph.ValueID]) throws -> Graph.ValueID {
      try rows(all.map { try e.unsqueeze(rows(parts($0), e), [0]) }, e)
    }
    func gates(_ fields: [Int], _ shape: [Int]) throws -> Graph.ValueID {
      try each { p in try fields.map { try c.builder.weights(p, $0, shape) } }
    }
    let w = try gates([1, 4, 2, 3], [hidden, inputs])
    let r = try gates([20, 23, 21, 22], [hidden, hidden])
    // forgetBias adds 1 to the bias of the forget gate.
    let (hasBias, addsOne) = try (settings.bool(20), settings.bool(30))
    var b: Graph.ValueID?
    if hasBias || addsOne {
      b = try each { p in
        let zeros = e.constant(GraphValue(try Tensor<Float>(zeros: [hidden])))
        let ones = e.constant(GraphValue(try Tensor(repeating: Float(1), shape: [hidden])))
        let own = try [40, 43, 41, 42].map { try hasBias ? c.builder.weights(p, $0, [hidden]) : zeros }
        return own + [zeros, zeros, addsOne ? ones : zeros, zeros]
      }
    }
    return [w, r, b, try settings.bool(40) ? gates([60, 62, 61], [hidden]) : nil]
  }

  private static func lstmAttributes(
    _ c: LayerCall, _ settings: Fields, directions: Int, reverses: Bool
  ) throws -> [String: AttributeValue] {
    let lists = try [10, 11].prefix(directions).map { try c.p.messages($0, "ActivationParams") }
    var attributes = try functions(lists, defaults: ["Sigmoid", "Tanh", "Tanh"], gates: 2)
    attributes["hidden_size"] = .int(Int64(try c.p.int(2)))
    attributes["direction"] = .string(
      Array((directions == 2 ? "bidirectional" : reverses ? "reverse" : "forward").utf8))
    let clip = try settings.float(60)
    attributes["cell_clip"] = .float(clip == 0 ? bound : clip)
    if try settings.bool(50) { attributes["input_forget"] = .int(1) }
    return attributes
  }

  /// What a layer of two directions gives: the steps or the last, of both side by side, and the last states of each.
  private static func resultsOfBoth(
    _ e: Emitter, _ outputs: [Graph.ValueID], all: Bool, hasFiveAxes: Bool
  ) throws -> [Graph.ValueID?] {
    func half(_ x: Graph.ValueID, _ direction: Int, axis: Int = 0) throws -> Graph.ValueID {
      try e.slice(x, from: [direction], to: [direction + 1], axes: [axis])
    }
    let (hidden, cells) = (outputs[1], outputs[2])
    let sequence =
      try all
      ? rows([0, 1].map { try e.squeeze(half(outputs[0], $0, axis: 1), [1]) }, e, axis: 2)
      : rows([half(hidden, 0), half(hidden, 1)], e, axis: 2)
    return try [sequence, half(hidden, 0), half(cells, 0), half(hidden, 1), half(cells, 1)]
      .map { try hasFiveAxes ? e.unsqueeze($0, [3, 4]) : $0 }
  }
}
