import Testing

@testable import ApusBase

@Suite struct NumberTextTests {
  @Test(arguments: [
    (0, "0"), (1, "1"), (-1.5, "-1.5"), (0.012345, "0.0123"), (1.3e-6, "1.3e-06"), (123456, "123000"),
    (1234567, "1.23e+06"), (0.9996, "1"), (9.996e-5, "0.0001"), (1e300, "1e+300"), (1e-300, "1e-300"),
    (.nan, "nan"), (.infinity, "inf"), (-.infinity, "-inf"), (.leastNonzeroMagnitude, "5e-324"), (99.95, "100"),
    (0.0001, "0.0001"),
    (0.5, "0.5"), (100, "100"), (12.34, "12.3"),
  ])
  func shortNumbers(value: Double, text: String) {
    #expect(NumberText.short(value) == text)
  }

  @Test func requiredTolerancesAreRoundedUp() {
    #expect(NumberText.short(1.2301e-5, rounding: .up) == "1.24e-05")
    #expect(NumberText.short(1.23e-5, rounding: .up) == "1.23e-05")
    #expect(NumberText.short(9.991, rounding: .up) == "10")
  }

  @Test(arguments: [
    (0, 2, "0.00"), (1.005, 2, "1.01"), (12.345, 1, "12.3"), (-0.001, 2, "0.00"), (0.999, 2, "1.00"),
    (0.05, 1, "0.1"), (0.04, 1, "0.0"), (99.95, 1, "100.0"), (-2.5, 0, "-3"), (1e6, 1, "1000000.0"),
    (0.0049, 2, "0.00"), (0.5, 0, "1"), (7, 3, "7.000"), (.infinity, 1, "inf"), (1e-20, 3, "0.000"),
  ])
  func fixedNumbers(value: Double, decimals: Int, text: String) {
    #expect(NumberText.fixed(value, decimals: decimals) == text)
  }

  @Test func shortNumbersStayNearTheirValue() throws {
    var generator = SplitMix64(seed: 3)
    for _ in 0..<500 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite, value.magnitude > 1e-300, value.magnitude < 1e300 else { continue }
      let nearest = try #require(Double(NumberText.short(value, digits: 6)))
      #expect(abs(nearest - value) <= abs(value) * 0.51e-5)
      let raised = try #require(Double(NumberText.short(value.magnitude, digits: 4, rounding: .up)))
      #expect(raised >= value.magnitude)
    }
  }

  @Test func columnsLineUp() {
    var table = TextTable(alignments: [.left, .right])
    table.add("a", "1")
    table.add("bcd", "23", "x")
    #expect(table.lines == ["a     1", "bcd  23  x"])
    #expect(TerminalText.width("\u{1B}[32mok\u{1B}[0m") == 2)
  }
}
