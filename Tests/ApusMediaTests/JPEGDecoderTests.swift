import Apus
import ApusMedia
import Testing

/// Pixels against those of Pillow with libjpeg-turbo: see `generate/jpeg_images.py`.
@Suite struct JPEGDecoderTests {
  /// Sides around the borders of blocks and units, every sampling, quality and coding.
  static let names = [
    "420_1x1", "420_2x2", "420_3x5", "420_5x1", "420_1x9", "420_7x9", "420_8x8", "420_16x16", "420_17x33",
    "420_33x17", "420_65x50", "422_4x3", "422_5x5", "422_17x33", "422_65x50", "444_1x1", "444_17x33", "444_33x20",
    "gray_1x1", "gray_17x33", "gray_33x20", "quality_3", "quality_100", "optimized", "restart_blocks", "restart_rows",
    "rgb", "bare", "words_quantization", "progressive_0", "progressive_1", "progressive_2", "progressive_gray",
    "progressive_restart", "progressive_100", "progressive_odd_scans", "cmyk", "cmyk_progressive", "cmyk_bare",
    "ycck", "sampling_1x2", "sampling_4x1", "sampling_4x2", "sampling_1x4", "sampling_2x4", "sampling_3x1",
    "sampling_1x3", "sampling_3x2", "sampling_4x4", "sampling_2x2_1x2_1x2", "sampling_2x2_2x1_1x2",
    "sampling_2x1_1x2_1x1", "sampling_1x1_2x2_1x1", "sampling_1x2_1x2_1x1", "sampling_4x1_2x1_1x1",
    "sampling_1x2_narrow", "sampling_1x2_progressive", "sampling_4x1_progressive", "separate_scans",
    "separate_scans_mixed", "transcoded",
  ]

  @Test(arguments: names)
  func pixelsAreThoseOfPillowBitForBit(name: String) throws {
    let picture = try JPEGFixtures.decode(JPEGFixtures.file(name))
    let expected = try JPEGFixtures.pixels(name)
    #expect(picture.image.height == expected.shape[0])
    #expect(picture.image.width == expected.shape[1])
    #expect(picture.image.color == (expected.shape.count == 2 ? .gray : .rgb))
    #expect(try picture.image.samples == expected.elements)
    #expect(picture.orientation == .upright)
  }

  @Test func pixelsDoNotDependOnThreads() throws {
    for name in ["420_65x50", "progressive_2", "sampling_1x2"] {
      let bytes = try JPEGFixtures.file(name)
      let one = try Execution.with(threads: 1) { try JPEGFixtures.decode(bytes) }
      let four = try Execution.with(threads: 4) { try JPEGFixtures.decode(bytes) }
      #expect(one == four)
    }
  }

  @Test(arguments: 1...8)
  func aPictureIsTurnedAsExifSays(number: Int) throws {
    let picture = try JPEGFixtures.decode(JPEGFixtures.file("orientation_\(number)"))
    let stored = try JPEGFixtures.pixels("orientation_\(number)")
    #expect(picture.orientation.rawValue == number)
    #expect(try picture.image.samples == stored.elements)
    let turned = picture.orientation.oriented(picture.image)
    let expected = try JPEGFixtures.pixels("orientation_\(number)_turned")
    #expect(turned.width == expected.shape[1])
    #expect(turned.height == expected.shape[0])
    #expect(try turned.samples == expected.elements)
  }

  @Test func bothByteOrdersOfExifAreReadAndBrokenDataMeanNothing() throws {
    let bytes = try JPEGFixtures.file("orientation_1")
    func orientation(_ tiff: [UInt8]) throws -> ImageOrientation {
      try JPEGFixtures.decode(
        JPEGFixtures.changing(bytes, marker: 0xE1) { $0 = Array("Exif\0\0".utf8) + tiff }
      ).orientation
    }
    let little: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
    let big: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0]
    #expect(try orientation(little) == .clockwise)
    #expect(try orientation(big) == .counterclockwise)
    #expect(try orientation([]) == .upright)
    #expect(try orientation(Array(little.dropLast(6))) == .upright)
    // An invalid value, a directory far outside, an unknown byte order, more entries than there are.
    for (place, byte) in [(18, 9), (18, 0), (5, 0xFF), (7, 0xFF), (0, 0x4A), (2, 43), (14, 2)] as [(Int, UInt8)] {
      var broken = little
      broken[place] = byte
      #expect(try orientation(broken) == .upright)
    }
    var many = little
    (many[8], many[9], many[10]) = (0xFF, 0xFF, 0)
    #expect(try orientation(many) == .upright)
  }

  @Test func whatSurroundsThePictureDoesNotMatter() throws {
    let bytes = try JPEGFixtures.file("420_17x33")
    let picture = try JPEGFixtures.decode(bytes)
    // Without the marker of the end, with something behind it, and with bytes that fill the space before a marker.
    #expect(try JPEGFixtures.decode(Array(bytes.dropLast(2))) == picture)
    #expect(try JPEGFixtures.decode(bytes + [1, 2, 0xFF, 0xD8, 3]) == picture)
    #expect(try JPEGFixtures.decode(bytes[..<2] + [0xFF, 0xFF, 0xFF] + bytes[2...]) == picture)
    // A comment, and an unknown segment.
    #expect(try JPEGFixtures.decode(bytes[..<2] + [0xFF, 0xFE, 0, 3, 65, 0xFF, 0xEB, 0, 2] + bytes[2...]) == picture)
    let progressive = try JPEGFixtures.file("progressive_2")
    #expect(try JPEGFixtures.decode(Array(progressive.dropLast(2))) == JPEGFixtures.decode(progressive))
  }

  @Test func huffmanTablesMayBeMissingWhereTheyAreTheStandardOnes() throws {
    var bytes = try JPEGFixtures.file("420_17x33")
    let picture = try JPEGFixtures.decode(bytes)
    for _ in 0..<4 {
      // Any other application data in their place.
      let place = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC4 })
      bytes[place + 1] = 0xEA
    }
    #expect(try JPEGFixtures.decode(bytes) == picture)
  }
}
