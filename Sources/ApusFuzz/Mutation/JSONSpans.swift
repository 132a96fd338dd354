import Apus

/// Where values lie in text of JSON, JSON Lines or CSV, sound or not.
///
/// Values are moved, repeated and replaced whole, so that what comes out is mostly well-formed, and wrong in what it says.
struct JSONSpans {
  /// Strings, numbers and words, and whole arrays and objects.
  private(set) var values: [Range<Int>] = []
  private(set) var lines: [Range<Int>] = []

  init(_ text: [UInt8]) {
    values.reserveCapacity(text.count / 4)
    var open: [Int] = []
    var place = 0
    var line = 0
    while place < text.count {
      let start = place
      place += 1
      switch text[start] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(start)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if let start = open.popLast() { values.append(start..<place) }
      case UInt8(ascii: "\""):
        while place < text.count, text[place] != UInt8(ascii: "\"") {
          place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        place = min(place + 1, text.count)
        values.append(start..<place)
      case UInt8(ascii: "\n"):
        lines.append(line..<place)
        line = place
      case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
      default:
        while place < text.count, !Self.endsWord(text[place]) { place += 1 }
        values.append(start..<place)
      }
    }
    if line < text.count { lines.append(line..<text.count) }
  }

  private static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"),
      UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""):
      true
    default: false
    }
  }
}

extension JSONSpans {
  private static let words = [
    "0", "-1", "-0.0", "1e308", "-1e308", "1e-400", "1e999", "0.5", "9223372036854775807", "9223372036854775808",
    "18446744073709551616", "null", "true", "false", "NaN", "\"\"", "\"NaN\"", "[]", "{}", "[null]", "\"\\u0000\"",
    "\"\\ud800\"", "",
  ].map { Array($0.utf8) }

  /// `text` with a value or a line replaced, moved, repeated or left out.
  static func mutated(_ text: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8]? {
    let spans = JSONSpans(text)
    guard !spans.values.isEmpty, !spans.lines.isEmpty else { return nil }
    let value = spans.values[random.below(spans.values.count)]
    let line = spans.lines[random.below(spans.lines.count)]
    var text = text
    switch random.below(8) {
    case 0: text.replaceSubrange(value, with: words[random.below(words.count)])
    case 1:
      let donors = JSONSpans(other)
      guard !donors.values.isEmpty else { return nil }
      text.replaceSubrange(value, with: other[donors.values[random.below(donors.values.count)]])
    case 2:
      text.replaceSubrange(value, with: Array(text[spans.values[random.below(spans.values.count)]]))
    case 3:
      // Once more behind itself, or many times.
      let copy = [UInt8(ascii: ",")] + text[value]
      let count = 1 + random.below(random.once(in: 16) ? 100 : 2)
      text.insert(contentsOf: repeatElement(copy, count: count).joined(), at: value.upperBound)
    case 4:
      let following = value.upperBound < text.count && text[value.upperBound] == UInt8(ascii: ",")
      text.removeSubrange(value.lowerBound..<value.upperBound + (following ? 1 : 0))
    case 5:
      let wrapped = random.once(in: 2) ? ("[", "]") : ("{\"a\":", "}")
      text.replaceSubrange(value, with: Array(wrapped.0.utf8) + text[value] + Array(wrapped.1.utf8))
    case 6: text.removeSubrange(line)
    default: text.insert(contentsOf: Array(text[line]), at: spans.lines[random.below(spans.lines.count)].lowerBound)
    }
    return text
  }
}
