import Apus

extension Operators {
  /// `prob_mod(softmax(score_mod(Q · Kᵀ · scale))) · V`, where the graphs `score_mod` and `prob_mod` may change scores
  /// and probabilities of `[batch, heads, queries, keys]`.
  static func FlexAttention(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try FlexAttentionOperator<Float>(node), try FlexAttentionOperator<Double>(node))
  }
}

private struct FlexAttentionOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let scale: Float?
  let precision: ElementType?
  let scoreModifier: (any PreparedSubgraph)?
  let probabilityModifier: (any PreparedSubgraph)?

  init(_ node: NodeDescription) throws {
    scale = try node.optionalFloat("scale")
    precision = try node.softmaxPrecision()
    func modifier(_ name: String) throws -> (any PreparedSubgraph)? {
      guard node.node.subgraphs[name] != nil else { return nil }
      let graph = try node.subgraph(name)
      guard graph.inputCount == 1, graph.outputCount == 1 else {
        throw OperatorError(
          "\(name) has \(graph.inputCount) inputs and \(graph.outputCount) outputs; one of each is needed")
      }
      return graph
    }
    scoreModifier = try modifier("score_mod")
    probabilityModifier = try modifier("prob_mod")
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    func heads(_ index: Int) throws -> AttentionHeads<Scalar> {
      let tensor = try arguments.floating(index, as: Scalar.self)
      guard tensor.rank == 4 else {
        throw OperatorError("input \(index) has shape \(tensor.shape); [batch, heads, time, features] is needed")
      }
      return try AttentionHeads(tensor, heads: 0)
    }
    let (query, key, value) = (try heads(0), try heads(1), try heads(2))
    guard key.heads == value.heads, key.time == value.time else {
      throw OperatorError("key \(key.tensor.shape) and value \(value.tensor.shape) do not fit each other")
    }
    // DOUBLE is never computed in less.
    let precision = type == .double ? .double : self.precision ?? .float
    var steps = AttentionSteps<Scalar>(precision: precision, type: type)
    steps.options.scale = scale.map { Scalar($0) }
    var scores = try steps.scores(query: query, key: key)
    scores = try modified(scores, scoreModifier, "score_mod", precision, arguments)
    var probabilities = try steps.probabilities(scores)
    probabilities = try modified(probabilities, probabilityModifier, "prob_mod", precision, arguments)
    return [try GraphValue(rounding: steps.product(probabilities, value, like: query), to: type)]
  }

  private func modified(
    _ tensor: Tensor<Scalar>, _ graph: (any PreparedSubgraph)?, _ name: String, _ precision: ElementType,
    _ arguments: Arguments
  ) throws -> Tensor<Scalar> {
    guard let graph else { return tensor }
    let results = try graph([GraphValue(rounding: tensor, to: precision)], arguments)
    guard case .tensor(let result)? = results.first, result.dataType.isFloatingPoint, result.shape == tensor.shape
    else {
      throw OperatorError(
        "\(name) gave \(results.first.map { "\($0.type)" } ?? "nothing"); a floating-point tensor of shape "
          + "\(tensor.shape) is needed")
    }
    return try result.tensor(of: Scalar.self) ?? result.converted()
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let flexAttention = ShapeRule.rule { facts in
    let (query, value) = try (facts.shape(0), facts.shape(2))
    guard query.count == 4, value.count == 4 else { throw ShapeFacts.Unknown() }
    return [InferredType(facts.elementType(0), query.replacing(3, with: value[3]))]
  }
}
