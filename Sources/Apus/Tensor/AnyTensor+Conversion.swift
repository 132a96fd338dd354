extension AnyTensor {
  /// The elements as `Float`, rounded to the nearest where they are not representable; `false` is 0 and `true` is 1.
  public func converted(to type: Float.Type = Float.self) throws -> Tensor<Float> {
    switch self {
    case .float64(let tensor): try tensor.mapElements { Float($0) }
    case .float32(let tensor): tensor
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): try tensor.mapElements { widened($0.bitPattern) }
    #endif
    case .bfloat16(let tensor): try tensor.mapElements { Float($0) }
    case .int8(let tensor): try tensor.mapElements { Float($0) }
    case .int16(let tensor): try tensor.mapElements { Float($0) }
    case .int32(let tensor): try tensor.mapElements { Float($0) }
    case .int64(let tensor): try tensor.mapElements { Float($0) }
    case .uint8(let tensor): try tensor.mapElements { Float($0) }
    case .uint16(let tensor): try tensor.mapElements { Float($0) }
    case .uint32(let tensor): try tensor.mapElements { Float($0) }
    case .uint64(let tensor): try tensor.mapElements { Float($0) }
    case .bool(let tensor): try tensor.mapElements { $0 ? 1 : 0 }
    }
  }

  /// The elements as `Double`, rounded to the nearest where they are not representable; `false` is 0 and `true` is 1.
  public func converted(to type: Double.Type) throws -> Tensor<Double> {
    switch self {
    case .float64(let tensor): tensor
    case .float32(let tensor): try tensor.mapElements { Double($0) }
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): try tensor.mapElements { Double(widened($0.bitPattern)) }
    #endif
    case .bfloat16(let tensor): try tensor.mapElements { Double(Float($0)) }
    case .int8(let tensor): try tensor.mapElements { Double($0) }
    case .int16(let tensor): try tensor.mapElements { Double($0) }
    case .int32(let tensor): try tensor.mapElements { Double($0) }
    case .int64(let tensor): try tensor.mapElements { Double($0) }
    case .uint8(let tensor): try tensor.mapElements { Double($0) }
    case .uint16(let tensor): try tensor.mapElements { Double($0) }
    case .uint32(let tensor): try tensor.mapElements { Double($0) }
    case .uint64(let tensor): try tensor.mapElements { Double($0) }
    case .bool(let tensor): try tensor.mapElements { $0 ? 1 : 0 }
    }
  }

  /// The elements as `Int64`.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for a floating-point tensor, or an element that does not
  /// fit.
  public func converted(to type: Int64.Type) throws -> Tensor<Int64> {
    switch self {
    case .int8(let tensor): try tensor.mapElements { Int64($0) }
    case .int16(let tensor): try tensor.mapElements { Int64($0) }
    case .int32(let tensor): try tensor.mapElements { Int64($0) }
    case .int64(let tensor): tensor
    case .uint8(let tensor): try tensor.mapElements { Int64($0) }
    case .uint16(let tensor): try tensor.mapElements { Int64($0) }
    case .uint32(let tensor): try tensor.mapElements { Int64($0) }
    case .uint64(let tensor): try tensor.mapElements { try exactly($0) }
    case .bool(let tensor): try tensor.mapElements { $0 ? 1 : 0 }
    default: throw TensorError.argument(operation: "convert", reason: "\(dataType) elements are not whole numbers")
    }
  }
}

extension AnyTensor {
  /// The elements as `Scalar`, where that is asked for: floating-point types become `Float` or `Double` always; whole
  /// numbers and truth values become floating-point or another whole-number type only when `converting`.
  ///
  /// - Returns: `nil` when no such conversion exists.
  /// - Throws: ``TensorError`` for a whole number that does not fit in `Scalar`.
  public func tensor<Scalar: TensorScalar>(as type: Scalar.Type, converting: Bool = false) throws -> Tensor<Scalar>? {
    if let same = tensor(of: type) { return same }
    let isAllowed = converting || dataType.isFloatingPoint
    switch Scalar.dataType {
    case .float32 where isAllowed: return try converted(to: Float.self) as? Tensor<Scalar>
    case .float64 where isAllowed: return try converted(to: Double.self) as? Tensor<Scalar>
    case _ where dataType.isFloatingPoint || !converting: return nil
    case .int64: return try converted(to: Int64.self) as? Tensor<Scalar>
    case .int32: return try narrowed(to: Int32.self) as? Tensor<Scalar>
    case .int16: return try narrowed(to: Int16.self) as? Tensor<Scalar>
    case .int8: return try narrowed(to: Int8.self) as? Tensor<Scalar>
    case .uint64: return try narrowed(to: UInt64.self) as? Tensor<Scalar>
    case .uint32: return try narrowed(to: UInt32.self) as? Tensor<Scalar>
    case .uint16: return try narrowed(to: UInt16.self) as? Tensor<Scalar>
    case .uint8: return try narrowed(to: UInt8.self) as? Tensor<Scalar>
    case .bool, .float16, .bfloat16, .float32, .float64: return nil
    }
  }

  @inline(__always)
  private func narrowed<Narrow: TensorScalar & FixedWidthInteger>(to type: Narrow.Type) throws -> Tensor<Narrow> {
    try converted(to: Int64.self).mapElements { try exactly($0) }
  }
}

extension Tensor {
  /// `transform` of every element. Always inlined, so that each use is a concrete loop.
  @inline(__always)
  fileprivate func mapElements<Result: TensorScalar>(_ transform: (Scalar) throws -> Result) throws -> Tensor<Result> {
    let source = try rowMajor
    return try withExtendedLifetime(source.storage) {
      let elements = source.pointer
      let count = source.count
      return try Tensor<Result>.filled(shape) { destination in
        for index in 0..<count { destination[index] = try transform(elements[index]) }
      }
    }
  }
}

@inline(__always)
private func exactly<From: FixedWidthInteger, To: FixedWidthInteger>(_ value: From) throws -> To {
  guard let result = To(exactly: value) else {
    throw TensorError.argument(operation: "convert", reason: "\(value) does not fit in \(To.self)")
  }
  return result
}

/// The value of a half-precision number; exact.
///
/// Without the F16C instructions `Float(Float16)` is a call for each element. These are three integer operations and a
/// multiplication, in vectors: the exponent is moved to its place and re-biased by multiplying with 2¹¹², which
/// normalises subnormal numbers on the way; infinities and NaNs then get the largest exponent.
@inline(__always)
private func widened(_ half: UInt16) -> Float {
  let magnitude = UInt32(half & 0x7FFF)
  let sign = UInt32(half & 0x8000) << 16
  let scaled = Float(bitPattern: magnitude << 13) * Float(bitPattern: (127 + 112) << 23)
  let special: UInt32 = magnitude >= 0x7C00 ? 0x7F80_0000 : 0
  return Float(bitPattern: scaled.bitPattern | special | sign)
}
