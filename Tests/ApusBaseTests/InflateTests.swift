import Testing

@testable import ApusBase

@Suite("Inflate and its checksums")
struct InflateTests {
  func inflate(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> [UInt8] {
    try bytes.withUnsafeBytes { try Inflate.raw($0, limit: limit).output }
  }

  func zlib(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> [UInt8] {
    try bytes.withUnsafeBytes { try Inflate.zlib($0, limit: limit).output }
  }

  func refusal(_ bytes: [UInt8], limit: Int = 1 << 20) -> InflateError.Reason? {
    do {
      _ = try inflate(bytes, limit: limit)
      return nil
    } catch {
      return (error as? InflateError)?.reason
    }
  }

  @Test("checksums of the standard test text")
  func checksums() {
    Array("123456789".utf8).withUnsafeBytes {
      #expect(CRC32.checksum($0) == 0xCBF4_3926)
      #expect(Adler32.checksum($0) == 0x091E_01DE)
    }
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(CRC32.checksum(empty) == 0)
    #expect(Adler32.checksum(empty) == 1)
    // Where the sums have to be reduced.
    [UInt8](repeating: 255, count: 100_000).withUnsafeBytes { #expect(Adler32.checksum($0) == 0x149A_302C) }
  }

  @Test("a checksum in pieces is the checksum of the whole")
  func checksumInPieces() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7919) }
    bytes.withUnsafeBytes { whole in
      for cut in [0, 1, 7, 8, 9, 500, 1000] {
        var crc = CRC32()
        crc.update(UnsafeRawBufferPointer(rebasing: whole[..<cut]))
        crc.update(UnsafeRawBufferPointer(rebasing: whole[cut...]))
        #expect(crc.value == CRC32.checksum(whole))
      }
    }
  }

  @Test("blocks of each kind")
  func blocks() throws {
    #expect(try inflate([0x03, 0x00]) == [])
    #expect(try inflate([0x01, 0x02, 0x00, 0xFD, 0xFF, 7, 8]) == [7, 8])
    #expect(try inflate([0x00, 0x01, 0x00, 0xFE, 0xFF, 7, 0x01, 0x01, 0x00, 0xFE, 0xFF, 8]) == [7, 8])
    #expect(try inflate([0x63, 0x64, 0x62, 0x06, 0x00]) == [1, 2, 3])
    // Repetitions at distance 1, with fixed codes.
    #expect(try inflate([0x4B, 0x4C, 0x1C, 0x05, 0xC4, 0x02, 0x00]) == [UInt8](repeating: 97, count: 300))
    // zlib's own dynamic block for "abaabbbabaababbaababaaaabaaabbbbbaa".
    let text = "abaabbbabaababbaababaaaabaaabbbbbaa"
    let dynamic: [UInt8] = [
      0x1D, 0xC6, 0x49, 0x01, 0x00, 0x00, 0x10, 0x40, 0xC0, 0xAC, 0xA3, 0x7F, 0x88, 0x3D, 0x3C, 0x20, 0x2A, 0x97, 0x9D,
      0x37, 0x5E, 0x1D, 0x0C,
    ]
    #expect(try inflate(dynamic) == Array(text.utf8))
  }

  @Test("how much of the input was used")
  func consumption() throws {
    let deflated: [UInt8] = [0x63, 0x64, 0x62, 0x06, 0x00, 9, 9]
    #expect(try deflated.withUnsafeBytes { try Inflate.raw($0, limit: 3).consumed } == 5)
    let zipped: [UInt8] = [0x78, 0x9C, 0x63, 0x64, 0x62, 0x06, 0x00, 0x00, 0x0D, 0x00, 0x07, 9, 9]
    #expect(try zipped.withUnsafeBytes { try Inflate.zlib($0, limit: 3).consumed } == 11)
    #expect(try zlib(zipped, limit: 3) == [1, 2, 3])
  }

  @Test("what is damaged, and how")
  func damage() {
    #expect(refusal([]) == .truncated)
    #expect(refusal([0x63]) == .truncated)
    #expect(refusal([0x07]) == .badBlockType)
    #expect(refusal([0x01, 0x02, 0x00, 0xFD, 0xFE, 7, 8]) == .badStoredLength)
    #expect(refusal([0x01, 0x02, 0x00, 0xFD, 0xFF, 7]) == .truncated)
    // The repetition of a byte that is not there: length 3, distance 1, as the first symbol.
    #expect(refusal([0x03, 0x02]) == .badDistance)
    // 30 distance codes are allowed, and 286 of literals.
    #expect(refusal([0xFD, 0x1F, 0, 0]) == .badCode)
    // All nineteen lengths 1: more codes than there can be.
    #expect(refusal([0x05, 0xE0, 0x93, 0x24, 0x49, 0x92, 0x24, 0x49, 0x92, 0x24]) == .badCode)
    // The fixed code 286, which stands for nothing: 11000110.
    #expect(refusal([0x1B, 0x03, 0, 0]) == .badSymbol)
  }

  @Test("no output beyond the limit")
  func limit() {
    let bytes: [UInt8] = [0x4B, 0x4C, 0x1C, 0x05, 0xC4, 0x02, 0x00]
    #expect(refusal(bytes, limit: 299) == .outputTooLong(limit: 299))
    #expect(refusal(bytes, limit: 300) == nil)
    #expect(refusal(bytes, limit: 0) == .outputTooLong(limit: 0))
    #expect(refusal([0x01, 0x02, 0x00, 0xFD, 0xFF, 7, 8], limit: 1) == .outputTooLong(limit: 1))
  }

  @Test("zlib: header, checksum, dictionary")
  func zlibFormat() throws {
    let data: [UInt8] = [0x63, 0x64, 0x62, 0x06, 0x00]
    #expect(try zlib([0x78, 0x9C] + data + [0x00, 0x0D, 0x00, 0x07]) == [1, 2, 3])
    #expect(throws: InflateError(offset: 7, reason: .badChecksum)) {
      try zlib([0x78, 0x9C] + data + [0x00, 0x0D, 0x00, 0x08])
    }
    #expect(throws: InflateError(offset: 10, reason: .truncated)) {
      try zlib([0x78, 0x9C] + data + [0x00, 0x0D, 0x00])
    }
    for header: [UInt8] in [[0x78, 0x9D], [0x79, 0x9C], [0x88, 0x1C], [0x78, 0xBB], [0x78]] {
      #expect(throws: InflateError.self) { try zlib(header + data + [0x00, 0x0D, 0x00, 0x07]) }
    }
  }

  @Test("every prefix of deflated data is refused as cut short")
  func truncation() throws {
    let dynamic: [UInt8] = [
      0x1D, 0xC6, 0x49, 0x01, 0x00, 0x00, 0x10, 0x40, 0xC0, 0xAC, 0xA3, 0x7F, 0x88, 0x3D, 0x3C, 0x20, 0x2A, 0x97, 0x9D,
      0x37, 0x5E, 0x1D, 0x0C,
    ]
    for count in 0..<dynamic.count { #expect(refusal(Array(dynamic.prefix(count))) == .truncated) }
  }
}
