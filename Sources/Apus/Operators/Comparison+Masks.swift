import ApusKernelInterface

extension Tensor where Scalar: FloatingPointScalar {
  /// Where `a == b`. Comparisons broadcast, and are false where either element is NaN, except ``ne(_:)``.
  public func eq(_ other: Tensor) throws -> Tensor<Bool> { try compared(.equal, other, "eq") }
  /// Where `a != b`.
  public func ne(_ other: Tensor) throws -> Tensor<Bool> { try compared(.notEqual, other, "ne") }
  /// Where `a < b`.
  public func lt(_ other: Tensor) throws -> Tensor<Bool> { try compared(.less, other, "lt") }
  /// Where `a <= b`.
  public func le(_ other: Tensor) throws -> Tensor<Bool> { try compared(.lessOrEqual, other, "le") }
  /// Where `a > b`.
  public func gt(_ other: Tensor) throws -> Tensor<Bool> { try compared(.greater, other, "gt") }
  /// Where `a >= b`.
  public func ge(_ other: Tensor) throws -> Tensor<Bool> { try compared(.greaterOrEqual, other, "ge") }

  private func compared(_ test: ApusKernelInterface.Comparison, _ other: Tensor, _ name: String) throws -> Tensor<Bool> {
    let shape = try Shape.broadcast(self.shape, other.shape, operation: name)
    let a = try expanded(to: shape)
    let b = try other.expanded(to: shape)
    let kernels = Scalar.kernels
    return try withExtendedLifetime((a.storage, b.storage)) {
      nonisolated(unsafe) let first = a.pointer
      nonisolated(unsafe) let second = b.pointer
      return try Tensor<Bool>.filled(shape) { destination in
        nonisolated(unsafe) let y = destination
        parallelRanges(a.count) { start, count in
          kernels.compare(test, first + start, second + start, y + start, count: count)
        }
      }
    }
  }

  /// `a` where `mask` is true and `b` where it is false (PyTorch's `where`); all three broadcast.
  public init(where mask: Tensor<Bool>, then a: Tensor, else b: Tensor) throws {
    let pair = try Shape.broadcast(a.shape, b.shape, operation: "where")
    let shape = try Shape.broadcast(mask.shape, pair, operation: "where")
    let mask = try mask.expanded(to: shape)
    let a = try a.expanded(to: shape)
    let b = try b.expanded(to: shape)
    let kernels = Scalar.kernels
    self = try withExtendedLifetime((mask.storage, a.storage, b.storage)) {
      nonisolated(unsafe) let mask = (mask.pointer, mask.count)
      nonisolated(unsafe) let first = a.pointer
      nonisolated(unsafe) let second = b.pointer
      return try Tensor.filled(shape) { destination in
        nonisolated(unsafe) let y = destination
        parallelRanges(mask.1) { start, count in
          kernels.select(mask.0 + start, first + start, second + start, y + start, count: count)
        }
      }
    }
  }

  /// `value` where `mask` is true, the element elsewhere; the mask broadcasts.
  public func maskedFill(_ mask: Tensor<Bool>, with value: Scalar) throws -> Tensor {
    try Tensor(where: mask, then: Tensor([value], shape: []), else: self)
  }
}
