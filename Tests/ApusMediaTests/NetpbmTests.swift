import ApusMedia
import Testing

/// Pixels against the arrays that the files were made of, and Pillow: see `generate/netpbm_images.py`.
@Suite struct NetpbmTests {
  private func decode(_ bytes: [UInt8], limits: ImageLimits = .default) throws(ImageError) -> DecodedImage {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    return try NetpbmDecoder.decode(UnsafeRawBufferPointer(memory), limits: limits)
  }

  private func reason(_ text: String, limits: ImageLimits = .default) -> ImageError.Reason? {
    refusal { () throws(ImageError) in _ = try decode(Array(text.utf8), limits: limits) }
  }

  @Test func everyKindOfFileGivesItsPixels() throws {
    let cases = try PictureCases("netpbm/images.safetensors")
    #expect(cases.names.count > 90)
    for name in cases.names {
      let read = try decode(try cases.bytes(name))
      let expected = try cases.pixels(name)
      #expect(read == expected, "\(name)")
    }
  }

  @Test func everyPieceOfABinaryFileIsRefusedAsCutShort() throws {
    let cases = try PictureCases("netpbm/images.safetensors")
    for name in ["P4.3x5", "P5.3x5.255", "P6.3x5.1000", "P6.1x1.10", "P7.RGB_ALPHA.1000"] {
      let file = try cases.bytes(name)
      for count in 0..<file.count {
        #expect(throws: ImageError.self, "\(name), cut after \(count) bytes") { try decode(Array(file.prefix(count))) }
      }
    }
  }

  @Test func bitsNeedNoSpacesAndCommentsStandAnywhere() throws {
    let image = try decode(Array("P1#c\n2#c\n2 #c\n0#c\n11 0".utf8))
    #expect(image == .eight(try Image(width: 2, height: 2, color: .gray, samples: [255, 0, 0, 255])))
    #expect(try decode(Array("P2 1 1 9 9 8 7".utf8)).eightBit.samples == [255])
  }

  @Test func whatTheFormatForbidsIsRefused() {
    #expect(reason("P2 1 1 0 0") == .malformed("0 for the greatest number; 1 to 65535 are allowed"))
    #expect(reason("P2 1 1 65536 0") == .malformed("65536 for the greatest number; 1 to 65535 are allowed"))
    #expect(reason("P2 0 1 9 0") == .malformed("a picture of 0 × 1 pixels; both sides must be positive"))
    #expect(reason("P2 1 1 9 10") == .malformed("a pixel has 10; at most 9 are allowed"))
    #expect(reason("P5 1 1 9 A") == .malformed("a pixel has 65; at most 9 are allowed"))
    #expect(reason("P1 1 1 2") == .malformed("a pixel that is neither 0 nor 1"))
    #expect(reason("P2 -1 1 9 0") == .malformed("no number for its width"))
    #expect(reason("P2 12345678901 1 9 0") == .malformed("a number of more than ten digits for its width"))
    #expect(reason("P5 1 1 255#A") == .malformed("no white space before the pixels"))
    #expect(reason("P2 2 1 9 1") == .truncated("its pixels"))
    #expect(reason("P2 2 1 9 123") == .malformed("a pixel has 123; at most 9 are allowed"))
    #expect(reason("P2 2 1 9 1  ") == .truncated("a pixel"))
    #expect(reason("P8 1 1") == .malformed("no Netpbm file: it begins otherwise"))
    #expect(reason("P7\nWIDTH 1\nENDHDR\n") == .malformed("a header without HEIGHT"))
    #expect(reason("P7\nWIDE 1\n") == .malformed("a header with \"WIDE\""))
    #expect(
      reason("P7 WIDTH 1 HEIGHT 1 DEPTH 2 MAXVAL 9 TUPLTYPE RGB ENDHDR\n..")
        == .malformed("pixels of 2 numbers, where RGB has 3"))
  }

  @Test func whatIsNotReadIsRefusedByName() {
    #expect(reason("PF 1 1 -1\n") == .unsupported("a map of floating-point numbers (PFM)"))
    #expect(
      reason("P7 WIDTH 1 HEIGHT 1 DEPTH 4 MAXVAL 9 TUPLTYPE CMYK ENDHDR\n")
        == .unsupported("pixels of 4 numbers called \"CMYK\""))
  }

  @Test func picturesBeyondTheLimitOrTheFileAreRefusedBeforeAnythingIsRead() {
    #expect(reason("P5 100000 100000 255\n") == .tooLarge(width: 100_000, height: 100_000, limit: 100_000_000))
    #expect(reason("P2 9999 9999 255\n1 2 3") == .truncated("its pixels"))
    #expect(reason("P6 9999999999 9999999999 65535\n", limits: ImageLimits(pixels: .max)) != nil)
  }

  @Test func filesAreWrittenAsTheFormatSays() throws {
    let gray = try Image<UInt8>(width: 3, height: 1, color: .gray, samples: [1, 2, 3])
    #expect(try NetpbmEncoder.encode(gray) == Array("P5\n3 1\n255\n".utf8) + [1, 2, 3])
    let color = try Image<UInt16>(width: 1, height: 1, color: .rgb, samples: [0x1234, 1, 0xFFFF])
    #expect(try NetpbmEncoder.encode(color) == Array("P6\n1 1\n65535\n".utf8) + [0x12, 0x34, 0, 1, 0xFF, 0xFF])
    #expect(try decode(NetpbmEncoder.encode(color)) == .sixteen(color))
    let clear = try Image<UInt8>(width: 1, height: 1, color: .grayAlpha, samples: [1, 2])
    #expect(throws: ImageError.self) { try NetpbmEncoder.encode(clear) }
  }
}
