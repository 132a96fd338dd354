import ApusBase

/// The elements of a tensor as they lie in a file: little-endian, row-major, checked to be of the right length.
package struct StoredTensor {
  package let dataType: DataType
  package let shape: [Int]
  /// The product of `shape`.
  package let count: Int
  /// `count` elements at any alignment.
  package let bytes: UnsafeRawBufferPointer
  /// What keeps `bytes` valid.
  package let file: MappedFile

  package init(dataType: DataType, shape: [Int], count: Int, bytes: UnsafeRawBufferPointer, file: MappedFile) {
    self.dataType = dataType
    self.shape = shape
    self.count = count
    self.bytes = bytes
    self.file = file
  }

  /// A byte of a boolean tensor that is neither 0 nor 1.
  package struct InvalidBool: Error {
    package let index: Int
    package let byte: UInt8
  }

  /// The tensor, its type erased.
  package func anyTensor() throws -> AnyTensor {
    switch dataType {
    case .float64: .float64(try tensor())
    case .float32: .float32(try tensor())
    case .float16:
      #if os(macOS) && arch(x86_64)
        throw TensorError.argument(operation: "tensor", reason: "float16 is not available on this machine")
      #else
        .float16(try tensor())
      #endif
    case .bfloat16: .bfloat16(try tensor())
    case .int8: .int8(try tensor())
    case .int16: .int16(try tensor())
    case .int32: .int32(try tensor())
    case .int64: .int64(try tensor())
    case .uint8: .uint8(try tensor())
    case .uint16: .uint16(try tensor())
    case .uint32: .uint32(try tensor())
    case .uint64: .uint64(try tensor())
    case .bool: .bool(try booleans())
    }
  }

  /// From this size on, elements are read where they lie at any alignment: a copy would cost more, in memory above all,
  /// than loads that cross from one cache line into the next. x86-64 and arm64 load numbers and vectors from any address,
  /// and the kernels ask for nothing more.
  private static var unalignedByteCount: Int {
    #if arch(x86_64) || arch(arm64)
      4096
    #else
      .max
    #endif
  }

  /// The elements where they lie, when the processor can read them there; a copy otherwise.
  private func tensor<Scalar: TensorScalar>() throws -> Tensor<Scalar> {
    guard let base = bytes.baseAddress, count > 0 else { return try Tensor(uninitialized: shape) }
    let isAligned = Int(bitPattern: base) & (MemoryLayout<Scalar>.alignment - 1) == 0
    let storage: TensorStorage
    if isAligned || bytes.count >= Self.unalignedByteCount {
      storage = TensorStorage(borrowing: base, byteCount: bytes.count, owner: file)
    } else {
      storage = try TensorStorage(byteCount: bytes.count)
      storage.base.copyMemory(from: base, byteCount: bytes.count)
    }
    return Tensor(shape: shape, count: count, storage: storage)
  }

  /// Booleans are copied while they are checked: a `Bool` that is neither 0 nor 1 is undefined behaviour, and a
  /// mapped file may change after the check.
  private func booleans() throws -> Tensor<Bool> {
    try Tensor<Bool>.filled(shape) { destination in
      for index in 0..<count {
        let byte = bytes[index]
        guard byte <= 1 else { throw InvalidBool(index: index, byte: byte) }
        (destination + index).initialize(to: byte == 1)
      }
    }
  }
}
