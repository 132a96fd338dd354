import ApusPlatform
import ApusTestSupport
import Testing

@testable import ApusBase

@Suite struct BlockFileTests {
  private static let label: UInt64 = 7
  private static let contents: [(key: BlockFile.Key, bytes: [UInt8])] = [
    (BlockFile.Key(1, 1), (0..<100).map { UInt8($0) }),
    (BlockFile.Key(1, 2), [1]),
    (BlockFile.Key(.max, 0), (0..<64).map { UInt8(200 - $0) }),
  ]

  private static func write(_ contents: [(key: BlockFile.Key, bytes: [UInt8])], to path: String) throws {
    let memory = contents.map { content in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: content.bytes.count, alignment: 1)
      copy.copyBytes(from: content.bytes)
      return copy
    }
    defer { for copy in memory { copy.deallocate() } }
    try BlockFile.write(
      zip(contents, memory).map { ($0.key, UnsafeRawBufferPointer($1)) }, label: label, to: path)
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    try MappedFile(path: path).withUnsafeBytes { Array($0) }
  }

  /// A file whose bytes are `bytes`.
  private static func file(_ bytes: [UInt8]) throws -> BlockFile {
    try bytes.withUnsafeBytes { try BlockFile(MappedFile(copying: $0, name: "file"), label: label) }
  }

  /// What of the contents a file gives, as it should be; whatever else it gives is an error of the test.
  private static func found(in file: BlockFile) -> Int {
    contents.count { content in
      guard let block = file.block(content.key, byteCount: content.bytes.count) else { return false }
      #expect(block.elementsEqual(content.bytes))
      return true
    }
  }

  @Test("what was written is found by its key, aligned, in its order")
  func reading() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x"
    try Self.write(Self.contents, to: path)
    let file = try BlockFile(path: path, label: Self.label)
    #expect(file.keys == Self.contents.map(\.key))
    #expect(Self.found(in: file) == 3)
    for (key, bytes) in Self.contents {
      let block = try #require(file.block(key))
      #expect(block.count == bytes.count && Int(bitPattern: block.baseAddress) % AlignedMemory.alignment == 0)
      #expect(file.block(key, byteCount: bytes.count + 1) == nil && file.block(key, byteCount: bytes.count - 1) == nil)
    }
    #expect(file.block(BlockFile.Key(2, 1)) == nil)
  }

  @Test("no blocks are a file too")
  func empty() throws {
    let folder = try TemporaryFolder()
    try Self.write([], to: folder.path + "/x")
    #expect(try BlockFile(path: folder.path + "/x", label: Self.label).keys.isEmpty)
  }

  @Test("whatever byte is changed, nothing wrong is found")
  func damage() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x"
    try Self.write(Self.contents, to: path)
    let sound = try Self.bytes(path)
    let table = BlockFile.headerByteCount + 3 * BlockFile.entryByteCount
    var harmless = 0
    for index in sound.indices {
      for flip in [1, 0x80, 0xFF] as [UInt8] {
        var bytes = sound
        bytes[index] ^= flip
        let file = try? Self.file(bytes)
        #expect(index >= table || file == nil, "byte \(index) of what comes before the blocks")
        let found = file.map(Self.found) ?? 0
        if found == 3 { harmless += 1 } else { #expect(index < table || found == 2, "byte \(index)") }
      }
    }
    // The zeros between blocks.
    let blocks = Self.contents.reduce(0) { $0 + $1.bytes.count }
    #expect(harmless == 3 * (sound.count - table - blocks))
  }

  @Test("a file that ends early, or late, is no file")
  func truncation() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x"
    try Self.write(Self.contents, to: path)
    let sound = try Self.bytes(path)
    for count in 1..<sound.count { #expect(throws: BlockFile.Refusal.self) { try Self.file(Array(sound[..<count])) } }
    #expect(throws: BlockFile.Refusal.damaged) { try Self.file(sound + [0]) }
  }

  @Test("tables whose checksum is right and whose blocks are not where they can be")
  func hostileTables() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x"
    try Self.write(Self.contents, to: path)
    let sound = try Self.bytes(path)
    /// With a number of the header or the table replaced, and the checksum made anew.
    func altered(_ place: Int, _ number: UInt64) -> [UInt8] {
      var bytes = sound
      Swift.withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(place..<place + 8, with: $0) }
      let count = bytes[16..<24].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let end = min(bytes.count, 32 + Int(truncatingIfNeeded: min(count, 1000)) * 40)
      let seed = Array(bytes[..<24]).withUnsafeBytes { XXH64.hash($0) }
      let sum = Array(bytes[32..<end]).withUnsafeBytes { XXH64.hash($0, seed: seed) }
      Swift.withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(24..<32, with: $0) }
      return bytes
    }
    let numbers: [UInt64] = [0, 1, 3, 63, 64, 1 << 31, 1 << 40, 1 << 62, 1 << 63, .max, .max - 63, UInt64(sound.count)]
    for place in stride(from: 16, to: 32 + 3 * 40, by: 8) where place != 24 {
      for number in numbers {
        let bytes = altered(place, number)
        guard bytes != sound, let file = try? Self.file(bytes) else { continue }
        // Another key, another checksum of a block, or a size that reaches into the zeros behind it.
        let field = (place - 32) % 40
        #expect([0, 8, 24, 32].contains(field), "\(number) at \(place)")
        #expect(file.keys.count { file.block($0) != nil } == (field < 24 ? 3 : 2), "\(number) at \(place)")
      }
    }
    // The same key twice.
    #expect(throws: BlockFile.Refusal.damaged) { try Self.file(altered(32 + 40 + 8, 1)) }
  }

  @Test("files for something else, and files of other programs")
  func others() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x"
    try Self.write(Self.contents, to: path)
    #expect(throws: BlockFile.Refusal.otherLabel) { try BlockFile(path: path, label: 8) }
    let foreign = try folder.write(Array("something that somebody wants to keep".utf8), to: "y")
    #expect(throws: BlockFile.Refusal.foreign) { try BlockFile(path: foreign, label: Self.label) }
    #expect(throws: BlockFile.Refusal.foreign) { try Self.write(Self.contents, to: foreign) }
    #expect(try Self.bytes(foreign) == Array("something that somebody wants to keep".utf8))
    #expect(throws: FileError.self) { try BlockFile(path: folder.path + "/z", label: Self.label) }
    #expect(try folder.contents() == ["x", "y"])
  }

  @Test("what is mapped stays when the file is replaced")
  func replacing() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x"
    try Self.write(Self.contents, to: path)
    let file = try BlockFile(path: path, label: Self.label)
    try Self.write([Self.contents[1]], to: path)
    #expect(Self.found(in: file) == 3)
    #expect(try BlockFile(path: path, label: Self.label).keys == [Self.contents[1].key])
  }
}
