/// Messages of protocol buffers, put together and taken apart by hand: sound inputs are made of them.
enum ProtobufBytes {
  static func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
  }

  static func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }

  static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  static func text(_ number: UInt64, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  static func double(_ number: UInt64, _ value: Double) -> [UInt8] {
    varint(number << 3 | 1) + withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
  }

  /// The fields of bytes at the outermost level, up to where the message is damaged.
  static func parts(of message: [UInt8]) -> [(number: UInt64, bytes: [UInt8])] {
    var rest = message[...]
    var parts: [(UInt64, [UInt8])] = []
    while let key = readVarint(&rest), key & 7 == 2, let length = readVarint(&rest), length <= UInt64(rest.count) {
      parts.append((key >> 3, Array(rest.prefix(Int(length)))))
      rest = rest.dropFirst(Int(length))
    }
    return parts
  }

  /// - Returns: nil at the end of the bytes, and where they are no number.
  static func readVarint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for index in 0..<10 {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << UInt64(7 * index)
      if byte < 0x80 { return value }
    }
    return nil
  }
}
