import Apus
import ApusGraph

// Recurrent networks: the gates are put in the standard's order.

extension ProgramBuilder {
  static let recurrent: [String: Lowering] = [
    "lstm": { call in try lstm(call) },
    "gru": { call in try gru(call) },
    "rnn": { call in try rnn(call) },
  ]

  /// What the standard calls a function of the gates.
  private static func activation(_ call: Call, _ name: String, default value: String) throws -> String {
    let names = [
      "tanh": "Tanh", "sigmoid": "Sigmoid", "relu": "Relu", "linear": "Affine", "sigmoid_hard": "HardSigmoid",
      "hard_sigmoid": "HardSigmoid",
      "softsign": "Softsign", "softplus": "Softplus", "scaled_tanh": "ScaledTanh",
    ]
    let own = try call.string(name, default: value)
    guard let result = names[own] else { throw OperatorError("the activation '\(own)' is not known") }
    return result
  }

  private static func texts(_ texts: [String]) -> AttributeValue { .strings(texts.map { Array($0.utf8) }) }

  /// Rows of a matrix or numbers of a vector in blocks, one a gate, in another order.
  private static func reordered(
    _ x: Graph.ValueID, _ order: [Int], size: Int, _ e: Emitter
  ) throws -> Graph.ValueID {
    if order == Array(order.indices) { return x }
    let rows = order.flatMap { gate in (0..<size).map { gate * size + $0 } }
    return try e.node("Gather", [x, e.integers(rows)], ["axis": .int(0)])
  }

  /// The number of hidden units, from the weights of the state `[gates · hidden, hidden]`.
  private static func hiddenSize(_ weights: Graph.ValueID, _ e: Emitter) throws -> Int {
    guard let size = try e.shape(weights).last ?? nil, 1...(1 << 20) ~= size else {
      throw OperatorError("the number of hidden units is not known")
    }
    return size
  }

  /// One direction's parameters with an axis of directions in front, or several along it.
  private static func directions(_ parts: [Graph.ValueID], _ e: Emitter) throws -> Graph.ValueID {
    let stacked = try parts.map { try e.unsqueeze($0, [0]) }
    return try stacked.count == 1 ? stacked[0] : e.node("Concat", stacked, ["axis": .int(0)])
  }

  /// A bias with that of the state behind it, which is zero.
  private static func doubled(_ bias: Graph.ValueID, count: Int, _ e: Emitter) throws -> Graph.ValueID {
    let zeros = e.constant(GraphValue(try Tensor(repeating: Float(0), shape: [count])))
    return try e.node("Concat", [bias, zeros], ["axis": .int(0)])
  }

  /// `[batch, directions · hidden]` as `[directions, batch, hidden]`.
  private static func state(_ x: Graph.ValueID, directions: Int, hidden: Int, _ e: Emitter) throws -> Graph.ValueID {
    if directions == 1 { return try e.unsqueeze(x, [0]) }
    return try e.transpose(e.reshape(x, [-1, directions, hidden]), [1, 0, 2])
  }

  /// `[directions, batch, hidden]` as `[batch, directions · hidden]`.
  private static func merged(_ x: Graph.ValueID, directions: Int, hidden: Int, _ e: Emitter) throws -> Graph.ValueID {
    if directions == 1 { return try e.squeeze(x, [0]) }
    return try e.reshape(e.transpose(x, [1, 0, 2]), [-1, directions * hidden])
  }

  /// The steps `[steps, directions, batch, hidden]` as an operation gives them: `[steps, batch, directions · hidden]`, or
  /// the last alone.
  private static func sequence(
    _ y: Graph.ValueID, last: Graph.ValueID, _ call: Call, directions: Int, hidden: Int, reverses: Bool
  ) throws -> Graph.ValueID {
    let e = call.emitter
    guard try call.bool("output_sequence") else { return try e.unsqueeze(last, [0]) }
    if directions == 1 {
      let steps = try e.squeeze(y, [1])
      // A network that runs backwards alone gives its steps in the order in which it takes them.
      return try reverses ? reversed(steps, axes: [0], e) : steps
    }
    let x = try call.value("x")
    return try e.reshape(
      e.transpose(y, [0, 2, 1, 3]), [e.extent(x, 0), e.extent(x, 1), .known(directions * hidden)])
  }

  private static func direction(_ call: Call) throws -> String {
    let name = try call.string("direction", default: "forward")
    guard ["forward", "reverse", "bidirectional"].contains(name) else {
      throw OperatorError("direction '\(name)' is not known")
    }
    return name
  }

