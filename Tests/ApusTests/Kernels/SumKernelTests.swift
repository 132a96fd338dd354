import ApusKernelInterface
import Testing

@testable import Apus

/// What makes bytes of sums, against the formula, one sum after the other.
@Suite struct SumKernelTests {
  /// The limits of a byte, with signs or without, and narrower ones, as an activation makes them.
  private static let ranges = [
    QuantizedRange(least: 0, greatest: 255, zeroPoint: 0), QuantizedRange(least: 0, greatest: 255, zeroPoint: 131),
    QuantizedRange(least: -128, greatest: 127, zeroPoint: -7), QuantizedRange(least: 0, greatest: 127, zeroPoint: -5),
    QuantizedRange(least: 131, greatest: 200, zeroPoint: 131),
  ]
  /// Ties to either side, levels at the limits and beyond them, and the largest sums that there are.
  private static let sums: [Int32] =
    Array(-300...300) + [Int32.min, Int32.min + 1, Int32.max, Int32.max - 1] + [16_777_217, -16_777_217]
  /// Whole registers, parts of them, and less than one.
  private static let counts = [1, 15, 16, 17, 31, 32, 47, 48, 49, 63, 64, 65, 111, 112, 113, 128, 177, 607]

  private struct Case {
    let range: QuantizedRange
    let scale: Float
    let bias: Float?
    let outputScale: Float
    let base: Int32

    /// Each operation rounded by itself, ties to even.
    func expected(_ sum: Int32) -> UInt8 {
      var number = Float(sum &+ base) * scale
      if let bias { number += bias }
      let level = Double((number / outputScale).rounded(.toNearestOrEven)) + Double(range.zeroPoint)
      return UInt8(truncatingIfNeeded: Int32(min(max(level, Double(range.least)), Double(range.greatest))))
    }
  }

  /// The second scale makes levels of the largest sums that no conversion holds; the last lead to infinity.
  private static let cases = ranges.flatMap { range in
    [(0.5, nil, 1, 0), (0.75, 0.25, 0.5, -3), (1, nil, 0.25, 9), (3e30, 1e37, 2, 0), (1e-3, -1, 1.7e-3, 77)].map {
      (scale: Float, bias: Float?, outputScale: Float, base: Int32) in
      Case(range: range, scale: scale, bias: bias, outputScale: outputScale, base: base)
    }
  }

  @Test func quantisedSumsAreThoseOfTheFormula() throws {
    for item in Self.cases {
      for count in Self.counts {
        try expectBytes(item, count) { kernels, sums, correction, scale, y in
          kernels.quantizeSums(
            sums, sumStep: count, rows: 2, count: count, correction: correction, scale: scale,
            outputScale: item.outputScale, range: item.range, y, step: count)
        }
      }
    }
  }

  @Test func requantisedSumsAreThoseOfTheFormula() throws {
    for item in Self.cases where item.bias == nil {
      let item = Case(range: item.range, scale: item.scale, bias: nil, outputScale: 1, base: item.base)
      for count in Self.counts {
        try expectBytes(item, count) { kernels, sums, correction, scale, y in
          kernels.requantizeSums(
            sums, sumStep: count, rows: 2, count: count, correction: correction, scale: scale, range: item.range, y,
            step: count)
        }
      }
    }
  }

  private typealias Kernel = (
    any QuantizedKernels.Type, UnsafePointer<Int32>, SumCorrection, SumScale, UnsafeMutablePointer<UInt8>
  ) -> Void

  /// Two rows of sums, the second of them all of the first's in another order.
  private func expectBytes(_ item: Case, _ count: Int, _ kernel: Kernel) throws {
    let rows = (0..<2 * count).map { Self.sums[($0 < count ? $0 : 7 * $0 + 11) % Self.sums.count] }
    // Kernels may read more than there is.
    let sums = rows + [Int32](repeating: 0, count: 64)
    let expected = rows.map(item.expected)
    let scales = try Tensor<Float>([item.scale, item.scale])
    let biases = try item.bias.map { try Tensor<Float>([$0, $0]) }
    let corrections = try RowCorrections(rows: 2)
    for row in 0..<2 { (corrections.mutableBase[row], corrections.mutableFactors[row]) = (item.base, 0) }
    let correction = SumCorrection(base: corrections.base, factors: corrections.factors, columns: nil)
    for variant in Execution.availableVariants {
      var found = [UInt8](repeating: 0xA5, count: 2 * count + 64)
      try SumScale.with(scales, biases, count: 2, isOfColumns: false, operation: "sums") { scale in
        Execution.with(variant: variant) {
          kernel(Execution.current.kernels.quantized, sums, correction, scale, &found)
        }
      }
      if !found.prefix(2 * count).elementsEqual(expected) {
        let place = zip(found, expected).enumerated().first { $1.0 != $1.1 }
        Issue.record("\(variant), \(item), \(count): \(String(describing: place))")
      }
      if found.dropFirst(2 * count).contains(where: { $0 != 0xA5 }) {
        Issue.record("\(variant), \(count): written beyond the end")
      }
    }
    withExtendedLifetime(corrections) {}
  }
}
