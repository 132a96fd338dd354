import ApusTestSupport
import Testing

@testable import ApusBase

/// Runs of combining marks, of which UAX #15 allows 30 in a text that can be normalised as it comes.
@Suite struct MarkRunTests {
  /// To compare two of these, each would be put in order, which takes minutes.
  private static let endless = "a" + String(repeating: "\u{301}\u{316}", count: 1 << 18)

  private static func marks(_ count: Int, _ mark: Unicode.Scalar = "\u{301}") -> String {
    String(String.UnicodeScalarView(repeatElement(mark, count: count)))
  }

  @Test func runsAreCounted() {
    #expect(!MarkRun.isTooLong(in: "") && !MarkRun.isTooLong(in: "café cafe\u{301}"))
    #expect(!MarkRun.isTooLong(in: "e" + Self.marks(30) + "e" + Self.marks(30)))
    #expect(MarkRun.isTooLong(in: "e" + Self.marks(31)))
    #expect(MarkRun.isTooLong(in: "plain" + Self.marks(15) + Self.marks(16, "\u{316}") + "plain"))
    // Three characters that are no marks and are written out as two.
    #expect(MarkRun.isTooLong(in: Self.marks(31, "\u{F73}")))
    // Syllables of Korean, joined emoji and Chinese have none.
    for text in ["\u{1100}\u{1161}\u{11A8}", "👩\u{200D}👧", "中"] {
      #expect(!MarkRun.isTooLong(in: String(repeating: text, count: 1000)))
    }
    #expect(MarkRun.isTooLong(in: Self.endless))
  }

  @Test func runsAreShortened() {
    let text = "a" + Self.marks(40) + "b" + Self.marks(3, "\u{316}")
    let expected = "a" + Self.marks(30) + "b" + Self.marks(3, "\u{316}")
    #expect(Array(MarkRun.shortened(text).utf8) == Array(expected.utf8))
    #expect(MarkRun.shortened("e\u{301}") == "é")
    #expect(MarkRun.shortened(Self.endless).unicodeScalars.count == 31)
  }

  @Test func readersRefuseThem() throws {
    let json = Array("{\"\(Self.endless)\":1}".utf8)
    var scanner = JSONScanner(json)
    try scanner.expect(UInt8(ascii: "{"), "")
    #expect(throws: LineFailure(column: 2, message: "more than 30 combining marks in a row")) {
      try scanner.string("")
    }
    // What is passed over is compared with nothing.
    var passing = JSONScanner(json)
    try passing.skipValue()
    #expect(throws: LineFailure(column: 1, message: "a field with more than 30 combining marks in a row")) {
      try CSVRow.split(Array("t,width,\(Self.endless)".utf8))
    }
    let short = "{\"a\(Self.marks(31))\":1}"
    Array(short.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      #expect(throws: JSONError(offset: 1, reason: .tooManyMarks(limit: 30))) {
        try reader.object { reader, _ in try reader.skip() }
      }
    }
    var archive = ZipBuilder(["b": [1]])
    archive.entries[0].name = Array(("b" + Self.marks(31)).utf8)
    archive.entries[0].localName = archive.entries[0].name
    let bytes = archive.bytes
    let error = #expect(throws: ZipError.self) {
      try bytes.withUnsafeBytes { try ZipArchive(MappedFile(copying: $0, name: "a.zip")) }
    }
    guard case .badName? = error else { return #expect(Bool(false)) }
  }
}
