import Apus

extension Operators {
  static let mixturesOfExperts: [OperatorDefinition] = [
    OperatorDefinition(
      "MoE", domain: "com.microsoft",
      .product(.likeInput, work: .mixtureOfExperts, accuracy: .sum(.columns)), MoE),
    OperatorDefinition(
      "QMoE", domain: "com.microsoft",
      .product(.likeInput, work: .mixtureOfExperts, accuracy: .sum(.columns)), QMoE),
  ]

  /// Feed-forward networks, *experts*, of which a router chooses `k` for every token: the sum of theirs, weighted by the
  /// softmax of what the router says.
  ///
  /// Inputs x `[…, features]`, what the router says `[tokens, experts]`, and of every expert a weight of the first layer and
  /// its bias, of the second and its bias, and perhaps of a third one beside the first.
  static func MoE(_ node: NodeDescription) throws -> PreparedOperator {
    let settings = try ExpertSettings(node)
    return floating(
      try MixtureOperator<Float>(node, settings, .ofNumbers), try MixtureOperator<Double>(node, settings, .ofNumbers))
  }

  /// The same with weights of 2, 4 or 8 bits, `[experts, outputs, bytes]`, one scale for each output or for each block along
  /// the inputs. As ONNX Runtime has it for this kind of processor, the weights of the chosen experts always have the sum 1,
  /// but where input 14 gives them.
  static func QMoE(_ node: NodeDescription) throws -> PreparedOperator {
    var settings = try ExpertSettings(node)
    settings.normalizes = settings.normalizes || !node.has(14)
    let type = try node.string("quant_type", default: "int")
    guard type == "int", !(15..<max(15, node.inputCount)).contains(where: node.has) else {
      throw OperatorError("experts of quant_type '\(type)' are not supported; 'int' is")
    }
    let bits = try node.int("expert_weight_bits", default: 4)
    let own = try (1...3).map { try node.int("fc\($0)_expert_weight_bits", default: bits) }
    let inputs = ExpertInputs.quantized(bits: own, blockSize: try node.int("block_size", default: 0))
    return floating(
      try MixtureOperator<Float>(node, settings, inputs), try MixtureOperator<Double>(node, settings, inputs))
  }
}

/// What is common to all experts.
private struct ExpertSettings: Sendable {
  enum Function: Sendable {
    case plain(Activation)
    /// `g · sigmoid(alpha · g) · (l + beta)` of two numbers that lie beside each other, in two halves, or are of two layers.
    case gated(alpha: Float, beta: Float, limit: Float, GateLayout)
  }

  enum GateLayout: Int, Sendable {
    case twoLayers, interleaved, halves
  }

  /// Experts of a token.
  let count: Int
  /// Whether their weights have the sum 1.
  var normalizes: Bool
  let function: Function

  init(_ node: NodeDescription) throws {
    count = try node.int("k", default: 1)
    normalizes = try node.flag("normalize_routing_weights")
    guard count > 0 else { throw OperatorError("k is \(count); at least 1 is needed") }
    for name in ["use_sparse_mixer", "swiglu_limit_after_activation"] where try node.flag(name) {
      throw OperatorError("\(name) is not supported")
    }
    let name = try node.string("activation_type", default: "relu")
    let plain: [String: Activation] = [
      "relu": .relu, "gelu": .gelu(approximate: .tanh), "silu": .silu, "identity": .identity,
    ]
    if let activation = plain[name] {
      function = .plain(activation)
    } else if name == "swiglu", let layout = GateLayout(rawValue: try node.int("swiglu_fusion", default: 0)) {
      function = .gated(
        alpha: try node.float("activation_alpha", default: 1), beta: try node.float("activation_beta", default: 0),
        limit: try node.float("swiglu_limit", default: .infinity), layout)
    } else {
      throw OperatorError("activation_type '\(name)' is not relu, gelu, silu, swiglu of a known layout, or identity")
    }
  }

  /// Whether there is a third layer beside the first.
  var hasThirdLayer: Bool {
    if case .gated(_, _, _, .twoLayers) = function { true } else { false }
  }

