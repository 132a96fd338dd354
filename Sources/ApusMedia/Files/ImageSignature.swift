/// What kind of file some bytes begin, by the bytes alone; names of files do not matter.
enum ImageSignature: Equatable {
  case known(ImageFormat)
  /// Something else, in words.
  case other(String)

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
      self = .other("a WebP file")
    } else if begins(Array("ftyp".utf8), at: 4) {
      self = .other(Self.boxes(String(decoding: bytes[8..<min(12, bytes.count)], as: UTF8.self)))
    } else if let (_, name) = Self.others.first(where: { begins($0.prefix) }) {
      self = .other(name)
    } else if bytes.isEmpty {
      self = .other("an empty file")
    } else if let text = Self.text(bytes) {
      self = .other(text.contains("<svg") ? "an SVG file" : "text")
    } else {
      self = .other("something unknown")
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
  private static func boxes(_ brand: String) -> String {
    switch brand {
    case "avif", "avis": "an AVIF file"
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1": "a HEIC file"
    case "crx ": "a raw photograph (CR3)"
    default: "a video (MP4, QuickTime)"
    }
  }

  private static let others: [(prefix: [UInt8], name: String)] = [
    (Array("GIF87a".utf8), "a GIF file"),
    (Array("GIF89a".utf8), "a GIF file"),
    (Array("II*\0".utf8), "a TIFF file"),
    (Array("MM\0*".utf8), "a TIFF file"),
    (Array("II+\0".utf8), "a TIFF file"),
    (Array("MM\0+".utf8), "a TIFF file"),
    (Array("%PDF".utf8), "a PDF file"),
    (Array("YUV4MPEG2".utf8), "a video (YUV4MPEG2)"),
    ([0x1A, 0x45, 0xDF, 0xA3], "a video (Matroska, WebM)"),
    (Array("8BPS".utf8), "a Photoshop file"),
    (Array("qoif".utf8), "a QOI file"),
    ([0x76, 0x2F, 0x31, 0x01], "an OpenEXR file"),
    ([0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20], "a JPEG 2000 file"),
    ([0xFF, 0x4F, 0xFF, 0x51], "a JPEG 2000 file"),
    ([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "a JPEG XL file"),
    ([0xFF, 0x0A], "a JPEG XL file"),
    ([0, 0, 1, 0], "an icon (ICO)"),
    ([0, 0, 2, 0], "a cursor (CUR)"),
    ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"),
    ([0x1F, 0x8B], "a gzip file"),
    (Array("RIFF".utf8), "a RIFF file (AVI, WAV)"),
    ([0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59], "a NumPy array"),
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
