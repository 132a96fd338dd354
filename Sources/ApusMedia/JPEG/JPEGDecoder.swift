/// A picture of a JPEG file, and how it is to be turned.
public struct JPEGPicture: Sendable, Equatable {
  /// Grey, or red, green and blue; as it is in the file.
  public let image: Image<UInt8>
  /// What Exif says of it.
  public let orientation: ImageOrientation
}

/// Reads JPEG files: baseline, extended and progressive ones of 8 bits per sample with Huffman codes.
///
/// Pixels are those of the usual decoders, bit for bit: the accurate integer transform, and differences of colour
/// interpolated where a file has half as many of them. Files of four inks become red, green and blue as though the
/// paper were white and inks took away light.
///
/// Whatever a file holds, reading takes memory and time in proportion to its bytes and pixels: a file whose scans
/// visit coefficients more often than there are bits in them is refused.
public enum JPEGDecoder {
  /// - Throws: ``ImageError`` with the format and a byte: `truncated` for a file that ends early, `unsupported` for
  ///   kinds
  ///   of JPEG that hardly exist, `tooLarge`, or `malformed`.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, limits: ImageLimits = .default
  ) throws(ImageError) -> JPEGPicture {
    var file = JPEGFile(bytes, limits: limits)
    defer { file.deallocate() }
    let image = try file.read()
    return JPEGPicture(image: image, orientation: file.orientation)
  }
}
