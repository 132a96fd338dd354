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
    return { arguments in
      var x = try arguments.tensor(0)
      if isLast { x = try x.permutedBytes(Self.channelsFirst(x.rank)) }
      let scale = try arguments.single(1) * arguments.scale(4) / arguments.single(6)
      let target = try arguments.tensor(7)
      let y = try weight.prepared(arguments).requantized(
        x, zeroPoint: arguments.optionalTensor(2), scale: scale, outputZeroPoint: target)
      guard isLast, case .tensor(let result) = y else { return [y] }
      return [.tensor(try result.permutedBytes(Self.channelsLast(result.rank)))]
    }
  }

  /// The mean of every window of the numbers that the integers stand for, quantised again.
  static func QLinearAveragePool(_ node: NodeDescription) throws -> PreparedOperator {
    let pool = try AveragePool(node)
    let isLast = try node.flag("channels_last")
    return { arguments in
      let x = try arguments.dequantized(0)
      var inner = Arguments(
        [GraphValue(try isLast ? x.permuted(channelsFirst(x.rank)) : x)], context: arguments.context)
      guard case .tensor(.float32(let mean))?? = try pool(&inner).first else {
        throw OperatorError("the pool has no result")
      }
      return [
        try arguments.requantized(isLast ? mean.permuted(channelsLast(mean.rank)) : mean, scale: 3, like: 0)
      ]
    }
  }

  /// The order of axes that brings channels from the last place to the second, and the way back.
  fileprivate static func channelsFirst(_ rank: Int) -> [Int] {
    rank < 3 ? Array(0..<rank) : [0, rank - 1] + Array(1..<(rank - 1))
  }
  fileprivate static func channelsLast(_ rank: Int) -> [Int] {
    rank < 3 ? Array(0..<rank) : [0] + Array(2..<rank) + [1]
  }
}

/// The weight of an integer convolution: laid out once where it is known before anything runs.
struct IntegerKernel: Sendable {
  private let weight: Int
  private let zeroPoint: Int
  private let bias: Int?
  private let windows: WindowAttributes
  private let groups: Int
  private let known: PreparedIntegerConvolution?

  /// Takes the indices of the inputs.
  init(_ node: NodeDescription, weight: Int, zeroPoint: Int, bias: Int?) throws {
    (self.weight, self.zeroPoint, self.bias) = (weight, zeroPoint, bias)
    windows = try WindowAttributes(node)
    groups = try node.int("group", default: 1)
    let indices = [weight, zeroPoint] + (bias.map { [$0] } ?? [])
    let given = indices.map { node.constant($0) }
    guard case .tensor(let tensor)? = given[0], zip(indices, given).allSatisfy({ !node.has($0) || $1 != nil }) else {
      known = nil
      return
    }
    var tensors: [AnyTensor?] = try zip(indices, given).map { index, constant in
      guard let constant else { return nil }
      guard case .tensor(let tensor) = constant else {
        throw OperatorError("input \(index) is \(constant.type); a tensor of integers is needed")
      }
      return tensor
    }
    tensors += [nil]
    known = try PreparedIntegerConvolution(
      weight: tensor, zeroPoint: tensors[1], bias: tensors[2], windows: windows, groups: groups)
    for index in indices where node.has(index) { node.absorb(index) }
  }

  func prepared(_ arguments: Arguments) throws -> PreparedIntegerConvolution {
    try known
      ?? PreparedIntegerConvolution(
        weight: arguments.tensor(weight), zeroPoint: arguments.optionalTensor(zeroPoint),
        bias: bias.flatMap { try arguments.optionalTensor($0) }, windows: windows, groups: groups)
  }
}

/// A convolution of 8-bit integers over any number of axes with its weight laid out.
///
/// Of one and two axes the sums are those of Apus's integer convolution. Of more they are computed in DOUBLE, where they
/// are exact as well.
struct PreparedIntegerConvolution: Sendable {
  private enum Algorithm: Sendable {
    case planar(IntegerConvolution, [WindowAxis])
    case deep(PreparedConvolution<Double>)
  }

