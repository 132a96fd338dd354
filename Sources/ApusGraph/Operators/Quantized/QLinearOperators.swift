import Apus

// ONNX Runtime's functions of quantised tensors: what the function gives for the numbers that the integers stand for,
// quantised again. Scales and zero points of a tensor are one each.

extension Operators {
  static let quantizedFunctions: [OperatorDefinition] = [
    OperatorDefinition(
      "QLinearAdd", domain: "com.microsoft", .plain(.qLinearAdd, float64: .roundsToLevels), QLinearAdd),
    OperatorDefinition(
      "QLinearMul", domain: "com.microsoft", .plain(.qLinearMul, float64: .roundsToLevels), QLinearMul),
    OperatorDefinition(
      "QLinearSigmoid", domain: "com.microsoft", .plain(.qLinearUnary, float64: .roundsToLevels), QLinearSigmoid),
    OperatorDefinition(
      "QLinearLeakyRelu", domain: "com.microsoft", .plain(.qLinearUnary, float64: .roundsToLevels), QLinearLeakyRelu),
    OperatorDefinition(
      "QLinearSoftmax", domain: "com.microsoft",
      .reduction(.qLinearUnary, terms: .alongAxis, accuracy: .bounded, float64: .roundsToLevels), QLinearSoftmax),
    OperatorDefinition(
      "QLinearConcat", domain: "com.microsoft", .plain(.qLinearConcat, float64: .roundsToLevels), QLinearConcat),
    OperatorDefinition(
      "QLinearWhere", domain: "com.microsoft", .plain(.qLinearWhere, float64: .roundsToLevels), QLinearWhere),
    OperatorDefinition(
      "QLinearReduceMean", domain: "com.microsoft",
      .reduction(.qLinearReduceMean, terms: .elementsPerOutput, float64: .roundsToLevels), QLinearReduceMean),
    OperatorDefinition(
      "QLinearGlobalAveragePool", domain: "com.microsoft",
      .reduction(.qLinearGlobalAveragePool, terms: .elementsPerOutput, float64: .roundsToLevels),
      QLinearGlobalAveragePool),
  ]

