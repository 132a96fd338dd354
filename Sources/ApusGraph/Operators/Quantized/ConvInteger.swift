import Apus

extension Operators {
  static let integerConvolutions: [OperatorDefinition] = [
    OperatorDefinition(
      "ConvInteger",
      .product(
        .convInteger, work: .convolution(weights: 1), accuracy: .sum(.filter(weights: 1))),
      ConvInteger),
    OperatorDefinition(
      "QLinearConv",
      .product(
        .qLinearConv, work: .convolution(weights: 3), accuracy: .sum(.filter(weights: 3)), float64: .roundsToLevels),
      QLinearConv),
    OperatorDefinition(
      "QLinearConv", domain: "com.microsoft",
      .product(
        .qLinearConv, work: .convolution(weights: 3), accuracy: .sum(.filter(weights: 3)), float64: .roundsToLevels),
      QLinearConv),
    OperatorDefinition(
      "NhwcMaxPool", domain: "com.microsoft", .movement(.nhwcMaxPool, results: .fresh, layout: .rowMajor), NhwcMaxPool),
    OperatorDefinition(
      "QLinearAveragePool", domain: "com.microsoft",
      .reduction(.qLinearAveragePool, terms: .window, float64: .roundsToLevels), QLinearAveragePool),
  ]

  /// `Σ (x - x zero point)(w - w zero point)` over every window, as INT32, exact. Padding counts as the zero point.
  static func ConvInteger(_ node: NodeDescription) throws -> PreparedOperator {
    let weight = try IntegerKernel(node, weight: 1, zeroPoint: 3, bias: nil)
    return { arguments in
      let x = try arguments.tensor(0)
      let sums = try weight.prepared(arguments).sums(x, zeroPoint: arguments.optionalTensor(2))
      return [GraphValue(sums)]
    }
  }

  /// `saturate(round((Σ (x - x zero point)(w - w zero point) + bias) · x scale · w scale / y scale) + y zero point)`, with
  /// a scale and a zero point for all weights, or for each output. ONNX Runtime's own may have the channels last.
  static func QLinearConv(_ node: NodeDescription) throws -> PreparedOperator {
    let weight = try IntegerKernel(node, weight: 3, zeroPoint: 5, bias: 8)
    let isLast = try node.flag("channels_last")
    let scale = ScaleProduct(node, of: [1, 4, 6]) { try $0(1).reshaped([]).scalar * $0(4) / $0(6).reshaped([]).scalar }
    return { arguments in
      var x = try arguments.tensor(0)
      if isLast { x = try x.permutedBytes(Self.channelsFirst(x.rank)) }
      let target = try arguments.tensor(7)
      let y = try weight.prepared(arguments).requantized(
        x, zeroPoint: arguments.optionalTensor(2), scale: scale(arguments), outputZeroPoint: target)
      guard isLast, case .tensor(let result) = y else { return [y] }
      return [.tensor(try result.permutedBytes(Self.channelsLast(result.rank)))]
    }
  }

  /// The mean of every window of the integers less the zero point, scaled once; the zero point of the result is added before
  /// it is rounded, as ONNX Runtime's is.
  static func QLinearAveragePool(_ node: NodeDescription) throws -> PreparedOperator {
    let pool = try AveragePool(node)
    let isLast = try node.flag("channels_last")
    return { arguments in
      let x = try arguments.differences(0)
      let ratio = try arguments.single(1) / arguments.single(3)
      var inner = Arguments(
        [GraphValue(try isLast ? x.permuted(channelsFirst(x.rank)) : x)], context: arguments.context)
      guard case .tensor(.float32(let mean))?? = try pool(&inner).first else {
        throw OperatorError("the pool has no result")
      }
      let scaled = try (isLast ? mean.permuted(channelsLast(mean.rank)) : mean) * ratio
      let point = try arguments.optionalTensor(4) ?? arguments.zero(like: 0)
      return [try GraphValue(requantizing: scaled, zeroPoint: point, roundsSum: true)]
    }
  }

  /// The greatest byte of every window of maps `[batch, …, channels]`.
  static func NhwcMaxPool(_ node: NodeDescription) throws -> PreparedOperator {
    let pool = try MaxPool(node)
    return { arguments in
      let x = try arguments.tensor(0)
      guard x.dataType == .uint8 || x.dataType == .int8 else {
        throw OperatorError("input 0 is \(x.dataType); bytes are needed")
      }
      var inner = Arguments(
        [.tensor(try x.permutedBytes(channelsFirst(x.rank)))], context: arguments.context)
      guard case .tensor(let y)?? = try pool(&inner).first else { throw OperatorError("the pool has no result") }
      return [.tensor(try y.permutedBytes(channelsLast(y.rank)))]
    }
  }

  /// The order of axes that brings channels from the last place to the second, and the way back.
  static func channelsFirst(_ rank: Int) -> [Int] {
    rank < 3 ? Array(0..<rank) : [0, rank - 1] + Array(1..<(rank - 1))
  }
  static func channelsLast(_ rank: Int) -> [Int] {
    rank < 3 ? Array(0..<rank) : [0] + Array(2..<rank) + [1]
  }
}

extension AnyTensor {
  /// A tensor of 8-bit integers with its axes in another order.
  fileprivate func permutedBytes(_ axes: [Int]) throws -> AnyTensor {
    switch self {
    case .int8(let tensor): .int8(try tensor.permuted(axes))
    case .uint8(let tensor): .uint8(try tensor.permuted(axes))
    default: throw OperatorError("a tensor of \(ElementType(dataType)) is not of 8-bit integers")
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let convInteger = ShapeRule.rule { facts in
    [InferredType(.int32, try convolved(facts.shape(0), weight: facts.shape(1), facts.node))]
  }

  static let qLinearConv = ShapeRule.rule { facts in
    let shape = try channelsFirst(facts) { try convolved($0, weight: facts.shape(3), facts.node) }
    return [InferredType(facts.elementType(7), shape)]
  }

  static let nhwcMaxPool = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let pooled = try pooled(Operators.channelsFirst(x.shape.count).map { x.shape[$0] }, facts.node)
    return [InferredType(x.elementType, Operators.channelsLast(pooled.count).map { pooled[$0] })]
  }

  static let qLinearAveragePool = ShapeRule.rule { facts in
    let shape = try channelsFirst(facts) { try pooled($0, facts.node) }
    return [InferredType(requantizedType(facts, zeroPoint: 4, like: 0), shape)]
  }

  /// `change` of the shape of input 0 with the channels as the second axis, wherever the node has them.
  private static func channelsFirst(_ facts: ShapeFacts, _ change: ([Int]) throws -> [Int]) throws -> [Int] {
    let shape = try facts.shape(0)
    guard try facts.node.flag("channels_last") else { return try change(shape) }
    let changed = try change(Operators.channelsFirst(shape.count).map { shape[$0] })
    return Operators.channelsLast(changed.count).map { changed[$0] }
  }
}