  /// The function of what the first layer gives, and the third one.
  func callAsFunction<Scalar: FloatingPointScalar>(
    _ x: Tensor<Scalar>, _ other: Tensor<Scalar>?
  ) throws -> Tensor<Scalar> {
    switch function {
    case .plain(let activation): return try Apus.activation(x, activation)
    case .gated(let alpha, let beta, let limit, let layout):
      let (gate, value) = try parts(x, other, layout)
      let g = try gate.clamp(max: Scalar(limit))
      let l = try value.clamp(min: -Scalar(limit), max: Scalar(limit))
      return try g * sigmoid(g * Scalar(alpha)) * (l + Scalar(beta))
    }
  }

  private func parts<Scalar: FloatingPointScalar>(
    _ x: Tensor<Scalar>, _ other: Tensor<Scalar>?, _ layout: GateLayout
  ) throws -> (Tensor<Scalar>, Tensor<Scalar>) {
    if layout == .twoLayers {
      guard let other else { throw OperatorError("the third layer of the experts is missing") }
      return (x, other)
    }
    guard x.shape[1].isMultiple(of: 2) else {
      throw OperatorError("a gate and a value cannot share \(x.shape[1]) outputs of the first layer")
    }
    if layout == .interleaved {
      return (try x.sliced(axis: 1, step: 2), try x.sliced(axis: 1, from: 1, step: 2))
    }
    return (try x.sliced(axis: 1, to: x.shape[1] / 2), try x.sliced(axis: 1, from: x.shape[1] / 2))
  }
}

/// Which inputs hold the layers of the experts.
private enum ExpertInputs: Sendable {
  case ofNumbers
  /// - bits: of the three layers.
  /// - blockSize: 0 where a row is one block.
  case quantized(bits: [Int], blockSize: Int)

  /// The inputs of layer 0, 1 or 2.
  func indices(of layer: Int) -> (weight: Int, scales: Int?, bias: Int, zeroPoints: Int?) {
    switch self {
    case .ofNumbers: (2 + 2 * layer, nil, 3 + 2 * layer, nil)
    case .quantized: (2 + 3 * layer, 3 + 3 * layer, 4 + 3 * layer, 11 + layer)
    }
  }

  var last: Int {
    switch self {
    case .ofNumbers: 7
    case .quantized: 13
    }
  }
}

/// One layer of all experts.
private struct ExpertLayer<Scalar: FloatingPointScalar>: Sendable {
  private enum Weights: Sendable {
    /// `[experts, outputs, inputs]`.
    case numbers(Tensor<Scalar>)
    /// `[experts, outputs, bytes]`, and a scale for each output or block.
    case codes(Tensor<UInt8>, scales: Tensor<Scalar>, zeroPoints: Tensor<UInt8>?, bits: Int, blockSize: Int)
  }

  private let weights: Weights
  private let bias: Tensor<Scalar>?
  let experts: Int
  let inputs: Int
  let outputs: Int

  /// - Parameter value: an input, where it is given.
  init(_ layer: Int, _ inputs: ExpertInputs, value: (Int) throws -> GraphValue?) throws {
    let indices = inputs.indices(of: layer)
    func numbers(_ index: Int?) throws -> Tensor<Scalar>? {
      guard let index, let given = try value(index) else { return nil }
      guard case .tensor(let tensor) = given, tensor.dataType.isFloatingPoint else {
        throw OperatorError("input \(index) is \(given.type); a floating-point type is needed")
      }
      return try tensor.converted(to: Scalar.self)
    }
    func bytes(_ index: Int?) throws -> Tensor<UInt8>? {
      guard let index, let given = try value(index) else { return nil }
      guard case .tensor(.uint8(let tensor)) = given else {
        throw OperatorError("input \(index) is \(given.type); UINT8 is needed")
      }
      return tensor
    }
    let shape: [Int]
    // Numbers in an element of the last axis.
    var density = 1
    switch inputs {
    case .ofNumbers:
      guard let tensor = try numbers(indices.weight) else {
        throw OperatorError("input \(indices.weight), a weight, is missing")
      }
      (weights, shape) = (.numbers(tensor), tensor.shape)
    case .quantized(let bits, let blockSize):
      guard let codes = try bytes(indices.weight), let scales = try numbers(indices.scales) else {
        throw OperatorError("input \(indices.weight), a weight, or its scales are missing")
      }
      guard [2, 4, 8].contains(bits[layer]) else {
        throw OperatorError("experts of \(bits[layer]) bits are not supported; those of 2, 4 or 8 are")
      }
      (shape, density) = (codes.shape, 8 / bits[layer])
      weights = .codes(
        codes, scales: scales, zeroPoints: try bytes(indices.zeroPoints), bits: bits[layer], blockSize: blockSize)
    }
    guard shape.count == 3, shape.allSatisfy({ $0 > 0 }) else {
      throw OperatorError("input \(indices.weight) has shape \(shape); [experts, outputs, inputs] is needed")
    }
    (experts, outputs, self.inputs) = (shape[0], shape[1], try Shape.elementCount([shape[2], density]))
    bias = try numbers(indices.bias)
    if let bias, bias.shape != [experts, outputs] {
      throw OperatorError("input \(indices.bias) has shape \(bias.shape); [\(experts), \(outputs)] is needed")
    }
  }

