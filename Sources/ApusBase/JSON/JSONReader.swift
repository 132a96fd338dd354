/// A strict reader of JSON text (RFC 8259) that builds no tree.
///
/// The caller says what it expects, and takes values as they come; what it does not want it skips. So memory is spent
/// on what is kept and on nothing else: a header of 100 MB may be hostile, and a tree of it would take gigabytes.
/// Nesting is limited, time is linear in the length of the text, and numbers that do not fit are errors.
///
/// ```swift
/// var reader = JSONReader(bytes)
/// try reader.object { reader, key in
///   if key == "shape" { try reader.array { try shape.append($0.integer()) } } else { try reader.skip() }
/// }
/// try reader.end()
/// ```
package struct JSONReader {
  /// How deep arrays and objects may be nested in what ``skip()`` skips.
  package static let depthLimit = 256
  /// The longest key of an object, in bytes: what is going to be compared must not be long.
  package static let keyLimit = 4096

  let bytes: UnsafeRawBufferPointer
  /// The next byte to read.
  package internal(set) var offset = 0

  /// Reads `bytes`, which must stay valid as long as this reader is used.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// An error at the current position.
  package func error(_ reason: JSONError.Reason) -> JSONError {
    JSONError(offset: offset, reason: reason)
  }
}

// MARK: - Structure

extension JSONReader {
  /// Reads an object: calls `member` with each key, to read or skip the value that follows.
  /// Whether a key comes twice is for the caller to notice.
  package mutating func object(
    keyLimit: Int = JSONReader.keyLimit, _ member: (inout JSONReader, String) throws -> Void
  ) throws {
    try expect("{", "an object")
    if try next() == UInt8(ascii: "}") { return advance() }
    while true {
      guard try next() == UInt8(ascii: "\"") else { throw error(.expected("a key in quotes")) }
      let key = try string(limit: keyLimit)
      try expect(":", "a colon")
      try member(&self, key)
      if try !separator(or: UInt8(ascii: "}"), "a comma or a closing brace") { return }
    }
  }

  /// Reads an array: calls `element` for each value, to read or skip it.
  package mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
    try expect("[", "an array")
    if try next() == UInt8(ascii: "]") { return advance() }
    while true {
      try element(&self)
      if try !separator(or: UInt8(ascii: "]"), "a comma or a closing bracket") { return }
    }
  }

  /// Checks that nothing but white space is left.
  package mutating func end() throws {
    skipSpace()
    guard offset == bytes.count else { throw error(.trailingText) }
  }

  /// Passes over one value of any kind, checking its syntax.
  package mutating func skip() throws {
    var closers: [UInt8] = []
    repeat {
      switch try next() {
      case UInt8(ascii: "{"):
        guard closers.count < Self.depthLimit else { throw error(.tooDeep(limit: Self.depthLimit)) }
        advance()
        if try next() != UInt8(ascii: "}") {
          try skipKey()
          closers.append(UInt8(ascii: "}"))
          continue
        }
        advance()
      case UInt8(ascii: "["):
        guard closers.count < Self.depthLimit else { throw error(.tooDeep(limit: Self.depthLimit)) }
        advance()
        if try next() != UInt8(ascii: "]") {
          closers.append(UInt8(ascii: "]"))
          continue
        }
        advance()
      default:
        try skipScalar()
      }
      // A value has ended: so may have the arrays and objects around it.
      while let closer = closers.last {
        if try separator(or: closer, "a comma or a closing bracket") {
          if closer == UInt8(ascii: "}") { try skipKey() }
          break
        }
        closers.removeLast()
      }
    } while !closers.isEmpty
  }

  private mutating func skipKey() throws {
    guard try next() == UInt8(ascii: "\"") else { throw error(.expected("a key in quotes")) }
    _ = try scanString()
    try expect(":", "a colon")
  }

  private mutating func skipScalar() throws {
    switch try next() {
    case UInt8(ascii: "\""): _ = try scanString()
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    default: _ = try scanNumber("a value")
    }
  }
}

// MARK: - Values

extension JSONReader {
  package enum Kind {
    case object, array, string, number, boolean, null
  }

