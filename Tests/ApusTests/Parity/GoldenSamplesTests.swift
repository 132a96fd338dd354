import Testing

@testable import Apus

@Suite struct GoldenSamplesTests {
  private func samples(_ names: [String], metadata: [String: String] = [:]) throws -> GoldenSamples {
    var writer = SafetensorsWriter(metadata: metadata)
    for (index, name) in names.enumerated() { try writer.add(Tensor<Float>([Float(index)]), named: name) }
    let bytes = try writer.bytes()
    return try GoldenSamples(bytes.withUnsafeBytes { try SafetensorsFile(bytes: $0, name: "golden") })
  }

  @Test func namesDistinguishSamplesAndOutputs() throws {
    let golden = try samples(
      [
        "input.ids.b", "input.a", "output.logits.a", "output.logits.b", "output.layer.1.a", "output.layer.1.b",
        "output32.logits.a", "other",
      ], metadata: ["by": "me"])
    #expect(golden.sampleNames == ["a", "b"])
    #expect(golden.outputNames == ["layer.1", "logits"])
    #expect(golden.metadata == ["by": "me"])
    #expect(try golden.inputs(of: "b").tensor("ids", as: Double.self).elements == [0])
    #expect(try golden.inputs(of: "a").single(as: Float.self).elements == [1])
    #expect(try golden.inputs(of: "a").names == [""])
    #expect(try golden.inputs(of: "a").optional("mask", as: Float.self) == nil)
    #expect(throws: Apus.GoldenError.self) { try golden.inputs(of: "b").single(as: Float.self) }
    #expect(try golden.expected("layer.1", of: "b").tensor(of: Float.self)?.elements == [5])
    #expect(try golden.peer("logits", of: "a")?.tensor(of: Float.self)?.elements == [6])
    #expect(try golden.peer("layer.1", of: "a") == nil)
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

  @Test func aPictureStandsForAnInputAndAStrideForAllElements() throws {
    let golden = try samples(
      ["output.y.a"],
      metadata: ["images": #"{"a": {"shape": [1, 3, 8, 12], "cell": 4}}"#, "strides": #"{"y": 3}"#])
    let image = try golden.inputs(of: "a").single(as: Float.self)
    #expect(image.shape == [1, 3, 8, 12])
    #expect(try golden.stored(Tensor<Float>(range: 8), as: "y").elements == [0, 3, 6])
    #expect(try golden.stored(Tensor<Float>(range: 8), as: "z").count == 8)
  }

  @Test func weightsMayBeMadeByAFormula() throws {
    let json = #"[["a.weight", [2, 3], 0.5, 0.1], ["a.bias", [2], 0, 0]]"#
    let weights = try #require(try samples(["input.a", "output.y.a"], metadata: ["parameters": json]).generatedWeights)
    #expect(weights.names == ["a.bias", "a.weight"])
    let weight: Tensor<Float> = try weights["a"].tensor("weight", shape: [2, 3])
    // What Weights/reference/parity.py makes.
    #expect(try weight.elements == [0.77266943, 0.4126279, 0.7568146, 0.6315986, 0.3544468, 0.3999234])
    #expect(try samples(["input.a", "output.y.a"]).generatedWeights == nil)
  }

  @Test(arguments: [
    ["parameters": "["], ["parameters": #"[["a", [-1], 0, 1]]"#], ["parameters": #"[["a", [1]]]"#],
    ["images": "3"], ["strides": #"{"y": 0}"#],
  ])
  func metadataThatCannotBeUsedAreRefused(metadata: [String: String]) throws {
    let error = try #require(throws: Apus.GoldenError.self) {
      _ = try samples(["input.a", "output.y.a"], metadata: metadata).generatedWeights
    }
    guard case .badMetadata(let key, _) = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect(metadata[key] != nil)
  }

  @Test(arguments: [
    "[1, 3, -8, 8]", "[1, 3, 8]", "[1, 3, 1099511627776, 1099511627776]", "[9223372036854775807, 3, 8, 8]",
    "[1, 3, 7, 8]",
    "[-1, -3, 8, 8]",
  ])
  func picturesThatCannotBeAreRefused(shape: String) throws {
    for cell in ["8", "0", "-8", "9223372036854775807"] {
      let golden = try samples(["output.y.a"], metadata: ["images": #"{"a": {"shape": \#(shape), "cell": \#(cell)}}"#])
      #expect(throws: TensorError.self) { _ = try golden.inputs(of: "a") }
    }
  }

  @Test func parametersThatDoNotFitInMemoryAreRefused() throws {
    let json = #"[["a", [1099511627776, 1048576], 0, 1], ["b", [1, -1], 0, 1]]"#
    let golden = try samples(["input.a", "output.y.a"], metadata: ["parameters": json])
    #expect(throws: Apus.GoldenError.self) { _ = try golden.generatedWeights }
    let large = #"[["a", [1099511627776, 4096], 0, 1]]"#
    let weights = try #require(
      try samples(["input.a", "output.y.a"], metadata: ["parameters": large]).generatedWeights)
    #expect(throws: TensorError.self) { let _: Tensor<Float> = try weights.tensor("a") }
  }
}
