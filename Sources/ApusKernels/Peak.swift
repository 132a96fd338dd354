/// What the processor can do at best, for benchmarks to measure the other kernels against.
package enum PeakKernels {
  /// Floating-point operations in one round of ``multiplyAdds(rounds:factor:summand:)``; a multiply-add counts twice.
  package static let operationsPerRound = 12 * PeakLanes.scalarCount * 2

  /// Multiplies and adds in registers alone, as fast as the instruction set of this variant allows.
  ///
  /// Twelve independent sums, one register each: enough to hide the latency of a multiply-add on two ports, and few
  /// enough for any processor's registers.
  ///
  /// - Parameters:
  ///   - factor: a number a little below 1, so that sums stay finite and normal.
  ///   - summand: a small positive number.
  /// - Returns: the sum of all results, so that none of them can be optimised away.
  package static func multiplyAdds(rounds: Int, factor: Float, summand: Float) -> Float {
    let f = PeakLanes(repeating: factor)
    let s = PeakLanes(repeating: summand)
    var (a, b, c, d, e, g) = (s, s + s, s * f, s + f, f, f + f)
    var (h, i, j, k, l, m) = (a * f, b * f, c * f, d * f, e * f, g * f)
    for _ in 0..<rounds {
      a = multiplyAdd(s, a, f)
      b = multiplyAdd(s, b, f)
      c = multiplyAdd(s, c, f)
      d = multiplyAdd(s, d, f)
      e = multiplyAdd(s, e, f)
      g = multiplyAdd(s, g, f)
      h = multiplyAdd(s, h, f)
      i = multiplyAdd(s, i, f)
      j = multiplyAdd(s, j, f)
      k = multiplyAdd(s, k, f)
      l = multiplyAdd(s, l, f)
      m = multiplyAdd(s, m, f)
    }
    let (first, second) = (a + b + c + d + e + g, h + i + j + k + l + m)
    let total = first + second
    var sum: Float = 0
    for lane in 0..<PeakLanes.scalarCount { sum += total[lane] }
    return sum
  }

  /// The sum of `count` floats, a multiple of 64: reads memory as fast as it comes.
  package static func sum(_ x: UnsafePointer<Float>, count: Int) -> Float {
    var (a, b, c, d) = (Lanes(repeating: 0), Lanes(repeating: 0), Lanes(repeating: 0), Lanes(repeating: 0))
    var index = 0
    while index < count {
      let part = x + index
      a += load(part, as: Lanes.self)
      b += load(part + 16, as: Lanes.self)
      c += load(part + 32, as: Lanes.self)
      d += load(part + 48, as: Lanes.self)
      index &+= 64
    }
    return pairwiseSum((a + b) + (c + d))
  }
}

/// One register.
#if APUS_AVX512
  private typealias PeakLanes = SIMD16<Float>
#elseif APUS_AVX2
  private typealias PeakLanes = SIMD8<Float>
#else
  private typealias PeakLanes = SIMD4<Float>
#endif
