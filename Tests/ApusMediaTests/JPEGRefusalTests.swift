import ApusMedia
import Testing

/// What is no JPEG file, or one of a kind that is not read, is refused by name, with the place.
@Suite struct JPEGRefusalTests {
  private func expect(
    _ bytes: [UInt8], _ reason: (ImageError.Reason) -> Bool, _ location: SourceLocation = #_sourceLocation
  ) {
    let error = JPEGFixtures.refusal(bytes)
    #expect(error.map { reason($0.reason) } == true, "\(error as Any)", sourceLocation: location)
    #expect(error?.format == .jpeg, sourceLocation: location)
    #expect((0...bytes.count).contains(error?.offset ?? -1), sourceLocation: location)
  }

  private func isMalformed(_ reason: ImageError.Reason) -> Bool {
    if case .malformed = reason { true } else { false }
  }

  private func isTruncated(_ reason: ImageError.Reason) -> Bool {
    if case .truncated = reason { true } else { false }
  }

  private func isUnsupported(_ reason: ImageError.Reason) -> Bool {
    if case .unsupported = reason { true } else { false }
  }

  @Test(arguments: ["420_17x33", "progressive_2", "separate_scans", "restart_blocks", "cmyk"])
  func aFileCutAnywhereIsTruncated(name: String) throws {
    let bytes = try JPEGFixtures.file(name)
    // The last bytes are the end's marker, which may be missing, and perhaps bits that are not needed.
    for count in stride(from: 0, to: bytes.count - 4, by: 7) { expect(Array(bytes[..<count]), isTruncated) }
  }

  @Test func otherKindsOfFilesAreNamed() throws {
    expect(Array("GIF89a".utf8), isMalformed)
    expect([0xFF, 0xD8, 0xFF, 0xD9], isMalformed)
    let bytes = try JPEGFixtures.file("420_8x8")
    let start = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    for (marker, word) in [
      (0xC3, "lossless"), (0xC5, "hierarchical"), (0xC6, "hierarchical"), (0xC9, "arithmetic"), (0xCA, "arithmetic"),
    ] as [(UInt8, String)] {
      var other = bytes
      other[start + 1] = marker
      expect(other) { reason in
        if case .unsupported(let what) = reason { what.contains(word) } else { false }
      }
    }
  }

  @Test func frameHeadersAreChecked() throws {
    let bytes = try JPEGFixtures.file("420_8x8")
    func changing(_ changes: [Int: UInt8]) -> [UInt8] {
      JPEGFixtures.changing(bytes, marker: 0xC0) { for (place, byte) in changes { $0[place] = byte } }
    }
    expect(changing([0: 12]), isUnsupported)
    // No height, no width, two components.
    expect(changing([1: 0, 2: 0]), isUnsupported)
    expect(changing([3: 0, 4: 0]), isMalformed)
    expect(changing([5: 2]), isUnsupported)
    // Sampling factors of 0 and 5, quantization table 4, one that is not there, two components of one name.
    for sampling in [0x02, 0x20, 0x52, 0x25] as [UInt8] { expect(changing([7: sampling]), isMalformed) }
    expect(changing([8: 4]), isMalformed)
    expect(changing([8: 3]), isMalformed)
    expect(changing([9: 1]), isMalformed)
    // More blocks in a unit than may be.
    expect(changing([7: 0x44, 10: 0x22]), isMalformed)
    expect(JPEGFixtures.changing(bytes, marker: 0xC0) { $0.append(0) }, isMalformed)
    expect(JPEGFixtures.changing(bytes, marker: 0xC0) { $0.removeLast() }, isMalformed)
  }

