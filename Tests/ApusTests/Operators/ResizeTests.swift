import Testing

@testable import Apus

/// Interpolation's layouts, threads and refusals; its values are golden.
@Suite struct ResizeTests {
  static let modes: [InterpolationMode] = [.nearest, .bilinear(), .bilinear(alignCorners: true)]

  @Test(arguments: modes)
  func layoutsAndThreadsAgree(_ mode: InterpolationMode) throws {
    var random = SplitMix64(seed: 2)
    let x = try Tensor<Float>.random([2, 16, 13, 9], using: &random)
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let map = try x.channelBlocked
        for size in [[40, 31], [5, 4], [13, 9]] {
          let expected = try Execution.with(threads: 1) { try interpolate(x, size: size, mode: mode) }
          for threads in [1, 2, 4] {
            let found = try Execution.with(threads: threads) { try interpolate(map, size: size, mode: mode) }
            #expect(found.layout == .channelBlocked)
            #expect(try found.elements == expected.elements)
            let again = try Execution.with(threads: threads) { try interpolate(x, size: size, mode: mode) }
            #expect(try again.elements == expected.elements)
          }
        }
      }
    }
  }

  @Test func doublesASmallMap() throws {
    let x = try Tensor<Double>([1, 2, 3, 4], shape: [1, 1, 2, 2])
    #expect(try interpolate(x, scale: [2, 2]).elements == [1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4])
    #expect(try interpolate(x, size: [1, 3], mode: .bilinear(alignCorners: true)).elements == [1, 1.5, 2])
    #expect(try interpolate(x, size: [1, 4], mode: .bilinear()).elements == [2, 2.25, 2.75, 3])
  }

  @Test func refusesWhatDoesNotFit() throws {
    let x = try Tensor<Float>(zeros: [1, 2, 4, 4])
    #expect(throws: TensorError.self) { try interpolate(x, size: [4]) }
    #expect(throws: TensorError.self) { try interpolate(x, size: [0, 4]) }
    #expect(throws: TensorError.self) { try interpolate(x, size: [.max, .max]) }
    #expect(throws: TensorError.self) { try interpolate(x, scale: [1]) }
    #expect(throws: TensorError.self) { try interpolate(x, scale: [-1, 2]) }
    #expect(throws: TensorError.self) { try interpolate(x, scale: [.nan, 2]) }
    #expect(throws: TensorError.self) { try interpolate(x, scale: [1e300, 2]) }
    #expect(throws: TensorError.self) { try interpolate(x, scale: [0.1, 1]) }
    #expect(throws: TensorError.self) { try interpolate(Tensor<Float>(zeros: [1, 2, 0, 4]), size: [2, 2]) }
    #expect(throws: TensorError.self) { try interpolate(Tensor<Float>(zeros: [4, 4]), size: [2, 2]) }
    #expect(try interpolate(Tensor<Float>(zeros: [0, 2, 4, 4]), size: [2, 3]).shape == [0, 2, 2, 3])
  }
}
