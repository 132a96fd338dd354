import ApusBase
import ApusTestSupport
import Testing

@testable import ApusMedia

@Suite struct ImageArchiveTests {
  /// The file of a picture of two pixels.
  private static func picture(_ value: UInt8) -> [UInt8] { Array("P5 2 1 255\n".utf8) + [value, value] }

  private func open(_ bytes: [UInt8]) throws -> ImageArchive {
    try bytes.withUnsafeBytes { try ImageArchive(bytes: $0, name: "clip.zip") }
  }

  private func open(_ contents: KeyValuePairs<String, [UInt8]>) throws -> ImageArchive {
    try open(ZipBuilder(contents).bytes)
  }

  private func refusal(_ bytes: [UInt8]) -> ImageArchiveError.Reason? {
    do {
      let archive = try open(bytes)
      for picture in archive.pictures { _ = try archive.read(picture) }
      return nil
    } catch {
      return (error as? ImageArchiveError)?.reason
    }
  }

  /// The first byte of each picture.
  private func values(_ archive: ImageArchive) throws -> [UInt8] {
    try archive.pictures.map { try archive.read($0).samples[0] }
  }

  @Test func picturesComeInTheOrderOfTheirNumbersAndTheRestIsNamed() throws {
    let archive = try open([
      "f_10.png": Self.picture(10), "f_2.png": Self.picture(2), "f_1.dat": Self.picture(1), ".f.png": Self.picture(0),
      "truth.json": Array("{}".utf8), "a.gif": Array("GIF89a".utf8), "empty.png": [],
    ])
    #expect(archive.pictures.map(\.name) == ["f_1.dat", "f_2.png", "f_10.png"])
    #expect(archive.pictures.map(\.path) == ["clip.zip/f_1.dat", "clip.zip/f_2.png", "clip.zip/f_10.png"])
    #expect(archive.pictures.allSatisfy { $0.format == .netpbm })
    #expect(try values(archive) == [1, 2, 10])
    #expect(archive.skipped.map(\.name) == [".f.png", "a.gif", "empty.png", "truth.json"])
    #expect(archive.skipped.map(\.reason) == ["hidden", "a GIF file", "an empty file", "text"])
  }

  @Test func theOrderIsThatOfAFolder() throws {
    let names = ["Other.png", "b2.png", "b10.png", "b02.png", "ü.png", "a 1.png", "a1.png"]
    let folder = try TemporaryFolder()
    for name in names { _ = try folder.write(Self.picture(1), to: name) }
    var builder = ZipBuilder([:])
    builder.entries = names.map { .init($0, Self.picture(1)) }
    #expect(try open(builder.bytes).pictures.map(\.name) == ImageFolder(path: folder.path).pictures.map(\.name))
  }

