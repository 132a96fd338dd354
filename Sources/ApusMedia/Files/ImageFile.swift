import Apus

/// Reads and writes files of pictures: PNG, JPEG, PPM and its kin, and BMP.
public enum ImageFile {
  /// A picture as its file holds it.
  public struct Contents: Sendable {
    /// What the first bytes say the file is.
    public let format: ImageFormat
    /// The pixels as they are stored, not turned.
    public let image: DecodedImage
    /// How it has to be turned to stand upright.
    public let orientation: ImageOrientation

    /// The picture with 8 bits per channel, upright.
    public var upright: Image<UInt8> { orientation.oriented(image.eightBit) }
  }

  /// The most bytes of a file that comes through a pipe.
  private static let pipeLimit = 1 << 30

  /// Reads the picture at `path`, upright, with 8 bits per channel, in the colour model of the file.
  ///
  /// What kind of file it is, its first bytes say; its name does not matter. A pipe is read to its end.
  /// - Throws: ``FileError``; ``ImageError`` with the name of the file.
  public static func read(path: String, limits: ImageLimits = .default) throws -> Image<UInt8> {
    try contents(path: path, limits: limits).upright
  }

  /// The same as it is in the file: with 8 or 16 bits, and not turned.
  /// - Throws: ``FileError``; ``ImageError`` with the name of the file.
  public static func contents(path: String, limits: ImageLimits = .default) throws -> Contents {
    let file: MappedFile
    do {
      file = try MappedFile(path: path)
    } catch FileError.notRegular {
      file = try MappedFile(readingPipeAt: path, limit: pipeLimit)
    }
    do {
      return try file.withUnsafeBytes { try decode($0, limits: limits) }
    } catch let error as ImageError {
      throw error.naming(path)
    }
  }

  /// Decodes the bytes of a file.
  /// - Throws: ``ImageError``.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, limits: ImageLimits = .default
  ) throws(ImageError) -> Contents {
    let format = try format(of: bytes)
    switch format {
    case .png:
      let picture = try PNGDecoder.decode(bytes, limits: limits)
      let orientation = picture.exif.map { exif in exif.withUnsafeBytes { ImageOrientation(exif: $0) } }
      return Contents(format: format, image: picture.image, orientation: orientation ?? .upright)
    case .jpeg:
      let picture = try JPEGDecoder.decode(bytes, limits: limits)
      return Contents(format: format, image: .eight(picture.image), orientation: picture.orientation)
    case .netpbm:
      return Contents(format: format, image: try NetpbmDecoder.decode(bytes, limits: limits), orientation: .upright)
    case .bmp:
      return Contents(
        format: format, image: .eight(try BMPDecoder.decode(bytes, limits: limits)), orientation: .upright)
    }
  }

  /// The kind of file that `bytes`, all of it or its beginning, are.
  /// - Throws: ``ImageError`` with ``ImageError/Reason/unknownFormat(_:)``, which says what they look like.
  public static func format(of bytes: UnsafeRawBufferPointer) throws(ImageError) -> ImageFormat {
    switch ImageSignature(bytes) {
    case .known(let format): return format
    case .other(let what, let foreign):
      throw ImageError(
        .unknownFormat("\(what); pictures are read from PNG, JPEG, PPM (PGM, PBM, PAM) and BMP files"),
        isForeign: foreign != nil)
    }
  }
}

// MARK: - Writing

extension ImageFile {
  /// The endings of names by which ``write(_:to:quality:)`` knows what to write.
  public static let writableExtensions = ["png", "jpg", "jpeg", "ppm", "pgm", "pnm"]

  /// Writes a picture to `path`, as the kind of file that the end of its name says. No reader ever sees half of the
  /// file.
  ///
  /// - Parameter quality: of JPEG files, from 1 to 100; of no meaning for others, which hold the picture exactly.
  /// - Throws: ``FileError``; ``ImageError`` for another ending, and for a picture that such a file cannot hold: only
  ///   PNG files have opacity (see ``Image/flattened(on:)``), and a PGM file has no colours.
  public static func write(_ image: Image<UInt8>, to path: String, quality: Int = 90) throws {
    do {
      let bytes = try encode(image, as: pathExtension(path), quality: quality)
      try AtomicFile.create(at: path) { file in try bytes.withUnsafeBytes { try file.append($0) } }
    } catch let error as ImageError {
      throw error.naming(path)
    }
  }

  /// The same with 16 bits per channel, which PNG, PPM and PGM files hold.
  /// - Throws: ``FileError``; ``ImageError`` for another ending, and a picture that such a file cannot hold.
  public static func write(_ image: Image<UInt16>, to path: String) throws {
    do {
      let bytes: [UInt8]
      switch pathExtension(path) {
      case "png": bytes = PNGEncoder.encode(image)
      case let ending where netpbmExtensions.contains(ending):
        bytes = try NetpbmEncoder.encode(try netpbmPicture(image, as: ending))
      default: throw ImageError(.invalidArgument("16 bits per channel are written to .png, .ppm, .pgm and .pnm"))
      }
      try AtomicFile.create(at: path) { file in try bytes.withUnsafeBytes { try file.append($0) } }
    } catch let error as ImageError {
      throw error.naming(path)
    }
  }

  /// Whether a file of this name holds opacity.
  public static func holdsOpacity(_ path: String) -> Bool { pathExtension(path) == "png" }

  /// Whether a file of this name holds pictures of this colour model with 16 bits per channel.
  public static func holdsSixteenBits(_ path: String, color: ColorModel) -> Bool {
    switch pathExtension(path) {
    case "png": true
    case "ppm", "pnm": !color.hasAlpha
    case "pgm": color == .gray
    default: false
    }
  }

  private static func encode(
    _ image: Image<UInt8>, as ending: String, quality: Int
  ) throws(ImageError) -> [UInt8] {
    switch ending {
    case "png": return PNGEncoder.encode(image)
    case "jpg", "jpeg":
      guard !image.color.hasAlpha else {
        throw ImageError(
          .invalidArgument("a JPEG file holds no opacity; the picture can be put on a colour first"), format: .jpeg)
      }
      return try JPEGEncoder.encode(image, quality: quality)
    case _ where netpbmExtensions.contains(ending):
      return try NetpbmEncoder.encode(try netpbmPicture(image, as: ending))
    default:
      let endings = writableExtensions.map { ".\($0)" }.joined(separator: ", ")
      let found = ending.isEmpty ? "has no ending" : "ends in .\(ending)"
      throw ImageError(.invalidArgument("the name \(found); pictures are written to \(endings)"))
    }
  }

  private static let netpbmExtensions = ["ppm", "pgm", "pnm"]

  /// The picture as a Netpbm file of this ending has it: a PPM file has colours and a PGM file has none.
  private static func netpbmPicture<Sample: ImageSample>(
    _ image: Image<Sample>, as ending: String
  ) throws(ImageError) -> Image<Sample> {
    guard ending != "pgm" || image.color.isGray else {
      throw ImageError(.invalidArgument("a PGM file holds no colours; .ppm does"), format: .netpbm)
    }
    return ending == "ppm" && image.color == .gray ? image.withColors() : image
  }

  /// What follows the last dot of the last part of a path, in small letters; empty when there is no dot.
  static func pathExtension(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
