import Apus

extension Operators {
  static let linearQuantizations: [OperatorDefinition] = [
    OperatorDefinition(
      "QuantizeLinear", .plain(.quantizeLinear, axes: .quantization, float64: .roundsToLevels), QuantizeLinear),
    OperatorDefinition(
      "DequantizeLinear", .plain(.dequantizeLinear, axes: .quantization, float64: .typeAttribute("output_dtype")),
      DequantizeLinear),
    OperatorDefinition(
      "DynamicQuantizeLinear", .plain(.dynamicQuantizeLinear, float64: .roundsToLevels), DynamicQuantizeLinear),
    OperatorDefinition(
      "QuantizeLinear", domain: "com.microsoft", .plain(.quantizeLinear, axes: .quantization, float64: .roundsToLevels),
      QuantizeLinear),
    OperatorDefinition(
      "DequantizeLinear", domain: "com.microsoft",
      .plain(
        .dequantizeLinear, axes: .quantization, float64: .typeAttribute("output_dtype")),
      DequantizeLinear),
  ]

  /// `saturate(round(x / scale) + zero point)`, ties to even, with a scale for the tensor, for each index of an axis
  /// (from opset 13), or for each block along it (21).
  ///
  /// The type of the result is that of the zero point, or `output_dtype` (21), or UINT8. The quotient is computed in
  /// the type of the scale, or in `precision` (23); com.microsoft's is FLOAT whatever smaller type the scale has, as
  /// ONNX Runtime computes it.
  static func QuantizeLinear(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: 1)
    let blockSize = try node.quantizationBlockSize()
    let saturates = try node.flag("saturate", default: true)
    let isStandard = node.node.operatorName.domain.isEmpty
    let precision = try isStandard ? node.optionalElementType("precision") : .float
    let output = try node.optionalElementType("output_dtype")
    return { arguments in
      let x = try arguments.tensor(0)
      let scale = try arguments.quantizationScale(1)
      let zeroPoint = arguments[2]
      let target = zeroPoint?.elementType ?? output ?? .uint8
      let grid = try QuantizationGrid(x.shape, scale: scale.shape, axis: axis, blockSize: blockSize)
      try grid.check(zeroPoint: zeroPoint)
      let type = precision ?? scale.type
      if case .tensor(.float64(let scales)) = scale.value {
        let quotients = try (x.tensor(of: Double.self) ?? x.converted()) / grid.spread(scales)
        return [try quantized(quotients, zeroPoint, grid, to: target, saturates: saturates)]
      }
      let (numbers, scales) = (try x.tensor(of: Float.self) ?? x.converted(), try scale.floats())
      if type == .float || type == .int32,
        let result = try quantizedFast(
          numbers, scales, zeroPoint, axis: axis, blockSize: blockSize, to: target)
      {
        return [result]
      }
      let quotients = try (numbers / grid.spread(scales)).rounded(to: type)
      return [try quantized(quotients, zeroPoint, grid, to: target, saturates: saturates)]
    }
  }

  /// By the kernels, where these have the type; nil where not.
  private static func quantizedFast(
    _ x: Tensor<Float>, _ scale: Tensor<Float>, _ zeroPoint: GraphValue?, axis: Int, blockSize: Int,
    to target: ElementType
  ) throws -> GraphValue? {
    func quantized<Result: QuantizedScalar>(_ type: Result.Type) throws -> GraphValue {
      var points: Tensor<Result>?
      if case .tensor(let any)? = zeroPoint { points = try any.tensor(of: type)?.reshaped(scale.shape) }
      return GraphValue(
        try quantizeLinear(x, scale: scale, zeroPoint: points, axis: axis, blockSize: blockSize, to: type))
    }
    switch target {
    case .uint8: return try quantized(UInt8.self)
    case .int8: return try quantized(Int8.self)
    case .uint16: return try quantized(UInt16.self)
    case .int16: return try quantized(Int16.self)
    default: return nil
    }
  }

  /// Quotients as elements of a quantised type, of any kind.
  private static func quantized<Scalar: FloatingPointScalar>(
    _ quotients: Tensor<Scalar>, _ zeroPoint: GraphValue?, _ grid: QuantizationGrid, to target: ElementType,
    saturates: Bool
  ) throws -> GraphValue {
    guard let bits = target.bitCount, bits <= 16, target != .bool, target != .float16, target != .bfloat16,
      target != .float8e8m0
    else {
      throw OperatorError("\(target) is not a type that numbers are quantised to")
    }
    let points = try zeroPoint.map { try grid.spread($0.quantizationNumbers(as: Scalar.self)) }
    if target.isFloatingPoint {
      let sums = try points.map { try quotients + $0 } ?? quotients
      return .coded(try CodedTensor(rounding: sums.converted(to: Float.self), to: target, saturate: saturates))
    }
    let isSigned = [.int8, .int16, .int4, .int2].contains(target)
    let least = isSigned ? -Scalar(1 << (bits - 1)) : 0
    let greatest = Scalar((1 << (isSigned ? bits - 1 : bits)) - 1)
    let rounded = try quotients.round()
    var sums = try (points.map { try rounded + $0 } ?? rounded).clamp(min: least, max: greatest)
    sums = try sums.maskedFill(sums.ne(sums), with: least)
    switch target {
    case .uint8: return GraphValue(try sums.converted(to: UInt8.self))
    case .int8: return GraphValue(try sums.converted(to: Int8.self))
    case .uint16: return GraphValue(try sums.converted(to: UInt16.self))
    case .int16: return GraphValue(try sums.converted(to: Int16.self))
    default: return .coded(try CodedTensor(rounding: sums.converted(to: Float.self), to: target))
    }
  }
}

