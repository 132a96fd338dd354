import Testing

@testable import Apus

/// Winograd's filtering against direct sums in float64. Its error is larger than theirs, and is stated here.
@Suite struct WinogradTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var batch = 1
    var inputs: Int
    var outputs: Int
    var size: Size2D
    var padding: Padding2D = 1
    var stride: Size2D = 1

    var testDescription: String {
      "\(batch)×\(inputs)→\(outputs) \(size.height)×\(size.width) p\(padding.top),\(padding.left) s\(stride.height)"
    }
  }

  static let cases = [
    // Tiles of 4×4, whole and cut off.
    Case(inputs: 16, outputs: 16, size: Size2D(height: 16, width: 20)),
    Case(batch: 2, inputs: 24, outputs: 40, size: Size2D(height: 13, width: 18)),
    Case(inputs: 64, outputs: 17, size: Size2D(height: 21, width: 7), padding: 0),
    Case(
      inputs: 16, outputs: 32, size: Size2D(height: 9, width: 11),
      padding: Padding2D(top: 0, left: 2, bottom: 1, right: 0)),
    // Tiles of 2×2: maps that would waste larger ones.
    Case(inputs: 32, outputs: 32, size: Size2D(height: 2, width: 6)),
    Case(batch: 2, inputs: 19, outputs: 16, size: Size2D(height: 6, width: 2)),
    // Several bands, and a single one whose parts are spread over threads.
    Case(inputs: 64, outputs: 64, size: Size2D(height: 52, width: 44)),
    Case(inputs: 160, outputs: 176, size: Size2D(height: 10, width: 9)),
    // Stride 2: tiles of 4×4, whole and cut off; bands, and parts spread over threads.
    Case(inputs: 32, outputs: 16, size: Size2D(height: 32, width: 40), stride: 2),
    Case(batch: 2, inputs: 40, outputs: 40, size: Size2D(height: 29, width: 31), stride: 2),
    Case(inputs: 32, outputs: 17, size: Size2D(height: 42, width: 27), padding: 0, stride: 2),
    Case(
      inputs: 33, outputs: 32, size: Size2D(height: 30, width: 33),
      padding: Padding2D(top: 0, left: 2, bottom: 13, right: 0), stride: 2),
    Case(inputs: 64, outputs: 64, size: Size2D(height: 103, width: 88), stride: 2),
    Case(inputs: 160, outputs: 176, size: Size2D(height: 40, width: 40), stride: 2),
  ]

  private func makeLayer<Scalar: FloatingPointScalar>(_ c: Case, as: Scalar.Type) throws -> Conv2d<Scalar> {
    let deviation = 1 / Double(c.inputs * 9).squareRoot()
    let weight = try Tensor<Float>(generated: "weight", shape: [c.outputs, c.inputs, 3, 3], deviation: deviation)
    let bias = try Tensor<Float>(generated: "bias", shape: [c.outputs])
    return try Conv2d(weight: weight.converted(), bias: bias.converted(), stride: c.stride, padding: c.padding)
  }

  @Test(arguments: cases)
  func agreesWithDirectSums(c: Case) throws {
    let x = try Tensor<Float>(generated: "x", shape: [c.batch, c.inputs, c.size.height, c.size.width])
    let truth = try makeLayer(c, as: Double.self)(x.converted()).elements
    var isDifferent = false
    for variant in Execution.availableVariants {
      let layer = try Execution.with(variant: variant) { try makeLayer(c, as: Float.self) }
      let exact = try Execution.with(variant: variant) { try layer(x) }
      let results = try [1, 2, 4].map { threads in
        try Execution.with(threads: threads, precision: .fast, variant: variant) { try layer(x) }
      }
      #expect(results.allSatisfy { $0.shape == exact.shape && $0.layout == exact.layout })
      let found = try results[0].elements
      #expect(try results[1].elements == found && results[2].elements == found, "\(variant)")
      // Of sums whose deviation is about 1, direct ones are off by 2e-6 at most: F(4×4) loses three bits.
      let error = zip(found, truth).map { Swift.abs(Double($0) - $1) }.max() ?? 0
      #expect(error < 2e-5, "\(variant)")
      isDifferent = try isDifferent || found != exact.elements
    }
    #expect(isDifferent, "Winograd was not used")
  }

  @Test(arguments: [Activation.silu, .relu])
  func theActivationComesLast(function: Activation) throws {
    let c = Self.cases[1]
    let x = try Tensor<Float>(generated: "x", shape: [c.batch, c.inputs, c.size.height, c.size.width])
    for variant in Execution.availableVariants {
      try Execution.with(precision: .fast, variant: variant) {
        let layer = try makeLayer(c, as: Float.self)
        #expect(try layer(x, activation: function).bytes == activation(layer(x), function).bytes, "\(variant)")
      }
    }
  }

  /// A NaN spoils the tiles it lies under, and nothing beyond.
  @Test func nanStaysWhereItIs() throws {
    var x = try Tensor<Float>(generated: "x", shape: [1, 16, 24, 24])
    try x.withUnsafeMutableBufferPointer { $0[5 * 576 + 2 * 24 + 3] = .nan }
    let layer = try makeLayer(Case(inputs: 16, outputs: 16, size: 24), as: Float.self)
    let y = try Execution.with(precision: .fast) { try layer(x).elements }
    for (index, value) in y.enumerated() {
      let (row, column) = (index / 24 % 24, index % 24)
      if (1...3).contains(row), (2...4).contains(column) { #expect(value.isNaN) }
      if row > 8 || column > 8 { #expect(!value.isNaN) }
    }
  }

  @Test func mapsThatNoMemoryHoldsAreRefused() throws {
    let c = Case(inputs: 16, outputs: 16, size: 4, padding: Padding2D(height: 1 << 28, width: 1 << 28))
    let layer = try makeLayer(c, as: Float.self)
    let x = try Tensor<Float>(generated: "x", shape: [1, 16, 4, 4])
    #expect(throws: TensorError.self) { try Execution.with(precision: .fast) { try layer(x) } }
  }

  @Test func otherStridesDilationGroupsAndFewChannelsStayDirect() throws {
    func isDirect(_ weight: [Int], _ build: (Tensor<Float>) throws -> Conv2d<Float>) throws -> Bool {
      let layer = try build(Tensor(generated: "weight", shape: weight))
      let x = try Tensor<Float>(generated: "x", shape: [1, weight[1] * (weight[0] == weight[1] * 2 ? 2 : 1), 36, 36])
      return try layer(x).bytes == Execution.with(precision: .fast) { try layer(x) }.bytes
    }
    #expect(try isDirect([16, 16, 3, 3]) { try Conv2d(weight: $0, stride: 3) })
    #expect(try isDirect([16, 16, 3, 3]) { try Conv2d(weight: $0, stride: Size2D(height: 1, width: 2)) })
    #expect(try isDirect([16, 16, 3, 3]) { try Conv2d(weight: $0, stride: 2) })
    #expect(try !isDirect([16, 32, 3, 3]) { try Conv2d(weight: $0, stride: 2) })
    #expect(try isDirect([16, 16, 3, 3]) { try Conv2d(weight: $0, dilation: 2) })
    #expect(try isDirect([32, 16, 3, 3]) { try Conv2d(weight: $0, groups: 2) })
    #expect(try isDirect([16, 3, 3, 3]) { try Conv2d(weight: $0) })
    #expect(try isDirect([16, 16, 1, 1]) { try Conv2d(weight: $0) })
  }
}