  /// `a + b`, with broadcasting: `ra · a + (rb · b + rest)` with the scales' ratios to the result's, and everything
  /// else in `rest`. Both sums are rounded to FLOAT once, as ONNX Runtime's are.
  static func QLinearAdd(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let result = try arguments.single(6)
      let (first, second) = (try arguments.single(1) / result, try arguments.single(4) / result)
      let points = try (arguments.zeroPoint(2), arguments.zeroPoint(5), arguments.zeroPoint(7))
      let rest = points.2 - (first * points.0 + second * points.1)
      if [first, second, rest].allSatisfy(\.isFinite) {
        switch (try arguments.bytes(0), try arguments.bytes(3)) {
        case (.uint8(let a), .uint8(let b)):
          if let sum = try addBytes(a, b, aScale: first, bScale: second, rest: rest) { return [GraphValue(sum)] }
        case (.int8(let a), .int8(let b)):
          if let sum = try addBytes(a, b, aScale: first, bScale: second, rest: rest) { return [GraphValue(sum)] }
        default: break
        }
      }
      // A product of a FLOAT and a byte is exact in DOUBLE.
      let b = try (arguments.bytes(3).converted(to: Double.self) * Double(second) + Double(rest)).converted(
        to: Float.self)
      let sum = try arguments.bytes(0).converted(to: Double.self) * Double(first) + b.converted(to: Double.self)
      return [try GraphValue(requantizing: sum.converted(to: Float.self), zeroPoint: arguments.zero(like: 0))]
    }
  }

  /// `a · b`, with broadcasting; the zero point is added before it is rounded, as ONNX Runtime's is.
  static func QLinearMul(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let ratio = try arguments.single(1) * arguments.single(4) / arguments.single(6)
      func product<Scalar: ByteScalar>(_ a: Tensor<Scalar>, _ b: Tensor<Scalar>) throws -> Tensor<Scalar>? {
        let points = try [2, 5, 7].map { index in
          try arguments.optionalTensor(index).map { $0.tensor(of: Scalar.self) } ?? Tensor(zeros: [])
        }.compactMap { $0 }
        guard points.count == 3, ratio.isFinite else { return nil }
        let zeros = try points.map { try $0.reshaped([]).scalar }
        return try multiplyBytes(
          a, b, aZeroPoint: zeros[0], bZeroPoint: zeros[1], scale: ratio, zeroPoint: zeros[2])
      }
      switch (try arguments.bytes(0), try arguments.bytes(3)) {
      case (.uint8(let a), .uint8(let b)): if let product = try product(a, b) { return [GraphValue(product)] }
      case (.int8(let a), .int8(let b)): if let product = try product(a, b) { return [GraphValue(product)] }
      default: break
      }
      let products = try arguments.differences(0) * arguments.differences(3) * ratio
      let point = try arguments.optionalTensor(7) ?? arguments.zero(like: 0)
      return [try GraphValue(requantizing: products, zeroPoint: point, roundsSum: true)]
    }
  }

  /// `1 / (1 + e^-x)`
  static func QLinearSigmoid(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in [try arguments.requantized(0, scale: 3, like: 0) { try sigmoid($0) }] }
  }

  /// `x`, below zero `alpha · x`.
  static func QLinearLeakyRelu(_ node: NodeDescription) throws -> PreparedOperator {
    let slope = Double(try node.float("alpha", default: 0.01))
    return { arguments in
      [try arguments.requantized(0, scale: 3, like: 0) { try leakyReLU($0, negativeSlope: slope) }]
    }
  }

  /// Softmax along `axis`, or, as before opset 13 of the operator that it stands for, over all axes from `axis` on.
  static func QLinearSoftmax(_ node: NodeDescription) throws -> PreparedOperator {
    let version = try node.int("opset")
    let axis = try node.int("axis", default: -1)
    return { arguments in
      let x = try arguments.dequantized(0)
      if version >= 13 { return [try arguments.requantized(softmax(x, axis: axis), scale: 3, like: 0)] }
      let first = try Shape.axis(axis, in: x.shape, operation: "QLinearSoftmax")
      let rows = try x.reshaped(x.shape[..<first] + [x.shape[first...].reduce(1, *)])
      return [try arguments.requantized(softmax(rows).reshaped(x.shape), scale: 3, like: 0)]
    }
  }

  /// Tensors one after the other along `axis`, each with a scale and a zero point of its own.
  static func QLinearConcat(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis")
    guard node.inputCount >= 5, (node.inputCount - 2).isMultiple(of: 3) else {
      throw OperatorError(
        "\(node.inputCount) inputs are not a scale, a zero point and threes of tensor, scale and zero point")
    }
    return { arguments in
      let parts = try stride(from: 2, to: arguments.count, by: 3).map { index in
        try arguments.requantized(index, scale: 0, like: 2) { $0 }
      }
      return [try Concatenation(axis: axis).single(parts)]
    }
  }

  /// `x` where the condition is true, `y` elsewhere.
  static func QLinearWhere(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let condition = try arguments.tensor(0, of: Bool.self)
      let (x, y) = (try arguments.dequantized(1), try arguments.dequantized(4))
      return [try arguments.requantized(Tensor(where: condition, then: x, else: y), scale: 7, like: 1)]
    }
  }

  /// The mean over `axes`.
  static func QLinearReduceMean(_ node: NodeDescription) throws -> PreparedOperator {
    let axes = try node.optionalInts("axes")
    let keeps = try node.flag("keepdims", default: true)
    return { arguments in
      let mean = try arguments.dequantized(0).mean(axes: axes?.isEmpty == false ? axes : nil, keepDims: keeps)
      return [try arguments.requantized(mean, scale: 3, like: 0)]
    }
  }

  /// The mean of each map: the sum of the integers less the zero point, which is exact, times `x scale / (y scale · count)`,
  /// so that no rounding before decides how ties end.
  static func QLinearGlobalAveragePool(_ node: NodeDescription) throws -> PreparedOperator {
    let isLast = try node.flag("channels_last")
    return { arguments in
      let x = try arguments.differences(0)
      guard x.rank >= 3 else { throw OperatorError("x has shape \(x.shape); maps are needed") }
      let axes = isLast ? 1..<(x.rank - 1) : 2..<x.rank
      let count = Float(try Shape.elementCount(Array(x.shape[axes])))
      let scale = try arguments.single(1) / (arguments.single(3) * count)
      let mean = try x.sum(axes: Array(axes), keepDims: true) * scale
      return [try GraphValue(requantizing: mean, zeroPoint: arguments.optionalTensor(4) ?? arguments.zero(like: 0))]
    }
  }
}

extension Arguments {
  /// The numbers that input `index` stands for; its scale and zero point are the two inputs behind it.
  func dequantized(_ index: Int) throws -> Tensor<Float> {
    switch try bytes(index) {
    case .int8(let x): return try dequantized(x, index)
    case .uint8(let x): return try dequantized(x, index)
    case let other: throw OperatorError("input \(index) is \(ElementType(other.dataType)); bytes are needed")
    }
  }

  private func dequantized<Element: ByteScalar>(_ x: Tensor<Element>, _ index: Int) throws -> Tensor<Float> {
    let point = try optionalTensor(index + 2)?.bytes(like: x, "input \(index)").reshaped([])
    return try dequantizeLinear(x, scale: scale(index + 1).reshaped([]), zeroPoint: point)
  }

  /// What `function` makes of the numbers that input `index` stands for, each by itself, quantised with input `scale` and
  /// the zero point behind it, as input `other` is without one.
  func requantized(
    _ index: Int, scale: Int, like other: Int, _ function: (Tensor<Float>) throws -> Tensor<Float>
  ) throws -> GraphValue {
    func requantized<Element: ByteScalar>(_ x: Tensor<Element>) throws -> GraphValue {
      func result(_ x: Tensor<Element>) throws -> GraphValue {
        try self.requantized(function(dequantized(x, index)), scale: scale, like: other)
      }
      // A table is three tensors of their own, which take as long as few bytes do.
      guard x.count >= 4 * leastLookUp else { return try result(x) }
      switch try result(.everyByte) {
      case .tensor(.int8(let table)): return GraphValue(try lookUp(x, in: table))
      case .tensor(.uint8(let table)): return GraphValue(try lookUp(x, in: table))
      default: return try result(x)
      }
    }
    switch try bytes(index) {
    case .int8(let x): return try requantized(x)
    case .uint8(let x): return try requantized(x)
    case let other: throw OperatorError("input \(index) is \(ElementType(other.dataType)); bytes are needed")
    }
  }