extension Operators {
  /// `(x - zero point) · scale`, with scales as ``QuantizeLinear(_:)`` has them; of the type of the scale, or of
  /// `output_dtype` (from opset 23).
  static func DequantizeLinear(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: 1)
    let blockSize = try node.quantizationBlockSize()
    let output = try node.optionalElementType("output_dtype")
    if let output, output.dataType?.isFloatingPoint != true {
      throw OperatorError("output_dtype is \(output), which is not a type that numbers are widened to")
    }
    return { arguments in
      let x = try arguments.value(0)
      let scale = try arguments.quantizationScale(1)
      let zeroPoint = arguments[2]
      guard let shape = x.shape, let type = x.elementType, zeroPoint.map({ $0.elementType == type }) ?? true else {
        throw OperatorError(
          "x is \(x.type)" + (zeroPoint.map { " and its zero point \($0.type); both must be of one type" } ?? ""))
      }
      let grid = try QuantizationGrid(shape, scale: scale.shape, axis: axis, blockSize: blockSize)
      try grid.check(zeroPoint: zeroPoint)
      func computed<Scalar: FloatingPointScalar>(_ scales: Tensor<Scalar>) throws -> Tensor<Scalar> {
        let numbers = try x.quantizationNumbers(as: Scalar.self)
        let points = try zeroPoint.map { try grid.spread($0.quantizationNumbers(as: Scalar.self)) }
        return try (points.map { try numbers - $0 } ?? numbers) * grid.spread(scales)
      }
      if case .tensor(.float64(let scales)) = scale.value { return [GraphValue(try computed(scales))] }
      let scales = try scale.floats()
      let resultType = output ?? (scale.type.dataType?.isFloatingPoint == true ? scale.type : .float)
      let fast = try dequantizedFast(x, scales, zeroPoint, axis: axis, blockSize: blockSize)
      return [try GraphValue(rounding: fast ?? computed(scales), to: resultType)]
    }
  }

  /// By the kernels, where these have the type; nil where not.
  private static func dequantizedFast(
    _ x: GraphValue, _ scale: Tensor<Float>, _ zeroPoint: GraphValue?, axis: Int, blockSize: Int
  ) throws -> Tensor<Float>? {
    func dequantized<Element: TensorScalar & FixedWidthInteger>(_ x: Tensor<Element>) throws -> Tensor<Float> {
      var points: Tensor<Element>?
      if case .tensor(let any)? = zeroPoint { points = try any.tensor(of: Element.self)?.reshaped(scale.shape) }
      return try dequantizeLinear(x, scale: scale, zeroPoint: points, axis: axis, blockSize: blockSize)
    }
    guard case .tensor(let tensor) = x else { return nil }
    switch tensor {
    case .int8(let x): return try dequantized(x)
    case .uint8(let x): return try dequantized(x)
    case .int16(let x): return try dequantized(x)
    case .uint16(let x): return try dequantized(x)
    case .int32(let x): return try dequantized(x)
    default: throw OperatorError("x is \(x.type); a quantised type is needed")
    }
  }

  /// Numbers as UINT8, with the scale and the zero point that their range asks for:
  ///
  ///     scale = (max(x, 0) - min(x, 0)) / 255,  zero point = round(-min(x, 0) / scale)
  static func DynamicQuantizeLinear(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let type = try arguments.floatingType(0)
      guard type == .double else {
        let result = try dynamicQuantizeLinear(arguments.floating(0, as: Float.self))
        return [
          GraphValue(result.values), GraphValue(try Tensor([result.scale], shape: [])),
          GraphValue(try Tensor([result.zeroPoint], shape: [])),
        ]
      }
      let x = try arguments.floating(0, as: Double.self)
      let numbers = try x.elements.filter { !$0.isNaN }
      let (least, greatest) = (min(0, numbers.min() ?? 0), max(0, numbers.max() ?? 0))
      let scale = least == greatest ? 1 : (greatest - least) / 255
      let exact = (-least / scale).rounded(.toNearestOrEven)
      let zeroPoint = exact > 0 ? UInt8(min(exact, 255)) : 0
      let values = try ((x / scale).round() + Double(zeroPoint)).clamp(min: 0, max: 255).converted(to: UInt8.self)
      return [
        GraphValue(values), GraphValue(try Tensor([scale], shape: [])), GraphValue(try Tensor([zeroPoint], shape: [])),
      ]
    }
  }
}

