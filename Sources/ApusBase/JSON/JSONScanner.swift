/// A strict JSON reader for a line of bytes, or several, used by asking for what should come next.
///
/// It serves files that people and scripts write line by line, where ``JSONReader`` serves those that programs write: it
/// owns its bytes, says in words and with a column what is wrong, and takes the numbers that are not finite as Python
/// spells them. Numbers and escapes are read in one place for both.
///
/// `JSONDecoder` would do the same at about a third of the speed, but cannot say where or why a
/// line is wrong, and lets a key that occurs twice pass. Nesting is followed with a counted stack, never by recursion.
/// What should come next is put into words only where something else does.
package struct JSONScanner {
  /// What is wrong, and where.
  package typealias Failure = LineFailure

  package static let maximumDepth = 128

  private let bytes: [UInt8]
  private var index = 0

  /// What messages call the end of the bytes.
  private let endName: StaticString

  package init(_ bytes: [UInt8], endName: StaticString = "the end of the line") {
    self.bytes = bytes
    self.endName = endName
  }

  /// How many bytes lie before the next one that is no blank.
  package var position: Int {
    mutating get {
      _ = peek()
      return index
    }
  }

  /// The next byte that is no blank, without taking it; nil at the end.
  package mutating func peek() -> UInt8? {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return bytes[index]
      }
    }
    return nil
  }

  /// Takes `byte` if it comes next.
  package mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    index += 1
    return true
  }

  package mutating func expect(_ byte: UInt8, _ what: @autoclosure () -> String) throws(Failure) {
    guard take(byte) else { throw unexpected("expected \(what())") }
  }

  /// Nothing but blanks may follow.
  package mutating func expectEnd() throws(Failure) {
    guard peek() == nil else { throw unexpected("expected \(endName)") }
  }

  /// Takes `null` if it comes next.
  package mutating func takeNull() throws(Failure) -> Bool {
    guard peek() == UInt8(ascii: "n") else { return false }
    try literal("null")
    return true
  }

  /// The next value, which must be `true` or `false`.
  package mutating func boolean(_ what: @autoclosure () -> String) throws(Failure) -> Bool {
    switch peek() {
    case UInt8(ascii: "t")?: try literal("true")
    case UInt8(ascii: "f")?:
      try literal("false")
      return false
    default: throw unexpected("expected \(what())")
    }
    return true
  }

  /// The next value, which must be a number. It may be infinite, when too large for a Double, or NaN or infinite,
  /// where the file spells `NaN`, `Infinity` or `-Infinity`, which JSON forbids and Python writes: the caller names
  /// what is not finite.
  package mutating func number(_ what: @autoclosure () -> String) throws(Failure) -> Double {
    guard let first = peek() else { throw unexpected("expected \(what())") }
    if let (value, end) = DecimalNumber.scan(bytes, from: index, strict: true) {
      index = end
      return value
    }
    for (spelling, value) in [("NaN", Double.nan), ("Infinity", .infinity), ("-Infinity", -.infinity)]
    where bytes[index...].starts(with: spelling.utf8) {
      index += spelling.utf8.count
      return value
    }
    let isNumber = first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
    throw unexpected(isNumber ? "malformed number" : "expected \(what())")
  }

  /// The next value, which must be a string, and may be compared: see ``MarkRun``.
  package mutating func string(_ what: @autoclosure () -> String) throws(Failure) -> String {
    _ = peek()
    let start = index
    let text = try anyString(what())
    guard !MarkRun.isTooLong(in: text) else { throw Failure(column: start + 1, message: MarkRun.message) }
    return text
  }

  private mutating func anyString(_ what: @autoclosure () -> String) throws(Failure) -> String {
    guard peek() == UInt8(ascii: "\"") else { throw unexpected("expected \(what())") }
    index += 1
    let start = index
    // Nearly every string is plain: take it whole.
    while index < bytes.count, bytes[index] != 0x22, bytes[index] != 0x5C, bytes[index] >= 0x20 { index += 1 }
    if index < bytes.count, bytes[index] == 0x22 {
      defer { index += 1 }
      return String(decoding: bytes[start..<index], as: UTF8.self)
    }
    var content = Array(bytes[start..<index])
    while true {
      guard index < bytes.count else { throw unexpected("string without an end") }
      let byte = bytes[index]
      switch byte {
      case 0x22:
        index += 1
        return String(decoding: content, as: UTF8.self)
      case 0x5C:
        index += 1
        content += Array(String(try escape()).utf8)
      case 0..<0x20:
        throw unexpected("control character in a string")
      default:
        content.append(byte)
        index += 1
      }
    }
  }

  /// Passes over any value.
  package mutating func skipValue() throws(Failure) {
    var closers: [UInt8] = []
    while true {
      var opened = false
      switch peek() {
      case UInt8(ascii: "{")?, UInt8(ascii: "[")?:
        let isObject = bytes[index] == UInt8(ascii: "{")
        guard closers.count < Self.maximumDepth else {
          throw unexpected("nested more than \(Self.maximumDepth) deep")
        }
        index += 1
        closers.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        opened = peek() != closers.last
        if opened, isObject { try key() }
      case UInt8(ascii: "\"")?: _ = try anyString("a string")
      case UInt8(ascii: "t")?: try literal("true")
      case UInt8(ascii: "f")?: try literal("false")
      case UInt8(ascii: "n")?: try literal("null")
      default: _ = try number("a value")
      }
      if opened { continue }
      // A value has ended: close what it ends, or go on to the next beside it.
      while let closer = closers.last, take(closer) { closers.removeLast() }
      guard let closer = closers.last else { return }
      try expect(UInt8(ascii: ","), closer == UInt8(ascii: "}") ? "',' or '}'" : "',' or ']'")
      if closer == UInt8(ascii: "}") { try key() }
    }
  }

  /// A failure at the present place.
  package func unexpected(_ message: String) -> Failure {
    let found = index < bytes.count ? "" : ", found \(endName)"
    return Failure(column: index + 1, message: message + found)
  }

  private mutating func key() throws(Failure) {
    _ = try anyString("a key in quotes")
    try expect(UInt8(ascii: ":"), "':' after a key")
  }

  private mutating func literal(_ text: StaticString) throws(Failure) {
    let end = index + text.utf8CodeUnitCount
    let matches = text.withUTF8Buffer { end <= bytes.count && bytes[index..<end].elementsEqual($0) }
    guard matches else { throw unexpected("expected \(text)") }
    index = end
  }

  /// The character after a backslash.
  private mutating func escape() throws(Failure) -> Character {
    let found = bytes.withUnsafeBytes { bytes in
      Result { () throws(JSONEscape.Fault) in try JSONEscape.scalar(in: bytes, from: index) }
    }
    switch found {
    case .success(let (scalar, end)):
      index = end
      return Character(scalar)
    case .failure(let fault):
      index = fault.offset
      throw unexpected("\(fault.reason)")
    }
  }
}
