import ApusTestSupport
import Testing

@testable import Apus

/// Transposed convolution as what it is: the adjoint of a convolution.
@Suite struct TransposedConvolutionTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var inputs: Int
    var outputs: Int
    var size: Size2D
    var kernel: Size2D
    var stride: Size2D = 1
    var padding: Padding2D = 0
    var outputPadding: Size2D = 0
    var dilation: Size2D = 1
    var groups = 1

    var testDescription: String {
      "\(inputs)→\(outputs) \(size.height)×\(size.width) k\(kernel.height)×\(kernel.width) g\(groups)"
    }
  }

  static let cases: [Case] = [
    Case(inputs: 3, outputs: 5, size: Size2D(height: 4, width: 6), kernel: 3),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 5, width: 3), kernel: 2, stride: 2),
    Case(
      inputs: 4, outputs: 6, size: Size2D(height: 3, width: 5), kernel: Size2D(height: 3, width: 4),
      stride: Size2D(height: 2, width: 3), padding: Padding2D(height: 1, width: 2),
      outputPadding: Size2D(height: 1, width: 2), groups: 2),
    Case(inputs: 2, outputs: 4, size: 3, kernel: 3, padding: 2, dilation: 2),
    Case(inputs: 6, outputs: 6, size: Size2D(height: 2, width: 7), kernel: 5, stride: 2, padding: 2, groups: 6),
    // As ordinary convolutions: doubled maps, phases that are alike and that are not, cut off and added to, unlike axes.
    Case(inputs: 16, outputs: 32, size: Size2D(height: 5, width: 7), kernel: 4, stride: 2, padding: 1),
    Case(
      inputs: 32, outputs: 16, size: Size2D(height: 6, width: 3), kernel: 3, stride: 2, padding: 1, outputPadding: 1),
    Case(
      inputs: 16, outputs: 16, size: Size2D(height: 1, width: 9), kernel: Size2D(height: 1, width: 16),
      stride: Size2D(height: 1, width: 8), padding: Padding2D(height: 0, width: 4)),
    Case(
      inputs: 16, outputs: 16, size: Size2D(height: 7, width: 4), kernel: Size2D(height: 5, width: 6), stride: 3,
      padding: Padding2D(top: 0, left: 4, bottom: 3, right: 1), outputPadding: Size2D(height: 2, width: 0)),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 9, width: 8), kernel: 3, padding: 1),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 4, width: 5), kernel: 5, stride: 2, padding: 4),
    // Windows larger than the map.
    Case(inputs: 32, outputs: 16, size: 1, kernel: 4),
  ]

  /// `⟨convTranspose(x, w), z⟩ = ⟨x, conv(z, w)⟩` for any `z` says everything there is to say.
  @Test(arguments: cases)
  func isTheAdjointOfConvolution(_ c: Case) throws {
    var random = SplitMix64(seed: 21)
    let x = try Tensor<Double>.random([2, c.inputs, c.size.height, c.size.width], using: &random)
    let w = try Tensor<Double>.random(
      [c.inputs, c.outputs / c.groups, c.kernel.height, c.kernel.width], using: &random)
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        func transposed<S: FloatingPointScalar>(_ x: Tensor<S>, _ w: Tensor<S>, threads: Int = 1) throws -> Tensor<S> {
          try Execution.with(threads: threads) {
            try convTranspose2d(
              x, weight: w, stride: c.stride, padding: c.padding, outputPadding: c.outputPadding, groups: c.groups,
              dilation: c.dilation)
          }
        }
        let y = try transposed(x, w)
        let z = try Tensor<Double>.random(y.shape, using: &random)
        let back = try conv2d(
          z, weight: w, stride: c.stride, padding: c.padding, dilation: c.dilation, groups: c.groups)
        #expect(back.shape == x.shape)
        #expect(abs(try dot(y, z) - dot(x, back)) < 1e-10)

        let floats = try transposed(x.asFloat, w.asFloat)
        #expect(try largestDifference(floats.elements, y.elements) < 2e-5)
        #expect(try transposed(x.asFloat, w.asFloat, threads: 2).elements == floats.elements)
        #expect(try transposed(x.asFloat, w.asFloat, threads: 4).elements == floats.elements)
      }
    }
  }

  @Test func refusesWhatDoesNotFit() throws {
    let x = try Tensor<Float>(zeros: [1, 4, 3, 3])
    let w = try Tensor<Float>(zeros: [4, 2, 3, 3])
    #expect(throws: TensorError.self) { try convTranspose2d(x, weight: Tensor(zeros: [3, 2, 3, 3])) }
    #expect(throws: TensorError.self) { try convTranspose2d(x, weight: w, bias: Tensor(zeros: [3])) }
    #expect(throws: TensorError.self) { try convTranspose2d(x, weight: w, stride: 0) }
    #expect(throws: TensorError.self) { try convTranspose2d(x, weight: w, outputPadding: 1) }
    #expect(throws: TensorError.self) { try convTranspose2d(x, weight: w, outputPadding: -1) }
    #expect(throws: TensorError.self) { try convTranspose2d(x, weight: w, padding: 3) }
    #expect(throws: TensorError.self) { try convTranspose2d(x, weight: w, groups: 3) }
    let far = Size2D(height: 1 << 31, width: 1 << 31)
    #expect(throws: TensorError.self) { try convTranspose2d(x, weight: w, stride: far) }
    #expect(throws: TensorError.self) { try convTranspose1d(x, weight: w) }
    #expect(throws: TensorError.self) { try convTranspose2d(Tensor<Float>(zeros: [1, 4, 0, 3]), weight: w) }
    #expect(try convTranspose2d(Tensor<Float>(zeros: [0, 4, 3, 3]), weight: w).shape == [0, 2, 5, 5])
  }

  func dot(_ a: Tensor<Double>, _ b: Tensor<Double>) throws -> Double {
    zip(try a.elements, try b.elements).reduce(0) { $0 + $1.0 * $1.1 }
  }
}

extension Tensor<Double> {
  var asFloat: Tensor<Float> {
    get throws { try Tensor<Float>(elements.map { Float($0) }, shape: shape) }
  }
}
