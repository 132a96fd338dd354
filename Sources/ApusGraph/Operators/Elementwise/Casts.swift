import Apus

// Conversions between element types, each of which can become each other. Numbers are rounded, cut or saturated as
// ``Tensor/converted(to:)`` and ``CodedTensor`` say; texts are written and read as NumPy does.

extension Operators {
  static let casts: [OperatorDefinition] = [
    OperatorDefinition(
      "Cast",
      .movement(
        .cast, results: .inputIfUnchanged, layout: .keepsBlocked, axes: .free, accuracy: .plain,
        float64: .typeAttribute("to")),
      Cast),
    OperatorDefinition(
      "CastLike", .movement(.castLike, results: .inputIfUnchanged, layout: .keepsBlocked, accuracy: .plain), CastLike),
    OperatorDefinition("BitCast", .plain(.bitCast, float64: .typeAttribute("to")), BitCast),
  ]

  /// The elements as type `to`.
  static func Cast(_ node: NodeDescription) throws -> PreparedOperator {
    let rounding = try CodeRounding(node)
    guard let type = try node.optionalElementType("to") else { throw OperatorError("attribute 'to' is missing") }
    return { arguments in [try cast(arguments.value(0), to: type, rounding)] }
  }

  /// The elements as the type of input 1.
  static func CastLike(_ node: NodeDescription) throws -> PreparedOperator {
    let rounding = try CodeRounding(node)
    return { arguments in
      let like = try arguments.value(1)
      guard let type = like.elementType else { throw OperatorError("input 1 is \(like.type); a tensor is needed") }
      return [try cast(arguments.value(0), to: type, rounding)]
    }
  }

  private static func cast(_ value: GraphValue, to type: ElementType, _ rounding: CodeRounding) throws -> GraphValue {
    if value.elementType == type { return value }
    switch value {
    case .tensor(let x): return try cast(x, to: type, rounding)
    case .coded(let x): return try cast(AnyTensor(x.widened()), to: type, rounding)
    case .strings(let x): return try cast(numbers(x, for: type), to: type, rounding)
    default: throw OperatorError("input 0 is \(value.type); a tensor is needed")
    }
  }

  private static func cast(_ x: AnyTensor, to type: ElementType, _ rounding: CodeRounding) throws -> GraphValue {
    if let dataType = type.dataType { return .tensor(try x.converted(to: dataType)) }
    if type == .string { return .strings(try texts(x)) }
    guard type.isCoded else { throw OperatorError("\(type) cannot be made of \(ElementType(x.dataType))") }
    if !x.dataType.isFloatingPoint, !type.isFloatingPoint {
      return .coded(try CodedTensor(wrapping: x.converted(to: Int64.self), to: type))
    }
    return .coded(
      try CodedTensor(
        rounding: x.converted(to: Float.self), to: type, saturate: rounding.saturates, roundMode: rounding.mode))
  }

  /// What texts say: integers where such are wanted and all texts are, otherwise floating-point ones.
  private static func numbers(_ x: StringTensor, for type: ElementType) throws -> AnyTensor {
    func failure(_ text: String) -> OperatorError { OperatorError("'\(text)' is not a number") }
    switch type {
    case .float:
      return AnyTensor(
        try numbers(x) { text -> Float in
          guard let number: Float = number(text) else { throw failure(text) }
          return number
        })
    case .int8, .int16, .int32, .int64, .int4, .int2, .bool:
      if x.elements.allSatisfy({ Int64($0) != nil }) { return AnyTensor(try numbers(x) { Int64($0) ?? 0 }) }
    case .uint8, .uint16, .uint32, .uint64, .uint4, .uint2:
      if x.elements.allSatisfy({ UInt64($0) != nil }) { return AnyTensor(try numbers(x) { UInt64($0) ?? 0 }) }
    default: break
    }
    return AnyTensor(
      try numbers(x) { text -> Double in
        if type == .bool, text == "True" || text == "False" { return text == "True" ? 1 : 0 }
        guard let number: Double = number(text) else { throw failure(text) }
        return number
      })
  }

  private static func numbers<Scalar: TensorScalar>(
    _ x: StringTensor, _ number: (String) throws -> Scalar
  ) throws -> Tensor<Scalar> {
    try Tensor<Scalar>.filled(x.shape) { result in
      for (index, text) in x.elements.enumerated() { result[index] = try number(text) }
    }
  }

