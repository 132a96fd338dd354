import Apus
import ApusGraph

// Layers that go through time.

extension ProgramBuilder {
  static let recurrent: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    // The gates of each in the order in which the standard has them.
    for (name, type, gates) in [
      ("lstm", "LSTM", [0, 3, 1, 2]), ("gru", "GRU", [1, 0, 2]), ("rnn_tanh", "RNN", [0]), ("rnn_relu", "RNN", [0]),
    ] {
      result[name] = { call in
        try RecurrentStack(call, type, gates: gates, activation: name == "rnn_relu" ? "Relu" : "Tanh").write()
      }
    }
    result["lstm_cell"] = { call in
      let e = call.emitter
      let state = try call.tensors("hx")
      guard state.count == 2 else { throw OperatorError("its state is two tensors") }
      let sum = try e.node("Add", [gates(call, "input", call.x, "ih"), gates(call, "hx", state[0], "hh")])
      let parts = try e.nodes("Split", [sum], outputs: 4, ["axis": .int(-1), "num_outputs": .int(4)])
      let kept = try e.node("Mul", [e.node("Sigmoid", [parts[1]]), state[1]])
      let new = try e.node("Mul", [e.node("Sigmoid", [parts[0]]), e.node("Tanh", [parts[2]])])
      let cell = try e.node("Add", [kept, new])
      return [try e.node("Mul", [e.node("Sigmoid", [parts[3]]), e.node("Tanh", [cell])]), cell]
    }
    result["gru_cell"] = { call in
      let e = call.emitter
      let state = try call.value("hx")
      func parts(_ x: Graph.ValueID, _ name: String) throws -> [Graph.ValueID] {
        try e.nodes(
          "Split", [gates(call, "", x, name)], outputs: 3, ["axis": .int(-1), "num_outputs": .int(3)])
      }
      let (a, b) = (try parts(call.x, "ih"), try parts(state, "hh"))
      let reset = try e.node("Sigmoid", [e.node("Add", [a[0], b[0]])])
      let update = try e.node("Sigmoid", [e.node("Add", [a[1], b[1]])])
      let new = try e.node("Tanh", [e.node("Add", [a[2], e.node("Mul", [reset, b[2]])])])
      return [try e.node("Add", [new, e.node("Mul", [update, e.node("Sub", [state, new])])])]
    }
    for (name, type) in [("rnn_tanh_cell", "Tanh"), ("rnn_relu_cell", "Relu")] {
      result[name] = { call in
        let e = call.emitter
        let sum = try e.node("Add", [gates(call, "", call.x, "ih"), gates(call, "", call.value("hx"), "hh")])
        return [try e.node(type, [sum])]
      }
    }
    return result
  }()

  private static func gates(
    _ call: Call, _ argument: String, _ x: Graph.ValueID, _ name: String
  ) throws -> Graph.ValueID {
    let e = call.emitter
    let product = try e.node("MatMul", [x, e.transpose(call.value("w_\(name)"), [1, 0])])
    return try call.optional("b_\(name)").map { try e.node("Add", [product, $0]) } ?? product
  }
}

/// Recurrent layers on top of each other, each of them in one direction or two.
private struct RecurrentStack {
  let call: Call
  let type: String
  let gates: [Int]
  let activation: String
  private let e: Emitter

  init(_ call: Call, _ type: String, gates: [Int], activation: String) throws {
    (self.call, self.type, self.gates, self.activation) = (call, type, gates, activation)
    e = call.emitter
    guard !call.has("batch_sizes") else { throw OperatorError("packed sequences are not supported") }
    guard try !(call.bool("train") && call.double("dropout", default: 0) > 0) else {
      throw OperatorError.dropsByChance
    }
  }

