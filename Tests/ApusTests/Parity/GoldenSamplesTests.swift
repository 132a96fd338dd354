import Testing

@testable import Apus

@Suite struct GoldenSamplesTests {
  private func samples(_ names: [String], metadata: [String: String] = [:]) throws -> GoldenSamples {
    var writer = SafetensorsWriter(metadata: metadata)
    for (index, name) in names.enumerated() { try writer.add(Tensor<Float>([Float(index)]), named: name) }
    let bytes = try writer.bytes()
    return try GoldenSamples(bytes.withUnsafeBytes { try SafetensorsFile(bytes: $0, name: "golden") })
  }

  @Test func namesTellSamplesAndOutputsApart() throws {
    let golden = try samples(
      [
        "input.b.1", "input.a", "output.logits.a", "output.logits.b.1", "output.scores.a", "output.scores.b.1",
        "output32.logits.a", "other",
      ], metadata: ["by": "me"])
    #expect(golden.sampleNames == ["a", "b.1"])
    #expect(golden.outputNames == ["logits", "scores"])
    #expect(golden.metadata == ["by": "me"])
    #expect(try golden.input(of: "b.1").tensor(of: Float.self)?.elements == [0])
    #expect(try golden.expected("scores", of: "b.1").tensor(of: Float.self)?.elements == [5])
    #expect(try golden.peer("logits", of: "a")?.tensor(of: Float.self)?.elements == [6])
    #expect(try golden.peer("scores", of: "a") == nil)
  }

  @Test(arguments: [[], ["x"], ["input.a"], ["output.a"], ["output32.logits.a", "input.a"]])
  func filesWithoutSamplesAreRefused(names: [String]) throws {
    let error = try #require(throws: Apus.GoldenError.self) { try samples(names) }
    #expect(error.reason == .noSamples)
  }

  @Test(arguments: [
    (["output.logits.a"], "input.a"), (["input.a", "input.b", "output.logits.a"], "output.logits.b"),
    (["input.a", "input.b", "output.x.a", "output.x.b", "output.y.a"], "output.y.b"),
  ])
  func whatIsMissingIsNamed(names: [String], missing: String) throws {
    let error = try #require(throws: Apus.GoldenError.self) { try samples(names) }
    #expect(error.reason == .missing(missing))
    #expect("\(error)".contains("\"\(missing)\""))
  }
}