// MARK: - Scales and zero points

/// The scales of a quantised tensor, of a floating-point type or of FLOAT8E8M0.
struct QuantizationScale {
  let value: GraphValue
  let type: ElementType
  let shape: [Int]
  var count: Int { shape.reduce(1, *) }

  func floats() throws -> Tensor<Float> { try value.quantizationNumbers(as: Float.self) }
}

extension Arguments {
  /// Input `index`, scales.
  func quantizationScale(_ index: Int) throws -> QuantizationScale {
    let value = try self.value(index)
    guard let type = value.elementType, let shape = value.shape, type.isFloatingPoint || type == .int32 else {
      throw OperatorError("input \(index) is \(value.type); scales are needed")
    }
    return QuantizationScale(value: value, type: type, shape: shape)
  }
}

extension GraphValue {
  /// The elements of a quantised tensor, or of its zero points or scales, as numbers; every one is exact.
  func quantizationNumbers<Scalar: FloatingPointScalar>(as type: Scalar.Type) throws -> Tensor<Scalar> {
    switch self {
    case .tensor(let tensor): try tensor.tensor(of: type) ?? tensor.converted()
    case .coded(let tensor): try tensor.widened().converted()
    default: throw OperatorError("\(self.type) is not a tensor of numbers")
    }
  }
}

extension NodeDescription {
  /// The levels of a QuantizeLinear or a DequantizeLinear between bytes and float32; nil where there are several, or they
  /// are not known.
  var quantizedLevels: QuantizedLevels? {
    guard ["QuantizeLinear", "DequantizeLinear"].contains(node.operatorName.type), !node.computesInFloat64,
      inputCount == 3, outputCount == 1,
      ["block_size", "output_dtype", "precision"].allSatisfy({ node.attributes[$0] == nil }),
      case .tensor(let scale)? = constant(1), case .tensor(let zeroPoint)? = constant(2)
    else { return nil }
    return QuantizedLevels(scale: scale, zeroPoint: zeroPoint)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let dynamicQuantizeLinear = ShapeRule.rule { facts in
    [InferredType(.uint8, try facts.shape(0)), InferredType(scaleType(facts), []), InferredType(.uint8, [])]
  }

  private static func scaleType(_ facts: ShapeFacts) -> ElementType? {
    facts.elementType(0).map { $0 == .double ? .double : .float }
  }

  static let quantizeLinear = ShapeRule.rule { facts in
    let type = try facts.has(2) ? facts.elementType(2) : facts.node.optionalElementType("output_dtype") ?? .uint8
    return [InferredType(type, try facts.shape(0))]
  }

  static let dequantizeLinear = ShapeRule.rule { facts in
    let output = try facts.node.optionalElementType("output_dtype")
    // DOUBLE stays, and scales that are powers of two alone make FLOAT.
    let type: ElementType? = facts.elementType(1).map { scale in
      scale == .double ? .double : output ?? (scale.dataType?.isFloatingPoint == true ? scale : .float)
    }
    return [InferredType(type, try facts.shape(0))]
  }
}

// MARK: - Axes

extension AxisRule {
  /// The axis that has a scale for each index, which older versions do not have; blocks along it are left alone.
  fileprivate static let quantization = AxisRule.named(.first, exactly: true) { facts, order in
    guard try facts.node.int("block_size", default: 0) == 0 else { throw ShapeFacts.Unknown() }
    var renaming = Renaming(order)
    let isForTensor = facts.node.constant(1)?.shape?.isEmpty == true
    if !isForTensor { renaming.set("axis", try order(facts.node.int("axis", default: 1))) }
    return renaming
  }
}
