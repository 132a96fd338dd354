import Apus
import ApusMedia

/// The reader of PNG files, and the writer on what it accepts.
struct PNGTarget: FuzzTarget {
  let name = "png"
  let summary = "PNG files: chunks, every kind of pixels, filters, interlacing; and writing them again"
  let dictionary = ["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "eXIf", "tEXt", "acTL"]

  private static let limits = ImageLimits(pixels: 1 << 18)

  func seeds() throws -> [[UInt8]] {
    var seeds = [
      PNGEncoder.encode(try Image<UInt8>(width: 5, height: 4, color: .rgb, filledWith: [1, 2, 250])),
      PNGEncoder.encode(try Image<UInt16>(width: 3, height: 2, color: .rgba, filledWith: [1, 2, 3, 60_000])),
    ]
    // Each kind of pixels, 5 by 5, interlaced or not, with every filter.
    for (kind, channels, depths) in [(0, 1, [1, 4, 8, 16]), (2, 3, [8]), (3, 1, [2, 8]), (4, 2, [8]), (6, 4, [8])] {
      for depth in depths {
        for interlaced in 0...1 {
          var chunks = [chunk("IHDR", [0, 0, 0, 5, 0, 0, 0, 5, UInt8(depth), UInt8(kind), 0, 0, UInt8(interlaced)])]
          if kind == 3 {
            chunks.append(chunk("PLTE", (0..<12).map { $0 * 20 }))
            chunks.append(chunk("tRNS", [1, 2]))
          } else if kind == 0 {
            chunks.append(chunk("tRNS", [0, 1]))
          }
          var rows: [UInt8] = []
          let passes = interlaced == 0 ? [(5, 5)] : [(1, 1), (1, 1), (2, 1), (1, 2), (3, 1), (2, 3), (5, 2)]
          for (width, height) in passes {
            for y in 0..<height {
              // The numbers of colours must not be filtered, to stay within the palette.
              rows.append(kind == 3 ? 0 : UInt8((y + width) % 5))
              rows += [UInt8](repeating: kind == 3 ? 1 : 0x5A, count: (width * channels * depth + 7) / 8)
            }
          }
          chunks.append(chunk("IDAT", rows.withUnsafeBytes { Deflate.zlib($0) }))
          seeds.append(PNGFuzzing.signature + chunks.flatMap { $0 } + chunk("IEND", []))
        }
      }
    }
    return seeds
  }

  private func chunk(_ name: String, _ contents: [UInt8]) -> [UInt8] { PNGFuzzing.chunk(Array(name.utf8), contents) }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: ImageError.self) {
      let picture = try PNGDecoder.decode(input, limits: Self.limits)
      let bytes =
        switch picture.image {
        case .eight(let image): PNGEncoder.encode(image)
        case .sixteen(let image): PNGEncoder.encode(image)
        }
      guard let again = try? bytes.withUnsafeBytes({ try PNGDecoder.decode($0) }), again.image == picture.image else {
        throw FuzzFinding(message: "the picture comes back different when it is written")
      }
    }
  }

  func mend(_ input: inout [UInt8]) { PNGFuzzing.mend(&input) }
}

/// Makes the chunks of a PNG file sound again.
private enum PNGFuzzing {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  static func chunk(_ name: [UInt8], _ contents: [UInt8]) -> [UInt8] {
    let body = name + contents
    return big(contents.count) + body + big(Int(body.withUnsafeBytes { CRC32.checksum($0) }))
  }

  private static func big(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  /// Writes right checksums behind all chunks, and, where the pixels can be decompressed in part, what came of them as
  /// sound zlib data.
  static func mend(_ input: inout [UInt8]) {
    var output = signature
    var offset = 8
    while input.count - offset >= 8 {
      let length = input[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let start = offset + 8
      let end = min(input.count, start + length)
      let name = Array(input[offset + 4..<start])
      var contents = Array(input[start..<end])
      if name == Array("IDAT".utf8), contents.count > 2 {
        // Bare data without a checksum, which hardly any change makes unreadable.
        let rows = contents.withUnsafeBytes { bytes in
          try? Inflate.raw(UnsafeRawBufferPointer(rebasing: bytes[2...]), limit: 1 << 20).output
        }
        if let rows { contents = rows.withUnsafeBytes { Deflate.zlib($0) } }
      }
      output += chunk(name, contents)
      offset = min(input.count, end + 4)
    }
    input = output
  }
}
