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
    let (from, to) = (Scalar.dataType.elementType, Target.dataType.elementType)
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

extension Tensor where Scalar: FloatingPointScalar {
  /// Replaces every element by the nearest number of a floating-point type.
  package mutating func round(to type: DataType) throws {
    guard type != Scalar.dataType else { return }
    guard Scalar.dataType == .float32, type.byteCount == 2 else {
      switch type {
      case .float32: self = try converted(to: Float.self).converted()
      #if !(os(macOS) && arch(x86_64))
        case .float16: self = try converted(to: Float16.self).converted()
      #endif
      case .bfloat16: self = try converted(to: BFloat16.self).converted()
      default: break
      }
      return
    }
    let kernels = Execution.current.kernels.data
    let isOwner = ownsMemory()
    let source = storage
    if !isOwner { self = try Tensor(uninitialized: shape, layout: layout) }
    withExtendedLifetime((storage, source)) {
      let x = Unchecked(UnsafeRawPointer(source.base).assumingMemoryBound(to: Float.self))
      let y = Unchecked(UnsafeMutableRawPointer(mutablePointer).assumingMemoryBound(to: Float.self))
      parallelRanges(storedCount) { start, count in
        kernels.round(x.value + start, to: type.elementType, y.value + start, count: count)
      }
    }
  }
}

extension DataType {
  /// The kernels' name for this type.
  var elementType: ElementType {
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
