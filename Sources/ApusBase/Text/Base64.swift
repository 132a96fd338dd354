/// Bytes as text (RFC 4648).
package enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// What each byte of a text stands for; 64 for what is no digit.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  /// The text of some bytes, in one line.
  package static func text(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(4 * bytes.count.dividedRoundingUp(by: 3))
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var bits = 0
      for offset in 0..<3 { bits = bits << 8 | (offset < count ? Int(bytes[start + offset]) : 0) }
      for offset in 0..<4 {
        result.append(offset <= count ? digits[bits >> (18 - 6 * offset) & 63] : padding)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The bytes of a text in one line, padded to whole groups of four; nil for any other text.
  package static func bytes(of text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { text -> [UInt8]? in
      guard text.count.isMultiple(of: 4) else { return nil }
      let values = values
      let content = text.dropLast(text.suffix(2).count { $0 == padding })
      var result: [UInt8] = []
      result.reserveCapacity(content.count / 4 * 3 + 2)
      var (bits, count) = (UInt32(0), UInt32(0))
      for digit in content {
        let value = values[Int(digit)]
        guard value < 64 else { return nil }
        bits = bits << 6 | UInt32(value)
        count += 6
        guard count >= 8 else { continue }
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> count))
      }
      return result
    }
  }
}
