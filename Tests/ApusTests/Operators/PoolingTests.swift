import ApusTestSupport
import Testing

@testable import Apus

/// Pooling against a naive loop, over windows that leave rests at every edge.
@Suite struct PoolingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var channels: Int
    var size: Size2D
    var kernel: Size2D
    var stride: Size2D
    var padding: Padding2D = 0
    var dilation: Size2D = 1
    var ceilMode = false

    var testDescription: String { "\(channels)×\(size.height)×\(size.width) k\(kernel) s\(stride) ceil \(ceilMode)" }
  }

  static let cases: [Case] = [
    Case(channels: 16, size: Size2D(height: 7, width: 9), kernel: 3, stride: 2, padding: 1),
    Case(channels: 3, size: Size2D(height: 7, width: 10), kernel: 3, stride: 2, padding: 1, ceilMode: true),
    Case(channels: 32, size: Size2D(height: 5, width: 6), kernel: 5, stride: 1, padding: 2),
    Case(
      channels: 16, size: Size2D(height: 9, width: 8), kernel: Size2D(height: 2, width: 3),
      stride: Size2D(height: 3, width: 1), padding: Padding2D(top: 0, left: 1, bottom: 1, right: 0), ceilMode: true),
    Case(channels: 2, size: Size2D(height: 1, width: 1), kernel: 2, stride: 1, padding: 1),
    Case(channels: 3, size: Size2D(height: 4, width: 23), kernel: 3, stride: 1, padding: 1),
    Case(channels: 1, size: Size2D(height: 5, width: 16), kernel: 3, stride: 1, padding: 1),
    Case(channels: 2, size: Size2D(height: 3, width: 40), kernel: 2, stride: 1),
    Case(channels: 5, size: Size2D(height: 11, width: 9), kernel: 3, stride: 2, padding: 2, dilation: 2),
    // Neighbours at the sides as in the middle: narrower than a vector, as wide, wider; windows wider than the map.
    Case(channels: 3, size: Size2D(height: 7, width: 7), kernel: 3, stride: 1, padding: 1),
    Case(channels: 2, size: Size2D(height: 6, width: 18), kernel: 5, stride: 1, padding: 2),
    Case(
      channels: 3, size: Size2D(height: 8, width: 33), kernel: Size2D(height: 3, width: 5),
      stride: Size2D(height: 2, width: 1), padding: Padding2D(height: 1, width: 2)),
    Case(
      channels: 2, size: Size2D(height: 3, width: 5), kernel: Size2D(height: 1, width: 8), stride: 1,
      padding: Padding2D(height: 0, width: 4)),
    // Lines dealt out by every stride, of a few vectors and a rest.
    Case(channels: 2, size: Size2D(height: 9, width: 70), kernel: 3, stride: 2, padding: 1),
    Case(channels: 2, size: Size2D(height: 8, width: 45), kernel: 3, stride: 2, padding: 2, dilation: 2),
    Case(channels: 1, size: Size2D(height: 9, width: 61), kernel: 3, stride: 3),
    Case(channels: 2, size: Size2D(height: 12, width: 83), kernel: 5, stride: 4, padding: 2, ceilMode: true),
    Case(channels: 2, size: Size2D(height: 7, width: 30), kernel: 7, stride: 2, padding: 3),
    Case(
      channels: 1, size: Size2D(height: 2, width: 90), kernel: Size2D(height: 1, width: 70),
      stride: Size2D(height: 1, width: 2), padding: Padding2D(height: 0, width: 35)),
  ]

  @Test(arguments: cases)
  func matchesNaiveLoop(_ c: Case) throws {
    var random = SplitMix64(seed: 11)
    let x = try Tensor<Float>.random([2, c.channels, c.size.height, c.size.width], using: &random)
    let maxima = try naive(x, c) { values, _ in values.max() ?? -.infinity }
    let means = try naive(x, c) { values, _ in values.reduce(0, +) / Double(values.count) }
    let paddedMeans = try naive(x, c) { values, extent in values.reduce(0, +) / Double(extent) }
    for variant in Execution.availableVariants {
      for threads in [1, 2, 4] {
        try Execution.with(threads: threads, variant: variant) {
          for input in [x, try x.channelBlocked] {
            let found = try maxPool2d(
              input, kernel: c.kernel, stride: c.stride, padding: c.padding, dilation: c.dilation, ceilMode: c.ceilMode)
            #expect(found.layout == input.layout)
            #expect(try found.elements.map(Double.init) == maxima)
            guard c.dilation == 1 else { continue }
            for (counts, expected) in [(false, means), (true, paddedMeans)] {
              let found = try averagePool2d(
                input, kernel: c.kernel, stride: c.stride, padding: c.padding, ceilMode: c.ceilMode,
                countIncludePad: counts)
              #expect(found.layout == input.layout)
              #expect(found.count == expected.count)
              #expect(try largestDifference(found.elements, expected) < 1e-6)
            }
          }
        }
      }
    }
  }

  @Test func largeMapsAreDividedByRows() throws {
    var random = SplitMix64(seed: 5)
    let x = try Tensor<Float>.random([1, 1, 300, 120], using: &random)
    let whole = try Execution.with(threads: 1) { try maxPool2d(x, kernel: 3, stride: 2, padding: 1) }
    let divided = try Execution.with(threads: 4) { try maxPool2d(x, kernel: 3, stride: 2, padding: 1) }
    #expect(try whole.elements == divided.elements)
    #expect(whole.shape == [1, 1, 150, 60])
    let values = try x.elements
    let last = [297, 298, 299].flatMap { row in values[row * 120 + 117..<row * 120 + 120] }
    #expect(try whole.element(0, 0, 149, 59) == last.max())
  }

  @Test func aNaNIsTheMaximum() throws {
    var values = [Float](repeating: 1, count: 16 * 4)
    values[5] = .nan
    let x = try Tensor(values, shape: [1, 16, 2, 2])
    for input in [x, try x.channelBlocked] {
      let y = try globalMaxPool(input).elements
      #expect(y[0] == 1)
      #expect(y[1].isNaN)
      #expect(y[2] == 1)
    }
    let doubles = try Tensor<Double>([1, .nan, 2], shape: [1, 1, 3])
    #expect(try maxPool1d(doubles, kernel: 3).scalar.isNaN)
  }

  @Test func refusesWhatDoesNotFit() throws {
    let x = try Tensor<Float>(zeros: [1, 3, 4, 4])
    #expect(throws: TensorError.self) { try maxPool2d(x, kernel: 5) }
    #expect(throws: TensorError.self) { try maxPool2d(x, kernel: 2, padding: 2) }
    #expect(throws: TensorError.self) { try maxPool2d(x, kernel: 0) }
    #expect(throws: TensorError.self) { try maxPool2d(x, kernel: 2, stride: 0) }
    #expect(throws: TensorError.self) { try averagePool2d(x, kernel: .init(height: 2, width: .max)) }
    #expect(throws: TensorError.self) { try maxPool1d(x, kernel: 2) }
    #expect(throws: TensorError.self) { try adaptiveAveragePool2d(x, output: 0) }
    #expect(throws: TensorError.self) { try globalAveragePool(Tensor<Float>(zeros: [1, 3, 0, 4])) }
    #expect(throws: TensorError.self) { try globalAveragePool(Tensor<Float>(zeros: [3])) }
    #expect(try maxPool2d(Tensor<Float>(zeros: [0, 3, 4, 4]), kernel: 2).shape == [0, 3, 2, 2])
  }

  /// `reduce` of the elements of every window inside the map, and of how many positions it covers with padding.
  func naive(_ x: Tensor<Float>, _ c: Case, _ reduce: ([Double], Int) -> Double) throws -> [Double] {
    func count(_ size: Int, _ kernel: Int, _ stride: Int, _ before: Int, _ after: Int, _ dilation: Int) -> Int {
      let room = size + before + after - dilation * (kernel - 1) - 1
      var count = room / stride + 1
      if c.ceilMode, room % stride != 0, count * stride < size + before { count += 1 }
      return count
    }
    let rows = count(
      c.size.height, c.kernel.height, c.stride.height, c.padding.top, c.padding.bottom, c.dilation.height)
    let columns = count(c.size.width, c.kernel.width, c.stride.width, c.padding.left, c.padding.right, c.dilation.width)
    let values = try x.elements.map(Double.init)
    var result: [Double] = []
    for map in 0..<2 * c.channels {
      for row in 0..<rows {
        for column in 0..<columns {
          var window: [Double] = []
          var extent = 0
          for i in 0..<c.kernel.height {
            for j in 0..<c.kernel.width {
              let r = row * c.stride.height + i * c.dilation.height - c.padding.top
              let q = column * c.stride.width + j * c.dilation.width - c.padding.left
              if r < c.size.height + c.padding.bottom, q < c.size.width + c.padding.right { extent += 1 }
              if (0..<c.size.height).contains(r), (0..<c.size.width).contains(q) {
                window.append(values[(map * c.size.height + r) * c.size.width + q])
              }
            }
          }
          result.append(reduce(window, extent))
        }
      }
    }
    return result
  }
}
