import Apus

extension Operators {
  static let choices: [OperatorDefinition] = [
    OperatorDefinition("Where", .plain(.whereBroadcast, axes: .free), Where)
  ]

  /// x where the condition holds and y where it does not, broadcast over each other; of any type.
  static func Where(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let condition = try arguments.tensor(0, of: Bool.self)
      switch try (arguments.value(1), arguments.value(2)) {
      case (.tensor(let x), .tensor(let y)):
        let (x, y) = try ofOneType(x, y)
        return [.tensor(try select(condition, x, y))]
      case (.coded(let x), .coded(let y)) where x.elementType == y.elementType:
        let codes = try select(condition, .uint8(x.codes), .uint8(y.codes))
        return [.coded(CodedTensor(elementType: x.elementType, codes: try codes.converted()))]
      case (.strings(let x), .strings(let y)): return [.strings(try select(condition, x, y))]
      case (let x, let y): throw OperatorError("inputs 1 and 2 are \(x.type) and \(y.type); one type is needed")
      }
    }
  }

  /// Both as they are, or as DOUBLE where a model that runs in it meets a FLOAT.
  private static func ofOneType(_ x: AnyTensor, _ y: AnyTensor) throws -> (AnyTensor, AnyTensor) {
    if x.dataType == y.dataType { return (x, y) }
    guard x.dataType.isFloatingPoint, y.dataType.isFloatingPoint else {
      throw OperatorError(
        "inputs 1 and 2 are \(ElementType(x.dataType)) and \(ElementType(y.dataType)); one type is needed")
    }
    let type = DataType.working(x.dataType, y.dataType)
    return (try x.converted(to: type), try y.converted(to: type))
  }

  /// - Parameter y: of the type of `x`.
  private static func select(_ condition: Tensor<Bool>, _ x: AnyTensor, _ y: AnyTensor) throws -> AnyTensor {
    switch x {
    case .float64(let x): .float64(try Tensor(where: condition, then: x, else: y.converted()))
    case .float32(let x): .float32(try Tensor(where: condition, then: x, else: y.converted()))
    #if !(os(macOS) && arch(x86_64))
      case .float16(let x): .float16(try Tensor(where: condition, then: x, else: y.converted()))
    #endif
    case .bfloat16(let x): .bfloat16(try Tensor(where: condition, then: x, else: y.converted()))
    case .int8(let x): .int8(try Tensor(where: condition, then: x, else: y.converted()))
    case .int16(let x): .int16(try Tensor(where: condition, then: x, else: y.converted()))
    case .int32(let x): .int32(try Tensor(where: condition, then: x, else: y.converted()))
    case .int64(let x): .int64(try Tensor(where: condition, then: x, else: y.converted()))
    case .uint8(let x): .uint8(try Tensor(where: condition, then: x, else: y.converted()))
    case .uint16(let x): .uint16(try Tensor(where: condition, then: x, else: y.converted()))
    case .uint32(let x): .uint32(try Tensor(where: condition, then: x, else: y.converted()))
    case .uint64(let x): .uint64(try Tensor(where: condition, then: x, else: y.converted()))
    case .bool(let x): .bool(try Tensor(where: condition, then: x, else: y.converted()))
    }
  }

  private static func select(_ condition: Tensor<Bool>, _ x: StringTensor, _ y: StringTensor) throws -> StringTensor {
    let walk = try BroadcastWalk([condition.shape, x.shape, y.shape], operation: "Where")
    let (maskStep, xStep, yStep) = (walk.step(of: 0), walk.step(of: 1), walk.step(of: 2))
    var result: [String] = []
    let memory = try MemoryReservation(walk.shape, of: String.self, operation: "Where")
    result.reserveCapacity(walk.count)
    try condition.withUnsafeBufferPointer { mask in
      walk.forRows(from: 0, count: walk.rows) { _, offsets in
        for i in 0..<walk.width {
          let holds = mask[offsets[0] + i * maskStep]
          result.append(holds ? x.elements[offsets[1] + i * xStep] : y.elements[offsets[2] + i * yStep])
        }
      }
    }
    try memory.grow(by: result.reduce(0) { $0 + StringTensor.textByteCount($1.utf8.count) })
    return try StringTensor(result, shape: walk.shape, memory: memory)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let whereBroadcast = ShapeRule.rule { facts in
    let shape = try Shape.broadcast(facts.shape(1), facts.shape(2), operation: "Where")
    return [
      InferredType(facts.commonElementType([1, 2]), try Shape.broadcast(facts.shape(0), shape, operation: "Where"))
    ]
  }
}
