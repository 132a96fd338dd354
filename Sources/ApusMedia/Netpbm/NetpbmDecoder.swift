import Apus

/// Reads the files of Netpbm: bits (PBM: P1, P4), grey (PGM: P2, P5), RGB (PPM: P3, P6), and any of them with opacity
/// (PAM: P7), as text and as bytes.
///
/// Numbers are scaled so that the greatest one is 255, or 65535 where it is more than 255 in the file, to the nearest
/// number (halves up). Of several pictures in a file the first is read.
public enum NetpbmDecoder {
  /// - Throws: ``ImageError``.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, limits: ImageLimits = .default
  ) throws(ImageError) -> DecodedImage {
    var text = NetpbmText(bytes)
    let header = try NetpbmHeader(&text)
    try limits.check(width: header.width, height: header.height, format: .netpbm)
    let count = try Image<UInt8>.sampleCount(width: header.width, height: header.height, color: header.color)
    guard header.maximum > 255 else {
      return .eight(try image(header, try samples(header, &text, count: count, as: UInt8.self)))
    }
    return .sixteen(try image(header, try samples(header, &text, count: count, as: UInt16.self)))
  }

  private static func image<Sample: ImageSample>(
    _ header: NetpbmHeader, _ samples: [Sample]
  ) throws(ImageError) -> Image<Sample> {
    try Image(width: header.width, height: header.height, color: header.color, samples: samples)
  }

  private static func samples<Sample: ImageSample & FixedWidthInteger>(
    _ header: NetpbmHeader, _ text: inout NetpbmText, count: Int, as type: Sample.Type
  ) throws(ImageError) -> [Sample] {
    let rest = text.bytes.count - text.position
    switch (header.kind, header.isText) {
    case (.bits, false):
      let rowBytes = header.width.dividedRoundingUp(by: 8)
      let pixels = try pixels(text, count: rowBytes * header.height)
      return (0..<count).map { index in
        let (y, x) = index.quotientAndRemainder(dividingBy: header.width)
        return pixels[y * rowBytes + x / 8] >> UInt8(7 - x % 8) & 1 == 1 ? 0 : .full
      }
    case (.samples, false):
      let pixels = try pixels(text, count: count * MemoryLayout<Sample>.size)
      var samples = [Sample](unsafeUninitializedCapacity: count) { output, filled in
        UnsafeMutableRawBufferPointer(output).copyMemory(from: pixels)
        filled = count
      }
      if Sample.self != UInt8.self {
        for index in samples.indices { samples[index] = Sample(bigEndian: samples[index]) }
      }
      try scale(&samples, maximum: header.maximum, from: text.position)
      return samples
    case (.bits, true):
      guard rest >= count else { throw truncated(text) }
      var samples: [Sample] = []
      samples.reserveCapacity(count)
      for _ in 0..<count { samples.append(try text.bit() == 1 ? 0 : .full) }
      return samples
    case (.samples, true):
      // A digit each, and white space between them.
      guard rest >= 2 * count - 1 else { throw truncated(text) }
      var samples: [Sample] = []
      samples.reserveCapacity(count)
      for _ in 0..<count {
        let number = try text.number("a pixel")
        guard number <= header.maximum else {
          throw netpbmError("a pixel has \(number); at most \(header.maximum) are allowed", at: text.position)
        }
        samples.append(scaled(number, header.maximum))
      }
      return samples
    }
  }

  /// The next `count` bytes.
  private static func pixels(_ text: NetpbmText, count: Int) throws(ImageError) -> UnsafeRawBufferPointer {
    guard count <= text.bytes.count - text.position else { throw truncated(text) }
    return UnsafeRawBufferPointer(rebasing: text.bytes[text.position..<text.position + count])
  }

  private static func truncated(_ text: NetpbmText) -> ImageError {
    ImageError(.truncated("its pixels"), format: .netpbm, offset: text.bytes.count)
  }

  private static func scale<Sample: ImageSample & FixedWidthInteger>(
    _ samples: inout [Sample], maximum: Int, from offset: Int
  ) throws(ImageError) {
    guard maximum != Int(Sample.full) else { return }
    guard let greatest = samples.max(), greatest <= maximum else {
      throw netpbmError("a pixel has \(samples.max() ?? 0); at most \(maximum) are allowed", at: offset)
    }
    let table = (0...maximum).map { scaled($0, maximum) as Sample }
    for index in samples.indices { samples[index] = table[Int(samples[index])] }
  }

  private static func scaled<Sample: ImageSample & FixedWidthInteger>(_ number: Int, _ maximum: Int) -> Sample {
    Sample(truncatingIfNeeded: (number * Int(Sample.full) + maximum / 2) / maximum)
  }
}
