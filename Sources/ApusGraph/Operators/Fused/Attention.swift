import Apus

extension Operators {
  /// softmax(query · keyᵀ · scale + mask) · value over `[…, tokens, features]`; what AttentionFusion makes.
  static func FusedAttention(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try FusedAttentionOperator<Float>(node), try FusedAttentionOperator<Double>(node))
  }
}

private struct FusedAttentionOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let scale: Float

  init(_ node: NodeDescription) throws { scale = try node.float("scale", default: 1) }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let (query, key) = try (arguments.floating(0, as: Scalar.self), arguments.floating(1, as: Scalar.self))
    let value = try arguments.floating(2, as: Scalar.self)
    let mask = try arguments.optionalFloating(3, as: Scalar.self)
    guard query.rank >= 2, value.rank >= 2, mask.map({ FusedAttention.fits($0.shape, query.shape, key.shape) }) ?? true
    else {
      // Written out, as it was: a mask with more axes than the scores, or longer ones, makes more of them.
      let scores = try matrixProduct(query, key.transposed(), activation: .identity) * Scalar(scale)
      let weights = try softmax(mask.map { try scores + $0 } ?? scores)
      return [try GraphValue(rounding: matrixProduct(weights, value, activation: .identity), to: type)]
    }
    let result = try scaledDotProductAttention(
      query: query, key: key, value: value, masks: mask.map { [.additive($0)] } ?? [], scale: Scalar(scale))
    return [try GraphValue(rounding: result, to: type)]
  }
}

private enum FusedAttention {
  /// Whether a mask leaves the shape of the scores of such queries and keys as it is.
  static func fits(_ mask: [Int], _ query: [Int], _ key: [Int]) -> Bool {
    guard query.count >= 2, key.count >= 2,
      let outer = try? Shape.broadcast(
        Array(query.dropLast(2)), Array(key.dropLast(2)), operation: "attention")
    else { return false }
    let scores = outer + [query[query.count - 2], key[key.count - 2]]
    return (try? Shape.broadcast(mask, scores, operation: "attention")) == scores
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let fusedAttention = ShapeRule.rule { facts in
    let (query, key, value) = try (facts.input(0), facts.shape(1), facts.shape(2))
    guard let features = value.last, query.shape.count == value.count, value.count >= 2,
      query.shape.dropLast(2) == value.dropLast(2), query.shape.dropLast(2) == key.dropLast(2),
      try !facts.node.has(3) || FusedAttention.fits(facts.shape(3), query.shape, key)
    else { throw ShapeFacts.Unknown() }
    return [InferredType(query.elementType, query.shape.dropLast() + [features])]
  }
}
