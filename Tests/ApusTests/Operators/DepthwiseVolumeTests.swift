import ApusTestSupport
import Testing

@testable import Apus

/// Channels by themselves over three axes, against a naive loop in float64.
@Suite struct DepthwiseVolumeTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var batch = 1
    var channels: Int
    var multiplier = 1
    /// Depth, height and width, as of all lists.
    var size: [Int]
    var kernel = [3, 3, 3]
    var stride = [1, 1, 1]
    var dilation = [1, 1, 1]
    var before = [1, 1, 1]
    var after = [1, 1, 1]

    var testDescription: String {
      "\(batch)×\(channels)·\(multiplier) \(size) k\(kernel) s\(stride) d\(dilation) p\(before)\(after)"
    }

    func outputs() -> [Int] {
      (0..<3).map { (size[$0] + before[$0] + after[$0] - dilation[$0] * (kernel[$0] - 1) - 1) / stride[$0] + 1 }
    }

    var depth: DepthwiseVolumes.Depth {
      DepthwiseVolumes.Depth(stride: stride[0], dilation: dilation[0], before: before[0], after: after[0])
    }

    func parameters() throws -> ConvolutionParameters {
      try ConvolutionParameters(
        operation: "Conv", kernel: Size2D(height: kernel[1], width: kernel[2]),
        stride: Size2D(height: stride[1], width: stride[2]),
        padding: Padding2D(top: before[1], left: before[2], bottom: after[1], right: after[2]),
        dilation: Size2D(height: dilation[1], width: dilation[2]), groups: channels)
    }
  }

  static let cases: [Case] = [
    Case(channels: 24, size: [4, 9, 17]),
    Case(batch: 2, channels: 17, size: [5, 6, 5], stride: [2, 2, 2]),
    Case(channels: 3, size: [4, 7, 18], kernel: [5, 1, 1], before: [2, 0, 0], after: [2, 0, 0]),
    Case(channels: 16, size: [3, 8, 21], kernel: [1, 3, 3], before: [0, 1, 1], after: [0, 1, 1]),
    Case(channels: 33, size: [2, 2, 2], kernel: [5, 5, 5], before: [2, 2, 2], after: [2, 2, 2]),
    Case(channels: 20, multiplier: 2, size: [4, 5, 9]),
    Case(
      batch: 2, channels: 18, size: [9, 5, 7], stride: [3, 1, 2], dilation: [2, 1, 2], before: [0, 1, 3],
      after: [3, 0, 1]),
    // Planes between those of the first window, which the second one needs.
    Case(
      channels: 6, multiplier: 3, size: [7, 1, 3], kernel: [2, 3, 3], dilation: [2, 2, 1], before: [1, 2, 1],
      after: [1, 2, 1]),
    Case(batch: 2, channels: 20, size: [11, 3, 4], stride: [2, 1, 1], dilation: [3, 1, 1], before: [5, 1, 1]),
    // Planes that no window reaches the map from.
    Case(channels: 16, size: [2, 3, 5], dilation: [4, 1, 1], before: [9, 1, 1], after: [9, 1, 1]),
    Case(channels: 32, size: [3, 70, 40], kernel: [2, 3, 3], before: [1, 1, 1], after: [0, 1, 1]),
  ]

  private func naive(_ x: [Float], _ w: [Float], _ b: [Float], _ c: Case) -> [Double] {
    let outputs = c.outputs()
    var result: [Double] = []
    for sample in 0..<c.batch {
      for output in 0..<c.channels * c.multiplier {
        let plane = (sample * c.channels + output / c.multiplier) * c.size[0]
        for z in 0..<outputs[0] {
          for y in 0..<outputs[1] {
            for x0 in 0..<outputs[2] {
              var sum = Double(b[output])
              for tap in 0..<c.kernel[0] * c.kernel[1] * c.kernel[2] {
                let places = [tap / c.kernel[2] / c.kernel[1], tap / c.kernel[2] % c.kernel[1], tap % c.kernel[2]]
                var at = [z, y, x0]
                for axis in 0..<3 {
                  at[axis] = at[axis] * c.stride[axis] + places[axis] * c.dilation[axis] - c.before[axis]
                }
                guard zip(at, c.size).allSatisfy({ (0..<$1).contains($0) }) else { continue }
                let element = ((plane + at[0]) * c.size[1] + at[1]) * c.size[2] + at[2]
                sum += Double(x[element]) * Double(w[output * c.kernel.reduce(1, *) + tap])
              }
              result.append(sum)
            }
          }
        }
      }
    }
    return result
  }

  @Test(arguments: cases)
  func matchesNaiveLoop(_ c: Case) throws {
    var random = SplitMix64(seed: 11)
    let x = try Tensor<Float>.random([c.batch, c.channels] + c.size, using: &random)
    let w = try Tensor<Float>.random([c.channels * c.multiplier, 1] + c.kernel, using: &random)
    let b = try Tensor<Float>.random([c.channels * c.multiplier], using: &random)
    let expected = try naive(x.elements, w.elements, b.elements, c)
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let volumes = try DepthwiseVolumes(weight: w, bias: b, depth: c.depth, parameters: c.parameters())
        let y = try volumes(x)
        #expect(y.shape == [c.batch, c.channels * c.multiplier] + c.outputs())
        #expect(try largestDifference(y.elements, expected) < 2e-5, "\(variant)")
        for threads in [2, 5] {
          let same = try Execution.with(threads: threads) { try volumes(x, activation: .silu) }
          #expect(try same.elements == silu(y).elements, "\(variant)")
        }
        let normalization = try BatchNormalization(
          channels: b.count, runningMean: b, runningVariance: b * b, weight: nil, bias: b, epsilon: 1e-3)
        let normalized = try DepthwiseVolumes(
          weight: w, bias: b, normalization: normalization, depth: c.depth, parameters: c.parameters())
        #expect(try normalized(x, activation: .silu).bytes == normalization(y, activation: .silu).bytes, "\(variant)")
      }
    }
  }

  @Test func refusesWhatDoesNotFit() throws {
    let c = Case(channels: 16, size: [4, 4, 4])
    let volumes = try DepthwiseVolumes(
      weight: Tensor(zeros: [16, 1, 3, 3, 3]), bias: nil, depth: c.depth, parameters: c.parameters())
    #expect(throws: TensorError.self) { try volumes(Tensor(zeros: [1, 8, 4, 4, 4])) }
    #expect(throws: TensorError.self) { try volumes(Tensor(zeros: [1, 16, 4, 4])) }
    let none = DepthwiseVolumes.Depth(stride: 1, dilation: 1, before: 0, after: 0)
    let unpadded = try volumes.padded(by: 0, depth: none)
    #expect(throws: TensorError.self) { try unpadded(Tensor(zeros: [1, 16, 2, 4, 4])) }
    #expect(throws: TensorError.self) {
      try DepthwiseVolumes(
        weight: Tensor(zeros: [15, 1, 3, 3, 3]), bias: nil, depth: c.depth, parameters: c.parameters())
    }
  }
}
