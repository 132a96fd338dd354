import ApusKernelInterface

// Functions of single elements over the memory of an operand that is not needed any more. What something else holds, or
// a file does, is never written: the result then gets memory of its own.

extension Tensor {
  /// Whether nothing else holds this tensor's memory, and it may be written.
  mutating func ownsMemory() -> Bool { storage.owner == nil && isKnownUniquelyReferenced(&storage) }

  /// The elements of a tensor that was never shared, or whose memory nothing else holds.
  package var mutablePointer: UnsafeMutablePointer<Scalar> { storage.base.assumingMemoryBound(to: Scalar.self) }
}

extension Tensor where Scalar: FloatingPointScalar {
  /// Replaces every element by `operation` of it.
  @_specialize(where Scalar == Float)
  package mutating func apply(_ operation: UnaryOperation) throws {
    guard ownsMemory() else {
      self = try mapped(operation)
      return
    }
    withExtendedLifetime(storage) {
      Self.run(operation, pointer, into: mutablePointer, count: storedCount)
    }
  }

  /// Replaces every element by `function` of it.
  package mutating func apply(_ function: Activation) throws {
    if let operation = function.operation { try apply(operation) }
  }

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
        kernels.round(x.value + start, to: type.storedType, y.value + start, count: count)
      }
    }
  }

  /// `a op b` with broadcasting. The memory of either may become the result's; neither is to be used again.
  @_specialize(where Scalar == Float)
  package static func combine(
    _ operation: BinaryOperation, overwriting a: inout Tensor, or b: inout Tensor, _ name: String
  ) throws -> Tensor {
    guard a.shape == b.shape, a.layout == b.layout else { return try combine(operation, a, b, name) }
    let isFirst = a.ownsMemory()
    guard isFirst || b.ownsMemory() else { return try combine(operation, a, b, name) }
    let result = isFirst ? a : b
    withExtendedLifetime((a.storage, b.storage)) {
      run(operation, a.pointer, b.pointer, into: result.mutablePointer, count: result.storedCount)
    }
    return result
  }
}