  /// The layer of one expert.
  func layer(of expert: Int) throws -> Linear<Scalar> {
    let bias = try self.bias.map { try $0.entry(expert) }
    switch weights {
    case .numbers(let tensor): return try Linear(weight: tensor.entry(expert), bias: bias)
    case .codes(let codes, let scales, let zeroPoints, let bits, let blockSize):
      let size = blockSize > 0 ? min(blockSize, inputs) : inputs
      let form = try BlockQuantizedWeight(inputs: inputs, outputs: outputs, bits: bits, blockSize: size)
      guard scales.rank >= 2, scales.shape[0] == experts,
        zeroPoints.map({ $0.rank >= 2 && $0.shape[0] == experts }) ?? true
      else {
        throw OperatorError("scales or zero points are not those of \(experts) experts: \(scales.shape)")
      }
      var points = try zeroPoints.map { try $0.entry(expert) }
      // Those of whole rows are packed along the rows.
      if blockSize <= 0 {
        points = try points.map { try unpacked($0.reshaped([1, $0.count]), bits: bits, count: outputs) }
      }
      return try form.layer(
        GraphValue(wholeBlocks(codes.entry(expert), of: size / (8 / bits))), scales: scales.entry(expert),
        zeroPoints: points.map { GraphValue($0) }, groups: nil, bias: bias)
    }
  }

  /// Rows that end with a whole block, of `bytes`, as a layer has them: those of an expert end with its inputs.
  private func wholeBlocks(_ codes: Tensor<UInt8>, of bytes: Int) throws -> Tensor<UInt8> {
    let begun = codes.shape[1] % bytes
    guard begun > 0 else { return codes }
    return try concatenate([codes, Tensor(zeros: [codes.shape[0], bytes - begun])], axis: 1)
  }
}

extension Tensor {
  /// One entry along the first axis.
  fileprivate func entry(_ index: Int) throws -> Tensor {
    try sliced(axis: 0, from: index, to: index + 1).reshaped(Array(shape.dropFirst()))
  }
}

