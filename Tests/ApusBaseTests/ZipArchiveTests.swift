import ApusTestSupport
import Testing

@testable import ApusBase

@Suite("ZipArchive")
struct ZipArchiveTests {
  static let contents: KeyValuePairs<String, [UInt8]> = ["a": [1, 2, 3], "b": [], "c": [4]]

  func read(_ bytes: [UInt8]) throws -> [String: [UInt8]] {
    let file = try MappedFile(name: "memory", byteCount: bytes.count) { $0.copyBytes(from: bytes) }
    let archive = try ZipArchive(file)
    var result: [String: [UInt8]] = [:]
    for entry in archive.entries {
      let (bytes, owner) = try archive.contents(of: entry)
      result[entry.name] = withExtendedLifetime(owner) { Array(bytes) }
    }
    return result
  }

  func refusal(_ builder: ZipBuilder) -> ZipError? {
    do {
      _ = try read(builder.bytes)
      return nil
    } catch {
      return error as? ZipError
    }
  }

  /// What is refused when `change` is made to a sound archive.
  func refusal(_ change: (inout ZipBuilder) -> Void) -> ZipError? {
    var builder = ZipBuilder(Self.contents)
    change(&builder)
    return refusal(builder)
  }

  @Test("sound archives: plain, with a comment, with 64-bit records")
  func sound() throws {
    let expected: [String: [UInt8]] = ["a": [1, 2, 3], "b": [], "c": [4]]
    var builder = ZipBuilder(Self.contents)
    #expect(try read(builder.bytes) == expected)
    builder.comment = Array("PK\u{5}\u{6} is how a comment may begin".utf8)
    #expect(try read(builder.bytes) == expected)
    builder.isWide = true
    #expect(try read(builder.bytes) == expected)
    // Sizes and the offset in the extra field, behind a field of another kind.
    builder.entries[2].compressedCount = .max
    builder.entries[2].byteCount = .max
    builder.entries[2].extra = number(7 as UInt16) + number(1 as UInt16) + [9]
    builder.entries[2].extra += number(1 as UInt16) + number(16 as UInt16) + number(1 as UInt64) + number(1 as UInt64)
    #expect(try read(builder.bytes) == expected)
    #expect(try read(ZipBuilder([:]).bytes).isEmpty)
  }

  @Test("an archive that does not end as one, or does not begin where it says")
  func ends() throws {
    #expect(throws: ZipError.noEndRecord) { try read([1, 2, 3]) }
    #expect(throws: ZipError.noEndRecord) { try read(ZipBuilder(Self.contents).bytes + [0]) }
    var builder = ZipBuilder(Self.contents)
    builder.disk = 1
    #expect(refusal(builder) == .severalDisks)
    let bytes = ZipBuilder(Self.contents).bytes
    #expect(throws: ZipError.badDirectory(offset: bytes.count - 22 + 1)) { try read([0] + bytes) }
    guard case .badDirectory = refusal({ $0.entryCount = 2 }) else { return #expect(Bool(false)) }
    guard case .badDirectory = refusal({ $0.entryCount = 4 }) else { return #expect(Bool(false)) }
    guard case .badDirectory = refusal({ $0.entryCount = .max }) else { return #expect(Bool(false)) }
  }

  @Test("entries that cannot be")
  func entries() {
    #expect(refusal { $0.entries[2].name = Array("a".utf8) } == .duplicateName("a"))
    #expect(refusal { $0.entries[0].flags = 1 } == .encrypted(name: "a"))
    #expect(refusal { $0.entries[0].flags = 0x40 } == .encrypted(name: "a"))
    #expect(refusal { $0.entries[0].method = 12 } == .unknownMethod(name: "a", method: 12))
    #expect(refusal { $0.entries[0].checksum ^= 1 } == .badChecksum(name: "a"))
    #expect(refusal { $0.entries[0].byteCount = 2 } == .wrongSize(name: "a", expected: 2, found: 3))
    #expect(refusal { $0.entries[0].offset = 1 } == .badEntry(name: "a"))
    #expect(refusal { $0.entries[0].offset = .max - 1 } == .badEntry(name: "a"))
    #expect(refusal { $0.entries[0].compressedCount = .max } == .badEntry(name: "a"))
    #expect(refusal { $0.entries[2].name = [0xFF] } == .badName(offset: 34 + 31 + 32 + 47 + 47 + 46))
    #expect(refusal { $0.entries[2].offset = 0 } == .overlap(name: "a", other: "c"))
    #expect(
      refusal {
        $0.entries[0].byteCount = 1_000_000
        $0.entries[0].compressedCount = 1_000_000
      } == .badEntry(name: "a"))
    #expect(
      refusal {
        $0.entries[0].byteCount = 40
        $0.entries[0].compressedCount = 40
      } == .overlap(name: "a", other: "b"))
  }

  @Test("deflated entries: bombs, wrong sizes, data behind the end, damage")
  func deflated() {
    // A final block of fixed codes: the literals 1, 2, 3 and the end.
    let data: [UInt8] = [0x63, 0x64, 0x62, 0x06, 0x00]
    func change(_ byteCount: UInt32, _ data: [UInt8]) -> ZipError? {
      refusal {
        $0.entries[0].method = 8
        $0.entries[0].byteCount = byteCount
        $0.entries[0].data = data
        $0.entries[0].compressedCount = UInt32(data.count)
      }
    }
    #expect(change(3, data) == nil)
    #expect(change(2, data) == .inflate(name: "a", InflateError(offset: 4, reason: .outputTooLong(limit: 2))))
    #expect(change(4, data) == .wrongSize(name: "a", expected: 4, found: 3))
    #expect(change(3, data + [0]) == .badEntry(name: "a"))
    #expect(change(6192, data) == .wrongSize(name: "a", expected: 6192, found: 5))
    #expect(change(.max - 1, data) == .wrongSize(name: "a", expected: Int(UInt32.max) - 1, found: 5))
    #expect(change(3, [7]) == .inflate(name: "a", InflateError(offset: 1, reason: .badBlockType)))
    #expect(change(3, [0x63, 0x64, 0x62, 0x02, 0x00]) != nil)
  }
}
