import Apus

extension Operators {
  static let choices: [OperatorDefinition] = [
    OperatorDefinition("Where", Where)
  ]

  /// x where the condition holds and y where it does not, broadcast over each other; of any type.
  static func Where(_ node: NodeDescription) throws -> Operation {
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
    let type: DataType = x.dataType == .float64 || y.dataType == .float64 ? .float64 : .float32
    return (try x.converted(to: type), try y.converted(to: type))
  }

  private static func select(_ condition: Tensor<Bool>, _ x: AnyTensor, _ y: AnyTensor) throws -> AnyTensor {
    let walk = try BroadcastWalk([condition.shape, x.shape, y.shape], operation: "Where")
    return try condition.withUnsafeBufferPointer { condition in
      try x.withUnsafeBytes { first in
        try y.withUnsafeBytes { second in
          try AnyTensor.filled(x.dataType, walk.shape) { destination in
            guard let mask = condition.baseAddress, let a = first.baseAddress, let b = second.baseAddress else {
              return
            }
            switch x.dataType.byteCount {
            case 1: choose(walk, mask, a, b, destination, UInt8.self)
            case 2: choose(walk, mask, a, b, destination, UInt16.self)
            case 4: choose(walk, mask, a, b, destination, UInt32.self)
            default: choose(walk, mask, a, b, destination, UInt64.self)
            }
          }
        }
      }
    }
  }

  private static func choose<Bits: TensorScalar>(
    _ walk: BroadcastWalk, _ mask: UnsafePointer<Bool>, _ x: UnsafeRawPointer, _ y: UnsafeRawPointer,
    _ result: UnsafeMutableRawPointer, _ type: Bits.Type
  ) {
    nonisolated(unsafe) let mask = mask
    nonisolated(unsafe) let x = x.assumingMemoryBound(to: type)
    nonisolated(unsafe) let y = y.assumingMemoryBound(to: type)
    nonisolated(unsafe) let result = result.assumingMemoryBound(to: type)
    let (maskStep, xStep, yStep) = (walk.steps[0], walk.steps[1], walk.steps[2])
    walk.forRowsInParallel { position, count, offsets in
      let (mask, x, y) = (mask + offsets[0], x + offsets[1], y + offsets[2])
      let result = result + position
      // Each combination that networks have is a loop of its own, without multiplications.
      switch (maskStep, xStep, yStep) {
      case (1, 1, 1): for i in 0..<count { result[i] = mask[i] ? x[i] : y[i] }
      case (1, 1, 0):
        let value = y[0]
        for i in 0..<count { result[i] = mask[i] ? x[i] : value }
      case (1, 0, 1):
        let value = x[0]
        for i in 0..<count { result[i] = mask[i] ? value : y[i] }
      default: for i in 0..<count { result[i] = mask[i &* maskStep] ? x[i &* xStep] : y[i &* yStep] }
      }
    }
  }

  private static func select(_ condition: Tensor<Bool>, _ x: StringTensor, _ y: StringTensor) throws -> StringTensor {
    let walk = try BroadcastWalk([condition.shape, x.shape, y.shape], operation: "Where")
    let (maskStep, xStep, yStep) = (walk.steps[0], walk.steps[1], walk.steps[2])
    var result: [String] = []
    try Shape.checkMemory(walk.shape, of: String.self, operation: "Where")
    result.reserveCapacity(walk.count)
    try condition.withUnsafeBufferPointer { mask in
      walk.forRows(from: 0, count: walk.rows) { _, offsets in
        for i in 0..<walk.width {
          let holds = mask[offsets[0] + i * maskStep]
          result.append(holds ? x.elements[offsets[1] + i * xStep] : y.elements[offsets[2] + i * yStep])
        }
      }
    }
    return try StringTensor(result, shape: walk.shape)
  }
}
