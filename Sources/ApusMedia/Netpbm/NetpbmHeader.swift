/// What stands before the pixels of a Netpbm file.
struct NetpbmHeader {
  enum Kind {
    /// P1 and P4: 1 is black.
    case bits
    /// P2, P3, P5, P6 and P7.
    case samples(ColorModel)
  }

  let kind: Kind
  let isText: Bool
  let width: Int
  let height: Int
  /// The number that stands for white, and for full opacity: 1 to 65535.
  let maximum: Int

  var color: ColorModel {
    switch kind {
    case .bits: .gray
    case .samples(let color): color
    }
  }

  /// Reads a header; the text then stands at the first byte of the pixels.
  init(_ text: inout NetpbmText) throws(ImageError) {
    let magic = try text.magic()
    switch magic {
    case 0x31, 0x34: kind = .bits
    case 0x32, 0x35: kind = .samples(.gray)
    case 0x33, 0x36: kind = .samples(.rgb)
    case 0x37:
      self = try Self.arbitraryMap(&text)
      return
    case 0x46, 0x66: throw ImageError(.unsupported("a map of floating-point numbers (PFM)"), format: .netpbm)
    default: throw netpbmError("no Netpbm file: it begins otherwise", at: 0)
    }
    isText = magic <= 0x33
    width = try text.number("its width")
    height = try text.number("its height")
    if case .bits = kind {
      maximum = 1
    } else {
      maximum = try text.number("its greatest number")
    }
    try checkMaximum()
    // One white space, and nothing else: whatever follows it belongs to the pixels.
    if !isText { try text.skipOneSpace() }
  }

  private init(kind: Kind, width: Int, height: Int, maximum: Int) throws(ImageError) {
    (self.kind, isText, self.width, self.height, self.maximum) = (kind, false, width, height, maximum)
    try checkMaximum()
  }

  private func checkMaximum() throws(ImageError) {
    guard (1...65_535).contains(maximum) else {
      throw netpbmError("\(maximum) for the greatest number; 1 to 65535 are allowed")
    }
  }

  /// The header of a P7 file (PAM): a name and a value on each line.
  private static func arbitraryMap(_ text: inout NetpbmText) throws(ImageError) -> NetpbmHeader {
    var numbers: [String: Int] = [:]
    var type: String?
    while true {
      let name = try text.word("its header")
      switch name {
      case "ENDHDR":
        try text.skipOneSpace()
        let width = try value("WIDTH", numbers)
        let height = try value("HEIGHT", numbers)
        let color = try self.color(depth: try value("DEPTH", numbers), type: type)
        return try NetpbmHeader(
          kind: .samples(color), width: width, height: height, maximum: try value("MAXVAL", numbers))
      case "TUPLTYPE": type = try text.word("its kind of pixels")
      case "WIDTH", "HEIGHT", "DEPTH", "MAXVAL": numbers[name] = try text.number(name)
      default: throw netpbmError("a header with \"\(name)\"", at: text.position)
      }
    }
  }

  private static func value(_ name: String, _ numbers: [String: Int]) throws(ImageError) -> Int {
    guard let number = numbers[name] else { throw netpbmError("a header without \(name)") }
    return number
  }

  private static func color(depth: Int, type: String?) throws(ImageError) -> ColorModel {
    let color: ColorModel? =
      switch type {
      case "BLACKANDWHITE", "GRAYSCALE": .gray
      case "BLACKANDWHITE_ALPHA", "GRAYSCALE_ALPHA": .grayAlpha
      case "RGB": .rgb
      case "RGB_ALPHA": .rgba
      case nil: ColorModel.allCases.first { $0.channels == depth }
      default: nil
      }
    guard let color else {
      throw ImageError(.unsupported("pixels of \(depth) numbers called \"\(type ?? "")\""), format: .netpbm)
    }
    guard color.channels == depth else {
      throw netpbmError("pixels of \(depth) numbers, where \(type ?? "") has \(color.channels)")
    }
    return color
  }
}

/// The words and numbers of a Netpbm file, between white space and comments.
struct NetpbmText {
  let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// The byte after the P that every file begins with.
  mutating func magic() throws(ImageError) -> UInt8 {
    guard bytes.count >= 2 else { throw truncated("its first two bytes") }
    guard bytes[0] == 0x50 else { throw netpbmError("no Netpbm file: it begins otherwise", at: 0) }
    position = 2
    return bytes[1]
  }

  private func truncated(_ what: String) -> ImageError {
    ImageError(.truncated(what), format: .netpbm, offset: bytes.count)
  }

  /// Passes over white space, and over comments from # to the end of a line.
  private mutating func skipSpace() {
    while position < bytes.count {
      if bytes[position] == 0x23 {
        while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
      } else if Self.isSpace(bytes[position]) {
        position += 1
      } else {
        return
      }
    }
  }

  mutating func skipOneSpace() throws(ImageError) {
    guard position < bytes.count else { throw truncated("its header") }
    guard Self.isSpace(bytes[position]) else { throw netpbmError("no white space before the pixels", at: position) }
    position += 1
  }

  /// The next number, which has at most ten digits.
  mutating func number(_ what: String) throws(ImageError) -> Int {
    skipSpace()
    let start = position
    var value = 0
    while position < bytes.count, case let digit = bytes[position] &- 0x30, digit < 10 {
      value = value * 10 + Int(digit)
      position += 1
      guard position - start <= 10 else { throw netpbmError("a number of more than ten digits for \(what)", at: start) }
    }
    guard position > start else {
      throw position < bytes.count ? netpbmError("no number for \(what)", at: start) : truncated(what)
    }
    return value
  }

  /// The next word, of at most 64 letters.
  mutating func word(_ what: String) throws(ImageError) -> String {
    skipSpace()
    let start = position
    while position < bytes.count, !Self.isSpace(bytes[position]) { position += 1 }
    guard position > start else { throw truncated(what) }
    guard position - start <= 64 else { throw netpbmError("a word of \(position - start) bytes", at: start) }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// The next 0 or 1, which need no white space between them.
  mutating func bit() throws(ImageError) -> UInt8 {
    skipSpace()
    guard position < bytes.count else { throw truncated("its pixels") }
    let digit = bytes[position] &- 0x30
    guard digit < 2 else { throw netpbmError("a pixel that is neither 0 nor 1", at: position) }
    position += 1
    return digit
  }
}

func netpbmError(_ what: String, at offset: Int? = nil) -> ImageError {
  ImageError(.malformed(what), format: .netpbm, offset: offset)
}