  @Test func deflatedPicturesAreTheSame() throws {
    let noise = (0..<70_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
    let large = try NetpbmEncoder.encode(try Image<UInt8>(width: 70_000, height: 1, color: .gray, samples: noise))
    let small = PNGEncoder.encode(try Image<UInt8>(width: 2, height: 1, color: .gray, filledWith: [7]))
    let contents = [small, large]
    var builder = ZipBuilder([:])
    for (index, bytes) in contents.enumerated() {
      var entry = ZipBuilder.Entry("\(index).png", bytes.withUnsafeBytes { Deflate.raw($0) })
      entry.method = 8
      entry.byteCount = UInt32(bytes.count)
      entry.checksum = bytes.withUnsafeBytes { CRC32.checksum($0) }
      builder.entries.append(entry)
    }
    // A stored block as large as one can be, which no decoder takes in parts.
    let block = Array(large.prefix(0xFFFF))
    var stored = ZipBuilder.Entry("2.png", [0] + number(0xFFFF as UInt16) + number(0 as UInt16) + block)
    let rest = Array(large.dropFirst(0xFFFF))
    stored.data += [1] + number(UInt16(rest.count)) + number(~UInt16(rest.count)) + rest
    (stored.method, stored.byteCount, stored.compressedCount) = (8, UInt32(large.count), UInt32(stored.data.count))
    stored.checksum = large.withUnsafeBytes { CRC32.checksum($0) }
    builder.entries.append(stored)
    let archive = try open(builder.bytes)
    #expect(archive.pictures.map(\.format) == [.png, .netpbm, .netpbm])
    #expect(try archive.read(archive.pictures[0]).samples == [7, 7])
    for picture in archive.pictures.dropFirst() { #expect(try archive.read(picture).samples == noise) }
  }

  @Test func picturesMayLieInOneFolderOfTheArchive() throws {
    let archive = try open([
      "clip/": [], "clip/frames/": [], "clip/frames/2.png": Self.picture(2), "./clip/frames/1.png": Self.picture(1),
      "clip/truth.json": Array("{}".utf8), "__MACOSX/clip/frames/._1.png": [0, 5, 22, 7],
    ])
    #expect(try values(archive) == [1, 2])
    #expect(archive.skipped.map(\.name) == ["__MACOSX/clip/frames/._1.png", "clip/truth.json"])
    #expect(
      refusal(ZipBuilder(["1.png": Self.picture(1), "more/2.png": Self.picture(2)]).bytes)
        == .severalFolders("1.png", "more/2.png"))
  }

  @Test func namesThatLeadOutOfTheArchiveAreRefused() {
    for name in ["../1.png", "a/../../1.png", "/1.png", "a/..", "..", "1.png\0.txt", "//1.png"] {
      #expect(refusal(ZipBuilder([name: Self.picture(1)]).bytes) == .nameLeavesArchive(name), "\(name)")
    }
    // Two points are a part of a name.
    #expect(refusal(ZipBuilder(["1..png": Self.picture(1), "a...b.png": Self.picture(1)]).bytes) == nil)
  }

  @Test func whatIsNoArchiveIsRefused() throws {
    #expect(refusal(Array("no archive".utf8)) == .archive(.noEndRecord))
    #expect(try open([:]).pictures.isEmpty)
    #expect(throws: FileError.notFound(path: "/nowhere.zip")) { try ImageArchive(path: "/nowhere.zip") }
    let error = ImageArchiveError(file: "clip.zip", reason: .severalFolders("a/1.png", "b/1.png"))
    #expect(
      "\(error)"
        == "clip.zip: the pictures \"a/1.png\" and \"b/1.png\" are in different folders; expected all of them in one")
    #expect(error.fault == .data)
  }

