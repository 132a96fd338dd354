import Testing

@testable import ApusBase

@Suite struct JSONScannerTests {
  private func failure(_ text: String) -> JSONScanner.Failure? {
    var scanner = JSONScanner(Array(text.utf8))
    do throws(JSONScanner.Failure) {
      try scanner.skipValue()
      try scanner.expectEnd()
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "0", "-1.5e3", #""""#, #""a\"b\\\/\b\f\n\r\t\u00e9""#, #""\ud83d\udc15""#, "true", "false", "null", "[]", "{}",
    "[[],{}]", #"{"a":{"b":[1,2,{"c":null}]},"d":""}"#, " [ 1 , 2 ] ", "[{},{}]", #"{"a":[],"b":{}}"#, "\"dög\"",
  ])
  func valid(text: String) {
    #expect(failure(text) == nil)
  }

  @Test(arguments: [
    "", " ", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "{1:2}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
    #"{"a" 1}"#, "{]", "[}", "tru", "nul", "True", "01", "1.", "+1", #"""#, #""\x""#, #""\u12g4""#, #""\ud83d""#,
    #""\udc15""#, #""\ud83dx""#, "\"\t\"", "'a'", "1 1", "[1]]", "NULL", "-", "\u{0}",
  ])
  func invalid(text: String) {
    #expect(failure(text) != nil)
  }

  @Test func strings() throws {
    var scanner = JSONScanner(Array(#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\udc15 é""#.utf8))
    #expect(try scanner.string("") == "a\"\\/\u{8}\u{C}\n\r\t\u{e9}\u{1F415} é")
  }

  @Test func depthIsLimited() {
    let deepest = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    #expect(failure(deepest) == nil)
    #expect(failure("[\(deepest)]")?.message == "nested more than 128 deep")
    #expect(failure(String(repeating: "[", count: 1_000_000)) != nil)
    #expect(failure(String(repeating: #"{"a":"#, count: 200_000)) != nil)
  }

  @Test func failuresHaveColumns() {
    #expect(failure("[1, x]") == .init(column: 5, message: "expected a value"))
    #expect(failure("[1") == .init(column: 3, message: "expected ',' or ']', found the end of the line"))
    #expect(failure("[1,\n 01]")?.message == "malformed number")
  }

  @Test func pythonsNonNumbersAreToldApart() throws {
    for (text, value) in [("Infinity", Double.infinity), ("-Infinity", -.infinity)] {
      var scanner = JSONScanner(Array(text.utf8))
      #expect(try scanner.number("") == value)
    }
    var scanner = JSONScanner(Array("NaN".utf8))
    #expect(try scanner.number("").isNaN)
  }
}
