import Apus

// All positions of `[batch, channels, …]` reduced to one number per channel; their axes stay with extent 1.

extension Operators {
  static let globalPoolings: [OperatorDefinition] = [
    OperatorDefinition(
      "GlobalAveragePool", .reduction(.globalPooling, terms: .elementsPerOutput, accuracy: .sumOfElements),
      GlobalAveragePool),
    OperatorDefinition("GlobalMaxPool", .reduction(.globalPooling, terms: .elementsPerOutput), GlobalMaxPool),
    OperatorDefinition("GlobalLpPool", .reduction(.globalPooling, terms: .elementsPerOutput), GlobalLpPool),
  ]

  /// The mean of each channel.
  static func GlobalAveragePool(_ node: NodeDescription) throws -> PreparedOperator { floating(MeanOfChannel()) }

  /// The greatest element of each channel.
  static func GlobalMaxPool(_ node: NodeDescription) throws -> PreparedOperator { floating(GreatestOfChannel()) }

  /// `(Σ |x|ᵖ)^(1/p)` of each channel.
  static func GlobalLpPool(_ node: NodeDescription) throws -> PreparedOperator {
    floating(NormOfChannel(norm: try LpNorm(node)))
  }
}

private struct MeanOfChannel: FloatingFunction {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    // Whatever the layout, so that it does not show in the bits.
    try TensorLayout.canBlock(x.shape, Real.dataType)
      ? globalAveragePool(x) : x.mean(axes: x.positions, keepDims: true)
  }
}

private struct GreatestOfChannel: FloatingFunction {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    try x.layout == .channelBlocked ? globalMaxPool(x) : x.amax(axes: x.positions, keepDims: true)
  }
}

private struct NormOfChannel: FloatingFunction {
  let norm: LpNorm

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    try norm.root(norm.powers(x).sum(axes: x.positions, keepDims: true))
  }
}

extension Tensor {
  /// The axes of a map's positions.
  fileprivate var positions: [Int] {
    get throws {
      guard rank >= 3 else {
        throw OperatorError("the input has shape \(shape); [batch, channels, …] with positions is needed")
      }
      return Array(2..<rank)
    }
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
