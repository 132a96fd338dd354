extension JSONReader {
  /// Passes over a string that starts at the current position, checking its escapes and its UTF-8.
  /// - Returns: where its content lies, and whether there is any escape to resolve.
  mutating func scanString() throws -> (content: Range<Int>, hasEscapes: Bool) {
    let start = offset + 1
    var position = start
    var hasEscapes = false
    while true {
      guard position < bytes.count else { throw fail(.unexpectedEnd, at: bytes.count) }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        offset = position + 1
        return (start..<position, hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        position = try escape(at: position).end
      case 0..<0x20: throw fail(.badString, at: position)
      case 0x20..<0x80: position += 1
      default: position += try sequenceLength(at: position)
      }
    }
  }

  /// The text of a string that ``scanString()`` has skipped.
  func unescaped(_ content: Range<Int>) throws -> String {
    var text: [UInt8] = []
    text.reserveCapacity(content.count)
    var position = content.lowerBound
    while position < content.upperBound {
      if bytes[position] == UInt8(ascii: "\\") {
        let (scalar, end) = try escape(at: position)
        text.append(contentsOf: String(Character(scalar)).utf8)
        position = end
      } else {
        text.append(bytes[position])
        position += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The character that the escape at `position` stands for, and where the escape ends.
  private func escape(at position: Int) throws -> (scalar: Unicode.Scalar, end: Int) {
    do {
      return try JSONEscape.scalar(in: bytes, from: position + 1)
    } catch {
      switch error.reason {
      case .unfinished: throw fail(.unexpectedEnd, at: bytes.count)
      case .digit: throw fail(error.offset < bytes.count ? .badString : .unexpectedEnd, at: error.offset)
      case .unknown: throw fail(.badString, at: position)
      case .surrogate: throw fail(.badUnicode, at: position)
      }
    }
  }

  /// The length of the UTF-8 sequence at `position`, which must be well formed (Unicode, table 3-7): no overlong form,
  /// no surrogate, nothing beyond U+10FFFF.
  private func sequenceLength(at position: Int) throws -> Int {
    let first = bytes[position]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if first == 0xE0 { second = 0xA0...0xBF }
      if first == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      length = 4
      if first == 0xF0 { second = 0x90...0xBF }
      if first == 0xF4 { second = 0x80...0x8F }
    default: throw fail(.badUnicode, at: position)
    }
    guard position + length <= bytes.count else { throw fail(.unexpectedEnd, at: bytes.count) }
    guard second.contains(bytes[position + 1]) else { throw fail(.badUnicode, at: position) }
    for index in position + 2..<max(position + 2, position + length) where bytes[index] & 0xC0 != 0x80 {
      throw fail(.badUnicode, at: position)
    }
    return length
  }

  private func fail(_ reason: JSONError.Reason, at offset: Int) -> JSONError {
    JSONError(offset: offset, reason: reason)
  }
}
