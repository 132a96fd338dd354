import Testing

@testable import Apus

/// Numbers made from a counter, against the formula for one of them.
@Suite struct GenerationKernelTests {
  @Test(arguments: [0, 0xCBF2_9CE4_8422_2325, .max] as [UInt64])
  func everyNumberIsThatOfItsPlace(seed: UInt64) {
    for (mean, deviation) in [(0.0, 1.0), (0.5, 0.1), (-3e30, 1e-30), (0, 0)] {
      for first in [0, 1, 1_000_003, Int.max - 100] {
        for count in [0, 1, 2, 7, 8, 9, 31, 33, 100] {
          let expected = (first..<first + count).map { number($0, seed: seed, mean: mean, deviation: deviation) }
          for variant in Execution.availableVariants {
            var y = [Float](repeating: 7, count: count + 1)
            Execution.with(variant: variant) {
              Execution.current.dataKernels.generate(
                seed: seed, first: first, count: count, mean: mean, deviation: deviation, &y)
            }
            #expect(y == expected + [7], "\(variant), \(count) from \(first) on, \(mean), \(deviation)")
          }
        }
      }
    }
  }

  private func number(_ index: Int, seed: UInt64, mean: Double, deviation: Double) -> Float {
    var hash = seed &+ (UInt64(index) + 1) &* 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
    hash ^= hash >> 31
    var sum = -131_070
    for shift in [0, 16, 32, 48] { sum += Int(hash >> shift & 0xFFFF) }
    // The factor is what `Weights/reference/parity.py` has: files depend on it.
    return Float(mean + deviation * (Double(sum) * 2.642914e-05))
  }
}
