import Apus

extension Operators {
  static let integerProducts: [OperatorDefinition] = [
    OperatorDefinition(
      "MatMulInteger", .product(.matMulInteger, work: .matrixProduct, accuracy: .sum(.columns)), MatMulInteger),
    OperatorDefinition(
      "QLinearMatMul",
      .product(
        .qLinearMatMul, work: .matrixProduct, accuracy: .sum(.columns), float64: .roundsToLevels),
      QLinearMatMul),
    OperatorDefinition(
      "MatMulIntegerToFloat", domain: "com.microsoft",
      .product(.matMulIntegerToFloat, work: .matrixProduct, accuracy: .sum(.columns)),
      MatMulIntegerToFloat),
    OperatorDefinition(
      "DynamicQuantizeMatMul", domain: "com.microsoft",
      .product(
        .dynamicQuantizeMatMul, work: .matrixProduct, accuracy: .sum(.columns), float64: .roundsInputs),
      DynamicQuantizeMatMul),
    OperatorDefinition(
      "QGemm", domain: "com.microsoft",
      .product(.qGemm, work: .matrixProduct, accuracy: .sum(.columnsOrRows), float64: .roundsInputs),
      QGemm),
  ]

  /// `Σ (a - a zero point)(b - b zero point)` as INT32, exact, over the last two axes, broadcast over the others. Zero
  /// points are one, or one for each row of `a` and each column of `b`.
  static func MatMulInteger(_ node: NodeDescription) throws -> PreparedOperator {
    let right = try IntegerRight(node, matrix: 1, zeroPoint: 3)
    return { arguments in
      [GraphValue(try right.product(arguments, left: arguments.tensor(0), zeroPoint: arguments.optionalTensor(2)))]
    }
  }

  /// `saturate(round(product · a scale · b scale / y scale) + y zero point)` of the product that ``MatMulInteger(_:)``
  /// has. Scales are one, or one for each row of `a` and each column of `b`.
  static func QLinearMatMul(_ node: NodeDescription) throws -> PreparedOperator {
    let right = try IntegerRight(node, matrix: 3, zeroPoint: 5)
    return { arguments in
      let a = try arguments.tensor(0)
      let aPoint = try arguments.optionalTensor(2)
      let target = try arguments.tensor(7)
      let (aScale, bScale) = (try arguments.scale(1), try arguments.scale(4))
      let scale = try (aScale.asRows(of: a.shape) * bScale.asColumns).rounded(to: arguments.floatingType(1))
      let ratio = try (scale / arguments.scale(6).reshaped([])).rounded(to: arguments.floatingType(6))
      if let packed = right.packed, aScale.count == 1, bScale.rank <= 1, aPoint?.count ?? 1 == 1, a.rank > 1 {
        return [try packed.requantized(a, zeroPoint: aPoint, scale: ratio, outputZeroPoint: target)]
      }
      if aScale.count == 1, bScale.rank <= 1, let matrices = try right.matrices(arguments, left: a, zeroPoint: aPoint) {
        switch target {
        case .int8(let y):
          return [GraphValue(try matrices.requantizedProduct(scale: ratio, outputZeroPoint: y.reshaped([]).scalar))]
        case .uint8(let y):
          return [GraphValue(try matrices.requantizedProduct(scale: ratio, outputZeroPoint: y.reshaped([]).scalar))]
        default: break
        }
      }
      let product = try right.product(arguments, left: a, zeroPoint: aPoint).converted(to: Float.self)
      return [try GraphValue(requantizing: product * ratio, zeroPoint: target)]
    }
  }

  /// The product of ``MatMulInteger(_:)`` times the scales of both sides, plus a bias.
  static func MatMulIntegerToFloat(_ node: NodeDescription) throws -> PreparedOperator {
    let right = try IntegerRight(node, matrix: 1, zeroPoint: 5)
    return { arguments in
      let type = try arguments.floatingType(2)
      let a = try arguments.tensor(0)
      let (aScale, bScale) = (try arguments.scale(2), try arguments.scale(3))
      let bias = try arguments.has(6) ? arguments.scale(6) : nil
      let zeroPoint = try arguments.optionalTensor(4)
      if type == .double {
        let scale =
          try arguments.floating(2, as: Double.self).asRows(of: a.shape)
          * arguments.floating(3, as: Double.self).asColumns
        let product = try right.product(arguments, left: a, zeroPoint: zeroPoint).converted(to: Double.self) * scale
        return [GraphValue(try arguments.optionalFloating(6, as: Double.self).map { try product + $0 } ?? product)]
      }
      if let packed = right.packed, aScale.count == 1, bScale.rank <= 1, zeroPoint?.count ?? 1 == 1, a.rank > 1 {
        let scale = try aScale.reshaped([]) * bScale
        return [try GraphValue(rounding: packed.scaled(a, zeroPoint: zeroPoint, scale: scale, bias: bias), to: type)]
      }
      let product = try right.product(arguments, left: a, zeroPoint: zeroPoint).converted(to: Float.self)
      let scaled = try product * (aScale.asRows(of: a.shape) * bScale.asColumns)
      return [try GraphValue(rounding: bias.map { try scaled + $0 } ?? scaled, to: type)]
    }
  }

