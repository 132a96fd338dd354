import ApusTestSupport
import Testing

@testable import Apus

/// Linear layers against a naive loop, in all the ways in which rows, columns and depth can be odd.
@Suite("Linear")
struct LinearTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var rows: Int
    var inputs: Int
    var outputs: Int
    var testDescription: String { "\(rows)×\(inputs)→\(outputs)" }
  }

  static let cases: [Case] =
    [
      (1, 1, 1), (1, 7, 33), (1, 600, 50), (1, 1000, 700), (2, 16, 16), (3, 145, 31), (5, 4, 32), (13, 17, 19),
      (14, 32, 64), (15, 33, 48), (32, 128, 130), (33, 1300, 40), (300, 20, 37), (1100, 9, 18), (4, 0, 5), (1, 0, 3),
      (0, 4, 5), (3, 4, 0), (3, 0, 0),
      // Left operands of more than 65,536 numbers.
      (64, 1032, 32), (33, 2005, 10), (17, 4100, 64), (130, 600, 48),
      // Rows that are laid out: a multiple of 4 KB apart, few and many, and before many columns.
      (20, 1024, 40), (130, 1024, 40), (5, 40, 4100), (300, 230, 4099),
    ].map { Case(rows: $0.0, inputs: $0.1, outputs: $0.2) }

  @Test("against a naive loop, the same bits on any number of threads", arguments: cases)
  func naive(_ c: Case) throws {
    try check(c, Float.self, tolerance: 1e-4)
    try check(c, Double.self, tolerance: 1e-12)
  }

  private func check<S: FloatingPointScalar>(_ c: Case, _: S.Type, tolerance: Double) throws {
    let x = try randomTensor([c.rows, c.inputs], seed: 1, in: -1...1, as: S.self)
    let weight = try randomTensor([c.outputs, c.inputs], seed: 2, in: -1...1, as: S.self)
    let bias = try randomTensor([c.outputs], seed: 3, as: S.self)
    let (values, weights, biases) = try (
      x.asDouble.elements, weight.asDouble.elements, bias.asDouble.elements
    )
    let expected = referenceLinear(values, weight: weights, bias: biases, rows: c.rows, inputs: c.inputs)
    let layer = try Linear(weight: weight, bias: bias)
    #expect(layer.inputs == c.inputs && layer.outputs == c.outputs)
    for (variant, result) in try resultsByVariant({ try layer(x) }) {
      #expect(result.shape == [c.rows, c.outputs])
      #expect(largestDifference(try result.elements, expected) < tolerance, "\(variant)")
      let activated = try Execution.with(variant: variant) { try layer(x, activation: .leakyReLU()) }
      #expect(try activated.bytes == leakyReLU(result).bytes, "\(variant)")
    }
    // Stored the other way round, the same numbers in the same order.
    let transposed = try Linear(stacking: [.inputsFirst(weight.transposed(0, 1))], bias: bias)
    #expect(try transposed(x).bytes == layer(x).bytes)
    // Without a bias, as with one of zeros.
    let zeros = try Tensor<S>(zeros: [c.outputs])
    #expect(try Linear(weight: weight)(x).bytes == Linear(weight: weight, bias: zeros)(x).bytes)
  }

  @Test("pieces of the inputs are one matrix")
  func stacking() throws {
    for (depths, outputs) in [
      ([5, 20], 33), ([16, 16], 32), ([1, 300, 7, 130], 50), ([128, 384], 70), ([0, 3], 4),
    ] {
      let inputs = depths.reduce(0, +)
      let whole = try randomTensor([inputs, outputs], seed: 5, in: -1...1, as: Float.self)
      let bias = try randomTensor([outputs], seed: 6, as: Float.self)
      var pieces: [LinearWeight<Float>] = []
      var first = 0
      for (index, depth) in depths.enumerated() {
        let piece = try whole.sliced(axis: 0, from: first, to: first + depth)
        pieces.append(index.isMultiple(of: 2) ? .outputsFirst(try piece.transposed(0, 1)) : .inputsFirst(piece))
        first += depth
      }
      let (joined, stacked) = (
        try Linear(stacking: [.inputsFirst(whole)], bias: bias), try Linear(stacking: pieces, bias: bias)
      )
      for rows in [1, 2, 32] {
        let x = try randomTensor([rows, inputs], seed: 7, as: Float.self)
        #expect(try stacked(x).bytes == joined(x).bytes, "\(depths) \(rows)")
      }
    }
  }

  @Test("NaN and infinity stay in their row and column")
  func specials() throws {
    for rows in [1, 2, 20] {
      var x = try randomTensor([rows, 40], seed: 1, as: Float.self)
      try x.setElement(rows - 1, 39, to: .nan)
      var weight = try randomTensor([35, 40], seed: 2, as: Float.self)
      let layer = try Linear(weight: weight)
      for (_, y) in try resultsByVariant({ try layer(x) }) {
        let values = try y.elements
        #expect(values.dropLast(35).allSatisfy(\.isFinite) && values.suffix(35).allSatisfy(\.isNaN))
      }
      x = try randomTensor([rows, 40], seed: 1, in: 1...2, as: Float.self)
      try weight.setElement(34, 0, to: .infinity)
      let infinite = try Linear(weight: weight)
      for (_, y) in try resultsByVariant({ try infinite(x) }) {
        for (index, value) in try y.elements.enumerated() { #expect(value.isFinite == (index % 35 != 34)) }
      }
    }
  }

  @Test("any number of axes before the last")
  func axes() throws {
    let layer = try Linear(weight: randomTensor([3, 5], seed: 1, as: Float.self))
    let x = try randomTensor([2, 3, 4, 5], seed: 2, as: Float.self)
    #expect(try layer(x).shape == [2, 3, 4, 3])
    #expect(try layer(x).bytes == layer(x.reshaped([24, 5])).bytes)
    #expect(try layer(randomTensor([5], seed: 3, as: Float.self)).shape == [3])
  }

  @Test("weights of a mapped file are what they were after the layer has let go of them")
  func mappedWeights() throws {
    let folder = try TemporaryFolder()
    let weight = try randomTensor([70, 300], seed: 1, as: Float.self)
    var writer = SafetensorsWriter()
    try writer.add(weight, named: "weight")
    try writer.write(toPath: folder.path + "/weights")
    let weights = try Weights(path: folder.path + "/weights")
    let mapped: Tensor<Float> = try weights.tensor("weight")
    let x = try randomTensor([9, 300], seed: 2, as: Float.self)
    #expect(try Linear(weights, inputs: 300, outputs: 70)(x).bytes == Linear(weight: weight)(x).bytes)
    #expect(try mapped.bytes == weight.bytes)
  }

  @Test("shapes that do not fit are refused with what was found")
  func refusals() throws {
    let weight = try Tensor<Float>(zeros: [4, 3])
    for attempt in [
      { _ = try Linear(weight: weight, bias: Tensor<Float>(zeros: [3])) },
      { _ = try Linear(weight: Tensor<Float>(zeros: [7])) },
      { _ = try Linear(stacking: [LinearWeight<Float>]()) },
      { _ = try Linear(stacking: [.outputsFirst(weight), .inputsFirst(weight)]) },
      { _ = try Linear(weight: Tensor<Float>(zeros: [0, Int.max])) },
      { _ = try Linear(weight: Tensor<Float>(zeros: [Int.max, 0])) },
      { _ = try Linear(weight: weight)(Tensor<Float>(zeros: [3, 4])) },
      { _ = try Linear(weight: weight)(Tensor<Float>(zeros: [])) },
    ] {
      #expect(throws: TensorError.self) { try attempt() }
    }
    #expect {
      try Linear(weight: weight)(Tensor<Float>(zeros: [2, 5]))
    } throws: { "\($0)".contains("[2, 5]") && "\($0)".contains("3") }
  }
}
