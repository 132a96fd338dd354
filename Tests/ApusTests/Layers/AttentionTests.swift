import ApusTestSupport
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
    let results = try resultsByVariant { try scaledDotProductAttention(query: x, key: x, value: x, isCausal: true) }
    for (variant, result) in results {
      // The first query sees the first key only.
      let first = try result.sliced(axis: 2, to: 1).elements
      #expect(try first == x.sliced(axis: 2, to: 1).elements, "\(variant)")
    }
  }

  /// Batch, heads, queries, keys, features, values.
  static let sizes: [[Int]] = [
    [1, 1, 1, 1, 1, 1], [2, 3, 5, 7, 9, 11], [1, 4, 32, 32, 32, 32], [1, 2, 17, 33, 16, 48], [2, 1, 150, 20, 8, 3],
    [1, 2, 300, 16, 32, 32], [3, 2, 4, 1, 5, 6], [2, 3, 4, 40, 16, 32],
  ]

  @Test(arguments: sizes)
  func agreesWithItsParts(size: [Int]) throws {
    try check(size, Float.self, tolerance: 2e-6)
    try check(size, Double.self, tolerance: 1e-14)
  }

  private func check<S: FloatingPointScalar>(_ size: [Int], _: S.Type, tolerance: Double) throws {
    let (batch, heads, queries, keys) = (size[0], size[1], size[2], size[3])
    let q: Tensor<S> = try randomTensor([batch, heads, queries, size[4]], seed: 1)
    let k: Tensor<S> = try randomTensor([batch, heads, keys, size[4]], seed: 2)
    let v: Tensor<S> = try randomTensor([batch, heads, keys, size[5]], seed: 3)
    func truth(_ shape: [Int], seed: UInt64) throws -> Tensor<Bool> {
      let values = try randomTensor(shape, seed: seed, as: Float.self).elements
      return try Tensor(values.map { $0 > -1 }, shape: shape)
    }
    let masks: [[AttentionMask<S>]] = [
      [], [.attending(try truth([batch, 1, 1, keys], seed: 4))], [.ignoring(try truth([queries, 1], seed: 5))],
      [.attending(try truth([batch, heads, queries, keys], seed: 6)), .additive(try randomTensor([keys], seed: 7))],
      [.additive(try randomTensor([heads, 1, 1], seed: 8)), .additive(try randomTensor([queries, keys], seed: 9))],
    ]
    for masks in masks {
      for isCausal in [false, true] {
        var scores = try matmul(q.asDouble, k.asDouble, transposingB: true) / Double(size[4]).squareRoot()
        if isCausal {
          let seen = (0..<queries).flatMap { query in (0..<keys).map { $0 <= query } }
          scores = try scores.maskedFill(Tensor(seen.map { !$0 }, shape: [queries, keys]), with: -.infinity)
        }
        for mask in masks {
          switch mask {
          case .attending(let mask):
            scores = try Tensor(where: mask, then: scores, else: Tensor(repeating: -.infinity, shape: []))
          case .ignoring(let mask): scores = try scores.maskedFill(mask, with: -.infinity)
          case .additive(let bias): scores = try scores + bias.asDouble
          }
        }
        let expected = try matmul(softmax(scores), v.asDouble).elements
        for (variant, result) in try resultsByVariant({
          try scaledDotProductAttention(query: q, key: k, value: v, masks: masks, isCausal: isCausal)
        }) {
          let found = try result.elements
          #expect(result.shape == [batch, heads, queries, size[5]])
          #expect(zip(found, expected).allSatisfy { $0.isNaN == $1.isNaN }, "\(variant)")
          #expect(
            zip(found, expected).allSatisfy { $1.isNaN || (Double($0) - $1).magnitude < tolerance }, "\(variant)")
          // Heads side by side, the same bits.
          func joined(_ x: Tensor<S>) throws -> Tensor<S> {
            try x.transposed(1, 2).reshaped([x.shape[0], x.shape[2], x.shape[1] * x.shape[3]])
          }
          let together = try Execution.with(variant: variant) {
            try scaledDotProductAttention(
              query: joined(q), key: joined(k), value: joined(v), heads: heads, masks: masks, isCausal: isCausal)
          }
          #expect(try together.bytes == joined(result).bytes, "\(variant)")
        }
      }
    }
  }

  @Test func operandsAreBroadcast() throws {
    let q: Tensor<Float> = try randomTensor([2, 3, 4, 8], seed: 1)
    let k: Tensor<Float> = try randomTensor([3, 5, 8], seed: 2)
    let v: Tensor<Float> = try randomTensor([2, 1, 5, 6], seed: 3)
    let expected = try matmul(softmax(matmul(q, k, transposingB: true) / Float(8).squareRoot()), v)
    let found = try scaledDotProductAttention(query: q, key: k, value: v)
    #expect(found.shape == [2, 3, 4, 6])
    #expect(largestDifference(try found.elements, try expected.asDouble.elements) < 2e-6)
  }

  @Test func emptyOperandsGiveEmptyResultsOrZeros() throws {
    let x = try Tensor<Float>(zeros: [2, 0, 8])
    let y: Tensor<Float> = try randomTensor([2, 3, 8], seed: 1)
    #expect(try scaledDotProductAttention(query: x, key: y, value: y).shape == [2, 0, 8])
    #expect(try scaledDotProductAttention(query: y, key: x, value: x).elements == [Float](repeating: 0, count: 48))
    #expect(try scaledDotProductAttention(query: y, key: x, value: x, heads: 2).shape == [2, 3, 8])
    let none = try Tensor<Float>(zeros: [2, 3, 0])
    #expect(try scaledDotProductAttention(query: none, key: none, value: y).shape == [2, 3, 8])
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
    for heads in [-1, 0, 3] {
      #expect(throws: TensorError.self) { try scaledDotProductAttention(query: x, key: x, value: x, heads: heads) }
    }
    #expect(throws: TensorError.self) {
      try scaledDotProductAttention(query: x, key: Tensor(zeros: [3, 5, 8]), value: x, heads: 2)
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

  @Test("a query's result does not depend on whether another one is left without a key")
  func rowsAreTheirOwn() throws {
    var random = SplitMix64(seed: 5)
    let query = try Tensor<Float>.random([1, 1, 3, 8], using: &random)
    let key = try Tensor<Float>.random([1, 1, 21, 8], using: &random)
    let value = try Tensor<Float>.random([1, 1, 21, 16], using: &random)
    func attend(first: Float) throws -> [Float] {
      let mask = try concatenate([Tensor(repeating: first, shape: [1, 21]), Tensor(zeros: [2, 21])], axis: 0)
      var options = AttentionOptions<Float>()
      options.masks = [.additive(mask)]
      return try groupedAttention(
        query: AttentionHeads(query, heads: 1), key: AttentionHeads(key, heads: 1),
        value: AttentionHeads(value, heads: 1), options: options
      ).elements
    }
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let (masked, plain) = (try attend(first: -.infinity), try attend(first: 0))
        #expect(masked[..<16].allSatisfy { $0 == 0 })
        #expect(masked[16...] == plain[16...], "\(variant)")
      }
    }
  }
}
