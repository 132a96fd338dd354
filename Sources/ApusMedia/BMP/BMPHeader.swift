import Apus

/// What stands before the pixels of a BMP file.
struct BMPHeader {
  enum Layout: Equatable {
    /// Numbers of colours in a palette: 1, 2, 4 or 8 bits each.
    case palette
    /// The same, written as runs.
    case runs
    /// Blue, green, red: 24 bits.
    case bytes
    /// Numbers of 16 or 32 bits, of which masks cut out the channels.
    case masked
  }

  let width: Int
  let height: Int
  /// Whether the first row is the uppermost; mostly it is the lowest.
  let isTopDown: Bool
  /// Bits per pixel.
  let bits: Int
  let layout: Layout
  /// Red, green, blue, and opacity if there is one.
  let masks: [UInt32]
  /// Blue, green and red of each colour, and a byte of no meaning where `colorBytes` is 4.
  let palette: UnsafeRawBufferPointer
  let colorBytes: Int
  let pixels: UnsafeRawBufferPointer

  private static let fileHeaderBytes = 14
  private static let compressions = [
    "none", "RLE8", "RLE4", "bit fields", "JPEG", "PNG", "bit fields with opacity", "", "", "", "", "CMYK", "CMYK RLE8",
    "CMYK RLE4",
  ]

  /// - Throws: ``ImageError``.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(ImageError) {
    let reader = BMPReader(bytes)
    guard bytes.prefix(2).elementsEqual("BM".utf8.prefix(bytes.count)) else {
      throw bmpError("no BMP file: it begins otherwise", at: 0)
    }
    let headerBytes = try reader.uint32(Self.fileHeaderBytes)
    guard [12, 40, 52, 56, 64, 108, 124].contains(headerBytes) else {
      throw ImageError(.unsupported("a header of \(headerBytes) bytes"), format: .bmp, offset: Self.fileHeaderBytes)
    }
    let compression: Int
    var colorCount: Int
    if headerBytes == 12 {
      (width, height) = (try reader.uint16(18), try reader.uint16(20))
      (isTopDown, bits, compression, colorCount) = (false, try reader.uint16(24), 0, 0)
    } else {
      let (signedWidth, signedHeight) = (try reader.int32(18), try reader.int32(22))
      (width, height) = (signedWidth, abs(signedHeight))
      (isTopDown, bits) = (signedHeight < 0, try reader.uint16(28))
      (compression, colorCount) = (try reader.uint32(30), try reader.uint32(46))
    }
    try limits.check(width: width, height: height, format: .bmp)
    _ = try Image<UInt8>.sampleCount(width: width, height: height, color: .rgba)
    layout = try Self.layout(bits: bits, compression: compression, headerBytes: headerBytes)
    guard layout != .runs || !isTopDown else { throw bmpError("runs from top to bottom, which there are not") }

    var end = Self.fileHeaderBytes + headerBytes
    masks = try Self.masks(reader, bits: bits, compression: compression, headerBytes: headerBytes, end: &end)
    let start = try reader.uint32(10)
    guard start >= end else { throw bmpError("the pixels begin at byte \(start), within the header", at: 10) }
    guard start <= bytes.count else { throw BMPReader.truncated("its header", bytes.count) }
    colorBytes = headerBytes == 12 ? 3 : 4
    if layout == .palette || layout == .runs {
      if colorCount == 0 || colorCount > 1 << bits { colorCount = 1 << bits }
      colorCount = min(colorCount, (start - end) / colorBytes)
      guard colorCount > 0 else { throw bmpError("there is no palette") }
    } else {
      colorCount = 0
    }
    palette = UnsafeRawBufferPointer(rebasing: bytes[end..<end + colorCount * colorBytes])
    pixels = UnsafeRawBufferPointer(rebasing: bytes[start...])
  }

  private static func layout(bits: Int, compression: Int, headerBytes: Int) throws(ImageError) -> Layout {
    switch (compression, bits) {
    // In the header of 64 bytes, which is of OS/2, these stand for something else.
    case (3..., _) where headerBytes == 64:
      throw ImageError(.unsupported("compression \(compression) of OS/2"), format: .bmp)
    case (0, 1), (0, 2), (0, 4), (0, 8): return .palette
    case (1, 8), (2, 4): return .runs
    case (0, 24): return .bytes
    case (0, 16), (0, 32), (3, 16), (3, 32), (6, 16), (6, 32): return .masked
    default: break
    }
    let name = compressions.indices.contains(compression) ? compressions[compression] : ""
    switch compression {
    case 4, 5, 11...13: throw ImageError(.unsupported("the compression \(name)"), format: .bmp)
    case 0: throw bmpError("pixels of \(bits) bits, which there are not")
    case 1, 2, 3, 6: throw bmpError("pixels of \(bits) bits with the compression \(name), which there are not")
    default: throw ImageError(.unsupported("compression \(compression)"), format: .bmp)
    }
  }

  /// - Parameter end: the end of the header; moves behind masks that follow it.
  private static func masks(
    _ reader: BMPReader, bits: Int, compression: Int, headerBytes: Int, end: inout Int
  ) throws(ImageError) -> [UInt32] {
    guard compression == 3 || compression == 6 else {
      return bits == 16 ? [0x7C00, 0x03E0, 0x001F] : [0xFF0000, 0x00FF00, 0x0000FF]
    }
    var masks: [UInt32] = []
    for index in 0..<(headerBytes >= 56 || compression == 6 ? 4 : 3) {
      masks.append(UInt32(truncatingIfNeeded: try reader.uint32(54 + 4 * index)))
    }
    end = max(end, 54 + 4 * masks.count)
    if masks.count == 4, masks[3] == 0 { masks.removeLast() }
    for mask in masks {
      let field = mask == 0 ? 0 : mask >> UInt32(mask.trailingZeroBitCount)
      guard field & (field &+ 1) == 0, bits == 32 || mask < 1 << 16 else {
        throw bmpError("a mask of \(mask), which is not a run of bits")
      }
    }
    return masks
  }
}

/// Little-endian numbers of a BMP file.
private struct BMPReader {
  private let reader: LittleEndianReader

  init(_ bytes: UnsafeRawBufferPointer) { reader = LittleEndianReader(bytes) }

  static func truncated(_ what: String, _ offset: Int) -> ImageError {
    ImageError(.truncated(what), format: .bmp, offset: offset)
  }

  func uint16(_ offset: Int) throws(ImageError) -> Int {
    guard let number = reader.uint16(offset) else { throw Self.truncated("its header", reader.count) }
    return number
  }

  func uint32(_ offset: Int) throws(ImageError) -> Int {
    guard let number = reader.uint32(offset) else { throw Self.truncated("its header", reader.count) }
    return number
  }

  func int32(_ offset: Int) throws(ImageError) -> Int {
    Int(Int32(truncatingIfNeeded: try uint32(offset)))
  }
}

func bmpError(_ what: String, at offset: Int? = nil) -> ImageError {
  ImageError(.malformed(what), format: .bmp, offset: offset)
}
