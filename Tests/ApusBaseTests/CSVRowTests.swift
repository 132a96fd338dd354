import Testing

@testable import ApusBase

/// Rows as section 2 of RFC 4180 describes them, and those that it does not allow.
@Suite struct CSVRowTests {
  @Test(arguments: [
    ("", [""]), ("a", ["a"]), ("a,b,c", ["a", "b", "c"]), (",", ["", ""]), (" a ,\tb\t", ["a", "b"]),
    (#""a,b",c"#, ["a,b", "c"]), (#""say ""hi""",x"#, [#"say "hi""#, "x"]), (#" "a" ,b"#, ["a", "b"]),
    (#""",b"#, ["", "b"]), ("é,😀", ["é", "😀"]),
  ])
  func fields(text: String, expected: [String]) throws {
    #expect(try CSVRow.split(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test func failuresHaveColumns() {
    #expect(throws: LineFailure(column: 3, message: "quoted field without an end")) {
      try CSVRow.split(Array(#"a,"b"#.utf8))
    }
    #expect(throws: LineFailure(column: 5, message: "expected ',' after a quoted field")) {
      try CSVRow.split(Array(#""a" b,c"#.utf8))
    }
  }
}
