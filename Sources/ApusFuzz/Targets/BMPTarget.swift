import ApusMedia

/// The reader of BMP files.
struct BMPTarget: FuzzTarget {
  let name = "bmp"
  let summary = "BMP files: headers, palettes, runs, masks"

  func seeds() throws -> [[UInt8]] {
    let palette: [UInt8] = (0..<16).flatMap { number -> [UInt8] in [number, 2 * number, 3, 0] }
    let masks: [UInt8] = [0, 0xF8, 0, 0, 0xE0, 7, 0, 0, 0x1F, 0, 0, 0]
    return [
      file(bits: 1, palette: Array(palette.prefix(8)), pixels: [0xA0, 0, 0, 0, 0x40, 0, 0, 0]),
      file(bits: 4, palette: palette, pixels: [0x12, 0x34, 0, 0, 0x56, 0x70, 0, 0]),
      file(bits: 8, palette: palette, pixels: [1, 2, 3, 0, 4, 5, 6, 0]),
      file(bits: 8, compression: 1, palette: palette, pixels: [2, 1, 1, 3, 0, 0, 0, 3, 4, 5, 6, 0, 0, 0, 0, 1]),
      file(bits: 8, compression: 1, palette: palette, pixels: [1, 1, 0, 2, 1, 1, 1, 3, 0, 1]),
      file(bits: 4, compression: 2, palette: palette, pixels: [3, 0x12, 0, 0, 0, 3, 0x34, 0x50, 0, 1]),
      file(bits: 16, pixels: [UInt8](repeating: 0x35, count: 16)),
      file(bits: 16, compression: 3, palette: masks, pixels: [UInt8](repeating: 9, count: 16)),
      file(bits: 24, pixels: [UInt8](repeating: 0x35, count: 24)),
      file(bits: 32, size: 108, compression: 3, pixels: [UInt8](repeating: 0x35, count: 24)),
    ]
  }

  /// A file of 3 by 2 pixels.
  private func file(
    bits: Int, size: Int = 40, compression: Int = 0, palette: [UInt8] = [], pixels: [UInt8]
  ) -> [UInt8] {
    var header = little(size, 4) + little(3, 4) + little(2, 4) + little(1, 2) + little(bits, 2) + little(compression, 4)
    header += little(pixels.count, 4) + little(0, 8) + little(bits <= 8 ? palette.count / 4 : 0, 4) + little(0, 4)
    if size > 40 { header += little(0xFF0000, 4) + little(0xFF00, 4) + little(0xFF, 4) + little(0xFF00_0000, 4) }
    header += [UInt8](repeating: 0, count: size - header.count)
    let start = 14 + header.count + palette.count
    let beginning = Array("BM".utf8) + little(start + pixels.count, 4) + little(0, 4) + little(start, 4)
    return beginning + header + palette + pixels
  }

  private func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: ImageError.self) {
      _ = try BMPDecoder.decode(input, limits: ImageLimits(pixels: 1 << 18))
    }
  }
}