private struct MixtureOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  /// The first layer, the second, and the third, which lies beside the first.
  typealias Expert = (first: Linear<Scalar>, second: Linear<Scalar>, third: Linear<Scalar>?)

  private let settings: ExpertSettings
  private let inputs: ExpertInputs
  /// Those whose weights are known.
  private let experts: [Expert]?

  init(_ node: NodeDescription, _ settings: ExpertSettings, _ inputs: ExpertInputs) throws {
    (self.settings, self.inputs) = (settings, inputs)
    guard settings.hasThirdLayer == node.has(inputs.indices(of: 2).weight) else {
      throw OperatorError(
        "the third layer of the experts goes with swiglu whose layers are not one, and with nothing else")
    }
    let given = (2...inputs.last).filter(node.has)
    guard given.allSatisfy({ node.constant($0) != nil }),
      node.ownsConstant(inputs.indices(of: 0).scales ?? inputs.indices(of: 0).weight, as: Scalar.self)
    else {
      experts = nil
      return
    }
    let layers = try Self.layers(settings, inputs) { node.constant($0) }
    experts = try (0..<layers[0].experts).map { try Self.expert($0, layers) }
    for index in given { node.absorb(index) }
  }

  private static func layers(
    _ settings: ExpertSettings, _ inputs: ExpertInputs, value: (Int) throws -> GraphValue?
  ) throws -> [ExpertLayer<Scalar>] {
    let layers = try (0..<(settings.hasThirdLayer ? 3 : 2)).map { try ExpertLayer<Scalar>($0, inputs, value: value) }
    guard layers.allSatisfy({ $0.experts == layers[0].experts }) else {
      throw OperatorError("the layers are those of \(layers.map(\.experts)) experts")
    }
    return layers
  }

  private static func expert(_ index: Int, _ layers: [ExpertLayer<Scalar>]) throws -> Expert {
    (
      try layers[0].layer(of: index), try layers[1].layer(of: index),
      layers.count > 2 ? try layers[2].layer(of: index) : nil
    )
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let input = try arguments.floating(0, as: Scalar.self)
    guard let features = input.shape.last, input.rank >= 2 else {
      throw OperatorError("input 0 has shape \(input.shape); […, features] is needed")
    }
    let tokens = try Shape.elementCount(Array(input.shape.dropLast()))
    let router = try arguments.floating(1, as: Scalar.self)
    let layers = try experts == nil ? Self.layers(settings, inputs) { arguments[$0] } : []
    let count = experts?.count ?? layers[0].experts
    guard router.shape == [tokens, count], settings.count <= count else {
      throw OperatorError(
        "the router's output has shape \(router.shape); [\(tokens), \(count)] is needed, of which \(settings.count) are chosen"
      )
    }
    guard input.count > 0 else { return [try GraphValue(rounding: input, to: type)] }
    let given = try arguments.optionalFloating(14, as: Scalar.self)
    guard given == nil || given?.shape == router.shape else {
      throw OperatorError("router_weights has shape \(given?.shape ?? []); \(router.shape) is needed")
    }
    let x = try input.reshaped([tokens, features])
    let choices = try choices(router, weights: given ?? softmax(router, axis: -1))
    var output = try Tensor<Scalar>(zeros: [tokens, features])
    for (index, chosen) in choices.enumerated() where !chosen.isEmpty {
      try arguments.context.checkCancellation()
      let expert = try experts?[index] ?? Self.expert(index, layers)
      let own = try x.indexSelect(axis: 0, Tensor(chosen.map { Int64($0.token) }))
      let hidden = try settings(expert.first(own), expert.third?(own))
      let result = try expert.second(hidden).rowMajor
      guard result.shape[1] == features else {
        throw OperatorError("the second layer of the experts has \(result.shape[1]) outputs; \(features) are needed")
      }
      try result.withUnsafeBufferPointer { result in
        try output.withUnsafeMutableBufferPointer { output in
          for (row, choice) in chosen.enumerated() {
            for i in 0..<features { output[choice.token * features + i] += choice.weight * result[row * features + i] }
          }
        }
      }
    }
    return [try GraphValue(rounding: output.reshaped(input.shape), to: type)]
  }

  /// For each expert the tokens that it is chosen for, and what its output counts then. Of equals the first is chosen.
  private func choices(
    _ router: Tensor<Scalar>, weights: Tensor<Scalar>
  ) throws -> [[(token: Int, weight: Scalar)]] {
    let (tokens, experts) = (router.shape[0], router.shape[1])
    var choices = [[(token: Int, weight: Scalar)]](repeating: [], count: experts)
    let (scores, weights) = (try router.elements, try weights.elements)
    for token in 0..<tokens {
      let own = scores[token * experts..<(token + 1) * experts]
      let order = own.indices.sorted { own[$0] == own[$1] ? $0 < $1 : own[$0] > own[$1] }.prefix(settings.count)
      let sum = settings.normalizes ? order.reduce(0) { $0 + weights[$1] } : 1
      for place in order { choices[place - token * experts].append((token, weights[place] / sum)) }
    }
    return choices
  }
}

// MARK: - Work

extension Work {
  /// Each token meets every weight of the layers of `k` experts.
  static let mixtureOfExperts: Work = .multiplyAdds { shapes in
    guard let x = shapes.known(0), let features = x.last, features > 0 else { return nil }
    let isQuantized = shapes.node.operatorName.type == "QMoE"
    // Numbers in an element of the weights.
    let density = isQuantized ? 8 / max(1, shapes.int("expert_weight_bits") ?? 4) : 1
    let layers = (isQuantized ? [2, 5, 8] : [2, 4, 6]).compactMap { shapes.known($0) }.filter { $0.count == 3 }
    let weights = layers.map { $0[1].multipliedClamped(by: $0[2]).multipliedClamped(by: density) }
    return weights.reduce(0) { $0.addingClamped($1) }.multipliedClamped(by: shapes.int("k") ?? 1)
      .multipliedClamped(by: x.product / features)
  }
}
