import Apus

extension Operators {
  static let quantizedAttentions: [OperatorDefinition] = [
    OperatorDefinition(
      "QAttention", domain: "com.microsoft",
      .product(
        .qAttention, work: .projectedAttention(past: 8), accuracy: .sum(.projectedAttention(past: 8)),
        float64: .roundsInputs),
      QAttention)
  ]

  /// ONNX Runtime's attention with an exact projection of 8-bit integers, whose sums are scaled to numbers.
  static func QAttention(_ node: NodeDescription) throws -> PreparedOperator {
    let settings = try MicrosoftAttentionSettings(node)
    let right = try IntegerRight(node, matrix: 1, zeroPoint: 7)
    return floating(
      likeInput: 3, QAttentionOperator<Float>(settings: settings, right: right),
      QAttentionOperator<Double>(settings: settings, right: right))
  }
}

private struct QAttentionOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let settings: MicrosoftAttentionSettings
  let right: IntegerRight

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.tensor(0)
    guard x.rank == 3 else {
      throw OperatorError("the input has shape \(x.shape); [batch, time, features] is needed")
    }
    let sums = try right.product(arguments, left: x, zeroPoint: arguments.optionalTensor(6))
    let scale =
      try arguments.floating(3, as: Scalar.self).reshaped([])
      * arguments.floating(4, as: Scalar.self).asColumns
    var projected = try sums.converted(to: Scalar.self) * scale
    if let bias = try arguments.optionalFloating(2, as: Scalar.self) { projected = try projected + bias }
    return try attention(
      projected, mask: arguments.optionalTensor(5), past: arguments.optionalFloating(8, as: Scalar.self), bias: nil,
      sizes: nil, settings: settings, type: type)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let qAttention = ShapeRule.rule { facts in
    let (x, weight) = try (facts.shape(0), facts.shape(1))
    guard x.count == 3, weight.count == 2 else { throw ShapeFacts.Unknown() }
    let others = try [facts.shape(4)] + (facts.has(2) ? [facts.shape(2)] : [])
    let projected = try unstretched(x.dropLast() + [weight[1]], by: others)
    return try projectedAttention(facts, projected, sizes: nil, past: 8, like: 3)
  }
}
