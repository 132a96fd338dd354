import Apus

// What IntegerFusion makes of an integer convolution or product and the nodes after it. Inputs are those of the standard's
// operator, then the scale and, when there are any, the bias, and the scale and the zero point of the result.

extension Operators {
  /// `activation(Float(sums) · scale + bias)` of ``ConvInteger(_:)``, perhaps quantised.
  static func FusedConvInteger(_ node: NodeDescription) throws -> PreparedOperator {
    let kernel = try IntegerKernel(node, weight: 1, zeroPoint: 3, bias: nil)
    let activation = node.activation
    return { arguments in
      let (scale, bias) = (try arguments.scale(4), try arguments.optionalFloating(5, as: Float.self))
      let convolution = try kernel.prepared(arguments)
      let (x, zeroPoint) = (try arguments.tensor(0), try arguments.optionalTensor(2))
      let shift = try bias?.eachChannel(of: convolution.outputs, axes: x.rank)
      let levels = try arguments.resultLevels()
      if let scale = try scale.eachChannel(of: convolution.outputs, axes: x.rank), (shift == nil) == (bias == nil) {
        return [
          try convolution.scaled(
            x, zeroPoint: zeroPoint, scale: scale, bias: shift, activation: activation, levels: levels)
        ]
      }
      // A scale of another shape is broadcast as it would be by nodes.
      let scaled = try convolution.sums(x, zeroPoint: zeroPoint).converted(to: Float.self) * scale
      return [try levels.quantized(Apus.activation(bias.map { try scaled + $0 } ?? scaled, activation))]
    }
  }

  /// `activation(Float(product) · scale + bias)` of ``MatMulInteger(_:)``, perhaps quantised. With the attribute `exact`
  /// sums that 32 bits may have no room for are not wrapped around.
  static func FusedMatMulInteger(_ node: NodeDescription) throws -> PreparedOperator {
    let right = try IntegerRight(node, matrix: 1, zeroPoint: 3)
    let activation = node.activation
    let isExact = try node.flag("exact")
    return { arguments in
      let (scale, bias) = (try arguments.scale(4), try arguments.optionalFloating(5, as: Float.self))
      let (a, zeroPoint) = (try arguments.tensor(0), try arguments.optionalTensor(2))
      let levels = try arguments.resultLevels()
      if isExact, a.shape.last ?? 0 > IntegerRight.mostTerms {
        let product = try right.wideProduct(arguments, left: a, zeroPoint: zeroPoint).converted(to: Float.self) * scale
        return [try levels.quantized(Apus.activation(bias.map { try product + $0 } ?? product, activation))]
      }
      if let packed = right.packed, zeroPoint?.count ?? 1 == 1, a.rank > 1, scale.rank <= 1,
        [1, packed.columns].contains(scale.count), bias?.count ?? packed.columns == packed.columns
      {
        if activation == .identity,
          let result = try packed.quantized(a, zeroPoint: zeroPoint, scale: scale, bias: bias, levels: levels)
        {
          return [result]
        }
        let product = try packed.scaled(a, zeroPoint: zeroPoint, scale: scale, bias: bias)
        return [try levels.quantized(Apus.activation(product, activation))]
      }
      if bias == nil, scale.count == 1 || scale.rank == 1,
        let matrices = try right.matrices(arguments, left: a, zeroPoint: zeroPoint)
      {
        if activation == .identity, let result = try levels.product(of: matrices, scale: scale) { return [result] }
        return [try levels.quantized(Apus.activation(matrices.scaledProduct(scale: scale), activation))]
      }
      let scaled = try right.product(arguments, left: a, zeroPoint: zeroPoint).converted(to: Float.self) * scale
      return [try levels.quantized(Apus.activation(bias.map { try scaled + $0 } ?? scaled, activation))]
    }
  }
}

/// The levels that numbers are quantised to, one scale and one zero point for all of them.
enum ResultLevels {
  /// Numbers stay what they are.
  case none
  case uint8(scale: Float, zeroPoint: UInt8)
  case int8(scale: Float, zeroPoint: Int8)

  /// The numbers, quantised.
  func quantized(_ x: Tensor<Float>) throws -> GraphValue {
    switch self {
    case .none: GraphValue(x)
    case .uint8(let scale, let zeroPoint): try Self.quantized(x, scale, zeroPoint)
    case .int8(let scale, let zeroPoint): try Self.quantized(x, scale, zeroPoint)
    }
  }

  /// A product, scaled and quantised at once; nil where it is not, or numbers have to lie in memory.
  func product(of matrices: IntegerMatrices, scale: Tensor<Float>) throws -> GraphValue? {
    switch self {
    case .none: nil
    case .uint8(let output, let zeroPoint):
      try matrices.quantizedProduct(scale: scale, outputScale: output, outputZeroPoint: zeroPoint).map(GraphValue.init)
    case .int8(let output, let zeroPoint):
      try matrices.quantizedProduct(scale: scale, outputScale: output, outputZeroPoint: zeroPoint).map(GraphValue.init)
    }
  }

  private static func quantized<Result: ByteScalar>(
    _ x: Tensor<Float>, _ scale: Float, _ zeroPoint: Result
  ) throws -> GraphValue {
    GraphValue(
      try quantizeLinear(x, scale: Tensor([scale], shape: []), zeroPoint: Tensor([zeroPoint], shape: [])))
  }
}

extension Arguments {
  /// What a fused node's last two inputs say of its result.
  fileprivate func resultLevels() throws -> ResultLevels {
    guard has(6) else { return .none }
    let scale = try single(6)
    switch try tensor(7) {
    case .uint8(let point): return .uint8(scale: scale, zeroPoint: try point.reshaped([]).scalar)
    case .int8(let point): return .int8(scale: scale, zeroPoint: try point.reshaped([]).scalar)
    case let other: throw OperatorError("the zero point is \(ElementType(other.dataType)); INT8 or UINT8 is needed")
    }
  }
}

extension Tensor {
  /// One number for all channels of a map, or one for each, in a list; nil when broadcasting means something else.
  ///
  /// - Parameter axes: those of the map, `[batch, channels, …]`.
  fileprivate func eachChannel(of channels: Int, axes: Int) throws -> Tensor? {
    guard rank <= axes else { return nil }
    if count == 1 { return try reshaped([1]) }
    let shape = [Int](repeating: 1, count: axes - rank) + shape
    guard axes > 1, count == channels, shape[1] == channels else { return nil }
    return try reshaped([channels])
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let fusedConvInteger = ShapeRule.rule { facts in
    let sums = try convolved(facts.shape(0), weight: facts.shape(1), facts.node)
    return [InferredType(resultType(facts), try scaled(facts, sums))]
  }

  static let fusedMatMulInteger = ShapeRule.rule { facts in
    [InferredType(resultType(facts), try scaled(facts, MatMulShapes(facts.shape(0), facts.shape(1)).result))]
  }

  /// FLOAT, or what it is quantised to.
  private static func resultType(_ facts: ShapeFacts) -> ElementType? { facts.has(7) ? facts.elementType(7) : .float }

  /// Sums of shape `sums` times a scale, input 4, plus a bias, input 5.
  private static func scaled(_ facts: ShapeFacts, _ sums: [Int]) throws -> [Int] {
    try [4, 5].reduce(sums) { shape, index in
      facts.has(index) ? try Shape.broadcast(shape, facts.shape(index), operation: "broadcast") : shape
    }
  }
}
