import Testing

@testable import Apus

/// Windows so long that the rows of one map are cut into parts, between which work can be broken off.
@Suite struct LongWindowTests {
  /// Small integers, so that all sums are exact.
  private func numbers(_ count: Int) -> [Float] { (0..<count).map { Float($0 % 7) } }

  /// What windows of ones give, with so many zeros at both sides.
  private func sums(_ x: [Float], taps: Int, padding: Int) -> [Float] {
    var before: [Float] = [0]
    for number in x { before.append(before[before.count - 1] + number) }
    return (-padding...(x.count + padding - taps)).map { first in
      before[min(first + taps, x.count)] - before[max(first, 0)]
    }
  }

  private func parameters(taps: Int, padding: Int, groups: Int) throws -> ConvolutionParameters {
    try ConvolutionParameters(
      operation: "test", kernel: Size2D(height: 1, width: taps), stride: 1,
      padding: Padding2D(height: 0, width: padding), dilation: 1, groups: groups)
  }

  private func convolution<Scalar: FloatingPointScalar>(
    _ type: Scalar.Type = Float.self, outputs: Int, taps: Int, padding: Int, groups: Int = 1
  ) throws -> Convolution<Scalar> {
    try Convolution(
      weight: Tensor(repeating: 1, shape: [outputs, 1, 1, taps]), bias: nil,
      parameters: parameters(taps: taps, padding: padding, groups: groups))
  }

  /// A row of 201 positions, of which 84 take a while.
  @Test func aRowIsComputedInParts() throws {
    let (taps, padding) = (250_000, 100)
    let x = numbers(taps)
    let expected = sums(x, taps: taps, padding: padding)
    let input = try Tensor(x, shape: [1, 1, 1, taps])
    for outputs in [1, 16] {
      let convolution = try convolution(outputs: outputs, taps: taps, padding: padding)
      let result = try convolution(input)
      for output in 0..<outputs {
        #expect(try result.selected(axis: 1, index: output).elements == expected)
      }
      guard outputs == 16 else { continue }
      // One piece of work: the first part is done before anybody looks.
      let broken = try Execution.with(stop: StopSign(deadline: 0)) { try convolution(input) }
      let found = try broken.selected(axis: 1, index: 0).elements
      #expect(found.prefix(84) == expected.prefix(84) && found != expected)
    }
  }

  /// 32,001 positions of one output, which are lanes of vectors.
  @Test func aLineIsComputedInParts() throws {
    let (taps, count) = (16_000, 48_000)
    let x = numbers(count)
    let result = try convolution(outputs: 1, taps: taps, padding: 0)(Tensor(x, shape: [1, 1, 1, count]))
    #expect(try result.elements == sums(x, taps: taps, padding: 0))
  }

  /// Every channel by itself, 24 positions at a time.
  @Test func aRowOfChannelsIsComputedInParts() throws {
    let (taps, padding) = (530_000, 20)
    let x = numbers(taps)
    let expected = sums(x, taps: taps, padding: padding)
    let convolution = try convolution(outputs: 2, taps: taps, padding: padding, groups: 2)
    let input = try Tensor(x + x.map { 2 * $0 }, shape: [1, 2, 1, taps])
    let result = try convolution(input)
    #expect(try result.elements == expected + expected.map { 2 * $0 })
  }

  @Test func channelsAreBrokenOff() throws {
    let (taps, width) = (300_000, 64)
    let convolution = try DepthwiseConvolution(
      weight: Tensor(repeating: 1, shape: [1, 1, 1, taps]), bias: Tensor(zeros: [1]), normalization: nil,
      parameters: parameters(taps: taps, padding: taps - 1, groups: 1))
    let x = try Tensor<Float>(repeating: 1, shape: [1, TensorLayout.block])
    let y = try Tensor<Float>(zeros: [width, TensorLayout.block])
    Execution.with(stop: StopSign(deadline: 0)) {
      convolution.accumulate(
        Execution.current.kernels, x.pointer, 1, y.mutablePointer, Size2D(height: 1, width: width), block: 0, copy: 0,
        rows: 0..<1)
    }
    withExtendedLifetime(x) {}
    #expect(try y.elements.allSatisfy { $0 == 0 })
  }
}