  /// Gates i, f, o, z of the operation are i, o, f, c of the standard.
  private static func lstm(_ call: Call) throws -> [Graph.ValueID?] {
    let e = call.emitter
    let direction = try direction(call)
    let count = direction == "bidirectional" ? 2 : 1
    let hidden = try hiddenSize(call.value("weight_hh"), e)
    let order = [0, 2, 1, 3]
    let suffixes = count == 2 ? ["", "_back"] : [""]
    let w = try directions(suffixes.map { try reordered(call.value("weight_ih" + $0), order, size: hidden, e) }, e)
    let r = try directions(suffixes.map { try reordered(call.value("weight_hh" + $0), order, size: hidden, e) }, e)
    var b: Graph.ValueID?
    if suffixes.contains(where: { call.has("bias" + $0) }) {
      b = try directions(
        suffixes.map { suffix in
          let zeros = e.constant(GraphValue(try Tensor(repeating: Float(0), shape: [4 * hidden])))
          let bias = try call.optional("bias" + suffix) ?? zeros
          return try doubled(reordered(bias, order, size: hidden, e), count: 4 * hidden, e)
        }, e)
    }
    var p: Graph.ValueID?
    if suffixes.contains(where: { call.has("peephole" + $0) }) {
      p = try directions(
        suffixes.map { suffix in
          let zeros = e.constant(GraphValue(try Tensor(repeating: Float(0), shape: [3 * hidden])))
          return try reordered(call.optional("peephole" + suffix) ?? zeros, [0, 2, 1], size: hidden, e)
        }, e)
    }
    let h = try state(call.value("initial_h"), directions: count, hidden: hidden, e)
    let c = try state(call.value("initial_c"), directions: count, hidden: hidden, e)
    let functions = [
      try activation(call, "recurrent_activation", default: "sigmoid"),
      try activation(call, "cell_activation", default: "tanh"), try activation(call, "activation", default: "tanh"),
    ]
    var attributes: [String: AttributeValue] = [
      "hidden_size": .int(Int64(hidden)), "direction": .string(Array(direction.utf8)),
      "activations": texts((0..<count).flatMap { _ in functions }),
    ]
    // The bound is that of the cell's state, which the standard's operator does not have.
    if call.has("clip") { attributes["cell_clip"] = .float(try call.float("clip", default: 0)) }
    let outputs = try e.nodes(
      "LSTM", [call.value("x"), w, r, b, nil, h, c, p], outputs: 3, domain: call.has("clip") ? "apus" : "", attributes)
    let lastH = try merged(outputs[1], directions: count, hidden: hidden, e)
    let lastC = try merged(outputs[2], directions: count, hidden: hidden, e)
    let steps = try sequence(
      outputs[0], last: lastH, call, directions: count, hidden: hidden, reverses: direction == "reverse")
    return [steps, lastH, lastC]
  }

  /// Gates r, o, z of the operation are z, r, h of the standard in another order.
  private static func gru(_ call: Call) throws -> [Graph.ValueID?] {
    let e = call.emitter
    let direction = try direction(call)
    guard direction != "bidirectional" else { throw OperatorError("direction 'bidirectional' is not known") }
    let hidden = try hiddenSize(call.value("weight_hh"), e)
    let order = [2, 0, 1]
    let w = try directions([reordered(call.value("weight_ih"), order, size: hidden, e)], e)
    let r = try directions([reordered(call.value("weight_hh"), order, size: hidden, e)], e)
    // Before iOS 18 there is one bias; since then `input_bias` may be that of the input and `bias` that of the state.
    let isAfter = try call.bool("reset_after")
    func bias(_ name: String) throws -> Graph.ValueID {
      if let given = try call.optional(name) { return try reordered(given, order, size: hidden, e) }
      return e.constant(GraphValue(try Tensor(repeating: Float(0), shape: [3 * hidden])))
    }
    let hasTwo = call.has("input_bias")
    let parts = try hasTwo ? [bias("input_bias"), bias("bias")] : [bias("bias"), bias("no bias of the state")]
    let b = try e.unsqueeze(e.node("Concat", parts, ["axis": .int(0)]), [0])
    let outputs = try e.nodes(
      "GRU",
      [call.value("x"), w, r, b, nil, state(call.value("initial_h"), directions: 1, hidden: hidden, e)], outputs: 2,
      [
        "hidden_size": .int(Int64(hidden)), "direction": .string(Array(direction.utf8)),
        "linear_before_reset": .int(isAfter ? 1 : 0),
        "activations": texts([
          try activation(call, "recurrent_activation", default: "sigmoid"),
          try activation(call, "activation", default: "tanh"),
        ]),
      ])
    let last = try merged(outputs[1], directions: 1, hidden: hidden, e)
    let steps = try sequence(
      outputs[0], last: last, call, directions: 1, hidden: hidden, reverses: direction == "reverse")
    return [steps, last]
  }

  private static func rnn(_ call: Call) throws -> [Graph.ValueID?] {
    let e = call.emitter
    let direction = try direction(call)
    guard direction != "bidirectional" else { throw OperatorError("direction 'bidirectional' is not known") }
    let hidden = try hiddenSize(call.value("weight_hh"), e)
    let w = try directions([call.value("weight_ih")], e)
    let r = try directions([call.value("weight_hh")], e)
    let b = try call.optional("bias").map { try e.unsqueeze(doubled($0, count: hidden, e), [0]) }
    let outputs = try e.nodes(
      "RNN",
      [call.value("x"), w, r, b, nil, state(call.value("initial_h"), directions: 1, hidden: hidden, e)], outputs: 2,
      [
        "hidden_size": .int(Int64(hidden)), "direction": .string(Array(direction.utf8)),
        "activations": texts([try activation(call, "activation", default: "tanh")]),
      ])
    let last = try merged(outputs[1], directions: 1, hidden: hidden, e)
    let steps = try sequence(
      outputs[0], last: last, call, directions: 1, hidden: hidden, reverses: direction == "reverse")
    return [steps, last]
  }
}