  @Test func sizesThatLieAreRefused() {
    func refusal(_ change: (inout ZipBuilder.Entry) -> Void) -> ImageArchiveError.Reason? {
      var builder = ZipBuilder(["1.png": Self.picture(1), "2.png": Self.picture(2)])
      change(&builder.entries[0])
      return self.refusal(builder.bytes)
    }
    let size = Self.picture(1).count
    #expect(
      refusal { $0.byteCount = .max - 1 }
        == .archive(.wrongSize(name: "1.png", expected: Int(UInt32.max) - 1, found: size)))
    #expect(refusal { ($0.byteCount, $0.compressedCount) = (1 << 20, 1 << 20) } == .archive(.badEntry(name: "1.png")))
    #expect(refusal { $0.offset = 1 } == .archive(.badEntry(name: "1.png")))
    #expect(refusal { $0.checksum ^= 1 } == .archive(.badChecksum(name: "1.png")))
    // Deflated, of a thousand times the size that it says.
    let zeros = [UInt8](repeating: 0, count: 100_000)
    let bomb = zeros.withUnsafeBytes { Deflate.raw($0) }
    func deflated(_ byteCount: UInt32) -> ImageArchiveError.Reason? {
      refusal {
        ($0.method, $0.data) = (8, bomb)
        ($0.byteCount, $0.compressedCount) = (byteCount, UInt32(bomb.count))
      }
    }
    guard case .archive(.inflate(name: "1.png", _)) = deflated(100) else { return #expect(Bool(false)) }
    guard case .archive(.wrongSize(name: "1.png", _, _)) = deflated(.max - 1) else { return #expect(Bool(false)) }
  }

  @Test func aPictureThatIsDamagedInsideIsNamed() throws {
    let short = Array(Self.picture(1).dropLast())
    let archive = try open(["clip/1.png": short, "clip/2.png": Self.picture(2)])
    #expect {
      try archive.read(archive.pictures[0])
    } throws: {
      ($0 as? ImageError)?.file == "clip.zip/clip/1.png"
    }
    #expect(try archive.read(archive.pictures[1]).samples == [2, 2])
    #expect(throws: ImageError.self) {
      try archive.read(archive.pictures[1], limits: ImageLimits(pixels: 1))
    }
  }

  @Test func anArchiveCutShortIsRefused() {
    let bytes = ZipBuilder(["1.png": Self.picture(1), "2.png": Self.picture(2)]).bytes
    for count in 0..<bytes.count {
      guard case .archive? = refusal(Array(bytes.prefix(count))) else {
        // Nothing at all is no file.
        #expect(count == 0, "\(count) bytes are taken for an archive")
        continue
      }
    }
  }

  /// A wrong bit is an error, or in a place that says nothing of the pictures: a time, a version. No frame is ever missing
  /// or another one without a word.
  @Test func aFlippedBitIsFoundOrChangesNoPicture() throws {
    var builder = ZipBuilder([:])
    for value in 1...3 as ClosedRange<UInt8> {
      let bytes = Self.picture(value)
      var entry = ZipBuilder.Entry("\(value).png", value == 2 ? bytes.withUnsafeBytes { Deflate.raw($0) } : bytes)
      if value == 2 { entry.method = 8 }
      entry.byteCount = UInt32(bytes.count)
      entry.checksum = bytes.withUnsafeBytes { CRC32.checksum($0) }
      builder.entries.append(entry)
    }
    let bytes = builder.bytes
    // Names are what the archive says they are, and the order follows from them.
    let names = bytes.indices.filter { bytes[$0...].starts(with: ".png".utf8) }.flatMap { $0 - 1..<$0 + 4 }
    for index in bytes.indices where !names.contains(index) {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        do {
          #expect(try values(open(damaged)) == [1, 2, 3], "bit \(bit) of byte \(index)")
        } catch {
          #expect(error is ImageArchiveError || error is ImageError, "bit \(bit) of byte \(index): \(error)")
        }
      }
    }
  }

  #if os(Linux)
    @Test func memoryDoesNotGrowWithTheArchive() throws {
      let folder = try TemporaryFolder()
      var builder = ZipBuilder([:])
      for value in 0..<20 as Range<UInt8> {
        let pixels = [UInt8](repeating: value, count: 1_000_000)
        builder.entries.append(.init("\(value).pgm", Array("P5 1000 1000 255\n".utf8) + pixels))
      }
      let path = try folder.write(builder.bytes, to: "clip.zip")
      let archive = try ImageArchive(path: path)
      for (index, picture) in archive.pictures.enumerated() {
        #expect(try archive.read(picture).samples[999_999] == UInt8(index))
        #expect(try #require(try residentKilobytes(of: path)) <= 64)
      }
    }

    /// How much of a mapped file is in memory.
    private func residentKilobytes(of path: String) throws -> Int? {
      let text = try MappedFile(readingPipeAt: "/proc/self/smaps", limit: 1 << 26)
      let lines = text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
      guard let start = lines.firstIndex(where: { $0.hasSuffix(path) }),
        let line = lines[start...].first(where: { $0.hasPrefix("Rss:") })
      else { return nil }
      return Int(line.split(separator: " ")[1])
    }
  #endif
}
