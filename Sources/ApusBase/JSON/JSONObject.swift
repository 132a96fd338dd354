/// Writes a JSON object member by member, in the order given, numbers as Swift prints them: lines whose bytes are compared
/// and kept. A value that is `Encodable` and whose keys are sorted goes through Foundation's encoder instead.
package struct JSONObject {
  /// What stands between the braces, as UTF-8: texts that are joined again at every level would be most of the work.
  private var members: [UInt8] = []

  package init() {}

  package var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(members.count + 2)
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  package mutating func add(_ key: String, _ value: Int) {
    begin(key)
    members += value.description.utf8
  }

  /// Swift prints the shortest decimal that reads back as the same number, always in a form JSON allows. Everything
  /// written here was checked to be finite when it came in.
  package mutating func add(_ key: String, _ value: Double) {
    begin(key)
    members += (value.isFinite ? value.description : "null").utf8
  }

  /// As of `Double`, with the digits that tell a `Float`.
  package mutating func add(_ key: String, _ value: Float) {
    begin(key)
    members += (value.isFinite ? value.description : "null").utf8
  }

  package mutating func add(_ key: String, _ value: String) {
    begin(key)
    Self.append(quoted: value, to: &members)
  }

  package mutating func add(_ key: String, _ values: [String]) {
    addList(key, values) { value, bytes in Self.append(quoted: value, to: &bytes) }
  }

  package mutating func add(_ key: String, _ object: JSONObject) {
    begin(key)
    object.append(to: &members)
  }

  package mutating func add(_ key: String, _ objects: [JSONObject]) {
    addList(key, objects) { object, bytes in object.append(to: &bytes) }
  }

  package mutating func add(_ key: String, _ flag: Bool) {
    begin(key)
    members += (flag ? "true" : "false").utf8
  }

  private mutating func addList<Value>(_ key: String, _ values: [Value], append: (Value, inout [UInt8]) -> Void) {
    begin(key)
    members.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { members.append(UInt8(ascii: ",")) }
      append(value, &members)
    }
    members.append(UInt8(ascii: "]"))
  }

  private mutating func begin(_ key: String) {
    if !members.isEmpty { members.append(UInt8(ascii: ",")) }
    Self.append(quoted: key, to: &members)
    members.append(UInt8(ascii: ":"))
  }

  private func append(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    bytes += members
    bytes.append(UInt8(ascii: "}"))
  }

  /// `text` as a JSON string: in quotes, with what may not stand there escaped.
  /// - Parameter usesLetters: whether line ends and the like are `\n` and not `\u000a`.
  package static func quoted(_ text: String, usesLetters: Bool = false) -> String {
    var bytes: [UInt8] = []
    append(quoted: text, usesLetters: usesLetters, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Bytes between those that are escaped are copied as they lie: all of these are ASCII, which no part of another
  /// character is.
  private static func append(quoted text: String, usesLetters: Bool = false, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      var start = 0
      for (index, byte) in utf8.enumerated() where isEscaped(byte) {
        bytes += utf8[start..<index]
        append(escaped: byte, usesLetters: usesLetters, to: &bytes)
        start = index + 1
      }
      bytes += utf8[start...]
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func append(escaped byte: UInt8, usesLetters: Bool, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch (byte, usesLetters) {
    case (UInt8(ascii: "\""), _), (UInt8(ascii: "\\"), _): bytes.append(byte)
    case (0x0A, true): bytes.append(UInt8(ascii: "n"))
    case (0x0D, true): bytes.append(UInt8(ascii: "r"))
    case (0x09, true): bytes.append(UInt8(ascii: "t"))
    case (0x08, true): bytes.append(UInt8(ascii: "b"))
    case (0x0C, true): bytes.append(UInt8(ascii: "f"))
    default:
      // Below 0x20: the third digit of four is 0 or 1.
      let last = byte & 15
      bytes += "u00".utf8
      bytes.append(UInt8(ascii: "0") + byte >> 4)
      bytes.append(last < 10 ? UInt8(ascii: "0") + last : UInt8(ascii: "a") + last - 10)
    }
  }
}
