import Testing

@testable import Apus

/// Attention against PyTorch, and what it refuses.
@Suite struct AttentionTests {
  @Test(arguments: GoldenCase.all(in: "attention", prefix: "function"))
  func functionAgreesWithPyTorch(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
      var masks: [AttentionMask<S>] = []
      if golden.name.hasSuffix("boolean") { masks = [.attending(try x.tensor("mask", as: Bool.self))] }
      if golden.name.hasSuffix("additive") { masks = [.additive(try x["mask"])] }
      return try scaledDotProductAttention(
        query: x["query"], key: x["key"], value: x["value"], masks: masks,
        isCausal: x.attributes.bool("isCausal"))
    }
    try golden.check(evaluate, evaluate)
  }

  @Test(arguments: GoldenCase.all(in: "attention", prefix: "layer"))
  func layerAgreesWithPyTorch(golden: GoldenCase) throws {
    let a = golden.attributes
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
      let layer = try MultiheadAttention<S>(
        x.weights(), embedding: a.int("embedding"), heads: a.int("heads"),
        keyFeatures: a.has("keyFeatures") ? a.int("keyFeatures") : nil,
        valueFeatures: a.has("valueFeatures") ? a.int("valueFeatures") : nil, batchFirst: a.bool("batchFirst"))
      var mask: AttentionMask<S>?
      if golden.name.contains(".boolean") { mask = .ignoring(try x.tensor("mask", as: Bool.self)) }
      if golden.name.contains(".additive") { mask = .additive(try x["mask"]) }
      let padding = golden.name.contains(".padding") ? try x.tensor("padding", as: Bool.self) : nil
      return try layer(
        x["query"], key: x.optional("key"), value: x.optional("value"), mask: mask, keyPaddingMask: padding)
    }
    try golden.check(evaluate, evaluate)
  }

  @Test func threadsDoNotChangeTheResult() throws {
    let x: Tensor<Float> = try randomTensor([3, 4, 40, 24], seed: 8)
    let results = try onEveryVariant { try scaledDotProductAttention(query: x, key: x, value: x, isCausal: true) }
    for (variant, result) in results {
      // The first query sees the first key only.
      let first = try result.sliced(axis: 2, to: 1).elements
      #expect(try first == x.sliced(axis: 2, to: 1).elements, "\(variant)")
    }
  }

  @Test func refusesWhatDoesNotFit() throws {
    let x = try Tensor<Float>(zeros: [2, 5, 8])
    #expect(throws: TensorError.self) {
      try scaledDotProductAttention(query: x, key: Tensor(zeros: [2, 5, 7]), value: x)
    }
    #expect(throws: TensorError.self) {
      try scaledDotProductAttention(query: x, key: x, value: Tensor(zeros: [2, 4, 8]))
    }
    #expect(throws: TensorError.self) {
      try scaledDotProductAttention(query: x, key: x, value: x, masks: [.ignoring(Tensor(zeros: [3, 5]))])
    }
    #expect(throws: TensorError.self) {
      try scaledDotProductAttention(query: x, key: x, value: x, masks: [.additive(Tensor(zeros: [4, 1, 5, 5]))])
    }
    let weights = Weights([
      "in_proj_weight": try Tensor<Float>(zeros: [24, 8]), "out_proj.weight": try Tensor<Float>(zeros: [8, 8]),
    ])
    #expect(throws: TensorError.self) { try MultiheadAttention<Float>(weights, embedding: 8, heads: 3) }
    #expect(throws: TensorError.self) { try MultiheadAttention<Float>(weights, embedding: 8, heads: 0) }
    #expect(throws: WeightsError.self) { try MultiheadAttention<Float>(weights, embedding: 16, heads: 2) }
    let layer = try MultiheadAttention<Float>(weights, embedding: 8, heads: 2, batchFirst: true)
    #expect(try layer(x).shape == [2, 5, 8])
    #expect(throws: TensorError.self) { try layer(Tensor(zeros: [5, 8])) }
    #expect(throws: TensorError.self) { try layer(x, key: Tensor(zeros: [3, 5, 8])) }
    #expect(throws: TensorError.self) { try layer(x, key: Tensor(zeros: [2, 5, 9])) }
    #expect(throws: TensorError.self) { try layer(x, keyPaddingMask: Tensor(zeros: [2, 4])) }
  }
}
