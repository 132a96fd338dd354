import Apus

// Operators that only move elements are written once for all types: over bytes.

extension AnyTensor {
  /// A row-major tensor of `dataType` whose elements `fill` writes, every one of them.
  /// - Throws: ``TensorError`` for a shape that memory cannot hold.
  static func filled(
    _ dataType: DataType, _ shape: [Int], by fill: (UnsafeMutableRawPointer) throws -> Void
  ) throws -> AnyTensor {
    func make<Scalar: TensorScalar>(_ type: Scalar.Type) throws -> AnyTensor {
      AnyTensor(try Tensor<Scalar>.filled(shape) { try fill(UnsafeMutableRawPointer($0)) })
    }
    switch dataType {
    case .float64: return try make(Double.self)
    case .float32: return try make(Float.self)
    case .float16:
      #if os(macOS) && arch(x86_64)
        throw OperatorError("this machine has no FLOAT16")
      #else
        return try make(Float16.self)
      #endif
    case .bfloat16: return try make(BFloat16.self)
    case .int8: return try make(Int8.self)
    case .int16: return try make(Int16.self)
    case .int32: return try make(Int32.self)
    case .int64: return try make(Int64.self)
    case .uint8: return try make(UInt8.self)
    case .uint16: return try make(UInt16.self)
    case .uint32: return try make(UInt32.self)
    case .uint64: return try make(UInt64.self)
    case .bool: return try make(Bool.self)
    }
  }

  /// A tensor of zeros (`false` for BOOL).
  static func zeros(_ dataType: DataType, _ shape: [Int]) throws -> AnyTensor {
    let count = try Shape.elementCount(shape)
    return try filled(dataType, shape) {
      $0.initializeMemory(as: UInt8.self, repeating: 0, count: count * dataType.byteCount)
    }
  }

  /// The elements as another type, rounded, saturated or cut as ``Tensor/converted(to:)`` says.
  package func converted(to dataType: DataType) throws -> AnyTensor {
    switch dataType {
    case .float64: .float64(try converted())
    case .float32: .float32(try converted())
    case .float16:
      #if os(macOS) && arch(x86_64)
        throw OperatorError("this machine has no FLOAT16")
      #else
        .float16(try converted())
      #endif
    case .bfloat16: .bfloat16(try converted())
    case .int8: .int8(try converted())
    case .int16: .int16(try converted())
    case .int32: .int32(try converted())
    case .int64: .int64(try converted())
    case .uint8: .uint8(try converted())
    case .uint16: .uint16(try converted())
    case .uint32: .uint32(try converted())
    case .uint64: .uint64(try converted())
    case .bool: .bool(try converted())
    }
  }

  /// The same elements in another shape that holds as many; nothing is moved.
  package func reshaped(_ shape: [Int]) throws -> AnyTensor {
    switch self {
    case .float64(let tensor): .float64(try tensor.reshaped(shape))
    case .float32(let tensor): .float32(try tensor.reshaped(shape))
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): .float16(try tensor.reshaped(shape))
    #endif
    case .bfloat16(let tensor): .bfloat16(try tensor.reshaped(shape))
    case .int8(let tensor): .int8(try tensor.reshaped(shape))
    case .int16(let tensor): .int16(try tensor.reshaped(shape))
    case .int32(let tensor): .int32(try tensor.reshaped(shape))
    case .int64(let tensor): .int64(try tensor.reshaped(shape))
    case .uint8(let tensor): .uint8(try tensor.reshaped(shape))
    case .uint16(let tensor): .uint16(try tensor.reshaped(shape))
    case .uint32(let tensor): .uint32(try tensor.reshaped(shape))
    case .uint64(let tensor): .uint64(try tensor.reshaped(shape))
    case .bool(let tensor): .bool(try tensor.reshaped(shape))
    }
  }
}
