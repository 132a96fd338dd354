/// Little-endian numbers at given places of some bytes; `nil` beyond their end.
package struct LittleEndianReader {
  private let bytes: UnsafeRawBufferPointer

  /// Reads `bytes`, which must stay valid as long as this reader is used.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  package var count: Int { bytes.count }

  package func uint16(_ offset: Int) -> Int? {
    load(UInt16.self, offset).map { Int(UInt16(littleEndian: $0)) }
  }

  package func uint32(_ offset: Int) -> Int? {
    load(UInt32.self, offset).map { Int(UInt32(littleEndian: $0)) }
  }

  /// `nil` also for a number beyond `Int`, which cannot be a size.
  package func uint64(_ offset: Int) -> Int? {
    load(UInt64.self, offset).flatMap { Int(exactly: UInt64(littleEndian: $0)) }
  }

  /// The text in a range; `nil` when that is not UTF-8.
  package func text(_ range: Range<Int>) -> String? {
    guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
    return String(validating: bytes[range], as: UTF8.self)
  }

  private func load<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, _ offset: Int) -> Number? {
    guard offset >= 0, offset <= bytes.count - MemoryLayout<Number>.size else { return nil }
    return bytes.loadUnaligned(fromByteOffset: offset, as: type)
  }
}