  /// "-2.5", "1E8", "+INF", "nan"; upper and lower case are the same.
  private static func number<Scalar: LosslessStringConvertible>(_ text: String) -> Scalar? {
    let trimmed = text.drop { $0.isWhitespace }
    let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
    return Scalar(trimmed[..<end].lowercased())
  }

  private static func texts(_ x: AnyTensor) throws -> StringTensor {
    switch x {
    case .float32(let x): try texts(x) { PlainNumber.text("\($0)") }
    case .float64(let x): try texts(x) { PlainNumber.text("\($0)") }
    #if !(os(macOS) && arch(x86_64))
      case .float16(let x): try texts(x) { PlainNumber.text("\($0)") }
    #endif
    case .bfloat16(let x): try texts(x) { PlainNumber.text("\($0)") }
    case .bool(let x): try texts(x) { $0 ? "True" : "False" }
    case .uint64(let x): try texts(x) { "\($0)" }
    default: try texts(x.converted(to: Int64.self)) { "\($0)" }
    }
  }

  private static func texts<Scalar: TensorScalar>(
    _ x: Tensor<Scalar>, _ text: (Scalar) -> String
  ) throws -> StringTensor {
    let memory = try MemoryReservation(x.shape, of: String.self, operation: "Cast")
    let texts = try x.withUnsafeBufferPointer { numbers in
      try numbers.map { number in
        let text = text(number)
        try memory.grow(by: StringTensor.textByteCount(text.utf8.count))
        return text
      }
    }
    return try StringTensor(texts, shape: x.shape, memory: memory)
  }

  /// The same bits as type `to`, which has as many.
  static func BitCast(_ node: NodeDescription) throws -> PreparedOperator {
    guard let type = try node.optionalElementType("to") else { throw OperatorError("attribute 'to' is missing") }
    return { arguments in
      let value = try arguments.value(0)
      guard let own = value.elementType, let bits = own.bitCount, bits == type.bitCount else {
        throw OperatorError("input 0 is \(value.type), whose elements do not have as many bits as \(type)")
      }
      let source: AnyTensor
      switch value {
      case .tensor(let tensor): source = tensor
      case .coded(let coded): source = AnyTensor(coded.codes)
      default: throw OperatorError("input 0 is \(value.type); a tensor is needed")
      }
      // Codes are bytes already, and a Boolean has only two patterns.
      if type.isCoded {
        return [.coded(CodedTensor(elementType: type, codes: try reinterpreted(source, as: .uint8).converted()))]
      }
      guard let dataType = type.dataType else { throw OperatorError("\(type) cannot be made of other bits") }
      if dataType == .bool {
        return [.tensor(try reinterpreted(source, as: .uint8).converted(to: .bool))]
      }
      return [.tensor(try reinterpreted(source, as: dataType))]
    }
  }

  private static func reinterpreted(_ x: AnyTensor, as dataType: DataType) throws -> AnyTensor {
    try x.withUnsafeBytes { source in
      try AnyTensor.filled(dataType, x.shape) { destination in
        if let base = source.baseAddress { destination.copyMemory(from: base, byteCount: source.count) }
      }
    }
  }
}

/// How Cast rounds to the types of eight bits or fewer.
private struct CodeRounding: Sendable {
  let saturates: Bool
  let mode: CodedTensor.RoundMode

  init(_ node: NodeDescription) throws {
    saturates = try node.flag("saturate", default: true)
    let name = try node.string("round_mode", default: "up")
    guard let mode = CodedTensor.RoundMode(rawValue: name) else {
      throw OperatorError("attribute 'round_mode' is '\(name)'; up, down or nearest is needed")
    }
    self.mode = mode
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let castLike = ShapeRule.rule { [InferredType($0.elementType(1), try $0.shape(0))] }

  static let cast = ShapeRule.rule { facts in
    [InferredType(try facts.node.optionalElementType("to"), try facts.shape(0))]
  }

  /// Types of other sizes give other shapes.
  static let bitCast = ShapeRule.rule { facts in
    let type = try facts.node.optionalElementType("to")
    guard let bits = facts.elementType(0)?.bitCount, bits == type?.bitCount else { throw ShapeFacts.Unknown() }
    return [InferredType(type, try facts.shape(0))]
  }
}
