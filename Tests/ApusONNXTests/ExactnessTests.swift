import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// With `exact` precision a graph that is rewritten gives every output bit for bit as node after node gives it.
@Suite struct ExactnessTests {
  @Test(arguments: FixtureCase.all)
  func rewritingChangesNoBit(fixture: FixtureCase) throws {
    let test = try fixture.test.get()
    var plain = InferenceSession.Options()
    plain.optimizes = false
    for (expected, actual) in zip(try test.outputs(options: plain), try test.outputs(options: .init())) {
      #expect(expected.keys.sorted() == actual.keys.sorted())
      for (name, value) in expected { #expect(try actual[name]?.hasSameBits(as: value) == true, "\(name)") }
    }
  }
}

extension GraphValue {
  /// Whether types, shapes and every bit agree.
  func hasSameBits(as other: GraphValue) throws -> Bool {
    switch (self, other) {
    case (.tensor(let a), .tensor(let b)):
      guard a.dataType == b.dataType, a.shape == b.shape else { return false }
      return try a.withUnsafeBytes { a in try b.withUnsafeBytes { b in a.elementsEqual(b) } }
    case (.coded(let a), .coded(let b)):
      return try a.elementType == b.elementType && a.shape == b.shape && a.codes.elements == b.codes.elements
    case (.strings(let a), .strings(let b)): return a == b
    case (.sequence(let a, _), .sequence(let b, _)):
      return try a.count == b.count && zip(a, b).allSatisfy { try $0.hasSameBits(as: $1) }
    case (.optional(let a, _), .optional(let b, _)):
      guard let a, let b else { return a == nil && b == nil }
      return try a.hasSameBits(as: b)
    default: return false
    }
  }
}
