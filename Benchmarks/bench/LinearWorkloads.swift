import Apus

/// Linear layers with their weights laid out, as networks hold them; the `gemm` group multiplies by bare tensors.
func linearWorkloads() -> [Workload] {
  let shapes: [(rows: Int, outputs: Int, inputs: Int)] = [
    // MobileBERT: bottlenecks, attention, feed-forward.
    (32, 128, 512), (32, 512, 128), (32, 128, 384), (32, 128, 128), (128, 512, 128), (8, 128, 512),
    // BERT: feed-forward.
    (32, 3072, 768),
    // The behaviour classifier's bottleneck, an image classifier's head, a recurrent step.
    (1, 32, 6400), (64, 32, 6400), (1, 1000, 1280), (1, 1024, 256),
    (1024, 1024, 1024),
  ]
  let layers = shapes.map { rows, outputs, inputs in
    linear("\(rows)x\(outputs)x\(inputs)", rows: rows, outputs: outputs, inputs: inputs)
  }
  return layers + [
    linear("relu-32x512x128", rows: 32, outputs: 512, inputs: 128, activation: .relu),
    // MobileBERT's logits, from a matrix that is stored the other way round.
    linear("32x30522x512-kn", rows: 32, outputs: 30522, inputs: 512, isInputsFirst: true),
    chain(pairs: 128, rows: 32, outer: 512, inner: 128),
  ]
}

private func linear(
  _ label: String, rows: Int, outputs: Int, inputs: Int, activation: Activation = .identity, isInputsFirst: Bool = false
) -> Workload {
  let input = Operand([rows, inputs], seed: 1)
  let weight = Operand(weights: isInputsFirst ? [inputs, outputs] : [outputs, inputs], seed: 2, terms: inputs)
  let bias = Operand([outputs], seed: 3)
  var nodes = [
    Twin.Node(op: "Gemm", parameters: [weight, bias], integers: isInputsFirst ? [:] : ["transB": [1]])
  ]
  if activation == .relu { nodes.append(Twin.Node(op: "Relu")) }
  return Workload(
    name: "linear/\(label)", shape: "[\(rows), \(inputs)] → [\(rows), \(outputs)]",
    cost: .operations(2 * Double(rows) * Double(outputs) * Double(inputs)), twin: Twin(input: input, nodes: nodes)
  ) {
    let (x, w, b) = (try input.tensor(), try weight.tensor(), try bias.tensor())
    let layer = try Linear(stacking: [isInputsFirst ? .inputsFirst(w) : .outputsFirst(w)], bias: b)
    return { try layer(x, activation: activation) }
  }
}

/// Layers that follow each other, with more weights than the caches hold, as in a network.
private func chain(pairs: Int, rows: Int, outer: Int, inner: Int) -> Workload {
  let input = Operand([rows, outer], seed: 1)
  let parameters = (0..<2 * pairs).map { index in
    let (inputs, outputs) = index.isMultiple(of: 2) ? (outer, inner) : (inner, outer)
    let seed = UInt32(2 * index + 2)
    return (
      weight: Operand(weights: [outputs, inputs], seed: seed, terms: inputs), bias: Operand([outputs], seed: seed + 1)
    )
  }
  let nodes = parameters.map {
    Twin.Node(op: "Gemm", parameters: [$0.weight, $0.bias], integers: ["transB": [1]])
  }
  return Workload(
    name: "linear/chain-\(rows)x\(outer)x\(inner)", shape: "\(pairs) × \(outer) → \(inner) → \(outer), \(rows) rows",
    cost: .operations(4 * Double(pairs) * Double(rows) * Double(outer) * Double(inner)),
    twin: Twin(input: input, nodes: nodes)
  ) {
    let layers = try parameters.map { try Linear(weight: $0.weight.tensor(), bias: $0.bias.tensor()) }
    let x = try input.tensor()
    return { try layers.reduce(x) { try $1($0) } }
  }
}
