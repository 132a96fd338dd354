import Apus

/// Recurrent layers: single sequences and a batch of them.
func recurrentWorkloads() -> [Workload] {
  [1, 16].flatMap { batch in
    [
      recurrent("LSTM", batch: batch, time: 100, inputs: 64, hidden: 128),
      recurrent("GRU", batch: batch, time: 100, inputs: 64, hidden: 128),
    ]
  }
}

private func recurrent(_ name: String, batch: Int, time: Int, inputs: Int, hidden: Int) -> Workload {
  // Where PyTorch's gates are among ONNX's, which are input, output, forget, cell and update, reset, hidden.
  let order = name == "LSTM" ? [0, 2, 3, 1] : [1, 0, 2]
  let rows = order.count * hidden
  let input = Operand([time, batch, inputs], seed: 1)
  let inputWeight = Operand(weights: [1, rows, inputs], seed: 2, terms: inputs)
  let stateWeight = Operand(weights: [1, rows, hidden], seed: 3, terms: hidden)
  let biases = Operand([1, 2 * rows], seed: 4, scale: 0.25)
  var integers = ["hidden_size": [hidden]]
  if name == "GRU" { integers["linear_before_reset"] = [1] }
  return Workload(
    name: "recurrent/\(name.lowercased())-\(batch)x\(time)x\(inputs)x\(hidden)",
    shape: "[\(time), \(batch), \(inputs)] → [\(time), \(batch), \(hidden)]",
    cost: .operations(2 * Double(time * batch * rows) * Double(inputs + hidden)),
    twin: Twin(
      input: input,
      nodes: [Twin.Node(op: name, parameters: [inputWeight, stateWeight, biases], integers: integers)])
  ) {
    func reordered(_ tensor: Tensor<Float>, columns: Int) throws -> Tensor<Float> {
      let gates = try tensor.reshaped([order.count, hidden, columns])
      let parts = try order.map { try gates.sliced(axis: 0, from: $0, to: $0 + 1) }
      return try concatenate(parts, axis: 0).reshaped(columns == 1 ? [rows] : [rows, columns])
    }
    let both = try biases.tensor().reshaped([2, rows])
    let weights = Weights([
      "weight_ih_l0": try reordered(inputWeight.tensor(), columns: inputs),
      "weight_hh_l0": try reordered(stateWeight.tensor(), columns: hidden),
      "bias_ih_l0": try reordered(both.sliced(axis: 0, from: 0, to: 1), columns: 1),
      "bias_hh_l0": try reordered(both.sliced(axis: 0, from: 1, to: 2), columns: 1),
    ])
    let x = try input.tensor()
    if name == "LSTM" {
      let layer = try LSTM<Float>(weights, inputs: inputs, hidden: hidden)
      return { try layer(x).output }
    }
    let layer = try GRU<Float>(weights, inputs: inputs, hidden: hidden)
    return { try layer(x).output }
  }
}
