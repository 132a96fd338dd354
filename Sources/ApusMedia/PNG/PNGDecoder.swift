import Apus

/// A decoded PNG file.
public struct PNGPicture: Sendable {
  /// The pixels, not turned: see ``exif``.
  public let image: DecodedImage
  /// The Exif data, which may say how the picture is turned: a TIFF file from its byte order on.
  public let exif: [UInt8]?
}

/// Reads PNG files (ISO/IEC 15948) of every colour type and depth, interlaced or not.
///
/// - Grey of 1, 2 and 4 bits is scaled to 0…255. Colours of a palette become RGB. Transparency, be it a table or one
///   colour, becomes an alpha channel. 16 bits stay 16 bits.
/// - Colour spaces (gAMA, cHRM, sRGB, iCCP) are not applied: the numbers are those of the file.
/// - Of an animation (APNG) the default picture is read, as by every reader that knows no animations.
/// - Every checksum is checked. A file must be whole, up to its chunk IEND; bytes after that are ignored.
/// - A pixel beyond the palette is an error; other readers make it black, or leave it to chance.
public enum PNGDecoder {
  /// - Throws: ``ImageError``.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, limits: ImageLimits = .default
  ) throws(ImageError) -> PNGPicture {
    let file = try PNGContents(bytes, limits: limits)
    let filtered = try file.inflated()
    defer { filtered.deallocate() }
    let pixels = PNGPixels(header: file.header, palette: file.palette, transparency: file.transparency)
    let image: DecodedImage =
      file.header.depth == 16
      ? .sixteen(try picture(file.header, pixels.color, filtered) { pixels.expand16($0, width: $1, into: $2) })
      : .eight(
        try picture(file.header, pixels.color, filtered) { (row, width, output) throws(ImageError) in
          try pixels.expand8(row, width: width, into: output)
        })
    return PNGPicture(image: image, exif: file.exif)
  }

  /// Takes back the filters of all rows, and makes samples of them with `expand`.
  private static func picture<Sample: ImageSample>(
    _ header: PNGHeader, _ color: ColorModel, _ filtered: UnsafeMutableRawBufferPointer,
    expand: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<Sample>) throws(ImageError) -> Void
  ) throws(ImageError) -> Image<Sample> {
    let count = try Image<Sample>.sampleCount(width: header.width, height: header.height, color: color)
    var failure: ImageError?
    let samples = [Sample](unsafeUninitializedCapacity: count) { buffer, filled in
      guard let output = buffer.baseAddress else { return }
      do throws(ImageError) {
        try PNGRows(header: header, color: color, filtered: filtered).read(into: output, expand: expand)
        filled = count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return try Image(width: header.width, height: header.height, color: color, samples: samples)
  }
}

/// The rows of all passes, one after the other.
private struct PNGRows {
  let header: PNGHeader
  let color: ColorModel
  let filtered: UnsafeMutableRawBufferPointer

  @inline(__always)
  func read<Sample: ImageSample>(
    into output: UnsafeMutablePointer<Sample>,
    expand: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<Sample>) throws(ImageError) -> Void
  ) throws(ImageError) {
    let bytes = filtered.assumingMemoryBound(to: UInt8.self)
    let distance = header.filterDistance
    let channels = color.channels
    // A row of an interlaced picture, before its pixels go where they belong.
    let scratch = UnsafeMutableBufferPointer<Sample>.allocate(
      capacity: header.isInterlaced ? header.width * channels : 0)
    defer { scratch.deallocate() }
    var offset = 0
    for pass in header.passes {
      let count = header.rowBytes(width: pass.width)
      var previous: UnsafePointer<UInt8>?
      for y in 0..<pass.height {
        // `filtered` has just as many bytes as all rows together.
        guard let row = UnsafeMutableBufferPointer(rebasing: bytes[offset + 1..<offset + 1 + count]).baseAddress
        else { return }
        guard let filter = PNGFilter(rawValue: bytes[offset]) else {
          throw pngError("row \(pass.y + y * pass.stepY) has the filter \(bytes[offset]), which there is not")
        }
        filter.remove(from: row, above: previous, count: count, distance: distance)
        previous = UnsafePointer(row)
        offset += 1 + count
        let start = output + (pass.y + y * pass.stepY) * header.width * channels
        guard header.isInterlaced, let pixels = scratch.baseAddress else {
          try expand(row, pass.width, start)
          continue
        }
        try expand(row, pass.width, pixels)
        for x in 0..<pass.width {
          let target = start + (pass.x + x * pass.stepX) * channels
          for channel in 0..<channels { target[channel] = pixels[x * channels + channel] }
        }
      }
    }
  }
}
