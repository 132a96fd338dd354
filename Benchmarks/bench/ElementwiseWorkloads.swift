import Apus

/// Activations over a feature map that is larger than the second-level cache.
func activationWorkloads() -> [Workload] {
  let input = Operand([1, 64, 80, 80], seed: 1, scale: 4)
  typealias Function = (Tensor<Float>) throws -> Tensor<Float>
  let functions: [(String, [Twin.Node]?, Function)] = [
    ("relu", [.init(op: "Relu")], { try relu($0) }),
    ("leaky-relu", [.init(op: "LeakyRelu", floats: ["alpha": 0.01])], { try leakyReLU($0) }),
    ("sigmoid", [.init(op: "Sigmoid")], { try sigmoid($0) }),
    ("tanh", [.init(op: "Tanh")], { try tanh($0) }),
    // Nothing but a product of the input and its sigmoid in ONNX, which a chain of nodes cannot say.
    ("silu", nil, { try silu($0) }),
    ("gelu", [.init(op: "Gelu")], { try gelu($0) }),
    ("gelu-tanh", [.init(op: "Gelu", strings: ["approximate": "tanh"])], { try gelu($0, approximate: .tanh) }),
    ("hard-swish", [.init(op: "HardSwish")], { try hardSwish($0) }),
    ("mish", [.init(op: "Mish")], { try mish($0) }),
    ("elu", [.init(op: "Elu", floats: ["alpha": 1])], { try elu($0) }),
    ("softplus", [.init(op: "Softplus")], { try softplus($0) }),
  ]
  return functions.map { name, nodes, function in
    elementwise("activation/\(name)", input, nodes: nodes, function)
  }
}

/// Arithmetic of two operands, and with one that is broadcast.
func arithmeticWorkloads() -> [Workload] {
  let input = Operand([1, 64, 80, 80], seed: 1)
  let other = Operand([1, 64, 80, 80], seed: 2, scale: 0.5, offset: 2)
  let channels = Operand([64, 1, 1], seed: 2, scale: 0.5, offset: 2)
  typealias Function = (Tensor<Float>, Tensor<Float>) throws -> Tensor<Float>
  let functions: [(String, String, Operand, Function)] = [
    ("add", "Add", other, { try $0 + $1 }), ("multiply", "Mul", other, { try $0 * $1 }),
    ("divide", "Div", other, { try $0 / $1 }), ("multiply-channels", "Mul", channels, { try $0 * $1 }),
  ]
  return functions.map { name, op, right, function in
    let count = input.shape.reduce(1, *)
    return Workload(
      name: "arithmetic/\(name)", shape: "\(input.shape.joined("×")), \(right.shape.joined("×"))",
      cost: .bytes(Double(4 * (2 * count + right.shape.reduce(1, *)))),
      twin: Twin(input: input, nodes: [.init(op: op, parameters: [right])])
    ) {
      let (x, y) = (try input.tensor(), try right.tensor())
      return { try function(x, y) }
    }
  }
}

/// Normalisations and softmax.
func normalizationWorkloads() -> [Workload] {
  let tokens = Operand([1, 128, 512], seed: 1, scale: 2, offset: 1)
  let map = Operand([1, 64, 80, 80], seed: 1, scale: 2, offset: 1)
  func parameters(_ count: Int) -> [Operand] {
    [Operand([count], seed: 2, scale: 0.5, offset: 1), Operand([count], seed: 3)]
  }
  let statistics = [Operand([64], seed: 4), Operand([64], seed: 5, scale: 0.5, offset: 1)]
  let (wide, narrow) = (parameters(512), parameters(64))

  let layer = Workload(
    name: "normalization/layer", shape: "1×128×512", cost: bytes(tokens),
    twin: Twin(
      input: tokens,
      nodes: [.init(op: "LayerNormalization", parameters: wide, integers: ["axis": [-1]], floats: ["epsilon": 1e-5])])
  ) {
    let (x, weight, bias) = (try tokens.tensor(), try wide[0].tensor(), try wide[1].tensor())
    return { try layerNorm(x, normalizedShape: [512], weight: weight, bias: bias) }
  }
  let batch = Workload(
    name: "normalization/batch", shape: "1×64×80×80", cost: bytes(map),
    twin: Twin(
      input: map,
      nodes: [.init(op: "BatchNormalization", parameters: narrow + statistics, floats: ["epsilon": 1e-5])])
  ) {
    let (x, weight, bias) = (try map.tensor(), try narrow[0].tensor(), try narrow[1].tensor())
    let (mean, variance) = (try statistics[0].tensor(), try statistics[1].tensor())
    return { try batchNorm(x, runningMean: mean, runningVariance: variance, weight: weight, bias: bias) }
  }
  let group = Workload(
    name: "normalization/group", shape: "1×64×80×80 in 8 groups", cost: bytes(map),
    twin: Twin(
      input: map,
      nodes: [
        .init(op: "GroupNormalization", parameters: narrow, integers: ["num_groups": [8]], floats: ["epsilon": 1e-5])
      ])
  ) {
    let (x, weight, bias) = (try map.tensor(), try narrow[0].tensor(), try narrow[1].tensor())
    return { try groupNorm(x, groups: 8, weight: weight, bias: bias) }
  }
  let scores = [[4, 32, 32], [12, 128, 128], [32, 30522]].map { shape in
    let input = Operand(shape, seed: 1, scale: 4)
    return elementwise(
      "softmax/\(shape.joined("x"))", input, nodes: [.init(op: "Softmax", integers: ["axis": [-1]])]
    ) { try softmax($0, axis: -1) }
  }
  return [layer, batch, group] + scores
}

private func elementwise(
  _ name: String, _ input: Operand, nodes: [Twin.Node]?,
  _ function: @escaping (Tensor<Float>) throws -> Tensor<Float>
) -> Workload {
  Workload(
    name: name, shape: input.shape.joined("×"), cost: bytes(input),
    twin: nodes.map { Twin(input: input, nodes: $0) }
  ) {
    let x = try input.tensor()
    return { try function(x) }
  }
}

/// An operand read and a result of the same size written.
private func bytes(_ operand: Operand) -> Workload.Cost {
  .bytes(Double(2 * MemoryLayout<Float>.stride * operand.shape.reduce(1, *)))
}
