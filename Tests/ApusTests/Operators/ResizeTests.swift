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

  /// PyTorch 2.13, arange(width) in every row: maps of at most 128 rows and columns together go by the sizes where an axis
  /// keeps its length or doubles; larger ones, and times, by the scale.
  @Test func nearestGoesBySizesAsPyTorchDoes() throws {
    func columns<S: FloatingPointScalar>(_ height: Int?, _ width: Int, by scale: Double, as type: S.Type) throws -> [S]
    {
      let row = (0..<width).map { S($0) }
      guard let height else {
        return try interpolate(Tensor(row, shape: [1, 1, width]), scale: [scale]).elements
      }
      let rows = (0..<height).flatMap { _ in row }
      let found = try interpolate(Tensor(rows, shape: [1, 1, height, width]), scale: [1, scale])
      return Array(try found.elements.suffix(found.shape[3]))
    }
    func check<S: FloatingPointScalar>(_ type: S.Type) throws {
      for height in [1, 118] {
        #expect(try columns(height, 5, by: 2.1, as: S.self) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
        #expect(try columns(height, 4, by: 1.1, as: S.self) == [0, 1, 2, 3])
      }
      for height in [nil, 119] {
        #expect(try columns(height, 5, by: 2.1, as: S.self) == [0, 0, 0, 1, 1, 2, 2, 3, 3, 4])
      }
      for height in [nil, 125] { #expect(try columns(height, 4, by: 1.1, as: S.self) == [0, 0, 1, 2]) }
      let column = try Tensor<S>([0, 1, 2, 3], shape: [1, 1, 4, 1])
      #expect(try interpolate(column, scale: [2.1, 1]).elements == [0, 0, 1, 1, 2, 2, 3, 3])
    }
    try check(Float.self)
    try check(Double.self)
  }

  /// PyTorch 2.13: positions on a sample, 41 · (2 / 82) for one, fall before it in float32 and on it in float64, which small
  /// maps do not use.
  @Test func nearestRoundsAsPyTorchDoes() throws {
    func sample<S: FloatingPointScalar>(_ sizes: [Int], _ width: Int, _ place: Int, as type: S.Type) throws -> S {
      let row = try Tensor((0..<width).map { S($0) }, shape: [1, 1] + sizes.dropFirst().map { _ in 1 } + [width])
      return try interpolate(row, size: sizes).elements[place]
    }
    for sizes in [[82], [1, 82], [47, 82]] {
      #expect(try sample(sizes, 2, 41, as: Float.self) == 0)
      #expect(try sample(sizes, 2, 41, as: Double.self) == (sizes == [1, 82] ? 0 : 1))
    }
    for sizes in [[69], [1, 69], [99, 69]] {
      #expect(try sample(sizes, 21, 23, as: Float.self) == 6)
      #expect(try sample(sizes, 21, 23, as: Double.self) == (sizes == [1, 69] ? 6 : 7))
    }
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
