import Apus
import ApusMedia
import Testing

/// Pixels against the arrays that the files were made of, which agree with Pillow: see `generate/png_images.py`.
@Suite struct PNGDecoderTests {
  typealias Build = PNGBuilder

  /// Two rows of two grey pixels.
  static let gray = Build.pixels([0, 1, 2, 0, 3, 4])

  @Test func everyColourTypeDepthAndInterlacingGivesItsPixels() throws {
    let cases = try PictureCases("png/images.safetensors")
    #expect(cases.names.count > 100)
    for name in cases.names {
      let picture = try decodePNG(try cases.bytes(name))
      let expected = try cases.pixels(name)
      #expect(picture.image == expected, "\(name)")
    }
  }

  @Test func everyPieceOfAFileIsRefusedAsCutShort() throws {
    let cases = try PictureCases("png/images.safetensors")
    let names = cases.names.filter { $0.contains("1x7") || $0.contains("2x3") || $0 == "chunks" || $0 == "pieces" }
    #expect(names.count > 10)
    for name in names {
      let file = try cases.bytes(name)
      for count in 0..<file.count {
        guard case .truncated = refusal({ () throws(ImageError) in _ = try decodePNG(Array(file.prefix(count))) })
        else {
          Issue.record("\(name), cut after \(count) bytes")
          break
        }
      }
    }
  }

  @Test func everyChangedByteOfAFileIsNoticedOrHarmless() throws {
    let cases = try PictureCases("png/images.safetensors")
    let file = try cases.bytes("palette1.1x1.transparent")
    for index in file.indices {
      var damaged = file
      damaged[index] ^= 0x20
      // All of a file is under a checksum but the lengths, the checksums and the signature.
      #expect(throws: ImageError.self, "byte \(index)") { try decodePNG(damaged) }
    }
  }

  @Test func exifDataIsHandedOn() throws {
    let cases = try PictureCases("png/images.safetensors")
    #expect(try decodePNG(cases.bytes("chunks")).exif?.prefix(4) == [0x4D, 0x4D, 0, 0x2A])
    #expect(try decodePNG(cases.bytes("pieces")).exif == nil)
  }

  @Test func bytesAfterTheEndAndUnknownChunksDoNotMatter() throws {
    let animation = Build.chunk("acTL", [0, 0, 0, 1, 0, 0, 0, 0]) + Build.chunk("fdAT", [1])
    let file = Build.file(Build.header(), animation, Self.gray, Build.chunk("abCd", [7])) + [1, 2, 3]
    #expect(try decodePNG(file).image == .eight(Image(width: 2, height: 2, color: .gray, samples: [1, 2, 3, 4])))
  }

  @Test func sixteenBitsKeepTheirUpperHalf() throws {
    let image = DecodedImage.sixteen(try Image(width: 2, height: 1, color: .gray, samples: [0x12FF, 0xFFFF]))
    #expect(image.eightBit.samples == [0x12, 0xFF])
    #expect(DecodedImage.eight(image.eightBit).sixteenBit.samples == [0x1212, 0xFFFF])
  }