  /// What kind of value comes next, judged by its first character.
  package mutating func kind() throws -> Kind {
    switch try next() {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  /// Reads an integer, written without fraction or exponent.
  package mutating func integer() throws -> Int {
    let start = try nextOffset()
    guard try scanNumber("an integer") == .whole else {
      throw JSONError(offset: start, reason: .expected("an integer"))
    }
    let isNegative = bytes[start] == UInt8(ascii: "-")
    var value = 0
    for index in (isNegative ? start + 1 : start)..<offset {
      let digit = Int(bytes[index] &- UInt8(ascii: "0"))
      let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow2) =
        isNegative
        ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
      guard !overflow, !overflow2 else { throw JSONError(offset: start, reason: .numberOutOfRange) }
      value = sum
    }
    return value
  }

  /// Reads a number of any form. One that is too large for a `Double` is an error, as is `NaN`, which is no JSON.
  package mutating func number() throws -> Double {
    let start = try nextOffset()
    _ = try scanNumber("a number")
    guard let (value, _) = DecimalNumber.scan(bytes, from: start, strict: true), value.isFinite else {
      throw JSONError(offset: start, reason: .numberOutOfRange)
    }
    return value
  }

  /// Reads `true` or `false`.
  package mutating func boolean() throws -> Bool {
    switch try next() {
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"):
      try literal("false")
      return false
    default: throw error(.expected("true or false"))
    }
    return true
  }

  /// Reads a string of at most `limit` bytes, counted as they are written. What has a limit may be compared, and so has
  /// none of the marks that ``MarkRun`` speaks of.
  package mutating func string(limit: Int = .max) throws -> String {
    guard try next() == UInt8(ascii: "\"") else { throw error(.expected("a string")) }
    let start = offset
    let (content, hasEscapes) = try scanString()
    guard content.count <= limit else {
      throw JSONError(offset: start, reason: .tooLong(byteCount: content.count, limit: limit))
    }
    let text = hasEscapes ? try unescaped(content) : String(decoding: bytes[content], as: UTF8.self)
    guard limit == .max || !MarkRun.isTooLong(in: text) else {
      throw JSONError(offset: start, reason: .tooManyMarks(limit: MarkRun.limit))
    }
    return text
  }
}

// MARK: - Scanning

extension JSONReader {
  private mutating func advance() { offset += 1 }

  private mutating func skipSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  /// The first byte that is not white space.
  private mutating func next() throws -> UInt8 {
    skipSpace()
    guard offset < bytes.count else { throw error(.unexpectedEnd) }
    return bytes[offset]
  }

  private mutating func nextOffset() throws -> Int {
    _ = try next()
    return offset
  }

  private mutating func expect(_ character: Unicode.Scalar, _ name: String) throws {
    guard try next() == UInt8(ascii: character) else { throw error(.expected(name)) }
    advance()
  }

  /// After a value: passes a comma and returns `true`, or passes `closer` and returns `false`.
  private mutating func separator(or closer: UInt8, _ name: String) throws -> Bool {
    switch try next() {
    case UInt8(ascii: ","):
      advance()
      return true
    case closer:
      advance()
      return false
    default: throw error(.expected(name))
    }
  }

  private mutating func literal(_ word: StaticString) throws {
    for index in 0..<word.utf8CodeUnitCount {
      guard offset < bytes.count else { throw error(.unexpectedEnd) }
      guard bytes[offset] == word.utf8Start[index] else { throw error(.expected("a value")) }
      advance()
    }
  }

  private enum NumberKind { case whole, fractional }

  /// Passes over a number: an optional minus, digits without a leading zero, then perhaps a fraction and an exponent.
  /// - Parameter name: what is expected, for the error where something else begins.
  private mutating func scanNumber(_ name: String) throws -> NumberKind {
    guard try isDigit(next()) || bytes[offset] == UInt8(ascii: "-") else { throw error(.expected(name)) }
    if bytes[offset] == UInt8(ascii: "-") { advance() }
    let leadsWithZero = peek() == UInt8(ascii: "0")
    let digits = try scanDigits()
    if leadsWithZero, digits > 1 { throw error(.badNumber) }
    var kind = NumberKind.whole
    if peek() == UInt8(ascii: ".") {
      advance()
      _ = try scanDigits()
      kind = .fractional
    }
    if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
      advance()
      if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { advance() }
      _ = try scanDigits()
      kind = .fractional
    }
    return kind
  }

  /// Passes over at least one digit; returns how many.
  private mutating func scanDigits() throws -> Int {
    let start = offset
    while let byte = peek(), isDigit(byte) { advance() }
    guard offset > start else { throw error(offset < bytes.count ? .badNumber : .unexpectedEnd) }
    return offset - start
  }

  private func peek() -> UInt8? {
    offset < bytes.count ? bytes[offset] : nil
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}
