import Testing

@testable import ApusBase

@Suite struct DecimalNumberTests {
  @Test(arguments: [
    ("0", 0), ("-0.0", -0.0), ("1", 1), ("+2", 2), ("-1.5", -1.5), (".5", 0.5), ("3.", 3), ("007", 7),
    ("1e-05", 1e-5), ("1E+3", 1000), ("12.3456789", 12.3456789), ("9007199254740993", 9007199254740992),
    ("0.1", 0.1), ("1e22", 1e22), ("1e23", 1e23), ("4.9e-324", Double.leastNonzeroMagnitude),
    ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
    ("1e-400", 0), ("0e999999999999", 0), ("123456789012345678901234567890", 123456789012345678901234567890.0),
    ("0.00000000000000000000000000000000000001", 1e-38),
  ])
  func values(text: String, expected: Double) throws {
    let value = try #require(DecimalNumber.whole(Array(text.utf8)))
    #expect(value.bitPattern == expected.bitPattern)
  }

  @Test(arguments: ["", "-", ".", "e5", "1e", "1e+", "--1", "1.2.3", "0x10", "nan", "inf", "1 ", " 1", "1_000", "1,5"])
  func refusals(text: String) {
    #expect(DecimalNumber.whole(Array(text.utf8)) == nil)
  }

  @Test(arguments: ["01", "+1", ".5", "5.", "-", "-.5", "1.e3"])
  func strictlyJSON(text: String) {
    #expect(DecimalNumber.scan(Array(text.utf8), from: 0, strict: true) == nil)
  }

  @Test func tooLargeIsInfinite() {
    #expect(DecimalNumber.whole(Array("1e999".utf8)) == .infinity)
    #expect(DecimalNumber.whole(Array("-1e99999999999999999999".utf8)) == -.infinity)
  }

  /// Against the standard library, on every magnitude and on the short decimals that files are full of.
  @Test func agreesWithTheStandardLibrary() {
    var generator = SplitMix64(seed: 1)
    var wrong: [String] = []
    for _ in 0..<20_000 {
      let any = Double(bitPattern: generator.next())
      let short = Double(Int64(truncatingIfNeeded: generator.next()) >> Int64(generator.next() % 64))
      var digits = "\(generator.next() % 100_000).\(generator.next())"
      digits.removeLast(Int(generator.next() % 8))
      let exponent = Int(generator.next() % 80) - 40
      for text in [any.isFinite ? "\(any)" : "0", "\(short)", digits, "\(digits)e\(exponent)"]
      where DecimalNumber.whole(Array(text.utf8))?.bitPattern != Double(text)?.bitPattern {
        wrong.append(text)
      }
    }
    #expect(wrong.isEmpty)
  }
}
