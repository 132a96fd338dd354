import Testing

@testable import ApusBase

@Suite("JSONReader")
struct JSONReaderTests {
  func read<Value>(_ text: String, _ body: (inout JSONReader) throws -> Value) throws -> Value {
    try Array(text.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      let value = try body(&reader)
      try reader.end()
      return value
    }
  }

  func string(_ text: String) throws -> String { try read(text) { try $0.string() } }
  func integer(_ text: String) throws -> Int { try read(text) { try $0.integer() } }
  func skip(_ text: String) throws { try read(text) { try $0.skip() } }

  @Test(
    "strings and their escapes",
    arguments: [
      (#""""#, ""), (#"" a ""#, " a "), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
      (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\ude00x""#, "😀x"), (#""\uD834\uDD1E""#, "𝄞"),
      (#""\u0000""#, "\0"), ("\"é😀\u{7F}\"", "é😀\u{7F}"), (#""\uffff\ue000""#, "\u{FFFF}\u{E000}"),
    ])
  func strings(text: String, value: String) throws {
    #expect(try string(text).unicodeScalars.elementsEqual(value.unicodeScalars))
    try skip(text)
  }

  @Test(
    "malformed strings",
    arguments: [
      ("\"a\nb\"", JSONError.Reason.badString, 2), (#""\x""#, .badString, 1), (#""\u12g4""#, .badString, 5),
      (#""\ud800""#, .badUnicode, 1), (#""\ud800\n""#, .badUnicode, 1), (#""\ud800\ud800""#, .badUnicode, 1),
      (#""\udc00""#, .badUnicode, 1), (#""abc"#, .unexpectedEnd, 4), (#""\"#, .unexpectedEnd, 2),
      (#""\u12"#, .unexpectedEnd, 5), ("abc", .expected("a string"), 0), ("", .unexpectedEnd, 0),
    ])
  func badStrings(text: String, reason: JSONError.Reason, offset: Int) {
    #expect(throws: JSONError(offset: offset, reason: reason)) { try string(text) }
  }

  @Test(
    "UTF-8 that is malformed",
    arguments: [
      [0x80], [0xC1, 0x81], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82, 0x28],
      [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98, 0x28], [0xFF],
    ] as [[UInt8]])
  func malformedUTF8(bytes: [UInt8]) {
    let text = [0x22] + bytes + [0x22] as [UInt8]
    text.withUnsafeBytes { text in
      var reader = JSONReader(text)
      #expect(throws: JSONError(offset: 1, reason: .badUnicode)) { try reader.string() }
    }
  }

  @Test("the reader and the standard library agree on what is UTF-8")
  func everySequence() {
    for first in 0x80...0xFF as ClosedRange<UInt8> {
      for second in [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] as [UInt8] {
        for tail in [[], [0x80], [0xBF, 0xBF], [0x80, 0xC0]] as [[UInt8]] {
          let content = [first, second] + tail
          let isValid = String(validating: content, as: UTF8.self) != nil
          ([0x22] + content + [0x22]).withUnsafeBytes { text in
            var reader = JSONReader(text)
            #expect(((try? reader.string()) != nil) == isValid, "\(content)")
          }
        }
      }
    }
  }

  @Test(
    "integers",
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), (" -12 ", -12), ("9223372036854775807", Int.max),
      ("-9223372036854775808", Int.min),
    ])
  func integers(text: String, value: Int) throws {
    #expect(try integer(text) == value)
  }

  @Test(
    "numbers that are not integers",
    arguments: [
      ("9223372036854775808", JSONError.Reason.numberOutOfRange, 0), ("-9223372036854775809", .numberOutOfRange, 0),
      ("1.0", .expected("an integer"), 0), ("1e3", .expected("an integer"), 0), ("01", .badNumber, 2),
      ("-", .unexpectedEnd, 1), ("-x", .badNumber, 1), ("+1", .expected("an integer"), 0), ("1.", .unexpectedEnd, 2),
      ("1.x", .badNumber, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
      ("true", .expected("an integer"), 0),
      ("12 3", .trailingText, 3),
    ])
  func badIntegers(text: String, reason: JSONError.Reason, offset: Int) {
    #expect(throws: JSONError(offset: offset, reason: reason)) { try integer(text) }
  }

  @Test(
    "values that are skipped",
    arguments: [
      "null", "true", "false", "[]", "{}", "[[],{}]", #"{"a":[1,2.5e-3,{"b":null}],"c":"\n"}"#, " [ 1 , [ 2 ] , 3 ] ",
      "-0.5E+10",
    ])
  func skipped(text: String) {
    #expect(throws: Never.self) { try skip(text) }
  }

  @Test(
    "values that are not",
    arguments: [
      "", "nul", "nulL", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":1,}"#,
      #"{"a" 1}"#, "{1:2}", "[}", "{]", "[1}", #"{"a":1]"#, "]", "}", ",", ":", "'a'", "NaN", "Infinity", "// x",
      "[1]]", "1 1",
    ])
  func notSkipped(text: String) {
    #expect(throws: JSONError.self) { try skip(text) }
  }

  @Test("nesting up to the limit, and no further")
  func depth() throws {
    let limit = JSONReader.depthLimit
    try skip(String(repeating: "[", count: limit) + String(repeating: "]", count: limit))
    #expect(throws: JSONError(offset: limit, reason: .tooDeep(limit: limit))) {
      try skip(String(repeating: "[", count: limit + 1) + String(repeating: "]", count: limit + 1))
    }
    #expect(throws: JSONError.self) { try skip(String(repeating: #"{"a":"#, count: 1_000_000)) }
  }

  @Test("keys and strings up to a limit")
  func lengths() throws {
    let long = String(repeating: "x", count: JSONReader.keyLimit + 1)
    #expect(throws: JSONError(offset: 1, reason: .tooLong(byteCount: long.count, limit: JSONReader.keyLimit))) {
      try read(#"{"\#(long)":1}"#) { try $0.object { reader, _ in try reader.skip() } }
    }
    #expect(try read("\"abc\"") { try $0.string(limit: 3) } == "abc")
    #expect(throws: JSONError(offset: 0, reason: .tooLong(byteCount: 3, limit: 2))) {
      try read("\"abc\"") { try $0.string(limit: 2) }
    }
  }
}