  private static let forbidden: [(file: [UInt8], reason: String)] = [
    (Build.file(gray), "the first chunk is IDAT; IHDR was expected"),
    (Build.file(Build.header(), Build.header(), gray), "a second chunk IHDR"),
    (Build.file(Build.header()), "there is no chunk IDAT"),
    (Build.file(Build.header(), gray, Build.chunk("tEXt", []), gray), "the chunks IDAT do not follow each other"),
    (Build.file(Build.header(kind: 3), gray), "pixels before the palette"),
    (Build.file(Build.header(kind: 3), Build.chunk("tRNS", [1])), "the chunk tRNS before the palette"),
    (Build.file(Build.header(kind: 3), Build.chunk("PLTE", [1, 2])), "a palette of 2 bytes"),
    (Build.file(Build.header(kind: 3), Build.chunk("PLTE", [])), "a palette of 0 bytes"),
    (
      Build.file(Build.header(kind: 3), Build.chunk("PLTE", [1, 2, 3]), Build.chunk("PLTE", [1, 2, 3])),
      "a second palette, or one after the pixels"
    ),
    (
      Build.file(Build.header(kind: 3), Build.chunk("PLTE", [1, 2, 3]), Build.chunk("tRNS", [1, 2])),
      "a chunk tRNS of 2 bytes"
    ),
    (Build.file(Build.header(), Build.chunk("tRNS", [1])), "a chunk tRNS of 1 bytes"),
    (Build.file(Build.header(kind: 6), Build.chunk("tRNS", [1])), "a chunk tRNS, and an alpha channel as well"),
    (
      Build.file(Build.header(kind: 3), Build.chunk("PLTE", [UInt8](repeating: 0, count: 12)), gray),
      "a pixel has colour 4 of a palette of 4, counted from 0"
    ),
    (Build.file(Build.header(width: 0), gray), "a picture of 0 × 2 pixels; both sides must be positive"),
    (Build.file(Build.header(depth: 3), gray), "pixels of colour type 0 with 3 bits, which there are not"),
    (Build.file(Build.header(kind: 1), gray), "pixels of colour type 1 with 8 bits, which there are not"),
    (Build.file(Build.header(depth: 4, kind: 2), gray), "pixels of colour type 2 with 4 bits, which there are not"),
    (
      Build.file(Build.header(width: 1 << 31), gray),
      "a picture of 2147483648 × 2 pixels; a side is less than 2147483648"
    ),
    (
      Build.file(Build.header(), Build.pixels([0, 1, 2, 5, 3, 4])), "row 1 has the filter 5, which there is not"
    ),
    (
      Build.file(Build.header(), Build.pixels([0, 1, 2, 0, 3])),
      "fewer pixels than the 2 × 2 that the chunk IHDR says"
    ),
    (
      Build.file(Build.header(), Build.pixels([0, 1, 2, 0, 3, 4, 0])),
      "more pixels than the 2 × 2 that the chunk IHDR says"
    ),
    (Build.file(Build.header(width: 5000), gray), "fewer pixels than the 5000 × 2 that the chunk IHDR says"),
    (Build.file(Build.chunk("IHDR", [1])), "the chunk IHDR has 1 bytes instead of 13"),
    (Build.signature + Build.big(1 << 31) + Array("IHDR".utf8), "a chunk IHDR of 2147483648 bytes"),
    (Build.signature + Build.big(1) + [0x49, 0x48, 0x44, 0x2E], "a chunk whose name is not four letters"),
    (Array("GIF89a..".utf8), "no PNG file: it begins otherwise"),
  ]

  @Test(arguments: forbidden)
  func whatTheFormatForbidsIsRefused(file: [UInt8], reason: String) {
    #expect(refusal { () throws(ImageError) in _ = try decodePNG(file) } == .malformed(reason))
  }

  @Test func whatIsNotKnownIsRefusedByName() {
    let file = Build.file(Build.header(), Build.chunk("CgBI", []), Self.gray)
    #expect(refusal { () throws(ImageError) in _ = try decodePNG(file) } == .unsupported("the chunk CgBI"))
    let interlaced = Build.file(Build.header(interlaced: 2), Self.gray)
    #expect(refusal { () throws(ImageError) in _ = try decodePNG(interlaced) } == .unsupported("interlacing 2"))
  }

  @Test func aWrongChecksumIsToldWithItsChunk() {
    var file = Build.file(Build.header(), Self.gray)
    file[file.count - 13] ^= 1
    #expect(
      refusal { () throws(ImageError) in _ = try decodePNG(file) }
        == .malformed("the chunk IDAT is damaged: its checksum is wrong"))
  }

  @Test func picturesBeyondTheLimitAreRefusedBeforeAnythingIsDecoded() {
    let file = Build.file(Build.header(width: 100_000, height: 100_000), Self.gray)
    #expect(
      refusal { () throws(ImageError) in _ = try decodePNG(file) }
        == .tooLarge(width: 100_000, height: 100_000, limit: 100_000_000))
    let small = Build.file(Build.header(), Self.gray)
    #expect(
      refusal { () throws(ImageError) in _ = try decodePNG(small, limits: ImageLimits(pixels: 3)) }
        == .tooLarge(width: 2, height: 2, limit: 3))
    let all = ImageLimits(pixels: .max)
    let huge = Build.file(Build.header(width: Int(Int32.max), height: Int(Int32.max)), Self.gray)
    #expect(throws: ImageError.self) { try decodePNG(huge, limits: all) }
  }
}
