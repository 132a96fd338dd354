/// The checksum of ZIP, gzip and PNG: CRC-32 with the reflected polynomial 0xEDB88320 (ISO 3309).
package struct CRC32 {
  private var state: UInt32 = .max

  package init() {}

  /// The checksum of everything so far.
  package var value: UInt32 { ~state }

  /// The checksum of `bytes`.
  package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32()
    crc.update(bytes)
    return crc.value
  }

  /// Adds `bytes`, eight at a time: table `k` holds what a byte does to the state when `k` zero bytes follow it, so the
  /// effects of eight bytes are looked up independently of each other.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var crc = state
    var offset = 0
    Self.tables.withUnsafeBufferPointer { tables in
      while bytes.count - offset >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(crc)
        var next: UInt32 = 0
        for position in 0..<8 {
          let byte = Int(truncatingIfNeeded: word >> UInt64(8 * position)) & 0xFF
          next ^= tables[(7 - position) * 256 + byte]
        }
        crc = next
        offset += 8
      }
      while offset < bytes.count {
        crc = tables[Int((crc ^ UInt32(bytes[offset])) & 0xFF)] ^ (crc >> 8)
        offset += 1
      }
    }
    state = crc
  }

  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var crc = UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
      tables[byte] = crc
    }
    for entry in 256..<8 * 256 {
      let previous = tables[entry - 256]
      tables[entry] = previous >> 8 ^ tables[Int(previous & 0xFF)]
    }
    return tables
  }()
}
