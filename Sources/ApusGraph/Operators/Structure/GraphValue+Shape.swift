import Apus

extension GraphValue {
  /// The extents of a tensor of any element type.
  /// - Throws: ``OperatorError`` for a sequence or an optional.
  var extents: [Int] {
    get throws {
      guard let shape else { throw OperatorError("\(type) is given; a tensor is needed") }
      return shape
    }
  }

  /// The same elements in another shape that holds as many; nothing is moved.
  func reshaped(_ shape: [Int]) throws -> GraphValue {
    if case .strings(let tensor) = self { return .strings(try tensor.reshaped(shape)) }
    return try Reshaping(shape: shape).run(self)
  }

  /// Zeros, or empty strings.
  init(zeros elementType: ElementType, shape: [Int]) throws {
    if elementType == .string {
      let memory = try MemoryReservation(shape, of: String.self, operation: "strings")
      let count = try Shape.elementCount(shape)
      self = .strings(try StringTensor([String](repeating: "", count: count), shape: shape, memory: memory))
      return
    }
    if elementType.isCoded {
      self = .coded(CodedTensor(elementType: elementType, codes: try Tensor(zeros: shape)))
      return
    }
    func zeros<Scalar: TensorScalar>(_: Scalar.Type) throws -> GraphValue {
      GraphValue(try Tensor<Scalar>(zeros: shape))
    }
    switch elementType.dataType {
    case .float64: self = try zeros(Double.self)
    case .float32: self = try zeros(Float.self)
    #if !(os(macOS) && arch(x86_64))
      case .float16: self = try zeros(Float16.self)
    #endif
    case .bfloat16: self = try zeros(BFloat16.self)
    case .int8: self = try zeros(Int8.self)
    case .int16: self = try zeros(Int16.self)
    case .int32: self = try zeros(Int32.self)
    case .int64: self = try zeros(Int64.self)
    case .uint8: self = try zeros(UInt8.self)
    case .uint16: self = try zeros(UInt16.self)
    case .uint32: self = try zeros(UInt32.self)
    case .uint64: self = try zeros(UInt64.self)
    case .bool: self = try zeros(Bool.self)
    default: throw OperatorError("tensors of \(elementType) are not supported")
    }
  }
}

private struct Reshaping: Rearrangement {
  let shape: [Int]

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> { try x.reshaped(shape) }
}
