/// Writes Netpbm files: grey pictures as PGM (P5), RGB as PPM (P6), with 8 or 16 bits a number.
public enum NetpbmEncoder {
  /// - Throws: ``ImageError`` for a picture with opacity, which these files cannot hold.
  public static func encode(_ image: Image<UInt8>) throws(ImageError) -> [UInt8] {
    try header(image) + image.samples
  }

  /// The same with 16 bits a number.
  /// - Throws: ``ImageError``.
  public static func encode(_ image: Image<UInt16>) throws(ImageError) -> [UInt8] {
    var file = try header(image)
    file.reserveCapacity(file.count + 2 * image.samples.count)
    for sample in image.samples {
      file.append(UInt8(truncatingIfNeeded: sample >> 8))
      file.append(UInt8(truncatingIfNeeded: sample))
    }
    return file
  }

  private static func header<Sample: ImageSample>(_ image: Image<Sample>) throws(ImageError) -> [UInt8] {
    guard !image.color.hasAlpha else {
      throw ImageError(
        .invalidArgument("a PPM file holds no opacity; the picture can be put on a colour first"), format: .netpbm)
    }
    return Array("\(image.color == .gray ? "P5" : "P6")\n\(image.width) \(image.height)\n\(Sample.full)\n".utf8)
  }
}
