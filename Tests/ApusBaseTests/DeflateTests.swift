import Testing

@testable import ApusBase

@Suite struct DeflateTests {
  /// Numbers that look like chance and are always the same.
  private func noise(_ count: Int, below limit: UInt64 = 256) -> [UInt8] {
    var state: UInt64 = 1
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8((state >> 33) % limit)
    }
  }

  private func roundTrip(_ bytes: [UInt8]) throws -> (compressed: [UInt8], output: [UInt8]) {
    let compressed = bytes.withUnsafeBytes { Deflate.zlib($0) }
    let (output, consumed) = try compressed.withUnsafeBytes { try Inflate.zlib($0, limit: bytes.count) }
    #expect(consumed == compressed.count)
    return (compressed, output)
  }

  @Test func whatIsCompressedComesBack() throws {
    let text = Array("she sells sea shells by the sea shore; ".utf8)
    var cases: [[UInt8]] = [
      [], [7], [7, 7], [1, 2, 3, 4], [UInt8](repeating: 0, count: 1000), text + text + text,
      noise(70_000), noise(200_000, below: 3), noise(100_000, below: 40),
    ]
    // Repetitions of every length around the greatest, and at every distance around the greatest.
    for length in 1...20 { cases.append(Array(text.prefix(length)) + [0] + Array(text.prefix(length))) }
    for length in 255...262 {
      let part = noise(length)
      cases.append(part + [1, 2, 3] + part + [4] + part)
    }
    for distance in 32_766...32_770 {
      let part = noise(300)
      cases.append(part + noise(distance - 300, below: 251).map { $0 / 2 } + part)
    }
    for bytes in cases {
      let output = try roundTrip(bytes).output
      #expect(output == bytes, "\(bytes.count) bytes")
    }
  }

  @Test func whatCannotBeCompressedGrowsHardlyAtAll() throws {
    let bytes = noise(200_000)
    #expect(try roundTrip(bytes).compressed.count <= bytes.count + 5 * (bytes.count / 16_000 + 2) + 6)
  }

  /// The sizes are what zlib 1.3 makes of the same bytes at its default level.
  @Test func sizesAreCloseToThoseOfZlib() throws {
    #expect(try roundTrip([UInt8](repeating: 0, count: 100_000)).compressed.count <= 126)
    #expect(try roundTrip(noise(100_000, below: 16)).compressed.count <= 57_507 * 105 / 100)
    #expect(try roundTrip(slopes()).compressed.count <= 43_474 * 105 / 100)
  }

  /// Differences of a smooth picture with some noise.
  private func slopes() -> [UInt8] {
    zip(noise(120_000, below: 5), noise(120_000, below: 40)).map { small, rare in
      rare == 0 ? 200 &+ small : small &- 2
    }
  }

  @Test func codesAreNoLongerThanAllowed() {
    // Fibonacci's numbers make the longest codes there are.
    var counts = [1, 1]
    while counts.count < 40 { counts.append(counts[counts.count - 1] + counts[counts.count - 2]) }
    for longest in [7, 9, 15] {
      let code = DeflateCode(counts: counts, longest: longest)
      #expect(code.lengths.max() == longest)
      // All room is taken, and none twice.
      let room = code.lengths.map { length in 1 << (longest - length) }
      #expect(room.reduce(0, +) == 1 << longest)
      // What is more frequent has no longer code.
      #expect(zip(code.lengths, code.lengths.dropFirst()).allSatisfy { $0 >= $1 })
    }
    #expect(DeflateCode(counts: [0, 5, 0], longest: 15).lengths == [1, 1, 0])
    #expect(DeflateCode(counts: [1, 1, 2, 4], longest: 15).lengths == [3, 3, 2, 1])
  }
}
