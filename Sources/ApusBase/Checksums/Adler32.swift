/// The checksum of the zlib format (RFC 1950): two sums modulo 65521, one of the bytes and one of the first sums.
package enum Adler32 {
  private static let modulus: UInt32 = 65521
  /// The most bytes that can be summed before the second sum may pass 2³².
  private static let stretch = 5552

  /// The checksum of `bytes`.
  package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var low: UInt32 = 1
    var high: UInt32 = 0
    var offset = 0
    while offset < bytes.count {
      let end = min(offset + stretch, bytes.count)
      while offset < end {
        low &+= UInt32(bytes[offset])
        high &+= low
        offset += 1
      }
      low %= modulus
      high %= modulus
    }
    return high << 16 | low
  }
}
