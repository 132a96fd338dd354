import Apus

extension Operators {
  /// softmax(query · keyᵀ · scale + mask) · value over `[…, tokens, features]`; what AttentionFusion makes.
  static func FusedAttention(_ node: NodeDescription) throws -> PreparedOperator {
    let scale = try node.float("scale", default: 1)
    @Sendable func attention<Scalar: FloatingPointScalar>(
      _ arguments: Arguments, _ type: Scalar.Type, scale: Scalar
    ) throws -> Tensor<Scalar> {
      try scaledDotProductAttention(
        query: arguments.floating(0, as: type), key: arguments.floating(1, as: type),
        value: arguments.floating(2, as: type),
        masks: arguments.optionalFloating(3, as: type).map { [.additive($0)] } ?? [], scale: scale)
    }
    return floating(
      { try attention($0, Float.self, scale: scale) }, { try attention($0, Double.self, scale: Double(scale)) })
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
