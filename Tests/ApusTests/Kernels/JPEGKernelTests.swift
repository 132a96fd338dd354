import ApusKernelInterface
import ApusPlatform
import Testing

@testable import Apus

/// The loops that make pixels of a JPEG file, each against the plainest way to write it.
@Suite struct JPEGKernelTests {
  /// Rows shorter and longer than vectors, with every rest.
  private static let counts = Array(0...35) + [63, 64, 65, 100]

  /// Rows of the least and the greatest samples, of both in turn, and of any.
  private func rows(_ count: Int, seed: UInt64) throws -> [[UInt8]] {
    try [
      Array(repeating: 0, count: count), Array(repeating: 255, count: count),
      (0..<count).map { $0.isMultiple(of: 2) ? 255 : 0 }, randomIntegers([count], seed: seed).elements,
    ]
  }

  // MARK: - Coefficients

  @Test func transformedBlocksAreThoseOfTheAccurateTransform() throws {
    for (name, block) in blocks() {
      for step in [1, 3, 255] as [Int16] {
        let steps = (0..<64).map { step &+ Int16($0 % 5) }
        try check([block], steps: steps, name)
      }
    }
    let (all, ones) = (blocks().map(\.1), [Int16](repeating: 1, count: 64))
    for count in [0, 2, 3, all.count] { try check(Array(all.prefix(count)), steps: ones, "\(count) blocks") }
  }

  /// Blocks that a picture may have, against sums of cosines: rounding twice takes little from the last bit.
  @Test func transformedBlocksAreSumsOfCosines() throws {
    var random = SplitMix64(seed: 4)
    let steps = [Int16](repeating: 1, count: 64)
    for count in [1, 2, 5, 64] {
      let places = (0..<64).shuffled(using: &random).prefix(count)
      var block = [Int16](repeating: 0, count: 64)
      for place in places { block[place] = .random(in: -200...200, using: &random) }
      let exact = sumsOfCosines(block)
      for variant in Execution.availableVariants {
        let found = Execution.with(variant: variant) { transformed([block], steps: steps, stride: 8) }
        #expect(zip(found, exact).allSatisfy { abs(Double($0) - $1) < 1 }, "\(variant), \(count) coefficients")
      }
    }
  }

  /// Blocks of one colour, of few and of many coefficients, and of more than pictures have: what no sixteen bits hold
  /// between the columns and the rows becomes the nearest that they do.
  private func blocks() -> [(String, [Int16])] {
    var random = SplitMix64(seed: 3)
    func block(of count: Int, in range: ClosedRange<Int16>) -> [Int16] {
      var block = [Int16](repeating: 0, count: 64)
      for place in (0..<64).shuffled(using: &random).prefix(count) { block[place] = .random(in: range, using: &random) }
      return block
    }
    var blocks: [(String, [Int16])] = []
    for color in [0, 1, -1, 3, 4, -4, 1023, -1024, 2047, .max, .min] as [Int16] {
      blocks.append(("one colour, \(color)", [color] + [Int16](repeating: 0, count: 63)))
    }
    blocks.append(("the last coefficient", [Int16](repeating: 0, count: 63) + [77]))
    for (first, second) in [(Int16.max, Int16.min), (.max, .max), (.min, .min)] {
      blocks.append(("\(first) and \(second) in turn", (0..<64).map { $0.isMultiple(of: 2) ? first : second }))
    }
    for (count, limit) in [(2, 300), (5, 1024), (20, 1024), (64, 1024), (64, Int16.max)] {
      blocks.append(("\(count) within \(limit)", block(of: count, in: -limit...limit)))
    }
    return blocks
  }

  private func check(_ blocks: [[Int16]], steps: [Int16], _ name: String) throws {
    let stride = 8 * blocks.count + 3
    var expected = [UInt8](repeating: 7, count: 8 * stride)
    for (index, block) in blocks.enumerated() {
      for (place, sample) in accuratelyTransformed(block, steps: steps).enumerated() {
        expected[place / 8 * stride + 8 * index + place % 8] = sample
      }
    }
    for variant in Execution.availableVariants {
      let found = Execution.with(variant: variant) { transformed(blocks, steps: steps, stride: stride) }
      #expect(found == expected, "\(variant), \(name), steps from \(steps[0])")
    }
  }

  /// What the kernel makes of blocks, among sevens.
  private func transformed(_ blocks: [[Int16]], steps: [Int16], stride: Int) -> [UInt8] {
    // Two rows of a block are interleaved.
    var order: [Int] = []
    for (first, second) in [(0, 4), (2, 6), (1, 3), (5, 7)] {
      for column in 0..<8 { order += [8 * first + column, 8 * second + column] }
    }
    let coefficients = blocks.flatMap { block in order.map { block[$0] } }
    var y = [UInt8](repeating: 7, count: 8 * stride)
    Execution.current.pixelKernels.inverseDCT(
      coefficients, quantization: order.map { steps[$0] }, blocks: blocks.count, &y, stride: stride)
    return y
  }

