import Apus

extension Graph {
  /// Convolutions and products of dequantised bytes become those of the bytes themselves:
  ///
  ///     Float(ConvInteger(x, weight, zero points)) · (x scale · weight scale) + bias
  ///
  /// Their sums are exact, where those of the numbers would be rounded at each term. That is how a graph of pairs of
  /// QuantizeLinear and DequantizeLinear is meant, and how ONNX Runtime computes it; so it belongs to what such a node
  /// means, and holds for graphs that are not optimised as well. It depends on nothing but the nodes between, and leaves
  /// every DequantizeLinear that others read.
  func summingIntegers() throws -> Graph {
    guard hasNode("DequantizeLinear") else { return self }
    // The values of all Constant nodes, of those too that the graph gives away.
    let given = Set(nodes.lazy.filter { $0.operatorName == OperatorName(type: "Constant") }.flatMap(\.outputs))
    var open = self
    open.outputs = outputs.filter { !given.contains($0) }
    let constants = try open.inliningConstants().constants
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard let node = rewriter.nodes[index], !node.computesInFloat64, node.operatorName.domain.isEmpty else {
        continue
      }
      switch node.operatorName.type {
      case "Conv": rewriter.sumConvolution(index, node, constants)
      case "MatMul", "Gemm": rewriter.sumProduct(index, node, constants)
      default: break
      }
    }
    return rewriter.finished()
  }
}

/// Bytes, and what makes numbers of them.
private struct DequantizedBytes {
  var bytes: Graph.ValueID
  let zeroPoint: Graph.ValueID?
  let scale: Tensor<Float>
  let axis: Int
  /// The bytes' extents, where they are known before anything runs.
  let shape: [Int]?
}

extension GraphRewriter {
  private typealias Constants = [Graph.ValueID: GraphValue]

  fileprivate mutating func sumConvolution(_ index: Int, _ node: Node, _ constants: [Graph.ValueID: GraphValue]) {
    guard let x = dequantized(node.input(0), constants), x.scale.count == 1,
      let weight = dequantized(node.input(1), constants), let shape = weight.shape, shape.count >= 3,
      shape[1...].product <= IntegerRight.mostTerms, weight.scale.count == 1 || weight.axis == 0
    else { return }
    // One number for each channel, against maps [batch, channels, …].
    let channels = [-1] + [Int](repeating: 1, count: shape.count - 2)
    var bias = node.input(2)
    if let given = bias {
      guard vectorCount(given, constants) == shape[0], let list = try? Tensor(channels.map { Int64($0) }) else {
        return
      }
      let extents = addConstant(GraphValue(list), named: "\(node.name).channels")
      bias = insert(
        Node(
          name: "\(node.name).bias", operatorName: OperatorName(type: "Reshape"), opset: 13, inputs: [given, extents],
          outputs: []), before: index, giving: "\(node.name).bias")
    }
    replace(index, node, by: "ConvInteger", x, weight, scale: channels, bias)
  }

  fileprivate mutating func sumProduct(_ index: Int, _ node: Node, _ constants: [Graph.ValueID: GraphValue]) {
    let description = NodeDescription(node: node)
    let isGemm = node.operatorName.type == "Gemm"
    let turned = untransposed(node.input(1))
    guard let x = dequantized(node.input(0), constants), x.scale.count == 1,
      var matrix = dequantized(turned ?? node.input(1), constants)
    else { return }
    // Nothing is known of a matrix that is computed, or of a stack of them, but that one scale is enough.
    if matrix.shape == nil, !isGemm, turned == nil, matrix.scale.count == 1 {
      replace(index, node, by: "MatMulInteger", x, matrix, scale: [-1], nil, attributes: ["exact": .int(1)])
      return
    }
    guard let shape = matrix.shape, shape.count == 2,
      let isTurnedByGemm = try? isGemm && description.flag("transB"),
      case let isTransposed = isTurnedByGemm != (turned != nil), shape[isTransposed ? 1 : 0] <= IntegerRight.mostTerms,
      matrix.scale.count == 1 || matrix.axis == (isTransposed ? 0 : 1)
    else { return }
    if isGemm {
      guard (try? description.flag("transA")) == false, (try? description.float("alpha", default: 1)) == 1,
        (try? description.float("beta", default: 1)) == 1
      else { return }
    }
    let bias = node.input(2)
    if let bias, vectorCount(bias, constants) != shape[isTransposed ? 0 : 1] { return }
    if isTransposed {
      matrix.bytes = insert(
        Node(
          name: "\(node.name).transposed", operatorName: OperatorName(type: "Transpose"), opset: 13,
          inputs: [matrix.bytes], outputs: []), before: index, giving: "\(node.name).transposed")
    }
    replace(index, node, by: "MatMulInteger", x, matrix, scale: [-1], bias)
  }

