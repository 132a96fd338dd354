import Testing

@testable import Apus

@Suite struct ActivationsTests {
  private func model(_ x: Tensor<Float>) throws -> Tensor<Float> {
    let hidden = try (x * 2).observed(as: "hidden")
    let again = try (hidden + 1).observed(as: "layer.0")
    return try again.squeezed(0).observed(as: "hidden")
  }

  @Test func whatAModelReportsIsKeptByName() throws {
    let x = try Tensor<Float>([1, 2], shape: [1, 2])
    let (result, all) = try Activations.recording { try model(x) }
    #expect(try result.elements == [3, 5])
    #expect(all.names == ["hidden", "layer.0"])
    #expect(all["layer.0"]?.shape == [1, 2])
    // The last report of a name counts.
    #expect(all["hidden"]?.shape == [2])
    #expect(all["other"] == nil)
  }

  @Test func onlyWhatIsAskedForIsKept() throws {
    let x = try Tensor<Float>([1, 2], shape: [1, 2])
    let (_, some) = try Activations.recording(["layer.0", "none"]) { try model(x) }
    #expect(some.names == ["layer.0"])
    let (_, nothing) = try Activations.recording([]) { try model(x) }
    #expect(nothing.names.isEmpty)
  }

  @Test func aRecordingEndsWithItsScopeAndInnerOnesAreTheirOwn() throws {
    let x = try Tensor<Float>([1, 2], shape: [1, 2])
    let (inner, outer) = try Activations.recording {
      let (_, inner) = try Activations.recording { try model(x) }
      return inner
    }
    #expect(inner.names.count == 2)
    #expect(outer.names.isEmpty)
  }

  /// Numbers depend on the name and the place alone, whatever the variant, the threads and the shape.
  @Test func generatedNumbersAreTheSameEverywhere() throws {
    let results = try resultsByVariant {
      try Tensor<Float>(generated: "a.weight", shape: [70_001], mean: 0.5, deviation: 0.1)
    }
    let first = try #require(results.first?.result)
    #expect(try results.allSatisfy { try $0.result.bytes == first.bytes })
    #expect(
      try Tensor<Float>(generated: "a.weight", shape: [2, 3], mean: 0.5, deviation: 0.1).elements
        == Array(first.elements.prefix(6)))
    #expect(try Tensor<Float>(generated: "b.weight", shape: [70_001], mean: 0.5, deviation: 0.1).bytes != first.bytes)
    let values = try first.elements.map { (Double($0) - 0.5) / 0.1 }
    let mean = values.reduce(0, +) / Double(values.count)
    let square = values.map { $0 * $0 }.reduce(0, +) / Double(values.count)
    #expect(Swift.abs(mean) < 0.02 && Swift.abs(square - 1) < 0.02)
    #expect(values.allSatisfy { Swift.abs($0) < 3.47 })
  }
}
