import Apus

/// A convolution or a product of matrices whose weight is known, so that it can be computed in integers of eight bits.
struct QuantizableLayer: Sendable {
  enum Kind: Sendable {
    case convolution
    case product
  }

  let kind: Kind
  /// The node's index in the graph.
  let index: Int
  /// What is quantised when the model runs.
  let input: Graph.ValueID
  let weight: ByteWeight
  /// `[outputs]`
  let bias: [Float]?

  /// - Returns: nil for nodes of other kinds, and for those that eight bits make no faster: products of unknown
  ///   matrices, and depthwise convolutions, which wait for memory.
  /// - Throws: ``OperatorError`` where the weight cannot be quantised.
  init?(_ node: NodeDescription, at index: Int, inputs: [Graph.ValueID?]) throws {
    guard node.node.operatorName.domain.isEmpty, let input = inputs.first ?? nil, node.constant(0) == nil,
      inputs.dropFirst().filter({ $0 == input }).isEmpty, let weight = Self.floats(node.constant(1)), weight.count > 0
    else { return nil }
    (self.index, self.input) = (index, input)
    switch node.node.operatorName.type {
    case "Conv":
      let isDepthwise = try weight.rank > 1 && weight.shape[1] < 4 && node.int("group", default: 1) > 1
      guard weight.rank == 3 || weight.rank == 4, !isDepthwise else { return nil }
      kind = .convolution
      guard let bias = try Self.bias(node, 2, outputs: weight.shape[0]) else { return nil }
      (self.bias, self.weight) = (bias.isEmpty ? nil : bias, try ByteWeight(weight, outputsLast: false))
    case "MatMul":
      guard weight.rank == 2 else { return nil }
      (kind, bias) = (.product, nil)
      self.weight = try ByteWeight(weight, outputsLast: true)
    case "Gemm":
      guard weight.rank == 2, try node.float("alpha", default: 1) == 1, try node.float("beta", default: 1) == 1,
        try node.int("transA", default: 0) == 0
      else { return nil }
      let matrix = try node.int("transB", default: 0) == 0 ? weight : weight.permuted([1, 0])
      kind = .product
      guard let bias = try Self.bias(node, 2, outputs: matrix.shape[1]) else { return nil }
      (self.bias, self.weight) = (bias.isEmpty ? nil : bias, try ByteWeight(matrix, outputsLast: true))
    default:
      return nil
    }
  }

  private static func floats(_ value: GraphValue?) -> Tensor<Float>? {
    guard case .tensor(.float32(let tensor))? = value else { return nil }
    return tensor
  }

  /// The known bias of each output, empty where there is none; nil for any other.
  private static func bias(_ node: NodeDescription, _ index: Int, outputs: Int) throws -> [Float]? {
    guard node.has(index) else { return [] }
    guard let bias = floats(node.constant(index)), bias.rank <= 1, bias.count == outputs || bias.count == 1 else {
      return nil
    }
    let numbers = try bias.elements
    return numbers.count == outputs ? numbers : [Float](repeating: numbers[0], count: outputs)
  }
}