  /// Input `index` less its zero point, two inputs behind it.
  func differences(_ index: Int) throws -> Tensor<Float> {
    let point = try zeroPoint(index + 2)
    let x = try bytes(index).converted(to: Float.self)
    return point == 0 ? x : try x - point
  }

  /// Input `index`, a zero point; 0 where it is omitted.
  func zeroPoint(_ index: Int) throws -> Float {
    try optionalTensor(index)?.converted(to: Float.self).reshaped([]).scalar ?? 0
  }

  /// Input `index`, one number.
  func single(_ index: Int) throws -> Float { try scale(index).reshaped([]).scalar }

  /// Numbers quantised with input `scale` and the zero point behind it, as input `other` is without one.
  func requantized(_ x: Tensor<Float>, scale: Int, like other: Int) throws -> GraphValue {
    let number = try self.scale(scale).reshaped([])
    switch try optionalTensor(scale + 1) ?? zero(like: other) {
    case .int8(let point): return GraphValue(try quantizeLinear(x, scale: number, zeroPoint: point.reshaped([])))
    case .uint8(let point): return GraphValue(try quantizeLinear(x, scale: number, zeroPoint: point.reshaped([])))
    case let point: return try GraphValue(requantizing: x / number, zeroPoint: point)
    }
  }

  /// A zero of the type of input `index`.
  func zero(like index: Int) throws -> AnyTensor {
    try bytes(index).dataType == .int8 ? AnyTensor(Tensor<Int8>(zeros: [])) : AnyTensor(Tensor<UInt8>(zeros: []))
  }

  /// Input `index`, 8-bit integers.
  func bytes(_ index: Int) throws -> AnyTensor {
    let tensor = try self.tensor(index)
    guard tensor.dataType == .int8 || tensor.dataType == .uint8 else {
      throw OperatorError("input \(index) is \(ElementType(tensor.dataType)); INT8 or UINT8 is needed")
    }
    return tensor
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let qLinearUnary = ShapeRule.rule { facts in
    [InferredType(requantizedType(facts, zeroPoint: 4, like: 0), try facts.shape(0))]
  }

  static let qLinearAdd = ShapeRule.rule { facts in
    [InferredType(facts.elementType(0), try Shape.broadcast(facts.shape(0), facts.shape(3), operation: "broadcast"))]
  }

  static let qLinearMul = ShapeRule.rule { facts in
    let shape = try Shape.broadcast(facts.shape(0), facts.shape(3), operation: "broadcast")
    return [InferredType(requantizedType(facts, zeroPoint: 7, like: 0), shape)]
  }

  static let qLinearWhere = ShapeRule.rule { facts in
    let operands = try Shape.broadcast(facts.shape(1), facts.shape(4), operation: "broadcast")
    let shape = try Shape.broadcast(facts.shape(0), operands, operation: "broadcast")
    return [InferredType(requantizedType(facts, zeroPoint: 8, like: 1), shape)]
  }

  static let qLinearReduceMean = ShapeRule.rule { facts in
    let shape = try facts.shape(0)
    let axes = try facts.node.ints("axes", default: [])
    let chosen = try axes.isEmpty ? Array(shape.indices) : Axes.resolve(axes, rank: shape.count)
    let keeps = try facts.node.flag("keepdims", default: true)
    return [
      InferredType(
        requantizedType(facts, zeroPoint: 4, like: 0), reduced(shape, Set(chosen), keepsAxes: keeps))
    ]
  }

  static let qLinearGlobalAveragePool = ShapeRule.rule { facts in
    let shape = try facts.shape(0)
    guard shape.count >= 3 else { throw ShapeFacts.Unknown() }
    let axes = try facts.node.flag("channels_last") ? 1..<(shape.count - 1) : 2..<shape.count
    return [
      InferredType(requantizedType(facts, zeroPoint: 4, like: 0), reduced(shape, Set(axes), keepsAxes: true))
    ]
  }

  /// The element type of what is quantised with input `zeroPoint`: that of input `other` without one.
  static func requantizedType(_ facts: ShapeFacts, zeroPoint: Int, like other: Int) -> ElementType? {
    facts.elementType(facts.has(zeroPoint) ? zeroPoint : other)
  }

  static let qLinearConcat = ShapeRule.rule { facts in
    let inputs = Array(stride(from: 2, to: facts.inputs.count, by: 3))
    var type = try joined(facts, inputs: inputs, axis: facts.node.int("axis"))
    type.elementType = facts.elementType(1)
    return [type]
  }
}
