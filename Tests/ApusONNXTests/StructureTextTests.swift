import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Malicious regular expressions, and the rules of texts.
@Suite struct StructureTextTests {
  /// Expressions that take engines with backtracking longer than the universe has been there.
  @Test(arguments: [
    "(a*)*b", "(a|a)*b", "(a|aa)+b", "(a+)+b", "(?:a?){500}a{500}b", "(.*)*(.*)*(.*)*b", "((((a*)*)*)*)*b",
  ])
  func expressionsTakeTimeThatGrowsWithTheText(pattern: String) throws {
    let expression = try RegularExpression(pattern)
    let text = String(repeating: "a", count: 2_000)
    #expect(try !expression.matches(text) {})
    #expect(try expression.matches(text + "b") {} == !pattern.contains("500"))
  }

  @Test(arguments: [
    "(", ")", "a)", "[", "[a", "[z-a]", "*", "+a", "a**", "a|*", "(?", "(?z)", "(?P<>a)", "(?P<a", "(?=a)", "(?!a)",
    "(?<=a)", "(?<!a)", "\\", "\\1", "\\k", "\\C", "\\p{Greek}", "\\p{", "\\pX", "\\x", "\\xG0", "\\x{110000}",
    "a{1001}",
    "a{2,1}", "[[:alpha]", "[[:letters:]]", "(a{1000}){1000}", "((?:){0,1000}){0,1000}", "[a-\\d]",
  ])
  func whatRE2RefusesIsRefused(pattern: String) {
    #expect(throws: OperatorError.self) { try RegularExpression(pattern) }
  }

  @Test func deepGroupsAreRefused() {
    let pattern = String(repeating: "(", count: 100_000) + String(repeating: ")", count: 100_000)
    #expect(throws: OperatorError.self) { try RegularExpression(pattern) }
  }

  @Test func longSearchesCanBeStopped() throws {
    struct Stopped: Error {}
    let expression = try RegularExpression("(?:a*){500}b")
    #expect(throws: Stopped.self) {
      try expression.matches(String(repeating: "a", count: 20_000)) { throw Stopped() }
    }
  }

  /// Characters that look alike are different strings.
  @Test func stringsAreComparedByTheirScalars() throws {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    let result = try runNode("Unique", [texts(composed, decomposed, composed)], outputs: 4)
    #expect(result[0]?.shape == [2])
    let encoded = try runNode(
      "LabelEncoder", domain: "ai.onnx.ml", [texts(composed, decomposed)], opset: 4,
      ["keys_strings": .strings([Array(decomposed.utf8)]), "values_int64s": .ints([5])])
    guard case .tensor(let labels)? = encoded[0] else {
      Issue.record("there is no result")
      return
    }
    #expect(try labels.tensor(of: Int64.self)?.elements == [-1, 5])
  }

  /// As onnx's reference and ONNX Runtime have it.
  @Test func notANumberIsNoCategory() throws {
    func columns(_ numbers: [Float], zeros: Int64) throws -> GraphValue? {
      let attributes: [String: AttributeValue] = ["cats_int64s": .ints([0, 1, 2]), "zeros": .int(zeros)]
      return try runNode("OneHotEncoder", domain: "ai.onnx.ml", [GraphValue(Tensor(numbers))], opset: 1, attributes)[0]
    }
    let expected = GraphValue(try Tensor<Float>([0, 0, 0, 1, 0, 0, 0, 0, 1], shape: [3, 3]))
    let found = try columns([.nan, 0, 2], zeros: 1)
    #expect(try #require(found).hasSameBits(as: expected))
    #expect(throws: OperatorError.self) { try columns([.nan], zeros: 0) }
  }
}