  /// Channels of the result.
  let outputs: Int
  private let algorithm: Algorithm
  private let windows: WindowAttributes

  init(weight: AnyTensor, zeroPoint: AnyTensor?, bias: AnyTensor?, windows: WindowAttributes, groups: Int) throws {
    self.windows = windows
    outputs = weight.shape.first ?? 0
    var biases: Tensor<Int32>?
    if let bias {
      guard case .int32(let tensor) = bias else {
        throw OperatorError("the bias is \(ElementType(bias.dataType)); INT32 is needed")
      }
      biases = tensor
    }
    guard weight.rank >= 3 else {
      throw OperatorError(
        "the weight has shape \(weight.shape); [outputs, channels, …] with axes to move along is needed")
    }
    func laidOut<Element: ByteScalar>(_ weight: Tensor<Element>) throws -> Algorithm {
      let points = try zeroPoint.map { try $0.bytes(like: weight, "the weight") }
      let axes = try windows.axes(kernel: Array(weight.shape[2...]))
      guard axes.count <= 2 else {
        let outputs = weight.shape[0]
        var numbers = try weight.converted(to: Double.self)
        if let points {
          let shape = [points.count == 1 ? 1 : outputs] + [Int](repeating: 1, count: weight.rank - 1)
          numbers = try numbers - points.converted(to: Double.self).reshaped(shape)
        }
        return .deep(
          try PreparedConvolution(
            weight: numbers, bias: biases?.converted(to: Double.self), windows: windows, groups: groups))
      }
      let (rows, columns) = Self.planar(axes)
      let convolution = try IntegerConvolution(
        weight: weight, zeroPoint: points, bias: biases, stride: Size2D(height: rows.stride, width: columns.stride),
        padding: Self.padding(axes), dilation: Size2D(height: rows.dilation, width: columns.dilation), groups: groups)
      return .planar(convolution, axes)
    }
    switch weight {
    case .int8(let weight): algorithm = try laidOut(weight)
    case .uint8(let weight): algorithm = try laidOut(weight)
    default: throw OperatorError("the weight is \(ElementType(weight.dataType)); INT8 or UINT8 is needed")
    }
  }

  /// The axes of rows and columns; rows stand still where there is one axis.
  private static func planar(_ axes: [WindowAxis]) -> (WindowAxis, WindowAxis) {
    axes.count == 1 ? (WindowAxis(kernel: 1, stride: 1, dilation: 1, before: 0, after: 0), axes[0]) : (axes[0], axes[1])
  }

  private static func padding(_ axes: [WindowAxis]) -> Padding2D {
    let (rows, columns) = planar(axes)
    return Padding2D(top: rows.before, left: columns.before, bottom: rows.after, right: columns.after)
  }

  /// The convolution with the padding that `auto_pad` asks for on maps of `shape`.
  private func padded(_ convolution: IntegerConvolution, _ axes: [WindowAxis], _ shape: [Int]) throws
    -> IntegerConvolution
  {
    guard shape.count == axes.count + 2 else {
      throw OperatorError("the input has shape \(shape); \(axes.count) axes to move along are needed")
    }
    return try convolution.padded(by: Self.padding(zip(axes, shape[2...]).map { try windows.padded($0, size: $1) }))
  }

  func sums(_ x: AnyTensor, zeroPoint: AnyTensor?) throws -> Tensor<Int32> {
    func sums<Element: ByteScalar>(_ x: Tensor<Element>) throws -> Tensor<Int32> {
      let point = try zeroPoint?.bytes(like: x, "x").reshaped([]).scalar ?? 0
      switch algorithm {
      case .planar(let convolution, let axes): return try padded(convolution, axes, x.shape)(x, zeroPoint: point)
      case .deep(let convolution):
        let numbers = try x.converted(to: Double.self) - Double(point)
        return try convolution(numbers).converted(to: Int64.self).converted(to: Int32.self)
      }
    }
    switch x {
    case .int8(let x): return try sums(x)
    case .uint8(let x): return try sums(x)
    default: throw OperatorError("x is \(ElementType(x.dataType)); INT8 or UINT8 is needed")
    }
  }

