import Apus

/// Reads BMP files: headers of Windows from 2 to 5 and of OS/2, palettes of 1, 2, 4 and 8 bits, also as runs (RLE4,
/// RLE8), 16, 24 and 32 bits, with masks.
///
/// - A palette of greys alone gives a grey picture, any other pixels RGB, with opacity where a mask says so.
/// - A channel of a mask is v · 255 / (its greatest number), rounded down, as in Pillow.
/// - Pixels that runs skip have colour 0. A run beyond its row ends with it.
/// - Pictures that are JPEG or PNG files inside are refused, and so are colours beyond the palette.
public enum BMPDecoder {
  /// - Throws: ``ImageError``.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, limits: ImageLimits = .default
  ) throws(ImageError) -> Image<UInt8> {
    let header = try BMPHeader(bytes, limits: limits)
    switch header.layout {
    case .palette:
      let rows = try BMPRows(header)
      let mask = UInt8(truncatingIfNeeded: 1 << header.bits - 1)
      return try colors(header) { (y, row) in
        let source = rows[y]
        for x in row.indices {
          let bit = x * header.bits
          row[x] = source[bit >> 3] >> UInt8(8 - header.bits - bit & 7) & mask
        }
      }
    case .runs:
      let indices = try BMPRuns.decode(header)
      return try colors(header) { (y, row) in
        for x in row.indices { row[x] = indices[y * header.width + x] }
      }
    case .bytes:
      let rows = try BMPRows(header)
      return try image(header, .rgb) { (y, row) in
        let source = rows[y]
        for x in 0..<header.width {
          for channel in 0..<3 { row[3 * x + channel] = source[3 * x + 2 - channel] }
        }
      }
    case .masked: return try masked(header)
    }
  }

  /// A picture whose rows `fill` writes, from top to bottom.
  @inline(__always)
  private static func image(
    _ header: BMPHeader, _ color: ColorModel, fill: (Int, UnsafeMutableBufferPointer<UInt8>) -> Void
  ) throws(ImageError) -> Image<UInt8> {
    let rowCount = header.width * color.channels
    let samples = [UInt8](unsafeUninitializedCapacity: rowCount * header.height) { output, filled in
      for y in 0..<header.height {
        fill(y, UnsafeMutableBufferPointer(rebasing: output[y * rowCount..<(y + 1) * rowCount]))
      }
      filled = rowCount * header.height
    }
    return try Image(width: header.width, height: header.height, color: color, samples: samples)
  }

  /// A picture of colours of the palette, whose numbers `fill` writes.
  @inline(__always)
  private static func colors(
    _ header: BMPHeader, fill: (Int, UnsafeMutableBufferPointer<UInt8>) -> Void
  ) throws(ImageError) -> Image<UInt8> {
    let indices = try image(header, .gray, fill: fill)
    let count = header.palette.count / header.colorBytes
    if let highest = indices.samples.max(), highest >= count {
      throw bmpError("a pixel has colour \(highest) of a palette of \(count), counted from 0")
    }
    var palette: [UInt8] = []
    for index in 0..<count {
      for channel in 0..<3 { palette.append(header.palette[index * header.colorBytes + 2 - channel]) }
    }
    let isGray = stride(from: 0, to: palette.count, by: 3).allSatisfy { start in
      let (red, green, blue) = (palette[start], palette[start + 1], palette[start + 2])
      return red == green && green == blue
    }
    if isGray { return indices.mapped { palette[3 * Int($0)] } }
    return try image(header, .rgb) { (y, row) in
      for x in 0..<header.width {
        let index = Int(indices.samples[y * header.width + x])
        for channel in 0..<3 { row[3 * x + channel] = palette[3 * index + channel] }
      }
    }
  }

  private static func masked(_ header: BMPHeader) throws(ImageError) -> Image<UInt8> {
    let rows = try BMPRows(header)
    let channels = header.masks.map(BMPChannel.init)
    return try image(header, channels.count == 4 ? .rgba : .rgb) { (y, row) in
      let source = UnsafeRawBufferPointer(rows[y])
      for x in 0..<header.width {
        let pixel =
          header.bits == 32
          ? UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self))
          : UInt32(UInt16(littleEndian: source.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self)))
        for (index, channel) in channels.enumerated() {
          row[x * channels.count + index] = channel.value(pixel)
        }
      }
    }
  }
}

/// A channel of pixels that are single numbers.
private struct BMPChannel {
  private let mask: UInt32
  private let shift: UInt32
  private let greatest: UInt64

  init(_ mask: UInt32) {
    self.mask = mask
    shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
    greatest = max(1, UInt64(mask >> shift))
  }

  func value(_ pixel: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: UInt64((pixel & mask) >> shift) * 255 / greatest)
  }
}

/// The rows of pixels that are not written as runs, from top to bottom; each is a multiple of four bytes.
private struct BMPRows {
  private let header: BMPHeader
  private let stride: Int
  private let count: Int

  init(_ header: BMPHeader) throws(ImageError) {
    self.header = header
    count = (header.width * header.bits).dividedRoundingUp(by: 8)
    stride = count.roundedUp(toMultipleOf: 4)
    guard header.pixels.count >= stride * (header.height - 1) + count else {
      throw ImageError(.truncated("its pixels"), format: .bmp)
    }
  }

  subscript(y: Int) -> UnsafeBufferPointer<UInt8> {
    let start = (header.isTopDown ? y : header.height - 1 - y) * stride
    return UnsafeRawBufferPointer(rebasing: header.pixels[start..<start + count]).assumingMemoryBound(to: UInt8.self)
  }
}
