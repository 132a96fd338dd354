/// What the processor can do at best, for benchmarks to measure the other kernels against.
public enum PeakKernels {
  /// Independent sums: enough to hide the latency of an addition, few enough to stay in registers.
  #if APUS_AVX512
    private static let chains = 12
  #elseif APUS_AVX2
    private static let chains = 5
  #else
    private static let chains = 3
  #endif

  /// Floating-point operations in one round of ``multiplyAdds(rounds:factor:summand:)``; a multiply-add counts twice.
  public static let operationsPerRound = 4 * chains * Lanes.scalarCount * 2

  /// Multiplies and adds in registers alone, as fast as the instruction set of this variant allows.
  ///
  /// - Parameters:
  ///   - factor: a number a little below 1, so that sums stay finite and normal.
  ///   - summand: a small positive number.
  /// - Returns: the sum of all results, so that none of them can be left out.
  public static func multiplyAdds(rounds: Int, factor: Float, summand: Float) -> Float {
    let factors = Lanes(repeating: factor)
    let summands = Lanes(repeating: summand)
    var sums = InlineArray<12, Lanes>(repeating: summands)
    unrolled(chains) { sums[$0] = summands * Lanes(repeating: Float($0)) }
    for _ in 0..<rounds {
      unrolled(4) { _ in
        unrolled(chains) { sums[$0] = multiplyAdd(summands, sums[$0], factors) }
      }
    }
    var total = Lanes(repeating: 0)
    unrolled(chains) { total += sums[$0] }
    return pairwiseSum(total)
  }

  /// The sum of `count` floats, a multiple of 128: reads memory as fast as it comes.
  public static func sum(_ x: UnsafePointer<Float>, count: Int) -> Float {
    var sums = InlineArray<8, Lanes>(repeating: Lanes(repeating: 0))
    var i = 0
    while i < count {
      unrolled(8) { sums[$0] += load(x + (i &+ $0 &* 16), as: Lanes.self) }
      i &+= 128
    }
    var total = Lanes(repeating: 0)
    unrolled(8) { total += sums[$0] }
    return pairwiseSum(total)
  }
}
