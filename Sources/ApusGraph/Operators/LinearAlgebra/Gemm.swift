import Apus

extension Operators {
  /// `alpha · A · B + beta · C` with matrices that may be transposed, and a C that is stretched over the product.
  static func Gemm(_ node: NodeDescription) throws -> PreparedOperator {
    let (float, double) = (try GemmOperator<Float>(node), try GemmOperator<Double>(node))
    let attributes = try GemmAttributes(node)
    return { arguments in
      let type = try arguments.dataType(0)
      if type.isFloatingPoint { return try evaluate(float, double, on: &arguments, type: ElementType(type)) }
      let gemm = WholeNumberGemm(attributes: attributes, arguments: arguments)
      guard let result = try type.visitWholeNumber(gemm) else {
        throw OperatorError("there are no products of \(ElementType(type))")
      }
      return [result]
    }
  }
}

private struct GemmAttributes: Sendable {
  let alpha: Float
  let beta: Float
  let transposesA: Bool
  let transposesB: Bool
  let activation: Activation

  init(_ node: NodeDescription) throws {
    alpha = try node.float("alpha", default: 1)
    beta = try node.float("beta", default: 1)
    transposesA = try node.flag("transA")
    transposesB = try node.flag("transB")
    activation = node.activation
  }
}

/// Gemm in one working type. A B that is known is laid out when the node is prepared, and a C beside it if it is a row.
private struct GemmOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  private let attributes: GemmAttributes
  private let right: Linear<Scalar>?
  /// C, as long as the rows of the product.
  private let row: Tensor<Scalar>?

  init(_ node: NodeDescription) throws {
    attributes = try GemmAttributes(node)
    guard let b = try node.ownConstant(1, as: Scalar.self) else {
      (right, row) = (nil, nil)
      return
    }
    let right = try Self.layOut(b, attributes)
    self.right = right
    node.absorb(1)
    guard attributes.alpha == 1, attributes.beta == 1, let c = try node.ownConstant(2, as: Scalar.self),
      c.isRow, c.count == right.outputs
    else {
      row = nil
      return
    }
    row = try c.reshaped([c.count])
    node.absorb(2)
  }

  private static func layOut(_ b: Tensor<Scalar>, _ attributes: GemmAttributes) throws -> Linear<Scalar> {
    guard b.rank == 2 else { throw OperatorError("B has shape \(b.shape); a matrix is needed") }
    return try Linear(stacking: [attributes.transposesB ? .outputsFirst(b) : .inputsFirst(b)])
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    var x = try arguments.floating(0, as: Scalar.self)
    guard x.rank == 2 else { throw OperatorError("A has shape \(x.shape); a matrix is needed") }
    if attributes.transposesA { x = try x.transposed() }
    if let right { return [try product(x, right, arguments, type)] }
    let right = try Self.layOut(arguments.floating(1, as: Scalar.self), attributes)
    return [try product(x, right, arguments, type)]
  }

  private func product(
    _ x: Tensor<Scalar>, _ right: Linear<Scalar>, _ arguments: Arguments, _ type: ElementType
  ) throws -> GraphValue {
    guard x.shape[1] == right.inputs else {
      throw OperatorError("A has \(x.shape[1]) columns and B \(right.inputs) rows; they must be equal")
    }
    if let row { return try product(x, right, adding: row, type) }
    let (alpha, beta) = (Scalar(attributes.alpha), Scalar(attributes.beta))
    var addend = try beta == 0 ? nil : arguments.optionalFloating(2, as: Scalar.self)
    if let c = addend {
      let shape = [x.shape[0], right.outputs]
      guard try Shape.broadcast(c.shape, shape, operation: "Gemm") == shape else {
        throw OperatorError("C has shape \(c.shape), which cannot be stretched to \(shape)")
      }
      addend = beta == 1 ? c : try c * beta
    }
    // One row for all rows of the product goes with it.
    if alpha == 1, addend?.isRow ?? true {
      let row = try addend.map { try $0.reshaped([$0.count]).expanded(to: [right.outputs]) }
      return try product(x, right, adding: row, type)
    }
    var y = try right(x)
    if alpha != 1 { y = try y * alpha }
    if let addend { y = try y + addend }
    return try GraphValue(ending: attributes.activation, type) { try Apus.activation(y, $0) }
  }

  private func product(
    _ x: Tensor<Scalar>, _ right: Linear<Scalar>, adding row: Tensor<Scalar>?, _ type: ElementType
  ) throws -> GraphValue {
    try GraphValue(ending: attributes.activation, type) { try right(x, adding: row, activation: $0) }
  }
}

extension Tensor {
  /// Whether it is the same for all rows of a matrix that it is stretched over.
  fileprivate var isRow: Bool { rank < 2 || rank == 2 && shape[0] == 1 }
}

/// Gemm of integers. Factors with a fraction are applied in float64 and cut.
private struct WholeNumberGemm: WholeNumberVisitor {
  let attributes: GemmAttributes
  let arguments: Arguments

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
    let a = try arguments.tensor(0, of: type)
    let b = try arguments.tensor(1, of: type)
    guard a.rank == 2, b.rank == 2 else {
      throw OperatorError("A has shape \(a.shape) and B \(b.shape); matrices are needed")
    }
    let product = try scaled(
      WholeNumberProduct.product(
        attributes.transposesA ? a.transposed() : a, attributes.transposesB ? b.transposed() : b),
      by: attributes.alpha)
    guard arguments.has(2), attributes.beta != 0 else {
      return GraphValue(try product.bounded(by: attributes.activation))
    }
    let c = try scaled(arguments.tensor(2, of: type), by: attributes.beta).expanded(to: product.shape)
    var result = product
    try c.withUnsafeBufferPointer { c in
      try result.withUnsafeMutableBufferPointer { y in
        for index in y.indices { y[index] &+= c[index] }
      }
    }
    return GraphValue(try result.bounded(by: attributes.activation))
  }

  private func scaled<Scalar: WholeNumber>(_ x: Tensor<Scalar>, by factor: Float) throws -> Tensor<Scalar> {
    if factor == 1 { return x }
    if let whole = Scalar(exactly: factor) {
      var result = x
      try result.withUnsafeMutableBufferPointer { y in
        for index in y.indices { y[index] &*= whole }
      }
      return result
    }
    return try (x.converted(to: Double.self) * Double(factor)).converted(to: Scalar.self)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let gemm = ShapeRule.rule { facts in
    let (a, b) = try (facts.shape(0), facts.shape(1))
    guard a.count == 2, b.count == 2 else { throw ShapeFacts.Unknown() }
    let rows = try facts.node.flag("transA") ? a[1] : a[0]
    let columns = try facts.node.flag("transB") ? b[0] : b[1]
    return [InferredType(facts.elementType(0), [rows, columns])]
  }
}
