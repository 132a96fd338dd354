import Testing

@testable import Apus

/// Normalising layers and embeddings against PyTorch.
@Suite struct NormalizationLayerTests {
  @Test(arguments: ["layerNorm", "groupNorm"].flatMap { GoldenCase.all(in: "normalization_layers", prefix: $0) })
  func agreesWithPyTorch(golden: GoldenCase) throws {
    let a = golden.attributes
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
      if golden.name.hasPrefix("layerNorm") {
        return try LayerNorm<S>(x.weights(), normalizedShape: a.ints("shape"), epsilon: a.double("epsilon"))(x["x"])
      }
      return try GroupNorm<S>(
        x.weights(), groups: a.int("groups"), channels: a.int("channels"), epsilon: a.double("epsilon"))(x["x"])
    }
    try golden.check(evaluate, evaluate)
  }

  @Test(arguments: ["batchNorm1d", "batchNorm2d"].flatMap { GoldenCase.all(in: "normalization_layers", prefix: $0) })
  func batchNormAgreesWithPyTorch(golden: GoldenCase) throws {
    let a = golden.attributes
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
      if golden.name.hasPrefix("batchNorm1d") {
        return try BatchNorm1d<S>(x.weights(), channels: a.int("channels"), epsilon: a.double("epsilon"))(x["x"])
      }
      return try BatchNorm2d<S>(x.weights(), channels: a.int("channels"), epsilon: a.double("epsilon"))(x["x"])
    }
    try golden.check(evaluate, evaluate)
  }

  @Test(arguments: GoldenCase.all(in: "normalization_layers", prefix: "embedding"))
  func embeddingAgreesWithPyTorch(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
      try Embedding(weight: x["weight"])(x.tensor("indices", as: Int64.self))
    }
    try golden.check(evaluate, evaluate)
  }

  @Test func refusesWhatDoesNotFit() throws {
    let weights = Weights(["weight": try Tensor<Float>(zeros: [6]), "bias": try Tensor<Float>(zeros: [5])])
    #expect(throws: WeightsError.self) { try LayerNorm<Float>(weights, normalizedShape: [6]) }
    #expect(throws: WeightsError.self) { try GroupNorm<Float>(weights, groups: 2, channels: 6) }
    #expect(throws: TensorError.self) { try GroupNorm<Float>(groups: 4, channels: 6) }
    #expect(throws: TensorError.self) { try GroupNorm<Float>(groups: 0, channels: 6) }
    #expect(throws: TensorError.self) { try GroupNorm<Float>(groups: 2, channels: 6)(Tensor(zeros: [1, 4, 3])) }
    #expect(throws: TensorError.self) { try LayerNorm<Float>(normalizedShape: [3], weight: Tensor(zeros: [4])) }
    #expect(throws: TensorError.self) { try LayerNorm<Float>(normalizedShape: [3])(Tensor(zeros: [3, 4])) }
    let table = try Embedding<Float>(weight: Tensor([1, 2, 3, 4], shape: [2, 2]))
    #expect(try table(Tensor([1, 0, 1], shape: [3, 1])).elements == [3, 4, 1, 2, 3, 4])
    #expect(throws: TensorError.self) { try table(Tensor([2], shape: [1])) }
    #expect(throws: TensorError.self) { try table(Tensor([-1], shape: [1])) }
    #expect(throws: TensorError.self) { try Embedding<Float>(weight: Tensor(zeros: [4])) }
    #expect(throws: WeightsError.self) { try Embedding<Float>(weights, rows: 2, features: 3) }
  }
}