  /// The samples of a block as `jidctint.c` of the Independent JPEG Group computes them: columns, with two bits after
  /// the point, then rows.
  private func accuratelyTransformed(_ block: [Int16], steps: [Int16]) -> [UInt8] {
    var numbers = zip(block, steps).map { Int($0 &* $1) }
    for column in 0..<8 {
      let results = transformedLine((0..<8).map { numbers[8 * $0 + column] })
      for row in 0..<8 { numbers[8 * row + column] = Int(Int16(clamping: (results[row] + 1 << 10) >> 11)) }
    }
    return (0..<8).flatMap { row -> [UInt8] in
      let results = transformedLine(Array(numbers[8 * row..<8 * row + 8]))
      return results.map { UInt8(clamping: ($0 + 1 << 17) >> 18 + 128) }
    }
  }

  /// One line of eight, with constants of 13 bits after the point.
  private func transformedLine(_ x: [Int]) -> [Int] {
    let turned = (x[2] + x[6]) * 4433
    let (a, b) = (turned + x[2] * 6270, turned - x[6] * 15_137)
    let (sum, difference) = ((x[0] + x[4]) * 8192, (x[0] - x[4]) * 8192)
    let even = [sum + a, difference + b, difference - b, sum - a]
    let all = (x[1] + x[3] + x[5] + x[7]) * 9633
    let (outer, inner) = ((x[1] + x[7]) * -7373, (x[3] + x[5]) * -20_995)
    let (upper, lower) = (all - (x[3] + x[7]) * 16_069, all - (x[1] + x[5]) * 3196)
    let odd = [
      x[1] * 12_299 + outer + lower, x[3] * 25_172 + inner + upper, x[5] * 16_819 + inner + lower,
      x[7] * 2446 + outer + upper,
    ]
    return (0..<4).map { even[$0] + odd[$0] } + (0..<4).reversed().map { even[$0] - odd[$0] }
  }

  /// The samples of a block by definition, those that a byte cannot hold as the nearest that it can.
  private func sumsOfCosines(_ block: [Int16]) -> [Double] {
    func wave(_ frequency: Int, _ place: Int) -> Double {
      cos(Double((2 * place + 1) * frequency) * .pi / 16) * (frequency == 0 ? 0.5.squareRoot() : 1)
    }
    return (0..<64).map { place in
      let sum = block.indices.reduce(0.0) { sum, index in
        sum + Double(block[index]) * wave(index / 8, place / 8) * wave(index % 8, place % 8)
      }
      return min(max(sum / 4 + 128, 0), 255)
    }
  }

  // MARK: - Resolution

  @Test func samplesAreSpreadOverColumns() throws {
    for count in Self.counts {
      for x in try rows(count, seed: 1) {
        let values = x.map { Int($0) }
        let expected = values.indices.flatMap { i -> [Int] in
          let (before, after) = (values[max(i - 1, 0)], values[min(i + 1, count - 1)])
          return [(3 * values[i] + before + 1) / 4, (3 * values[i] + after + 2) / 4]
        }
        check(expected, x, isTight: false) { kernels, x, _, _, y in kernels.upsampleColumns(x, y, count: count) }
      }
    }
  }

  @Test func samplesOfTwoRowsAreSpreadOverColumns() throws {
    for count in Self.counts {
      for near in try rows(count, seed: 1) {
        for far in try rows(count, seed: 2) {
          let sums = zip(near, far).map { 3 * Int($0) + Int($1) }
          let expected = sums.indices.flatMap { i -> [Int] in
            let (before, after) = (sums[max(i - 1, 0)], sums[min(i + 1, count - 1)])
            return [(3 * sums[i] + before + 8) / 16, (3 * sums[i] + after + 7) / 16]
          }
          check(expected, near, far, isTight: false) { kernels, near, far, _, y in
            kernels.upsampleColumns(near: near, far: far, y, count: count)
          }
        }
      }
    }
  }

  @Test(arguments: [1, 2])
  func samplesAreSpreadOverRows(rounding: Int) throws {
    for count in Self.counts {
      for near in try rows(count, seed: 1) {
        for far in try rows(count, seed: 2) {
          let expected = zip(near, far).map { (3 * Int($0) + Int($1) + rounding) / 4 }
          check(expected, near, far, isTight: false) { kernels, near, far, _, y in
            kernels.upsampleRows(near: near, far: far, y, count: count, rounding: rounding)
          }
        }
      }
    }
  }

