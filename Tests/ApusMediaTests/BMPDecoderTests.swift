import ApusMedia
import Testing

/// Pixels against the arrays that the files were made of, and Pillow: see `generate/bmp_images.py`.
@Suite struct BMPDecoderTests {
  private func decode(_ bytes: [UInt8], limits: ImageLimits = .default) throws(ImageError) -> Image<UInt8> {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    return try BMPDecoder.decode(UnsafeRawBufferPointer(memory), limits: limits)
  }

  private func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A file whose palette has two colours.
  private func file(
    width: Int = 1, height: Int = 1, bits: Int = 8, compression: Int = 0, size: Int = 40, start: Int? = nil,
    pixels: [UInt8] = [0, 0, 0, 0]
  ) -> [UInt8] {
    var header = little(size, 4) + little(width, 4) + little(height, 4) + [1, 0] + little(bits, 2)
    header += little(compression, 4) + [UInt8](repeating: 0, count: 12) + little(2, 4) + little(0, 4)
    header += [UInt8](repeating: 0, count: max(0, size - 40))
    let palette: [UInt8] = [1, 2, 3, 0, 4, 5, 6, 0]
    return Array("BM".utf8) + little(0, 8) + little(start ?? 14 + header.count + palette.count, 4) + header + palette
      + pixels
  }

  private func reason(_ bytes: [UInt8], limits: ImageLimits = .default) -> ImageError.Reason? {
    refusal { () throws(ImageError) in _ = try decode(bytes, limits: limits) }
  }

  @Test func everyKindOfPixelsGivesWhatTheArraysSay() throws {
    let cases = try PictureCases("bmp/images.safetensors")
    #expect(cases.names.count > 60)
    for name in cases.names {
      let read = try decode(try cases.bytes(name))
      let expected = try cases.pixels(name).eightBit
      // A palette that happens to be grey gives a grey picture.
      #expect(read == expected || read.rgb() == expected, "\(name)")
    }
    #expect(try decode(cases.bytes("gray")).color == .gray)
  }

  @Test func everyPieceOfAFileIsRefused() throws {
    let cases = try PictureCases("bmp/images.safetensors")
    for name in ["palette4.4x5.12", "palette1.1x1.124", "runs8.5x3", "runs4.3x4", "rgb24.40", "rgba.108", "rgb565"] {
      let file = try cases.bytes(name)
      // The bytes that fill up the last row may be missing.
      for count in 0..<file.count - 3 {
        #expect(throws: ImageError.self, "\(name), cut after \(count) bytes") { try decode(Array(file.prefix(count))) }
      }
    }
  }

  @Test func whatTheFormatForbidsIsRefused() {
    #expect(reason(file()) == nil)
    #expect(reason(file(width: 0)) == .malformed("a picture of 0 × 1 pixels; both sides must be positive"))
    #expect(reason(file(width: -1)) == .malformed("a picture of -1 × 1 pixels; both sides must be positive"))
    #expect(reason(file(height: 0)) == .malformed("a picture of 1 × 0 pixels; both sides must be positive"))
    #expect(reason(file(bits: 3)) == .malformed("pixels of 3 bits, which there are not"))
    #expect(
      reason(file(bits: 4, compression: 1))
        == .malformed("pixels of 4 bits with the compression RLE8, which there are not"))
    #expect(reason(file(height: -1, compression: 1)) == .malformed("runs from top to bottom, which there are not"))
    #expect(reason(file(start: 20)) == .malformed("the pixels begin at byte 20, within the header"))
    #expect(reason(file(start: 54)) == .malformed("there is no palette"))
    #expect(reason(file(start: 1000)) == .truncated("its header"))
    #expect(
      reason(file(pixels: [2, 0, 0, 0])) == .malformed("a pixel has colour 2 of a palette of 2, counted from 0"))
    #expect(
      reason(file(compression: 1, pixels: [1, 1, 0, 0, 1, 1, 0, 1])) == .malformed("runs of pixels beyond the last row")
    )
    #expect(reason(file(compression: 1, pixels: [1, 1])) == .truncated("its runs of pixels"))
    let masks = file(bits: 32, compression: 3, size: 40, pixels: [])
    #expect(reason(masks.dropLast(8) + little(5, 4) + little(0, 12)) != nil)
    #expect(reason(Array("PM".utf8)) == .malformed("no BMP file: it begins otherwise"))
  }

  @Test func whatIsNotReadIsRefusedByName() {
    #expect(reason(file(compression: 4)) == .unsupported("the compression JPEG"))
    #expect(reason(file(compression: 5)) == .unsupported("the compression PNG"))
    #expect(reason(file(compression: 11)) == .unsupported("the compression CMYK"))
    #expect(reason(file(compression: 77)) == .unsupported("compression 77"))
    #expect(reason(file(compression: 3, size: 64)) == .unsupported("compression 3 of OS/2"))
    #expect(reason(file(size: 41)) == .unsupported("a header of 41 bytes"))
  }

  @Test func picturesBeyondTheLimitAreRefused() {
    #expect(
      reason(file(width: 1 << 20, height: 1 << 20))
        == .tooLarge(width: 1 << 20, height: 1 << 20, limit: ImageLimits.default.pixels))
    #expect(
      reason(file(width: 3, compression: 1), limits: ImageLimits(pixels: 2)) == .tooLarge(width: 3, height: 1, limit: 2)
    )
    #expect(reason(file(width: Int(Int32.max), height: Int(Int32.min)), limits: ImageLimits(pixels: .max)) != nil)
  }
}
