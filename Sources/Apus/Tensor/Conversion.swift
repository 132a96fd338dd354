import ApusKernelInterface

extension Tensor {
  /// The elements as another type.
  ///
  /// Floating-point results are rounded to the nearest. Floating-point numbers become whole ones by truncation towards
  /// zero, the nearest representable where they are out of range and zero for NaN; integers that do not fit keep
  /// their low bits; `Bool` is whether an element is not zero, and counts as 0 or 1.
  public func converted<Target: TensorScalar>(to type: Target.Type = Target.self) throws -> Tensor<Target> {
    if let same = self as? Tensor<Target> { return same }
    // Maps that convolutions made stay as they lie where sixteen bits are kept between them.
    let source = Scalar.dataType.isComputedInFloat && Target.dataType.isComputedInFloat ? self : try rowMajor
    let kernels = Execution.current.kernels.data
    let (from, to) = (Scalar.dataType.storedType, Target.dataType.storedType)
    return try withExtendedLifetime(source.storage) {
      nonisolated(unsafe) let x = source.pointer
      return try Tensor<Target>.filled(shape, layout: source.layout) { destination in
        nonisolated(unsafe) let y = destination
        parallelRanges(source.storedCount) { start, count in
          kernels.convert(x + start, from, y + start, to, count: count)
        }
      }
    }
  }
}

extension DataType {
  /// The kernels' name for this type.
  var storedType: StoredType {
    switch self {
    case .float64: .float64
    case .float32: .float32
    case .float16: .float16
    case .bfloat16: .bfloat16
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .uint8: .uint8
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    case .bool: .bool
    }
  }
}