  private mutating func replace(
    _ index: Int, _ node: Node, by type: String, _ x: DequantizedBytes, _ weight: DequantizedBytes, scale shape: [Int],
    _ bias: Graph.ValueID?, attributes: [String: AttributeValue]? = nil
  ) {
    guard let product = try? x.scale.reshaped([]) * weight.scale,
      let scale = try? product.count == 1 ? product.reshaped([]) : product.reshaped([product.count] + shape[1...])
    else { return }
    let id = addConstant(GraphValue(scale), named: "\(node.name).scale")
    replace(
      index,
      by: Node(
        name: node.name, operatorName: OperatorName(domain: "apus", type: type), opset: 1,
        inputs: [x.bytes, weight.bytes, x.zeroPoint, weight.zeroPoint, id, bias], outputs: node.outputs,
        attributes: attributes ?? node.attributes))
  }

  /// What a node turns to give a matrix, as PyTorch's layers turn their weights.
  private func untransposed(_ value: Graph.ValueID?) -> Graph.ValueID? {
    guard let source = producer(of: value), let node = nodes[source],
      node.operatorName == OperatorName(type: "Transpose"),
      let order = try? NodeDescription(node: node).ints("perm", default: [1, 0]), order == [1, 0]
    else { return nil }
    return node.input(0)
  }

  /// What `value` is made of, if it is bytes with known scales.
  private func dequantized(_ value: Graph.ValueID?, _ constants: Constants) -> DequantizedBytes? {
    guard let source = producer(of: value), let node = nodes[source], isQuantization(node, "DequantizeLinear"),
      let bytes = node.input(0), let scale = known(node.input(1), constants)?.tensor(of: Float.self)
    else { return nil }
    let zeroPoint = node.input(2)
    let point = known(zeroPoint, constants)
    guard zeroPoint == nil || point?.count == scale.count, scale.count == 1 || scale.rank == 1 else { return nil }
    // Quantised by a node, a weight is known as soon as what it is made of.
    let maker = producer(of: bytes).flatMap { nodes[$0] }.flatMap { isQuantization($0, "QuantizeLinear") ? $0 : nil }
    let stored = known(bytes, constants) ?? known(maker?.input(0), constants)
    let type =
      point?.dataType ?? known(bytes, constants)?.dataType
      ?? (maker?.attributes["output_dtype"] == nil && maker?.inputs.count == 2 ? .uint8 : nil)
    guard type == .uint8 || type == .int8 else { return nil }
    guard let axis = try? NodeDescription(node: node).int("axis", default: 1) else { return nil }
    let rank = stored?.rank ?? 0
    return DequantizedBytes(
      bytes: bytes, zeroPoint: zeroPoint, scale: scale, axis: axis < 0 ? axis + rank : axis, shape: stored?.shape)
  }

  private func isQuantization(_ node: Node, _ type: String) -> Bool {
    node.operatorName.type == type && ["", "com.microsoft"].contains(node.operatorName.domain)
      && (2...3).contains(node.inputs.count) && node.attributes["block_size"] == nil
      && (type == "QuantizeLinear" || node.attributes["output_dtype"] == nil)
  }

  /// The numbers in a vector of FLOAT that is known, or dequantised from what is known.
  private func vectorCount(_ value: Graph.ValueID, _ constants: Constants) -> Int? {
    var tensor = known(value, constants)
    if tensor == nil, let source = producer(of: value), let node = nodes[source],
      isQuantization(node, "DequantizeLinear"), known(node.input(1), constants)?.dataType == .float32
    {
      tensor = known(node.input(0), constants)
    } else if tensor?.dataType != .float32 {
      return nil
    }
    return tensor?.rank == 1 ? tensor?.count : nil
  }

  private func known(_ value: Graph.ValueID?, _ constants: Constants) -> AnyTensor? {
    guard case .tensor(let tensor)? = value.flatMap({ constants[$0] }) else { return nil }
    return tensor
  }
}