  @Test func tooManyPixelsAreRefusedBeforeMemoryIsTaken() throws {
    let bytes = JPEGFixtures.changing(try JPEGFixtures.file("progressive_2"), marker: 0xC2) {
      for place in 1...4 { $0[place] = 0xFF }
    }
    #expect(
      JPEGFixtures.refusal(bytes)?.reason
        == .tooLarge(width: 65_535, height: 65_535, limit: ImageLimits.default.pixels))
    let small = try JPEGFixtures.file("420_8x8")
    #expect(
      JPEGFixtures.refusal(small, limits: ImageLimits(pixels: 63))?.reason
        == .tooLarge(width: 8, height: 8, limit: 63))
    #expect(JPEGFixtures.refusal(small, limits: ImageLimits(pixels: 64)) == nil)
  }

  @Test func tablesAreChecked() throws {
    let bytes = try JPEGFixtures.file("420_8x8")
    func huffman(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
      JPEGFixtures.changing(bytes, marker: 0xC4, change)
    }
    // More code words than there can be, no code words, a class and a place that do not exist.
    expect(huffman { $0[1] = 3 }, isMalformed)
    expect(huffman { for place in 1...16 { $0[place] = 0 } }, isMalformed)
    expect(huffman { $0 = [0] + [UInt8](repeating: 0, count: 16) }, isMalformed)
    expect(huffman { $0[0] = 0x20 }, isMalformed)
    expect(huffman { $0[0] = 0x04 }, isMalformed)
    expect(huffman { $0.removeLast() }, isMalformed)
    expect(JPEGFixtures.changing(bytes, marker: 0xDB) { $0[0] = 0x20 }, isMalformed)
    expect(JPEGFixtures.changing(bytes, marker: 0xDB) { $0[0] = 0x04 }, isMalformed)
    expect(JPEGFixtures.changing(bytes, marker: 0xDB) { $0.removeLast() }, isMalformed)
  }

  @Test func scanHeadersAreChecked() throws {
    let bytes = try JPEGFixtures.file("420_8x8")
    func scan(_ changes: [Int: UInt8]) -> [UInt8] {
      JPEGFixtures.changing(bytes, marker: 0xDA) { for (place, byte) in changes { $0[place] = byte } }
    }
    // No components, four of three, one that is not there, one twice, tables that do not exist or are not there.
    expect(scan([0: 0]), isMalformed)
    expect(scan([0: 4]), isMalformed)
    expect(scan([1: 9]), isMalformed)
    expect(scan([3: 1]), isMalformed)
    expect(scan([2: 0x40]), isMalformed)
    expect(scan([2: 0x33]), isMalformed)
    let progressive = try JPEGFixtures.file("progressive_2")
    func range(_ changes: [Int: UInt8]) -> [UInt8] {
      JPEGFixtures.changing(progressive, marker: 0xDA) { for (place, byte) in changes { $0[place] = byte } }
    }
    // First and other coefficients together, none, ones that do not exist; bits in another order than theirs.
    expect(range([8: 5]), isMalformed)
    expect(range([7: 5, 8: 4]), isMalformed)
    expect(range([7: 63, 8: 64]), isMalformed)
    expect(range([9: 0x31]), isMalformed)
    expect(range([9: 0x0E]), isMalformed)
  }

  @Test func restartMarkersMustBeInOrder() throws {
    let bytes = try JPEGFixtures.file("restart_blocks")
    let first = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD0 })
    var other = bytes
    other[first + 1] = 0xD3
    expect(other, isMalformed)
    // A file that says nothing of restarts, and one that has fewer of them than it says.
    expect(JPEGFixtures.changing(bytes, marker: 0xDD) { $0 = [0, 0] }, isMalformed)
    expect(JPEGFixtures.changing(bytes, marker: 0xDD) { $0 = [0, 1] }, isMalformed)
  }

  @Test func aFileOfEndlessScansIsRefused() throws {
    let bytes = try JPEGFixtures.file("progressive_gray")
    let scan = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
    // A scan of all other coefficients, that says that 32767 blocks are empty.
    let counts: [UInt8] = [1] + [UInt8](repeating: 0, count: 15)
    let table: [UInt8] = [0xFF, 0xC4, 0, 20, 0x10] + counts + [0xE0]
    let empty: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 63, 0, 0x7F, 0xFE]
    let start = bytes[..<scan] + table
    expect(start + Array(repeatElement(empty, count: 2000).joined())) { reason in
      if case .malformed(let what) = reason { what.contains("more scans") } else { false }
    }
    expect(start + Array(repeatElement(empty, count: 5).joined()), isTruncated)
  }

  @Test func aFileMustHaveAScanOfEachComponent() throws {
    let bytes = try JPEGFixtures.file("separate_scans")
    let scans = (0..<bytes.count - 1).filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
    let last = try #require(scans.last)
    expect(bytes[..<last] + [0xFF, 0xD9], isMalformed)
    expect(Array(bytes[..<last]), isTruncated)
  }
}
