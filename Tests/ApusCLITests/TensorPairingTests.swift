import Testing

@testable import ApusCLI

@Suite struct TensorPairingTests {
  private func pair(_ name: String) -> TensorPairing.Pair { .init(name: name, actual: name, expected: name) }

  @Test func namesAreMatchedInTheExpectedOrder() {
    let pairing = TensorPairing(actual: ["c", "a", "x"], expected: ["a", "b", "c"])
    #expect(pairing.pairs == [pair("a"), pair("c")])
    #expect(pairing.missing == ["b"])
    #expect(pairing.unexpected == ["x"])
  }

  @Test func singleTensorsNeedNoNameInCommon() {
    let pairing = TensorPairing(actual: [""], expected: ["logits"])
    #expect(pairing.pairs == [.init(name: "logits", actual: "", expected: "logits")])
    #expect(TensorPairing(actual: ["a"], expected: [""]).pairs.map(\.name) == ["a"])
    #expect(pairing.missing.isEmpty && pairing.unexpected.isEmpty)
  }

  @Test func patternsChoose() {
    let names = ["input.a", "output.a", "output.b"]
    let pairing = TensorPairing(actual: names, expected: names + ["output.c", "z"], patterns: ["output.*"])
    #expect(pairing.pairs == [pair("output.a"), pair("output.b")])
    #expect(pairing.missing == ["output.c"])
    #expect(pairing.unexpected.isEmpty)
    #expect(TensorPairing(actual: names, expected: names, patterns: ["nothing*", "input.a"]).unmatched == ["nothing*"])
  }

  @Test func differentNamesAreHeldAgainstEachOther() {
    let pairing = TensorPairing(
      actual: ["var_1", "b"], expected: ["probs", "b"], patterns: ["var_1=probs", "b", "x=probs", "b=y", "p=q"])
    #expect(pairing.pairs == [.init(name: "var_1=probs", actual: "var_1", expected: "probs"), pair("b")])
    #expect(pairing.missing == ["x"])
    #expect(pairing.unexpected == ["b"])
    #expect(pairing.unmatched == ["p=q"])
    // Only what was named counts.
    let one = TensorPairing(actual: ["a", "b"], expected: ["c", "d"], patterns: ["a=c"])
    #expect(one.pairs.count == 1 && one.missing.isEmpty && one.unexpected.isEmpty)
  }

  @Test func aNameThatHoldsAnEqualsSignIsAName() {
    #expect(TensorPairing(actual: ["a=b", "c"], expected: ["a=b", "c"], patterns: ["a=b"]).pairs == [pair("a=b")])
  }

  @Test(arguments: [
    ("abc", "abc", true), ("abc", "ab", false), ("abc", "*", true), ("", "*", true), ("abc", "a*", true),
    ("abc", "*c", true), ("abc", "a*c", true), ("ac", "a*c", true), ("a", "a*a", false), ("aXbXc", "a*b*c", true),
    ("acb", "a*b*c", false), ("abab", "*ab", true), ("abcbc", "a*bc*c", true), ("layer.10.w", "layer.*.w", true),
  ])
  func starsStandForAnything(name: String, pattern: String, matches: Bool) {
    #expect(TensorPairing.matches(name, pattern) == matches)
  }
}