  /// ``MatMulIntegerToFloat(_:)`` of a matrix that is quantised as ``DynamicQuantizeLinear(_:)`` does.
  static func DynamicQuantizeMatMul(_ node: NodeDescription) throws -> PreparedOperator {
    let right = try IntegerRight(node, matrix: 1, zeroPoint: 3)
    return { arguments in
      let type = try arguments.floatingType(0)
      let a = try dynamicQuantizeLinear(arguments.floating(0, as: Float.self))
      let bScale = try arguments.scale(2)
      let bias = try arguments.has(4) ? arguments.scale(4) : nil
      let (values, point) = (AnyTensor(a.values), AnyTensor(try Tensor([a.zeroPoint], shape: [])))
      if let packed = right.packed, bScale.rank <= 1, values.rank > 1 {
        let scaled = try packed.scaled(values, zeroPoint: point, scale: bScale * a.scale, bias: bias)
        return [try GraphValue(rounding: scaled, to: type)]
      }
      let product = try right.product(arguments, left: values, zeroPoint: point).converted(to: Float.self)
      let scaled = try product * (bScale.asColumns * a.scale)
      return [try GraphValue(rounding: bias.map { try scaled + $0 } ?? scaled, to: type)]
    }
  }

  /// `saturate(round((Σ (a - za)(b - zb) + c) · alpha · a scale · b scale / y scale) + y zero point)`, or the numbers
  /// themselves where no scale of `y` is given. Both matrices may be transposed.
  static func QGemm(_ node: NodeDescription) throws -> PreparedOperator {
    let (transposesA, transposesB) = (try node.flag("transA"), try node.flag("transB"))
    let alpha = try node.float("alpha", default: 1)
    let right = try IntegerRight(node, matrix: 3, zeroPoint: 5, isTransposed: transposesB)
    let ratio = ScaleProduct(node, of: [1, 4, 7]) {
      try $0(1).reshaped([]).scalar * $0(4) * alpha / $0(7).reshaped([]).scalar
    }
    return { arguments in
      var a = try arguments.tensor(0)
      guard a.rank == 2 else { throw OperatorError("A has shape \(a.shape); a matrix is needed") }
      if transposesA { a = try a.transposedMatrix() }
      let bias = try arguments.has(6) ? arguments.tensor(6, of: Int32.self) : nil
      if let packed = right.packed, arguments.has(7), try arguments.optionalTensor(2)?.count ?? 1 == 1,
        try arguments.floatingType(1) == .float, bias?.shape ?? [packed.columns] == [packed.columns]
      {
        let scale = try ratio(arguments)
        if scale.rank <= 1 {
          return [
            try packed.requantized(
              a, zeroPoint: arguments.optionalTensor(2), bias: bias, scale: scale, outputZeroPoint: arguments.tensor(8))
          ]
        }
      }
      var product = try right.product(arguments, left: a, zeroPoint: arguments.optionalTensor(2))
      if let bias { product = try product.adding(bias) }
      let scaled = ScaledProduct<Float>(product: product, alpha: alpha)
      guard arguments.has(7) else {
        let type = try arguments.floatingType(1)
        return try evaluate(
          scaled, ScaledProduct<Double>(product: product, alpha: alpha), on: &arguments, type: type)
      }
      return [try GraphValue(requantizing: scaled.numbers(arguments), zeroPoint: arguments.tensor(8))]
    }
  }
}

/// Sums of products of integers as numbers, in the working type of the scales.
private struct ScaledProduct<Scalar: FloatingPointScalar>: FloatingOperator {
  let product: Tensor<Int32>
  let alpha: Float

  func numbers(_ arguments: Arguments) throws -> Tensor<Scalar> {
    var scale =
      try arguments.floating(1, as: Scalar.self).reshaped([])
      * arguments.floating(4, as: Scalar.self) * Scalar(alpha)
    if arguments.has(7) { scale = try scale / arguments.floating(7, as: Scalar.self).reshaped([]) }
    return try product.converted(to: Scalar.self) * scale
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    [GraphValue(try numbers(arguments))]
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let matMulInteger = ShapeRule.rule { facts in
    [InferredType(.int32, try MatMulShapes(facts.shape(0), facts.shape(1)).result)]
  }

  static let qLinearMatMul = ShapeRule.rule { facts in
    [InferredType(facts.elementType(7), try MatMulShapes(facts.shape(0), facts.shape(3)).result)]
  }

  static let matMulIntegerToFloat = ShapeRule.rule { facts in
    let a = try facts.shape(0)
    let product = try MatMulShapes(a, facts.shape(1)).result
    var rows = try facts.shape(2)
    if rows.count == 1, a.count > 1 { rows.append(1) }
    let others = try [rows, facts.shape(3)] + (facts.has(6) ? [facts.shape(6)] : [])
    return [InferredType(facts.elementType(2), try unstretched(product, by: others))]
  }

  static let dynamicQuantizeMatMul = ShapeRule.rule { facts in
    let product = try MatMulShapes(facts.shape(0), facts.shape(1)).result
    let others = try [facts.shape(2)] + (facts.has(4) ? [facts.shape(4)] : [])
    return [InferredType(facts.elementType(0), try unstretched(product, by: others))]
  }

  static let qGemm = ShapeRule.rule { facts in
    let (a, b) = try (facts.shape(0), facts.shape(3))
    guard a.count == 2, b.count == 2 else { throw ShapeFacts.Unknown() }
    let rows = try facts.node.flag("transA") ? a[1] : a[0]
    let columns = try facts.node.flag("transB") ? b[0] : b[1]
    let type = facts.has(7) ? facts.elementType(8) : facts.elementType(1).map { $0 == .double ? .double : .float }
    return [InferredType(type, try unstretched([rows, columns], by: [facts.shape(4)]))]
  }

  /// A product of shape `product`, which scales and biases may not stretch.
  static func unstretched(_ product: [Int], by others: [[Int]]) throws -> [Int] {
    for other in others where try Shape.broadcast(product, other, operation: "broadcast") != product {
      throw ShapeFacts.Unknown()
    }
    return product
  }
}
