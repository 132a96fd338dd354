/// What kind of file some bytes begin, by the bytes alone; names of files do not matter.
enum ImageSignature: Equatable {
  case known(ImageFormat)
  /// Something else, in words, and whether ffmpeg reads it.
  case other(String, ForeignMedia?)

  /// How many bytes are looked at.
  static let byteCount = 1000

  init(_ bytes: UnsafeRawBufferPointer) {
    func begins(_ prefix: [UInt8], at offset: Int = 0) -> Bool {
      bytes.count >= offset + prefix.count && bytes[offset..<offset + prefix.count].elementsEqual(prefix)
    }
    if begins([0x89, 0x50, 0x4E, 0x47]) {
      self = .known(.png)
    } else if begins([0xFF, 0xD8, 0xFF]) {
      self = .known(.jpeg)
    } else if begins(Array("BM".utf8)) {
      self = .known(.bmp)
    } else if Self.isNetpbm(bytes) {
      self = .known(.netpbm)
    } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
      self = .other("a WebP file", .picture)
    } else if begins(Array("RIFF".utf8)), begins(Array("AVI ".utf8), at: 8) {
      self = .other("a video (AVI)", .video)
    } else if begins(Array("ftyp".utf8), at: 4) {
      self = Self.boxes(String(decoding: bytes[8..<min(12, bytes.count)], as: UTF8.self))
    } else if ["moov", "mdat", "wide"].contains(where: { begins(Array($0.utf8), at: 4) }) {
      self = .other("a video (QuickTime)", .video)
    } else if let (_, name, kind) = Self.others.first(where: { begins($0.prefix) }) {
      self = .other(name, kind)
    } else if bytes.isEmpty {
      self = .other("an empty file", nil)
    } else if let text = Self.text(bytes) {
      self = .other(text.contains("<svg") ? "an SVG file" : "text", nil)
    } else {
      self = .other("something unknown", nil)
    }
  }

  /// P, a digit (or F, of a kind that is not read), and white space or a comment.
  private static func isNetpbm(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 3, bytes[0] == 0x50, (0x31...0x37).contains(bytes[1]) || bytes[1] | 0x20 == 0x66 else {
      return false
    }
    return bytes[2] == 0x20 || (0x09...0x0D).contains(bytes[2]) || bytes[2] == 0x23
  }

  /// The kinds of files that are made of ISO's boxes.
  private static func boxes(_ brand: String) -> ImageSignature {
    switch brand {
    case "avif", "avis": .other("an AVIF file", .picture)
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1": .other("a HEIC file", .picture)
    case "crx ": .other("a raw photograph (CR3)", nil)
    default: .other("a video (MP4, QuickTime)", .video)
    }
  }

  private static let others: [(prefix: [UInt8], name: String, kind: ForeignMedia?)] = [
    (Array("GIF87a".utf8), "a GIF file", .picture),
    (Array("GIF89a".utf8), "a GIF file", .picture),
    (Array("II*\0".utf8), "a TIFF file", .picture),
    (Array("MM\0*".utf8), "a TIFF file", .picture),
    (Array("II+\0".utf8), "a TIFF file", .picture),
    (Array("MM\0+".utf8), "a TIFF file", .picture),
    (Array("%PDF".utf8), "a PDF file", nil),
    (Array("YUV4MPEG2".utf8), "a video (YUV4MPEG2)", nil),
    ([0x1A, 0x45, 0xDF, 0xA3], "a video (Matroska, WebM)", .video),
    (Array("FLV\u{1}".utf8), "a video (FLV)", .video),
    (Array("OggS".utf8), "a video (Ogg)", .video),
    ([0, 0, 1, 0xBA], "a video (MPEG)", .video),
    ([0, 0, 1, 0xB3], "a video (MPEG)", .video),
    (Array("8BPS".utf8), "a Photoshop file", .picture),
    (Array("qoif".utf8), "a QOI file", .picture),
    ([0x76, 0x2F, 0x31, 0x01], "an OpenEXR file", .picture),
    ([0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20], "a JPEG 2000 file", .picture),
    ([0xFF, 0x4F, 0xFF, 0x51], "a JPEG 2000 file", .picture),
    ([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "a JPEG XL file", .picture),
    ([0xFF, 0x0A], "a JPEG XL file", .picture),
    ([0, 0, 1, 0], "an icon (ICO)", .picture),
    ([0, 0, 2, 0], "a cursor (CUR)", nil),
    ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive", nil),
    ([0x1F, 0x8B], "a gzip file", nil),
    (Array("RIFF".utf8), "a RIFF file (AVI, WAV)", nil),
    ([0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59], "a NumPy array", nil),
  ]

  /// The beginning as text; `nil` when it holds bytes that no text has.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    let beginning = bytes.prefix(byteCount)
    guard beginning.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) else { return nil }
    // The last character may be cut.
    let end = beginning.count < byteCount ? beginning.count : beginning.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
    return String(validating: beginning[..<end], as: UTF8.self)
  }
}

extension ForeignMedia {
  /// How many bytes say what a file is.
  package static let beginning = 16

  /// A video by its first bytes, in words; nil for anything else.
  package static func video(_ bytes: UnsafeRawBufferPointer) -> String? {
    if case .other(let what, .video) = ImageSignature(bytes) { what } else { nil }
  }
}
