/// Reads the Python literals that occur in `.npy` headers: a dictionary of strings, Booleans and tuples of numbers.
/// Nothing nests, so nothing can nest too deeply.
struct PythonLiteralReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  func error(_ expected: String) -> NumPyError.Reason {
    .badHeader(offset: offset, expected: expected)
  }

  /// Reads a dictionary up to the end of the text: calls `member` with each key, to read the value that follows.
  mutating func dictionary(_ member: (inout PythonLiteralReader, String) throws -> Void) throws {
    try expect("{", "an opening brace")
    while !accept("}") {
      let key = try string()
      try expect(":", "a colon")
      try member(&self, key)
      if !accept(",") {
        try expect("}", "a comma or a closing brace")
        break
      }
    }
    skipSpace()
    guard offset == bytes.count else { throw error("the end of the header") }
  }

  /// Reads the name of an element type; a structured type, which is a list of fields, is refused by that name.
  mutating func typeName() throws -> String {
    if accept("[") { throw NumPyError.Reason.unsupportedType("structured, with several fields") }
    if accept("(") { throw NumPyError.Reason.unsupportedType("sub-array") }
    return try string()
  }

  /// Reads `True` or `False`.
  mutating func boolean() throws -> Bool {
    if accept("True") { return true }
    if accept("False") { return false }
    throw error("True or False")
  }

  /// Reads a tuple of at most `limit` numbers, none below zero. One number has a comma behind it.
  mutating func tuple(limit: Int) throws -> [Int] {
    try expect("(", "a tuple")
    var values: [Int] = []
    while !accept(")") {
      guard values.count < limit else { throw NumPyError.Reason.tooManyDimensions(limit: limit) }
      values.append(try number())
      if !accept(",") {
        guard values.count != 1 else { throw error("a comma") }
        try expect(")", "a comma or a closing parenthesis")
        break
      }
    }
    return values
  }
}

// MARK: - Scanning

extension PythonLiteralReader {
  private mutating func skipSpace() {
    while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
  }

  /// Passes over `text` if it comes next.
  private mutating func accept(_ text: StaticString) -> Bool {
    skipSpace()
    let count = text.utf8CodeUnitCount
    guard count <= bytes.count - offset else { return false }
    for index in 0..<count where bytes[offset + index] != text.utf8Start[index] { return false }
    offset += count
    return true
  }

  private mutating func expect(_ text: StaticString, _ name: String) throws {
    guard accept(text) else { throw error(name) }
  }

  /// A string without escapes, in either kind of quotes.
  private mutating func string() throws -> String {
    skipSpace()
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "'") || bytes[offset] == UInt8(ascii: "\"") else {
      throw error("a string")
    }
    let quote = bytes[offset]
    let start = offset + 1
    var end = start
    while end < bytes.count, bytes[end] != quote, bytes[end] != UInt8(ascii: "\\") { end += 1 }
    guard end < bytes.count, bytes[end] == quote, end - start <= 64,
      let text = String(validating: bytes[start..<end], as: UTF8.self)
    else { throw error("a short string without escapes") }
    offset = end + 1
    return text
  }

  /// A number; Python 2 wrote long ones with an `L`.
  private mutating func number() throws -> Int {
    skipSpace()
    let start = offset
    var value = 0
    while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) {
      let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow2) = tenfold.addingReportingOverflow(Int(bytes[offset] - UInt8(ascii: "0")))
      guard !overflow, !overflow2 else { throw error("a number of at most 63 bits") }
      value = sum
      offset += 1
    }
    guard offset > start else { throw error("a number") }
    _ = accept("L")
    return value
  }
}
