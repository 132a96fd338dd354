import Apus
import ApusGraph

// Elements in the fields for each kind of number: `float_data`, `int32_data` and so on. They become what `raw_data`
// would have been, so that everything after is one way.

extension StoredFields {
  /// The field that holds elements of a type when `raw_data` does not.
  private static func field(for elementType: ElementType) -> (number: Int, name: String) {
    switch elementType {
    case .float, .complex64: (4, "float_data")
    case .string: (6, "string_data")
    case .int64: (7, "int64_data")
    case .double, .complex128: (10, "double_data")
    case .uint32, .uint64: (11, "uint64_data")
    default: (5, "int32_data")
    }
  }

  /// The elements as `raw_data` would hold them.
  func gathered(_ elementType: ElementType, shape: [Int], byteCount: Int) throws -> MappedFile {
    switch elementType {
    case .float: try fixed(elementType, 4, shape, byteCount)
    case .double: try fixed(elementType, 8, shape, byteCount)
    case .int64: try varints(elementType, shape, byteCount, as: UInt64.self) { $0 }
    case .uint64: try varints(elementType, shape, byteCount, as: UInt64.self) { $0 }
    case .uint32: try varints(elementType, shape, byteCount, as: UInt32.self) { UInt32(exactly: $0) }
    case .int32: try varints(elementType, shape, byteCount, as: Int32.self) { Int32(truncatingIfNeeded: $0) }
    case .int16: try varints(elementType, shape, byteCount, as: Int16.self, narrow)
    case .int8: try varints(elementType, shape, byteCount, as: Int8.self, narrow)
    case .uint16, .float16, .bfloat16: try varints(elementType, shape, byteCount, as: UInt16.self, narrow)
    // Of the types that share bytes, each number is one such byte.
    default: try varints(elementType, shape, byteCount, as: UInt8.self, narrow)
    }
  }

  /// The codes of a type of six bits, of which `int32_data` holds one in each number.
  func sixBitCodes(_ elementType: ElementType, _ shape: [Int], _ count: Int) throws -> Tensor<UInt8> {
    let codes = try varints(elementType, shape, count, as: UInt8.self) { raw in
      raw < 64 ? UInt8(raw) : nil
    }
    return try codes.withUnsafeBytes { try Tensor<UInt8>($0, shape: shape) }
  }

  func strings(shape: [Int], count: Int) throws -> StringTensor {
    let chunks = chunks.filter { $0.field == Self.field(for: .string).number }
    guard chunks.count == count else { throw wrongCount(.string, shape, expected: count, found: chunks.count) }
    let elements = try withFile { file in
      try chunks.enumerated().map { index, chunk in
        let bytes = UnsafeRawBufferPointer(rebasing: file[chunk.range])
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw ONNXFileError.TensorReason.notUTF8(index: index)
        }
        return text
      }
    }
    return try StringTensor(elements, shape: shape)
  }

  private func wrongCount(_ type: ElementType, _ shape: [Int], expected: Int, found: Int) -> ONNXFileError.TensorReason
  {
    .wrongElementCount(type, shape, field: Self.field(for: type).name, expected: expected, found: found)
  }

  private func withFile<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    guard let source else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return try source.file.withUnsafeBytes(body)
  }

  /// A number in `int32_data` as the narrower type it stands for; nil when it does not fit.
  private func narrow<Narrow: FixedWidthInteger>(_ raw: UInt64) -> Narrow? {
    Narrow(exactly: Int32(truncatingIfNeeded: raw))
  }

  /// Numbers of a fixed size, which lie as in `raw_data` but for the chunks.
  private func fixed(_ type: ElementType, _ size: Int, _ shape: [Int], _ byteCount: Int) throws -> MappedFile {
    let chunks = chunks.filter { $0.field == Self.field(for: type).number }
    let found = chunks.reduce(0) { $0 + $1.range.count }
    guard found == byteCount else {
      throw wrongCount(type, shape, expected: byteCount / size, found: found / size)
    }
    return try withFile { file in
      try MappedFile(name: source?.file.name ?? "memory", byteCount: byteCount) { destination in
        var offset = 0
        for chunk in chunks {
          UnsafeMutableRawBufferPointer(rebasing: destination[offset..<offset + chunk.range.count])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: file[chunk.range]))
          offset += chunk.range.count
        }
      }
    }
  }

  /// Numbers of varying length.
  @inline(__always)
  private func varints<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: ElementType, _ shape: [Int], _ byteCount: Int, as: Number.Type, _ convert: (UInt64) -> Number?
  ) throws -> MappedFile {
    let size = MemoryLayout<Number>.size
    let count = byteCount / size
    let chunks = chunks.filter { $0.field == Self.field(for: type).number }
    return try withFile { file in
      // Every number has one byte without the high bit: they are counted before memory is taken for them.
      let found = chunks.reduce(0) { sum, chunk in file[chunk.range].reduce(sum) { $0 + ($1 < 0x80 ? 1 : 0) } }
      guard found == count else { throw wrongCount(type, shape, expected: count, found: found) }
      return try MappedFile(name: source?.file.name ?? "memory", byteCount: byteCount) { destination in
        var index = 0
        for chunk in chunks {
          var position = chunk.range.lowerBound
          while position < chunk.range.upperBound {
            guard case .value(let raw, let next) = decodeVarint(file, at: position, end: chunk.range.upperBound) else {
              throw ONNXFileError.TensorReason.badNumber(index: index, offset: position)
            }
            guard let number = convert(raw) else {
              throw ONNXFileError.TensorReason.outOfRange(index: index, value: Int64(bitPattern: raw), type)
            }
            destination.storeBytes(of: number, toByteOffset: index &* size, as: Number.self)
            index += 1
            position = next
          }
        }
      }
    }
  }
}
