import Apus

extension Operators {
  static let microsoftProducts: [OperatorDefinition] = [
    OperatorDefinition(
      "FusedMatMul", domain: "com.microsoft",
      .product(.fusedMatMul, work: .fusedMatMul, accuracy: .sumOfProducts(.fusedMatMul)),
      FusedMatMul),
    // Its former name.
    OperatorDefinition(
      "TransposeMatMul", domain: "com.microsoft",
      .product(.fusedMatMul, work: .fusedMatMul, accuracy: .sumOfProducts(.fusedMatMul)),
      FusedMatMul),
  ]

  /// The standard's MatMul of operands whose axes change places first, times `alpha`.
  static func FusedMatMul(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try FusedProduct<Float>(node), try FusedProduct<Double>(node))
  }
}

/// How the axes of an operand change places: with `transBatch` the first one comes before the last one, and with `trans` the last
/// two change places then.
private struct OperandOrder: Sendable {
  let movesBatch: Bool
  let transposes: Bool

  init(_ node: NodeDescription, _ operand: String) throws {
    movesBatch = try node.flag("transBatch" + operand)
    transposes = try node.flag("trans" + operand)
  }

  /// Of the left operand. Attributes that are no integers count nothing here: such a node is not prepared.
  init(left shapes: NodeShapes) {
    movesBatch = shapes.int("transBatchA") ?? 0 != 0
    transposes = shapes.int("transA") ?? 0 != 0
  }

  /// The axes of `rank` in their order; nil where it stays. A single axis has no other place.
  func axes(rank: Int) -> [Int]? {
    guard rank > 1, movesBatch && rank > 2 || transposes else { return nil }
    var axes = Array(0..<rank)
    if movesBatch { axes.insert(axes.removeFirst(), at: rank - 2) }
    if transposes { axes.swapAt(rank - 2, rank - 1) }
    return axes
  }

  func applied<Element>(to shape: [Element]) -> [Element] { axes(rank: shape.count)?.map { shape[$0] } ?? shape }

  func applied<Scalar: FloatingPointScalar>(to x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try axes(rank: x.rank).map { try x.permuted($0) } ?? x
  }
}

/// FusedMatMul in one working type. A right operand that is known is laid out when the node is prepared.
private struct FusedProduct<Scalar: FloatingPointScalar>: FloatingOperator {
  private let alpha: Scalar
  private let left: OperandOrder
  private let right: OperandOrder
  private let matrix: RightMatrix<Scalar>?

  init(_ node: NodeDescription) throws {
    alpha = Scalar(try node.float("alpha", default: 1))
    (left, right) = (try OperandOrder(node, "A"), try OperandOrder(node, "B"))
    guard let b = try node.ownConstant(1, as: Scalar.self).map({ [right] in try right.applied(to: $0) }),
      RightMatrix<Scalar>.accepts(b.shape)
    else {
      matrix = nil
      return
    }
    matrix = try RightMatrix(b)
    node.absorb(1)
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let a = try left.applied(to: arguments.floating(0, as: Scalar.self))
    let product =
      try matrix.map { try $0(a, activation: .identity) }
      ?? matrixProduct(a, right.applied(to: arguments.floating(1, as: Scalar.self)), activation: .identity)
    return [try GraphValue(rounding: alpha == 1 ? product : product * alpha, to: type)]
  }
}

// MARK: - Work

extension NodeShapes {
  /// What each output adds up over: a row of the left operand when its axes have changed places.
  fileprivate var innerExtent: Int? { known(0).flatMap { OperandOrder(left: self).applied(to: $0).last } }
}

extension Work {
  fileprivate static let fusedMatMul: Work = .multiplyAdds { shapes in
    guard let inner = shapes.innerExtent, let output = shapes.output else { return nil }
    return output.product.multipliedClamped(by: inner)
  }
}

extension TermCount {
  fileprivate static let fusedMatMul: TermCount = .counted { $0.innerExtent ?? 1 }
}

// MARK: - Shapes

extension ShapeRule {
  static let fusedMatMul = ShapeRule.rule { facts in
    let a = try OperandOrder(facts.node, "A").applied(to: facts.shape(0))
    let b = try OperandOrder(facts.node, "B").applied(to: facts.shape(1))
    return [InferredType(facts.elementType(0), try MatMulShapes(a, b).result)]
  }
}