  /// `activation(Float(sums) · scale + bias)`, perhaps quantised; nil for more than two axes.
  ///
  /// - Parameters:
  ///   - scale: one number, or one for each output.
  ///   - bias: one number for each output, or none.
  func scaled(
    _ x: AnyTensor, zeroPoint: AnyTensor?, scale: Tensor<Float>, bias: Tensor<Float>?, activation: Activation,
    levels: ResultLevels
  ) throws -> GraphValue? {
    guard case .planar(let convolution, let axes) = algorithm else { return nil }
    func scaled<Element: ByteScalar>(_ x: Tensor<Element>) throws -> GraphValue {
      let point = try zeroPoint?.bytes(like: x, "x").reshaped([]).scalar ?? 0
      let convolution = try padded(convolution, axes, x.shape)
      func quantized<Result: ByteScalar>(_ outputScale: Float, _ outputZeroPoint: Result) throws -> GraphValue {
        GraphValue(
          try convolution.scaled(
            x, zeroPoint: point, scale: scale, bias: bias, activation: activation, outputScale: outputScale,
            outputZeroPoint: outputZeroPoint))
      }
      switch levels {
      case .none:
        return GraphValue(
          try convolution.scaled(x, zeroPoint: point, scale: scale, bias: bias, activation: activation))
      case .uint8(let scale, let zeroPoint): return try quantized(scale, zeroPoint)
      case .int8(let scale, let zeroPoint): return try quantized(scale, zeroPoint)
      }
    }
    switch x {
    case .int8(let x): return try scaled(x)
    case .uint8(let x): return try scaled(x)
    default: throw OperatorError("x is \(ElementType(x.dataType)); INT8 or UINT8 is needed")
    }
  }

  /// - Parameter scale: one number, or one for each output.
  func requantized(
    _ x: AnyTensor, zeroPoint: AnyTensor?, scale: Tensor<Float>, outputZeroPoint: AnyTensor
  ) throws -> GraphValue {
    func requantized<X: ByteScalar, Y: ByteScalar>(
      _ x: Tensor<X>, _ target: Tensor<Y>, _ convolution: IntegerConvolution, _ axes: [WindowAxis]
    ) throws -> GraphValue {
      let point = try zeroPoint?.bytes(like: x, "x").reshaped([]).scalar ?? 0
      return GraphValue(
        try padded(convolution, axes, x.shape).requantized(
          x, zeroPoint: point, scale: scale, outputZeroPoint: target.reshaped([]).scalar))
    }
    guard case .planar(let convolution, let axes) = algorithm else {
      let sums = try sums(x, zeroPoint: zeroPoint)
      let shape = [scale.count] + [Int](repeating: 1, count: max(0, sums.rank - 2))
      let ratio = try scale.count == 1 ? scale.reshaped([]) : scale.reshaped(shape)
      return try GraphValue(requantizing: sums.converted(to: Float.self) * ratio, zeroPoint: outputZeroPoint)
    }
    switch (x, outputZeroPoint) {
    case (.int8(let x), .int8(let y)): return try requantized(x, y, convolution, axes)
    case (.int8(let x), .uint8(let y)): return try requantized(x, y, convolution, axes)
    case (.uint8(let x), .int8(let y)): return try requantized(x, y, convolution, axes)
    case (.uint8(let x), .uint8(let y)): return try requantized(x, y, convolution, axes)
    default:
      throw OperatorError(
        "x of \(ElementType(x.dataType)) and y of \(ElementType(outputZeroPoint.dataType)) are not of 8-bit integers")
    }
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