  func write() throws -> [Graph.ValueID?] {
    let (layers, isBatchFirst) = (try call.int("num_layers"), try call.bool("batch_first"))
    let directions = try call.bool("bidirectional") ? 2 : 1
    let each = try call.bool("has_biases") ? 4 : 2
    let weights = try call.tensors("params")
    guard layers >= 1 else { throw OperatorError("\(layers) layers") }
    // A projection is one more for each.
    if type == "LSTM", weights.count == layers * directions * (each + 1) {
      let name = OperatorTarget(call.node.target)
      throw TorchError.Reason.unsupported(
        at: "node '\(call.node.name)' (\(name))", "an LSTM with projections", advice: name.advice(isCore: e.isCore))
    }
    guard weights.count == layers * directions * each else {
      throw OperatorError("\(weights.count) weights for \(layers) layers of \(directions) directions")
    }
    var x = try call.value("input")
    let isSingle = try e.rank(x) == 2
    var states =
      call.argument("hx").map { if case .tensor = $0 { true } else { false } } == true
      ? [try call.value("hx")] : try call.tensors("hx")
    if isSingle {
      x = try e.unsqueeze(x, [1])
      states = try states.map { try e.unsqueeze($0, [1]) }
    } else if isBatchFirst {
      x = try e.transpose(x, [1, 0, 2])
    }
    var last = [[Graph.ValueID]](repeating: [], count: states.count)
    for layer in 0..<layers {
      let first = layer * directions
      let own = (0..<directions).map { Array(weights[((first + $0) * each)..<((first + $0 + 1) * each)]) }
      let starts = try states.map { try e.slice($0, from: [first], to: [first + directions], axes: [0]) }
      let results = try step(x, own, starts)
      // [time, directions, batch, hidden] → [time, batch, directions · hidden]
      x = try e.node("Reshape", [e.transpose(results[0], [0, 2, 1, 3]), e.integers([0, 0, -1])])
      for index in last.indices { last[index].append(results[index + 1]) }
    }
    var outputs = try last.map { $0.count == 1 ? $0[0] : try e.node("Concat", $0, ["axis": .int(0)]) }
    if isSingle {
      x = try e.squeeze(x, [1])
      outputs = try outputs.map { try e.squeeze($0, [1]) }
    } else if isBatchFirst {
      x = try e.transpose(x, [1, 0, 2])
    }
    return [x] + outputs
  }

  /// One layer in all its directions.
  private func step(
    _ x: Graph.ValueID, _ weights: [[Graph.ValueID]], _ starts: [Graph.ValueID]
  ) throws -> [Graph.ValueID] {
    func stacked(_ index: Int) throws -> Graph.ValueID {
      let parts = try weights.map { try e.unsqueeze(ordered($0[index]), [0]) }
      return parts.count == 1 ? parts[0] : try e.node("Concat", parts, ["axis": .int(0)])
    }
    let bias = try weights[0].count == 4 ? e.node("Concat", [stacked(2), stacked(3)], ["axis": .int(1)]) : nil
    guard let hidden = try e.shape(weights[0][1]).last ?? nil else {
      throw OperatorError("the weights have open sizes")
    }
    var attributes: [String: AttributeValue] = [
      "hidden_size": .int(hidden), "direction": .text(weights.count == 2 ? "bidirectional" : "forward"),
    ]
    if type == "GRU" { attributes["linear_before_reset"] = .int(1) }
    if type == "RNN" {
      attributes["activations"] = .strings(weights.map { _ in Array(activation.utf8) })
    }
    return try e.nodes(
      type, [x, stacked(0), stacked(1), bias, nil] + starts, outputs: starts.count + 1, attributes)
  }

  /// A weight with its gates in the standard's order.
  private func ordered(_ weight: Graph.ValueID) throws -> Graph.ValueID {
    guard gates.count > 1 else { return weight }
    let parts = try e.nodes(
      "Split", [weight], outputs: gates.count, ["axis": .int(0), "num_outputs": .int(gates.count)])
    return try e.node("Concat", gates.map { parts[$0] }, ["axis": .int(0)])
  }
}
