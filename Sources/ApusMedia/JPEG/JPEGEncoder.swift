/// Writes baseline JPEG files.
public enum JPEGEncoder {
  /// How many differences of colour there are for the pixels.
  public enum Subsampling: String, Sendable, Hashable, CaseIterable {
    /// One for four pixels.
    case yuv420
    /// One for two pixels beside each other.
    case yuv422
    /// One for each pixel.
    case yuv444

    var across: Int { self == .yuv444 ? 1 : 2 }
    var down: Int { self == .yuv420 ? 2 : 1 }
  }

  /// The bytes of a file with the standard's Huffman tables and, for its quality, its quantization tables.
  ///
  /// Opacity becomes white paper behind the picture. Grey pictures have no colour in the file either.
  ///
  /// - Parameter quality: 1 to 100, as usual: 50 is the standard's tables, 75 and more looks good.
  /// - Throws: ``ImageError`` for another quality, and for sides of more than 65,535 pixels.
  public static func encode(
    _ image: Image<UInt8>, quality: Int = 90, subsampling: Subsampling = .yuv420
  ) throws(ImageError) -> [UInt8] {
    guard 1...100 ~= quality else {
      throw ImageError(.invalidArgument("a JPEG quality of \(quality); 1 to 100 are possible"), format: .jpeg)
    }
    guard image.width <= 65_535, image.height <= 65_535 else {
      throw ImageError(
        .invalidArgument("\(image.width) × \(image.height) pixels; a JPEG file has at most 65535 on a side"),
        format: .jpeg)
    }
    let isGray = image.color.isGray
    let tables = [JPEGStandardSteps.luminance, JPEGStandardSteps.color].prefix(isGray ? 1 : 2)
      .map { JPEGStandardSteps.scaled($0, quality: quality) }
    var file = JPEGWriter()
    file.writeHeader(image, tables, subsampling: subsampling)
    let planes = JPEGSourcePlanes(image)
    var scan = JPEGEntropyEncoder(planes, tables, subsampling: isGray ? .yuv444 : subsampling)
    scan.encode(into: &file)
    file.bytes += [0xFF, 0xD9]
    return file.bytes
  }
}

extension JPEGStandardSteps {
  /// The steps of a quality.
  static func scaled(_ steps: [Int], quality: Int) -> [Int] {
    let percent = quality < 50 ? 5000 / quality : 200 - 2 * quality
    return steps.map { max(1, min(255, ($0 * percent + 50) / 100)) }
  }
}

/// A file that is being written.
struct JPEGWriter {
  var bytes: [UInt8] = [0xFF, 0xD8]
  /// Bits that do not fill a byte yet, the last one lowest.
  private var bits: UInt64 = 0
  private var count = 0

  /// A marker and its segment.
  private mutating func append(_ marker: UInt8, _ payload: [UInt8]) {
    bytes += [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 0xFF)] + payload
  }

  mutating func writeHeader(_ image: Image<UInt8>, _ tables: [[Int]], subsampling: JPEGEncoder.Subsampling) {
    let isGray = image.color.isGray
    // Version 1.1, no unit of density, no thumbnail.
    append(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
    for (index, table) in tables.enumerated() {
      append(0xDB, [UInt8(index)] + table.map { UInt8(truncatingIfNeeded: $0) })
    }
    func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }
    let sampling = UInt8(subsampling.across << 4 | subsampling.down)
    append(
      0xC0,
      [8] + word(image.height) + word(image.width)
        + (isGray ? [1, 1, 0x11, 0] : [3, 1, sampling, 0, 2, 0x11, 1, 3, 0x11, 1]))
    let standard = JPEGHuffmanTable.standard
    let huffman: [(UInt8, JPEGHuffmanTable)] = [
      (0x00, standard.luminanceFirst), (0x10, standard.luminanceOthers), (0x01, standard.colorFirst),
      (0x11, standard.colorOthers),
    ]
    for (place, table) in huffman.prefix(isGray ? 2 : 4) { append(0xC4, [place] + table.counts + table.symbols) }
    append(0xDA, (isGray ? [1, 1, 0] : [3, 1, 0, 2, 0x11, 3, 0x11]) + [0, 63, 0])
  }

  /// Appends at most 32 bits of a scan.
  mutating func append(_ value: Int, count number: Int) {
    bits = bits &<< UInt64(number) | UInt64(truncatingIfNeeded: value & (1 &<< number &- 1))
    count += number
    while count >= 8 {
      count -= 8
      let byte = UInt8(truncatingIfNeeded: bits &>> UInt64(count))
      bytes.append(byte)
      // A zero distinguishes it from a marker.
      if byte == 0xFF { bytes.append(0) }
    }
  }

  /// Fills the last byte with ones.
  mutating func finishScan() {
    if count > 0 { append(0x7F, count: 8 - count) }
  }
}
