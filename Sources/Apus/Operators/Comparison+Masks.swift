import ApusKernelInterface

/// Elements that stay in the first-level cache with what they are compared with.
private let comparedAtATime = 2048

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

  private func compared(_ test: ComparisonTest, _ other: Tensor, _ name: String) throws -> Tensor<Bool> {
    let shape = try Shape.broadcast(self.shape, other.shape, operation: name)
    let total = try Shape.elementCount(shape)
    let (a, b) = (try compared(over: shape), try other.compared(over: shape))
    let (aStep, bStep) = (a.shape == shape ? 1 : 0, b.shape == shape ? 1 : 0)
    let kernels = Scalar.kernels
    return try withExtendedLifetime((a.storage, b.storage)) {
      nonisolated(unsafe) let first = a.pointer
      nonisolated(unsafe) let second = b.pointer
      return try Tensor<Bool>.filled(shape) { destination in
        nonisolated(unsafe) let y = destination
        parallelRanges(total) { start, count in
          for place in stride(from: start, to: start + count, by: comparedAtATime) {
            kernels.compare(
              test, first + place * aStep, second + place * bStep, y + place,
              count: min(comparedAtATime, start + count - place))
          }
        }
      }
    }
  }

  /// The operand over all of `shape` or, where it is a single number for many, over as many as are compared at a time.
  private func compared(over shape: [Int]) throws -> Tensor {
    let isFew = try Shape.elementCount(shape) <= comparedAtATime
    return try count == 1 && !isFew ? reshaped([1]).expanded(to: [comparedAtATime]) : expanded(to: shape)
  }
}

extension Tensor {
  /// `a` where `mask` is true and `b` where it is false (PyTorch's `where`); all three broadcast.
  public init(where mask: Tensor<Bool>, then a: Tensor, else b: Tensor) throws {
    let pair = try Shape.broadcast(a.shape, b.shape, operation: "where")
    let shape = try Shape.broadcast(mask.shape, pair, operation: "where")
    let mask = try mask.expanded(to: shape)
    // A single value need not be repeated in memory.
    let a = a.count == 1 ? a : try a.expanded(to: shape)
    let b = b.count == 1 ? b : try b.expanded(to: shape)
    let (aStep, bStep) = (a.count == 1 ? 0 : 1, b.count == 1 ? 0 : 1)
    let kernels = Execution.current.kernels.data
    self = try withExtendedLifetime((mask.storage, a.storage, b.storage)) {
      nonisolated(unsafe) let mask = (UnsafeRawPointer(mask.pointer).assumingMemoryBound(to: UInt8.self), mask.count)
      nonisolated(unsafe) let first = a.pointer
      nonisolated(unsafe) let second = b.pointer
      return try Tensor.filled(shape) { destination in
        nonisolated(unsafe) let y = destination
        parallelRanges(mask.1) { start, count in
          kernels.select(
            elementSize: MemoryLayout<Scalar>.stride, mask.0 + start, first + start * aStep, aStep: aStep,
            second + start * bStep, bStep: bStep, y + start, count: count)
        }
      }
    }
  }
}

extension Tensor where Scalar: FloatingPointScalar {
  /// `value` where `mask` is true, the element elsewhere; the mask broadcasts.
  public func maskedFill(_ mask: Tensor<Bool>, with value: Scalar) throws -> Tensor {
    try Tensor(where: mask, then: Tensor([value], shape: []), else: self)
  }
}

extension Tensor where Scalar == Bool {
  /// Where both are true; the two broadcast.
  public func and(_ other: Tensor) throws -> Tensor { try combined(.and, other, "and") }
  /// Where one is true at least.
  public func or(_ other: Tensor) throws -> Tensor { try combined(.or, other, "or") }
  /// Where one is true and the other is not.
  public func xor(_ other: Tensor) throws -> Tensor { try combined(.exclusiveOr, other, "xor") }
  /// Where this is false.
  public static prefix func ! (x: Tensor) throws -> Tensor { try x.xor(Tensor([true], shape: [])) }

  private func combined(_ operation: LogicOperation, _ other: Tensor, _ name: String) throws -> Tensor {
    let shape = try Shape.broadcast(self.shape, other.shape, operation: name)
    let a = try expanded(to: shape)
    let b = other.count == 1 ? other : try other.expanded(to: shape)
    let bStep = b.count == 1 ? 0 : 1
    let kernels = Execution.current.kernels.data
    return try withExtendedLifetime((a.storage, b.storage)) {
      nonisolated(unsafe) let first = UnsafeRawPointer(a.pointer).assumingMemoryBound(to: UInt8.self)
      nonisolated(unsafe) let second = UnsafeRawPointer(b.pointer).assumingMemoryBound(to: UInt8.self)
      return try Tensor.filled(shape) { destination in
        nonisolated(unsafe) let y = UnsafeMutableRawPointer(destination).assumingMemoryBound(to: UInt8.self)
        parallelRanges(a.count) { start, count in
          kernels.logic(operation, first + start, second + start * bStep, bStep: bStep, y + start, count: count)
        }
      }
    }
  }
}
