extension Tensor {
  /// ``converted(to:)``, put off until the elements are needed.
  /// - Throws: ``TensorError`` when memory is short.
  package func deferringConversion<Target: TensorScalar>(to type: Target.Type) throws -> Tensor<Target> {
    if let same = self as? Tensor<Target> { return same }
    return try Tensor<Target>(deferring: ConvertedElements(stored: rowMajor), shape: shape)
  }
}

/// Elements that are stored as another type.
private struct ConvertedElements<Stored: TensorScalar, Scalar: TensorScalar>: DeferredSource {
  let stored: Tensor<Stored>

  func write(_ range: Range<Int>, to destination: UnsafeMutablePointer<Scalar>) {
    withExtendedLifetime(stored.storage) {
      Execution.current.kernels.data.convert(
        stored.pointer + range.lowerBound, Stored.dataType.elementType, destination, Scalar.dataType.elementType,
        count: range.count)
    }
  }

  func identify(_ key: inout PackedKey) {
    key.add("converted", [stored.count])
    key.add(stored)
  }
}
