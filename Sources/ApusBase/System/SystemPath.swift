// A path is bytes to the system, most often UTF-8 and not always. Here it is a `String`; a byte that is part of no UTF-8
// stands in it as one of the characters U+10FE80 to U+10FEFF, which nobody has given a meaning, and goes back to what it
// was where the system is asked. A name that has one of these characters itself is kept apart by spelling its bytes so.

extension Unicode.Scalar {
  private static let firstByte: UInt32 = 0x10FE00

  /// The byte of a path that the character stands for; nil for any other character.
  package var pathByte: UInt8? {
    let offset = value &- Self.firstByte
    return 0x80...0xFF ~= offset ? UInt8(offset) : nil
  }

  /// The character that stands for a byte from 0x80 on, which is part of no UTF-8.
  fileprivate init?(pathByte: UInt8) { self.init(Self.firstByte + UInt32(pathByte)) }
}

extension String {
  /// The text of a path, or of another name that the system knows.
  /// - Parameter bytes: without a null at the end.
  package init(systemBytes bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    if let text = String(validating: bytes, as: UTF8.self), !text.hasPathBytes {
      self = text
      return
    }
    var scalars = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var place = 0
    parsing: while true {
      let length: Int
      var scalar: Unicode.Scalar?
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded):
        length = encoded.count
        scalar = Unicode.UTF8.decode(encoded)
      case .error(let count): length = count
      case .emptyInput: break parsing
      }
      if let scalar, scalar.pathByte == nil {
        scalars.append(scalar)
      } else {
        scalars.append(contentsOf: bytes[place..<(place + length)].compactMap { Unicode.Scalar(pathByte: $0) })
      }
      place += length
    }
    self = String(scalars)
  }

  /// What the system is given for the text of a path: its bytes, and a null.
  package var systemBytes: [CChar] {
    guard hasPathBytes else { return Array(utf8CString) }
    var bytes: [UInt8] = []
    for scalar in unicodeScalars {
      if let byte = scalar.pathByte { bytes.append(byte) } else { bytes += Array(String(scalar).utf8) }
    }
    return bytes.map { CChar(bitPattern: $0) } + [0]
  }

  /// Whether a character may stand for a byte. All of these begin with one byte of UTF-8, which hardly any text has.
  private var hasPathBytes: Bool {
    utf8.contains(0xF4) && unicodeScalars.contains { $0.pathByte != nil }
  }
}