  @Test(arguments: 1...4)
  func samplesAreRepeated(denominator: Int) throws {
    for numerator in 1...denominator {
      for count in Self.counts {
        let x: [UInt8] = try randomIntegers([count * numerator / denominator + 1], seed: 1).elements
        let expected = (0..<count).map { Int(x[$0 * numerator / denominator]) }
        check(expected, x) { kernels, x, _, _, y in
          kernels.repeatColumns(x, y, count: count, numerator: numerator, denominator: denominator)
        }
      }
    }
  }

  // MARK: - Colours

  /// Every pair of differences of colour, in rows with a rest.
  @Test(arguments: [0, 100, 255] as [UInt8])
  func luminanceAndDifferencesOfColorAreConverted(luminance: UInt8) {
    for cb in 0..<256 {
      let expected = (0..<256).flatMap { cr in
        let (y, b, r) = (Int(luminance) << 16 + 1 << 15, cb - 128, cr - 128)
        return [y + 91_881 * r, y - 22_554 * b - 46_802 * r, y + 116_130 * b].map { Int(UInt8(clamping: $0 >> 16)) }
      }
      let light = [UInt8](repeating: luminance, count: 256)
      let blue = [UInt8](repeating: UInt8(cb), count: 256)
      let count = 256 - cb % 33
      check(Array(expected.prefix(3 * count)), light, blue, (0..<256).map { UInt8($0) }) { kernels, y, b, r, pixels in
        kernels.rgbFromYCC(y, b, r, pixels, count: count)
      }
    }
  }

  @Test func rowsAreInterleaved() throws {
    for count in Self.counts {
      let rows = try (1...3).map { try randomIntegers([count], seed: $0, as: UInt8.self).elements }
      let expected = (0..<count).flatMap { i in rows.map { Int($0[i]) } }
      check(expected, rows[0], rows[1], rows[2]) { kernels, a, b, c, y in kernels.interleave(a, b, c, y, count: count) }
    }
  }

  /// Every number with every factor.
  @Test func inksTakeLightAway() {
    for factor in UInt8.min...UInt8.max {
      let x = (0..<258).map { UInt8($0 % 256) }
      // There are no ties: 255 is odd.
      let expected = x.map { value in
        UInt8(Int(factor) - Int((Double(255 - value) * Double(factor) / 255).rounded()))
      }
      for variant in Execution.availableVariants {
        var y = x + [7]
        Execution.with(variant: variant) {
          Execution.current.pixelKernels.darken(&y, [UInt8](repeating: factor, count: 86), count: 86)
        }
        #expect(y == expected + [7], "\(variant), \(factor)")
      }
    }
  }

  @Test func numbersAreInverted() throws {
    for count in Self.counts + [256] {
      for x in try rows(count, seed: 1) + [(0..<count).map { UInt8(truncatingIfNeeded: $0) }] {
        for variant in Execution.availableVariants {
          var y = x + [7]
          Execution.with(variant: variant) { Execution.current.pixelKernels.invert(&y, count: count) }
          #expect(y == x.map { 255 - $0 } + [7], "\(variant), \(count)")
        }
      }
    }
  }

  // MARK: - Rows in memory

  private typealias Row = UnsafePointer<UInt8>

  /// Requires that `body` writes `expected`, on every variant, given rows whose first and last samples are repeated
  /// before and after them.
  ///
  /// - Parameter isTight: whether nothing after the result may be written.
  private func check(
    _ expected: [Int], _ a: [UInt8], _ b: [UInt8] = [], _ c: [UInt8] = [], isTight: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (any PixelKernels.Type, Row, Row, Row, UnsafeMutablePointer<UInt8>) -> Void
  ) {
    func padded(_ x: [UInt8]) -> [UInt8] {
      Array(repeating: x.first ?? 0, count: jpegMargin) + x + Array(repeating: x.last ?? 0, count: jpegMargin)
    }
    func run(_ a: Row, _ b: Row, _ c: Row, _ y: UnsafeMutablePointer<UInt8>) {
      body(Execution.current.pixelKernels, a + jpegMargin, b + jpegMargin, c + jpegMargin, y + jpegMargin)
    }
    let (a, b, c) = (padded(a), padded(b), padded(c))
    let margin = [UInt8](repeating: 7, count: jpegMargin)
    let whole = margin + expected.map { UInt8($0) } + margin
    let checked = whole.count - (isTight ? 0 : jpegMargin)
    for variant in Execution.availableVariants {
      var y = [UInt8](repeating: 7, count: whole.count)
      Execution.with(variant: variant) { run(a, b, c, &y) }
      #expect(
        y.prefix(checked) == whole.prefix(checked), "\(variant), \(expected.count) bytes",
        sourceLocation: sourceLocation)
    }
  }
}
