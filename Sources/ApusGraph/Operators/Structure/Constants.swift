import Apus

// Tensors that no input but their sizes goes into.

extension Operators {
  static let constants: [OperatorDefinition] = [
    OperatorDefinition("Constant", .plain(.constant), Constant),
    OperatorDefinition("ConstantOfShape", .plain(.constantOfShape), ConstantOfShape),
    OperatorDefinition("Range", .plain(.range), Range),
    OperatorDefinition("Range", domain: "com.microsoft", .plain(.range), MicrosoftRange),
  ]

  /// The value of the node's only attribute.
  static func Constant(_ node: NodeDescription) throws -> PreparedOperator {
    guard let value = try constantValue(node.node) else { throw OperatorError("it has no value") }
    return { _ in [value] }
  }

  /// What a `Constant` gives; nil for a node of any other operator.
  static func constantValue(_ node: Node) throws -> GraphValue? {
    guard node.operatorName == OperatorName(type: "Constant") else { return nil }
    let description = NodeDescription(node: node)
    if let value = try description.optionalTensor("value") { return value }
    if let value = try description.optionalFloat("value_float") { return GraphValue(try Tensor([value], shape: [])) }
    if let values = try description.optionalFloats("value_floats") { return GraphValue(try Tensor(values)) }
    if let value = try description.optionalInt("value_int") { return GraphValue(try Tensor([Int64(value)], shape: [])) }
    if let values = try description.optionalInts("value_ints") {
      return GraphValue(try Tensor(values.map { Int64($0) }))
    }
    if let value = try description.optionalString("value_string") {
      return .strings(try StringTensor([value], shape: []))
    }
    if let values = try description.optionalStrings("value_strings") {
      return .strings(try StringTensor(values, shape: [values.count]))
    }
    if let value = try description.optionalTensor("sparse_value") { return value }
    throw OperatorError("it has no value, or one of a kind that is not supported")
  }

  /// A tensor of the shape in input 0 whose elements are all `value`, 0 by default.
  static func ConstantOfShape(_ node: NodeDescription) throws -> PreparedOperator {
    let value = try node.optionalTensor("value") ?? GraphValue(Tensor<Float>([0]))
    guard try Shape.elementCount(value.extents) == 1 else {
      throw OperatorError("value is \(value.type); one element is needed")
    }
    let shape = try node.integers(0)
    return { arguments in
      guard let shape = try shape(arguments) else { throw OperatorError("the shape is missing") }
      return [try Filling(shape: shape).run(value)]
    }
  }

  /// `start + i * delta` for i from 0 on, as long as it does not reach `limit`.
  static func Range(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in try range(arguments.tensor(0), arguments.tensor(1), arguments.tensor(2)) }
  }

  /// The same of ONNX Runtime, whose steps are 1 where none are given.
  static func MicrosoftRange(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let start = try arguments.tensor(0)
      let delta = try arguments.optionalTensor(2) ?? AnyTensor(Tensor<Int64>([1])).converted(to: start.dataType)
      return try range(start, arguments.tensor(1), delta)
    }
  }

  private static func range(_ start: AnyTensor, _ limit: AnyTensor, _ delta: AnyTensor) throws -> [GraphValue?] {
    let parts = [start, limit, delta]
    guard parts.allSatisfy({ $0.dataType == parts[0].dataType && $0.count == 1 }) else {
      throw OperatorError("start, limit and delta must be single numbers of one type")
    }
    func operands<Scalar: TensorScalar>(
      _: Scalar.Type, _ range: (Scalar, Scalar, Scalar) throws -> Tensor<Scalar>
    ) throws -> Tensor<Scalar> {
      let values = try parts.map { try $0.converted(to: Scalar.self).scalar }
      return try range(values[0], values[1], values[2])
    }
    switch parts[0].dataType {
    case .float64: return [GraphValue(try operands(Double.self) { try range(from: $0, to: $1, by: $2) })]
    case .float32, .float16, .bfloat16:
      let numbers = try operands(Float.self) { try range(from: $0, to: $1, by: $2) }
      return [try GraphValue(rounding: numbers, to: ElementType(parts[0].dataType))]
    case .int16: return [GraphValue(try operands(Int16.self) { try range(from: $0, to: $1, by: $2) })]
    case .int32: return [GraphValue(try operands(Int32.self) { try range(from: $0, to: $1, by: $2) })]
    case .int64: return [GraphValue(try operands(Int64.self) { try range(from: $0, to: $1, by: $2) })]
    default: throw OperatorError("numbers of type \(ElementType(parts[0].dataType)) make no range")
    }
  }

  @inline(__always)
  private static func range<Scalar: FloatingPointScalar>(
    from start: Scalar, to limit: Scalar, by delta: Scalar
  ) throws -> Tensor<Scalar> {
    let steps = ((limit - start) / delta).rounded(.up)
    guard delta != 0, !steps.isNaN else {
      throw OperatorError("from \(start) to \(limit) by \(delta) there is no range")
    }
    guard let count = Int(exactly: max(steps, 0)) else {
      throw OperatorError("from \(start) to \(limit) by \(delta) there are more numbers than memory holds")
    }
    return try Tensor<Scalar>.filled([count]) { y in for i in 0..<count { y[i] = start + Scalar(i) * delta } }
  }

  @inline(__always)
  private static func range<Scalar: TensorScalar & FixedWidthInteger & SignedInteger>(
    from start: Scalar, to limit: Scalar, by delta: Scalar
  ) throws -> Tensor<Scalar> {
    guard delta != 0 else { throw OperatorError("the delta of a range is 0") }
    // The distance fits the unsigned type of the same size even where the difference overflows.
    let isEmpty = delta > 0 ? start >= limit : start <= limit
    let distance =
      delta > 0
      ? Scalar.Magnitude(truncatingIfNeeded: limit &- start)
      : Scalar.Magnitude(truncatingIfNeeded: start &- limit)
    guard let count = isEmpty ? 0 : Int(exactly: (distance - 1) / delta.magnitude).flatMap({ $0 < .max ? $0 + 1 : nil })
    else { throw OperatorError("from \(start) to \(limit) by \(delta) there are more numbers than memory holds") }
    return try Tensor<Scalar>.filled([count]) { y in
      for i in 0..<count { y[i] = start &+ Scalar(truncatingIfNeeded: i) &* delta }
    }
  }
}

private struct Filling: Rearrangement {
  let shape: [Int]

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try Tensor(repeating: x.scalar, shape: shape)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let constant = ShapeRule.rule { facts in
    guard let value = try Operators.constantValue(facts.node.node), let shape = value.shape else {
      throw ShapeFacts.Unknown()
    }
    return [InferredType(value.elementType, shape)]
  }

  static let constantOfShape = ShapeRule.rule { facts in
    guard let shape = try facts.integers(0) else { throw ShapeFacts.Unknown() }
    let value = try facts.node.optionalTensor("value")
    return [InferredType(value.map(\.elementType) ?? .float, shape)]
  }

  static let range = ShapeRule.rule { facts in
    // Of integers only: how many others there are is a matter of rounding.
    let bounds = try (0..<3).flatMap { try facts.integers($0) ?? [] }
    guard bounds.count == 3, bounds[2] != 0, bounds.allSatisfy({ $0.magnitude < 1 << 40 }) else {
      throw ShapeFacts.Unknown()
    }
    let (distance, step) = (bounds[2] > 0 ? bounds[1] - bounds[0] : bounds[0] - bounds[1], abs(bounds[2]))
    return [InferredType(facts.elementType(0), [max(0, (distance + step - 1) / step)])]
  }
}
