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
    let result = try scaledDotProductAttention(
      query: arguments.floating(0, as: Scalar.self), key: arguments.floating(1, as: Scalar.self),
      value: arguments.floating(2, as: Scalar.self),
      masks: arguments.optionalFloating(3, as: Scalar.self).map { [.additive($0)] } ?? [], scale: Scalar(scale))
    return [try GraphValue(rounding: result, to: type)]
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let fusedAttention = ShapeRule.rule { facts in
    let (query, value) = try (facts.input(0), facts.shape(2))
    guard let features = value.last, query.shape.count == value.count,
      query.shape.dropLast(2) == value.dropLast(2)
    else { throw ShapeFacts.Unknown() }
    return [InferredType(query.elementType, query.shape.dropLast() + [features])]
  }
}
