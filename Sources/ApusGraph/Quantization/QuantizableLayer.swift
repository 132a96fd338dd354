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

  /// What a convolution or a product is to this.
  enum Finding {
    case layer(QuantizableLayer)
    /// Why it stays in floats.
    case obstacle(String)
  }

  /// - Returns: nil for nodes of other kinds.
  /// - Throws: ``OperatorError`` for attributes that make no sense.
  static func finding(
    _ node: NodeDescription, at index: Int, inputs: [Graph.ValueID?]
  ) throws -> Finding? {
    let type = node.node.operatorName.type
    guard node.node.operatorName.domain.isEmpty, ["Conv", "MatMul", "Gemm"].contains(type),
      let input = inputs.first ?? nil
    else { return nil }
    guard node.constant(0) == nil, inputs.dropFirst().filter({ $0 == input }).isEmpty,
      let weight = floats(node.constant(1)), weight.count > 0
    else { return .obstacle("the weight is not known, or not FLOAT") }
    guard type == "Conv" else { return try product(node, at: index, input: input, weight) }
    guard weight.rank == 3 || weight.rank == 4 else { return .obstacle("convolutions of other than 1 or 2 axes") }
    // They wait for memory, not for products.
    if try weight.shape[1] < 4 && node.int("group", default: 1) > 1 { return .obstacle("depthwise convolutions") }
    guard let bias = try bias(node, 2, outputs: weight.shape[0], isProduct: false) else { return .obstacle(oddBias) }
    return try finding(.convolution, index, input, weight, outputsLast: false, bias)
  }

  /// A product, MatMul or Gemm. A Gemm's factors become part of weight and bias.
  private static func product(
    _ node: NodeDescription, at index: Int, input: Graph.ValueID, _ weight: Tensor<Float>
  ) throws -> Finding {
    guard weight.rank == 2 else { return .obstacle("the weight is no matrix") }
    guard node.node.operatorName.type == "Gemm" else {
      return try finding(.product, index, input, weight, outputsLast: true, [])
    }
    guard try node.int("transA", default: 0) == 0 else { return .obstacle("the input is transposed (transA)") }
    let (alpha, beta) = (try node.float("alpha", default: 1), try node.float("beta", default: 1))
    var matrix = try node.int("transB", default: 0) == 0 ? weight : weight.permuted([1, 0])
    guard let bias = try bias(node, 2, outputs: matrix.shape[1], isProduct: true) else { return .obstacle(oddBias) }
    if alpha != 1 { matrix = try Tensor(matrix.elements.map { $0 * alpha }, shape: matrix.shape) }
    return try finding(.product, index, input, matrix, outputsLast: true, beta == 0 ? [] : bias.map { $0 * beta })
  }

  private static let oddBias = "the bias is not known, or no number for each output"

  private static func finding(
    _ kind: Kind, _ index: Int, _ input: Graph.ValueID, _ weight: Tensor<Float>, outputsLast: Bool, _ bias: [Float]
  ) throws -> Finding {
    guard try weight.elements.allSatisfy(\.isFinite) else { return .obstacle("the weight holds NaN or infinity") }
    return .layer(
      QuantizableLayer(
        kind: kind, index: index, input: input, weight: try ByteWeight(weight, outputsLast: outputsLast),
        bias: bias.isEmpty ? nil : bias))
  }

  private static func floats(_ value: GraphValue?) -> Tensor<Float>? {
    guard case .tensor(.float32(let tensor))? = value else { return nil }
    return tensor
  }

  /// The known bias of each output, empty where there is none; nil for any other. A product's may be a row.
  private static func bias(_ node: NodeDescription, _ index: Int, outputs: Int, isProduct: Bool) throws -> [Float]? {
    guard node.has(index) else { return [] }
    guard let bias = floats(node.constant(index)), bias.count == outputs || bias.count == 1,
      bias.rank <= 1 || isProduct && bias.rank == 2 && bias.shape[0] == 1
    else { return nil }
    let numbers = try bias.elements
    return numbers.count == outputs ? numbers : [Float](repeating: numbers[0], count: outputs)
  }
}
