import Apus

// All positions of `[batch, channels, …]` reduced to one number per channel; their axes stay with extent 1.

extension Operators {
  static let globalPoolings: [OperatorDefinition] = [
    OperatorDefinition("GlobalAveragePool", .reduction(.globalPooling, terms: .elementsPerOutput), GlobalAveragePool),
    OperatorDefinition("GlobalMaxPool", .reduction(.globalPooling, terms: .elementsPerOutput), GlobalMaxPool),
    OperatorDefinition("GlobalLpPool", .reduction(.globalPooling, terms: .elementsPerOutput), GlobalLpPool),
  ]

  /// The mean of each channel.
  static func GlobalAveragePool(_ node: NodeDescription) throws -> PreparedOperator {
    @Sendable func pooled<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
      try x.layout == .channelBlocked ? globalAveragePool(x) : x.mean(axes: positions(x), keepDims: true)
    }
    return floatingUnary({ try pooled($0) }, { try pooled($0) })
  }

  /// The greatest element of each channel.
  static func GlobalMaxPool(_ node: NodeDescription) throws -> PreparedOperator {
    @Sendable func pooled<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
      try x.layout == .channelBlocked ? globalMaxPool(x) : x.amax(axes: positions(x), keepDims: true)
    }
    return floatingUnary({ try pooled($0) }, { try pooled($0) })
  }

  /// `(Σ |x|ᵖ)^(1/p)` of each channel.
  static func GlobalLpPool(_ node: NodeDescription) throws -> PreparedOperator {
    let norm = try LpNorm(node)
    @Sendable func pooled<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
      try norm.root(norm.powers(x).sum(axes: positions(x), keepDims: true))
    }
    return floatingUnary({ try pooled($0) }, { try pooled($0) })
  }

  private static func positions<Scalar>(_ x: Tensor<Scalar>) throws -> [Int] {
    guard x.rank >= 3 else {
      throw OperatorError("the input has shape \(x.shape); [batch, channels, …] with positions is needed")
    }
    return Array(2..<x.rank)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let globalPooling = ShapeRule.rule { facts in
    let x = try facts.input(0)
    guard x.shape.count >= 3 else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, x.shape.prefix(2) + x.shape.dropFirst(2).map { _ in 1 })]
  }
}
