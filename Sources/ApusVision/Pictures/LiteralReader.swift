import Apus

/// What a literal in the metadata should have been.
struct LiteralError: Error, CustomStringConvertible {
  let offset: Int
  let expected: String

  var description: String { "\(expected) was expected at byte \(offset)" }
}

/// Reads what Python and JSON write alike: numbers, strings, lists and dictionaries of them, one level deep.
struct LiteralReader {
  private let bytes: [UInt8]
  private var offset = 0

  /// The most entries of a list or dictionary.
  static let limit = 100_000

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Names by index: `{0: 'person', 1: 'bicycle'}`, `{"0": "person"}` or `["person", "bicycle"]`.
  mutating func names() throws(LiteralError) -> [String] {
    if accept("[") { return try list(until: "]") { reader throws(LiteralError) in try reader.string() } }
    guard accept("{") else { throw error("a dictionary or a list") }
    let entries: [(Int, String)] = try list(until: "}") { reader throws(LiteralError) in
      let index = try reader.isQuoted ? Int(reader.string()) : reader.integer()
      guard let index else { throw reader.error("the index of a class") }
      guard reader.accept(":") else { throw reader.error("a colon") }
      return (index, try reader.string())
    }
    var names = [String?](repeating: nil, count: entries.count)
    for (index, name) in entries {
      guard names.indices.contains(index), names[index] == nil else {
        throw error("each index from 0 to \(entries.count - 1) once (there is \(index))")
      }
      names[index] = name
    }
    return names.compactMap(\.self)
  }

  /// Names of points: a list of them, or one for each class, of which the first counts: `{0: ['nose', 'left_eye']}`.
  mutating func pointNames() throws(LiteralError) -> [String] {
    guard accept("{") else { return try names() }
    let classes: [[String]] = try list(until: "}") { reader throws(LiteralError) in
      if reader.isQuoted { _ = try reader.string() } else { _ = try reader.integer() }
      guard reader.accept(":") else { throw reader.error("a colon") }
      return try reader.names()
    }
    guard let first = classes.first else { throw error("the names of a class's points") }
    return first
  }

  /// A number, or a list or tuple of them.
  mutating func integers(limit: Int) throws(LiteralError) -> [Int] {
    for (opening, closing) in [("[", "]"), ("(", ")")] where accept(opening) {
      let values = try list(until: closing) { reader throws(LiteralError) in try reader.integer() }
      guard 1...limit ~= values.count else { throw error("1 to \(limit) numbers") }
      return values
    }
    return [try integer()]
  }

  mutating func end() throws(LiteralError) {
    skipSpace()
    guard offset == bytes.count else { throw error("the end") }
  }

  private mutating func list<Element>(
    until closing: String, _ element: (inout LiteralReader) throws(LiteralError) -> Element
  ) throws(LiteralError) -> [Element] {
    var elements: [Element] = []
    while !accept(closing) {
      guard elements.count < Self.limit else { throw error("at most \(Self.limit) entries") }
      elements.append(try element(&self))
      if !accept(",") {
        guard accept(closing) else { throw error("a comma or \(closing)") }
        break
      }
    }
    return elements
  }

  private var isQuoted: Bool {
    mutating get {
      skipSpace()
      return offset < bytes.count && (bytes[offset] == UInt8(ascii: "'") || bytes[offset] == UInt8(ascii: "\""))
    }
  }

  /// A string in either kind of quotes.
  private mutating func string() throws(LiteralError) -> String {
    guard isQuoted else { throw error("a string") }
    let quote = bytes[offset]
    offset += 1
    var text: [UInt8] = []
    while offset < bytes.count, bytes[offset] != quote {
      if bytes[offset] == UInt8(ascii: "\\") {
        text += Array(String(try escape()).utf8)
      } else {
        text.append(bytes[offset])
        offset += 1
      }
    }
    guard offset < bytes.count else { throw error("the end of a string") }
    offset += 1
    return String(decoding: text, as: UTF8.self)
  }

  /// What a backslash begins: Python's `repr` writes `\'`, `\xXX` and `\UXXXXXXXX` besides what JSON writes.
  private mutating func escape() throws(LiteralError) -> Character {
    let start = offset + 1
    let found = bytes.withUnsafeBytes { bytes in
      Result { () throws(JSONEscape.Fault) -> (scalar: Unicode.Scalar?, end: Int) in
        switch start < bytes.count ? bytes[start] : 0 {
        case UInt8(ascii: "'"): return ("'", start + 1)
        case UInt8(ascii: "x"):
          return (Unicode.Scalar(try JSONEscape.hexadecimal(in: bytes, from: start + 1, count: 2)), start + 3)
        case UInt8(ascii: "U"):
          return (Unicode.Scalar(try JSONEscape.hexadecimal(in: bytes, from: start + 1, count: 8)), start + 9)
        default: return try JSONEscape.scalar(in: bytes, from: start)
        }
      }
    }
    guard case .success((let scalar?, let end)) = found else { throw error("an escape of Python or JSON") }
    offset = end
    return Character(scalar)
  }

  private mutating func integer() throws(LiteralError) -> Int {
    skipSpace()
    let start = offset
    while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
    guard let value = Int(String(decoding: bytes[start..<offset], as: UTF8.self)) else { throw error("a number") }
    return value
  }

  private mutating func accept(_ character: String) -> Bool {
    skipSpace()
    guard offset < bytes.count, bytes[offset] == character.utf8.first else { return false }
    offset += 1
    return true
  }

  private mutating func skipSpace() {
    while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
  }

  private func error(_ expected: String) -> LiteralError { LiteralError(offset: offset, expected: expected) }
}
