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
