/// What a backslash in a JSON string begins (RFC 8259, section 7).
package enum JSONEscape {
  /// Why it stands for nothing, and at which byte that shows.
  package struct Fault: Error {
    package enum Reason: Sendable {
      /// The text ends before a letter.
      case unfinished
      /// A letter that JSON does not know.
      case unknown
      /// Something else, or the end of the text, instead of a hexadecimal digit.
      case digit
      /// Half of a surrogate pair.
      case surrogate
    }

    package var reason: Reason
    package var offset: Int
  }

  /// The character that is meant, and where the escape ends.
  /// - Parameter start: the byte after the backslash.
  package static func scalar(
    in bytes: UnsafeRawBufferPointer, from start: Int
  ) throws(Fault) -> (scalar: Unicode.Scalar, end: Int) {
    guard start < bytes.count else { throw Fault(reason: .unfinished, offset: bytes.count) }
    let end = start + 1
    switch bytes[start] {
    case UInt8(ascii: "\""): return ("\"", end)
    case UInt8(ascii: "\\"): return ("\\", end)
    case UInt8(ascii: "/"): return ("/", end)
    case UInt8(ascii: "b"): return ("\u{08}", end)
    case UInt8(ascii: "f"): return ("\u{0C}", end)
    case UInt8(ascii: "n"): return ("\n", end)
    case UInt8(ascii: "r"): return ("\r", end)
    case UInt8(ascii: "t"): return ("\t", end)
    case UInt8(ascii: "u"): return try unicode(in: bytes, from: end)
    default: throw Fault(reason: .unknown, offset: start)
    }
  }

  /// `XXXX`, or `XXXX\uXXXX` for a surrogate pair.
  private static func unicode(
    in bytes: UnsafeRawBufferPointer, from start: Int
  ) throws(Fault) -> (scalar: Unicode.Scalar, end: Int) {
    let unit = try hexadecimal(in: bytes, from: start)
    let second = start + 4
    if let scalar = Unicode.Scalar(unit) { return (scalar, second) }
    guard unit < 0xDC00, second + 1 < bytes.count,
      bytes[second] == UInt8(ascii: "\\"), bytes[second + 1] == UInt8(ascii: "u")
    else { throw Fault(reason: .surrogate, offset: second) }
    let low = try hexadecimal(in: bytes, from: second + 2)
    guard (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { throw Fault(reason: .surrogate, offset: second + 6) }
    return (scalar, second + 6)
  }

  /// The number that `count` hexadecimal digits say, at most eight of them.
  package static func hexadecimal(
    in bytes: UnsafeRawBufferPointer, from start: Int, count: Int = 4
  ) throws(Fault) -> UInt32 {
    var value: UInt32 = 0
    for index in start..<start + count {
      guard index < bytes.count else { throw Fault(reason: .digit, offset: bytes.count) }
      let digit: UInt8
      switch bytes[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = bytes[index] - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = bytes[index] - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = bytes[index] - UInt8(ascii: "A") + 10
      default: throw Fault(reason: .digit, offset: index)
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}

extension JSONEscape.Fault.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unfinished: "string without an end"
    case .unknown: "unknown escape in a string"
    case .digit: "expected four hexadecimal digits"
    case .surrogate: "half of a surrogate pair"
    }
  }
}
