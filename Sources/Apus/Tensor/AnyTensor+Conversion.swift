extension AnyTensor {
  /// The elements as another type, as ``Tensor/converted(to:)`` converts them: whatever does not fit is rounded,
  /// saturated or cut, never an error.
  public func converted<Target: TensorScalar>(to type: Target.Type = Target.self) throws -> Tensor<Target> {
    switch self {
    case .float64(let tensor): try tensor.converted()
    case .float32(let tensor): try tensor.converted()
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): try tensor.converted()
    #endif
    case .bfloat16(let tensor): try tensor.converted()
    case .int8(let tensor): try tensor.converted()
    case .int16(let tensor): try tensor.converted()
    case .int32(let tensor): try tensor.converted()
    case .int64(let tensor): try tensor.converted()
    case .uint8(let tensor): try tensor.converted()
    case .uint16(let tensor): try tensor.converted()
    case .uint32(let tensor): try tensor.converted()
    case .uint64(let tensor): try tensor.converted()
    case .bool(let tensor): try tensor.converted()
    }
  }

  /// The elements as `Scalar`, where no value is lost but by rounding: floating-point types become `Float` or `Double`;
  /// integers and Booleans, only when `converting`, become these or another integer type that holds them.
  ///
  /// - Returns: `nil` when no such conversion exists.
  /// - Throws: ``TensorError`` for an integer that does not fit in `Scalar`.
  public func tensor<Scalar: TensorScalar>(as type: Scalar.Type, converting: Bool = false) throws -> Tensor<Scalar>? {
    if let same = tensor(of: type) { return same }
    switch (dataType.isFloatingPoint, Scalar.dataType) {
    case (true, .float32), (true, .float64): return try converted()
    case (true, _): return nil
    case (false, .float32), (false, .float64): return converting ? try converted() : nil
    case (false, .float16), (false, .bfloat16), (false, .bool): return nil
    case (false, _):
      guard converting else { return nil }
      try checkRange(of: Scalar.dataType)
      return try converted()
    }
  }

  /// Checks that every integer lies in the range of the integer type `target`.
  private func checkRange(of target: DataType) throws {
    func failure(_ value: some BinaryInteger) -> TensorError {
      .argument(operation: "convert", reason: "\(value) does not fit in \(target)")
    }
    let range = target.signedRange
    // Numbers of 64 bits without a sign are compared as signed ones: those beyond come out below zero.
    try converted(to: Int64.self).withUnsafeBufferPointer { values in
      for value in values {
        if value < 0, dataType == .uint64 { throw failure(UInt64(bitPattern: value)) }
        if value < range.lowerBound || value > range.upperBound { throw failure(value) }
      }
    }
  }
}

extension DataType {
  /// The integers of this type that `Int64` has, too.
  fileprivate var signedRange: ClosedRange<Int64> {
    switch self {
    case .int8: -0x80...0x7F
    case .int16: -0x8000...0x7FFF
    case .int32: -0x8000_0000...0x7FFF_FFFF
    case .uint8: 0...0xFF
    case .uint16: 0...0xFFFF
    case .uint32: 0...0xFFFF_FFFF
    case .uint64: 0...Int64.max
    default: Int64.min...Int64.max
    }
  }
}
