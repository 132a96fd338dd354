extension Tensor {
  /// ``converted(to:)``, put off until the elements are needed.
  /// - Throws: ``TensorError`` when memory is short.
  package func deferringConversion<Target: TensorScalar>(to type: Target.Type) throws -> Tensor<Target> {
    if let same = self as? Tensor<Target> { return same }
    return try Tensor<Target>(deferring: ConvertedElements(stored: rowMajor), shape: shape)
  }
}

extension AnyTensor {
  /// ``converted(to:)`` of many numbers of sixteen bits, put off until the elements are needed; nil for anything else.
  /// - Throws: ``TensorError`` when memory is short.
  package func deferringConversion<Target: FloatingPointScalar>(to type: Target.Type) throws -> Tensor<Target>? {
    guard count >= leastDeferredCount else { return nil }
    return switch self {
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): try tensor.deferringConversion(to: type)
    #endif
    case .bfloat16(let tensor): try tensor.deferringConversion(to: type)
    default: nil
    }
  }
}

/// What makes elements of such as are stored in another type.
protocol ConvertingSource: DeferredSource {
  /// What is stored, in a shape of as many elements.
  func stored(_ shape: [Int]) throws -> AnyTensor
}

/// Elements that are stored as another type.
private struct ConvertedElements<Stored: TensorScalar, Scalar: TensorScalar>: ConvertingSource {
  let stored: Tensor<Stored>

  func stored(_ shape: [Int]) throws -> AnyTensor { AnyTensor(try stored.reshaped(shape)) }

  func write(_ range: Range<Int>, to destination: UnsafeMutablePointer<Scalar>) {
    withExtendedLifetime(stored.storage) {
      Execution.current.kernels.data.convert(
        stored.pointer + range.lowerBound, Stored.dataType.storedType, destination, Scalar.dataType.storedType,
        count: range.count)
    }
  }

  func identify(_ key: inout PackedKey) {
    key.add("converted", [stored.count])
    key.add(stored)
  }
}
