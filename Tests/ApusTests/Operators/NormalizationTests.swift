import ApusPlatform
import Testing

@testable import Apus

@Suite("Softmax and normalisation")
struct NormalizationTests {
  @Test("softmax agrees with PyTorch", arguments: GoldenCase.all(in: "normalization", prefix: "softmax"))
  func softmaxAgrees(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
      try softmax(x["x"], axis: x.attributes.int("axis"))
    }
    try golden.check(evaluate, evaluate)
  }

  @Test("logSoftmax agrees with PyTorch", arguments: GoldenCase.all(in: "normalization", prefix: "logSoftmax"))
  func logSoftmaxAgrees(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
      try logSoftmax(x["x"], axis: x.attributes.int("axis"))
    }
    try golden.check(evaluate, evaluate)
  }

  @Test("layerNorm agrees with PyTorch", arguments: GoldenCase.all(in: "normalization", prefix: "layerNorm"))
  func layerNormAgrees(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
      try layerNorm(
        x["x"], normalizedShape: x.attributes.ints("normalizedShape"), weight: x.optional("weight"),
        bias: x.optional("bias"), epsilon: x.attributes.double("epsilon"))
    }
    try golden.check(evaluate, evaluate)
  }

  @Test("groupNorm agrees with PyTorch", arguments: GoldenCase.all(in: "normalization", prefix: "groupNorm"))
  func groupNormAgrees(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
      try groupNorm(
        x["x"], groups: x.attributes.int("groups"), weight: x.optional("weight"), bias: x.optional("bias"))
    }
    try golden.check(evaluate, evaluate)
  }

  @Test("groupNorm of numbers that are nearly equal is as exact as of others", arguments: [0, 1000, -3e5] as [Float])
  func groupNormOfNearlyEqual(offset: Float) throws {
    let noise = try randomTensor([2, 6, 37], seed: 8, as: Float.self)
    let weight: [Float] = [1, -2, 0.5, 3, 1, 1]
    let x = try Tensor(noise.elements.map { offset + $0 }, shape: noise.shape)
    let elements = try x.elements.map(Double.init)
    let expected = elements.indices.map { index in
      // A group is three channels of 37 positions.
      let group = elements[(index / 111 * 111)...].prefix(111)
      let mean = group.reduce(0, +) / 111
      let variance = group.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 111
      return (elements[index] - mean) / (variance + 1e-5).squareRoot() * Double(weight[index / 37 % 6]) + 0.25
    }
    let (scale, bias) = (try Tensor(weight, shape: [6]), try Tensor<Float>(repeating: 0.25, shape: [6]))
    for (variant, result) in try resultsByVariant({ try groupNorm(x, groups: 2, weight: scale, bias: bias) }) {
      let difference = zip(try result.elements, expected).map { (Double($0) - $1).magnitude }.max() ?? 0
      #expect(difference < 2e-6, "\(variant)")
    }
  }

  @Test("batchNorm agrees with PyTorch", arguments: GoldenCase.all(in: "normalization", prefix: "batchNorm"))
  func batchNormAgrees(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
      try batchNorm(
        x["x"], runningMean: x["mean"], runningVariance: x["variance"], weight: x.optional("weight"),
        bias: x.optional("bias"), epsilon: x.attributes.double("epsilon"))
    }
    try golden.check(evaluate, evaluate)
  }

  @Test("softmax over any axis equals softmax over the last of the transposed tensor, on any number of threads")
  func axes() throws {
    for shape in [[3, 17, 31], [2, 100, 1], [1, 5, 4000], [70, 3, 2], [2, 1000, 70]] {
      let x: Tensor<Float> = try randomTensor(shape, seed: 4, in: -9...9)
      for logarithm in [false, true] {
        for (variant, result) in try resultsByVariant({
          try logarithm ? logSoftmax(x, axis: 1) : softmax(x, axis: 1)
        }) {
          let expected = try Execution.with(variant: variant) {
            let moved = try x.transposed(1, 2)
            return try (logarithm ? logSoftmax(moved) : softmax(moved)).transposed(1, 2)
          }
          let difference = zip(try result.elements, try expected.elements).map { ($0 - $1).magnitude }.max() ?? 0
          #expect(difference <= (logarithm ? 4e-6 : 1e-6), "\(shape) \(variant)")
        }
      }
    }
  }

  @Test(
    "softmax of rows of any length, also where they lie",
    arguments: [1, 7, 15, 16, 17, 31, 33, 49, 64, 65, 79, 80, 130])
  func softmaxOfAnyLength(columns: Int) throws {
    let x = try randomTensor([5, columns], seed: UInt64(columns), as: Float.self)
    let terms = try x.elements.map { exp(Double($0)) }
    for (variant, result) in try resultsByVariant({ try softmax(x) }) {
      for (index, value) in try result.elements.enumerated() {
        let row = index / columns * columns
        let exact = terms[index] / terms[row..<(row + columns)].reduce(0, +)
        // Two units for the exponential and the quotient, and two for rounding differences of up to 8 to the peak.
        #expect((Double(value) - exact).magnitude <= 4 * Double(Float(exact).ulp), "\(variant), element \(index)")
      }
    }
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        var elements = try x.elements
        elements.withUnsafeMutableBufferPointer { buffer in
          guard let base = buffer.baseAddress else { return }
          Execution.current.kernels.float32.softmaxRows(base, base, rows: 5, columns: columns, logarithm: false)
        }
        #expect(try elements == softmax(x).elements)
      }
    }
  }

  @Test("softmax: the smallest probabilities underflow gradually", arguments: [7, 16, 129])
  func subnormalProbabilities(columns: Int) throws {
    var row = [Float](repeating: -200, count: columns)
    row.replaceSubrange(0..<7, with: [0, -80, -87.5, -92, -97.25, -101, -103.25])
    let total = row.reduce(0) { $0 + exp(Double($1)) }
    for (variant, result) in try resultsByVariant({ try softmax(Tensor(row, shape: [1, columns])) }) {
      for (x, value) in zip(row, try result.elements) {
        let exact = exp(Double(x)) / total
        // Two roundings of the quotient, two of the exponential.
        #expect(abs(Double(value) - exact) <= 2 * Double(Float(exact).ulp), "\(variant): \(x)")
      }
    }
  }

  @Test("softmax: masked elements are exactly zero, huge ones do not overflow, NaN spreads over its row")
  func softmaxSpecials() throws {
    let rows: [[Float]] = [
      [1, -.infinity, 2, -.infinity], [1e38, 1e38, -1e38, 0], [0, .nan, 1, 2],
      [-.infinity, -.infinity, -.infinity, -.infinity],
    ]
    let x = try Tensor(rows.flatMap { $0 }, shape: [4, 4])
    for (_, result) in try resultsByVariant({ try softmax(x) }) {
      let y = try result.elements
      #expect(y[1] == 0 && y[3] == 0 && (y[0] + y[2] - 1).magnitude < 1e-6)
      #expect(y[4..<8] == [0.5, 0.5, 0, 0])
      #expect(!y[8...].contains { !$0.isNaN })
    }
    for (_, result) in try resultsByVariant({ try softmax(x.transposed(), axis: 0).transposed() }) {
      let y = try result.elements
      #expect(y[1] == 0 && y[3] == 0 && y[4..<8] == [0.5, 0.5, 0, 0])
      #expect(!y[8...].contains { !$0.isNaN })
    }
    #expect(try softmax(Tensor<Float>([3], shape: [])).scalar == 1)
    #expect(try softmax(Tensor<Float>(zeros: [2, 0])).count == 0)
  }

  @Test("layerNorm of a row far from zero keeps its digits")
  func largeMean() throws {
    let x = try Tensor<Float>((0..<100).map { 1e6 + Float($0 % 10) }, shape: [1, 100])
    let expected = try layerNorm(x.converted(to: Double.self), normalizedShape: [100])
    for (variant, result) in try resultsByVariant({ try layerNorm(x, normalizedShape: [100]) }) {
      for (a, b) in zip(try result.elements, try expected.elements) {
        #expect((Double(a) - b).magnitude < 0.02, "\(variant)")
      }
    }
  }

  @Test("normalisations of many rows: the same bits on any number of threads")
  func threads() throws {
    let x: Tensor<Float> = try randomTensor([50, 32, 70], seed: 9)
    let weight: Tensor<Float> = try randomTensor([32], seed: 10)
    let ones = try Tensor<Float>(repeating: 1, shape: [32])
    for (_, result) in try resultsByVariant({ try layerNorm(x, normalizedShape: [32, 70]) }) {
      #expect(result.shape == x.shape)
    }
    for (_, result) in try resultsByVariant({ try groupNorm(x, groups: 4, weight: weight) }) {
      #expect(result.shape == x.shape)
    }
    for (_, result) in try resultsByVariant({
      try batchNorm(x, runningMean: weight, runningVariance: ones, weight: weight)
    }) {
      #expect(result.shape == x.shape)
    }
  }

  @Test("an activation that batchNorm applies gives the bits that it gives afterwards")
  func batchNormAppliesActivations() throws {
    var random = SplitMix64(seed: 5)
    for shape in [[2, 21, 30, 41], [1, 3, 70, 75], [300, 21]] {
      let x = try Tensor<Float>.random(shape, using: &random)
      let mean = try Tensor<Float>.random([shape[1]], using: &random)
      let variance = try mean * mean
      let normalization = try BatchNormalization(
        channels: shape[1], runningMean: mean, runningVariance: variance, weight: mean, bias: variance, epsilon: 0.1)
      for function in [Activation.relu, .silu] {
        let expected = try activation(normalization(x), function)
        #expect(try normalization(x, activation: function).bytes == expected.bytes)
        guard shape.count == 4 else { continue }
        let blocked = try normalization(x.channelBlocked, activation: function)
        #expect(try blocked.layout == x.channelBlocked.layout)
        #expect(try blocked.rowMajor.bytes == expected.bytes)
      }
    }
  }

  @Test("batchNorm of a channel-blocked tensor gives the same bits in the same layout")
  func blockedBatchNorm() throws {
    for shape in [[2, 32, 7], [3, 16, 5, 6], [1, 48, 1, 1]] {
      let x: Tensor<Float> = try randomTensor(shape, seed: 6)
      let mean: Tensor<Float> = try randomTensor([shape[1]], seed: 7)
      let variance: Tensor<Float> = try randomTensor([shape[1]], seed: 8, in: 0.1...3)
      for (variant, result) in try resultsByVariant({
        try batchNorm(x.channelBlocked, runningMean: mean, runningVariance: variance, weight: mean, bias: variance)
      }) {
        #expect(result.layout == .channelBlocked)
        let expected = try Execution.with(variant: variant) {
          try batchNorm(x, runningMean: mean, runningVariance: variance, weight: mean, bias: variance)
        }
        #expect(try result.bytes == expected.bytes, "\(shape) \(variant)")
      }
    }
  }

  @Test("parameters of a wrong shape are named with both shapes")
  func errors() throws {
    let x = try Tensor<Float>(zeros: [2, 6, 4])
    let wrong = try Tensor<Float>(zeros: [5])
    for attempt in [
      { try layerNorm(x, normalizedShape: [4], weight: wrong) }, { try groupNorm(x, groups: 2, weight: wrong) },
      { try batchNorm(x, runningMean: wrong, runningVariance: wrong) },
    ] {
      #expect {
        try attempt()
      } throws: { "\($0)".contains("[5]") && ("\($0)".contains("[4]") || "\($0)".contains("[6]")) }
    }
    #expect(throws: TensorError.self) { try layerNorm(x, normalizedShape: [6]) }
    #expect(throws: TensorError.self) { try layerNorm(x, normalizedShape: []) }
    #expect(throws: TensorError.self) { try groupNorm(x, groups: 4) }
    #expect(throws: TensorError.self) { try groupNorm(x, groups: 0) }
    #expect(throws: TensorError.self) { try groupNorm(Tensor<Float>(zeros: [3]), groups: 1) }
    #expect(throws: TensorError.self) { try softmax(x, axis: 3) }
  }
}
