import ApusPlatform

/// The generator MT19937 of Matsumoto and Nishimura, with the ways to numbers of NumPy's `RandomState`: a seed gives
/// the numbers that the reference implementation of the standard draws.
struct MersenneTwister {
  private var state: [UInt32]
  private var position: Int
  /// Normal numbers come in pairs; the second waits here.
  private var spareNormal: Double?

  init(seed: UInt32) {
    state = [UInt32](repeating: 0, count: 624)
    state[0] = seed
    for i in 1..<624 { state[i] = 1_812_433_253 &* (state[i - 1] ^ (state[i - 1] >> 30)) &+ UInt32(i) }
    position = 624
  }

  private mutating func next() -> UInt32 {
    if position == 624 {
      for i in 0..<624 {
        let y = (state[i] & 0x8000_0000) | (state[(i + 1) % 624] & 0x7FFF_FFFF)
        state[i] = state[(i + 397) % 624] ^ (y >> 1) ^ (y & 1 == 0 ? 0 : 0x9908_B0DF)
      }
      position = 0
    }
    var y = state[position]
    position += 1
    y ^= y >> 11
    y ^= (y << 7) & 0x9D2C_5680
    y ^= (y << 15) & 0xEFC6_0000
    return y ^ (y >> 18)
  }

  /// A number in 0 ..< 1 with 53 random bits.
  mutating func uniform() -> Double {
    let high = Double(next() >> 5)
    let low = Double(next() >> 6)
    return (high * 67_108_864 + low) / 9_007_199_254_740_992
  }

  /// A number from the normal distribution around 0 with deviation 1 (Marsaglia's polar method).
  mutating func normal() -> Double {
    if let spare = spareNormal {
      spareNormal = nil
      return spare
    }
    while true {
      let x = 2 * uniform() - 1
      let y = 2 * uniform() - 1
      let square = x * x + y * y
      guard square < 1, square != 0 else { continue }
      let factor = (-2 * log(square) / square).squareRoot()
      spareNormal = factor * x
      return factor * y
    }
  }

  /// True with this probability.
  mutating func bernoulli(_ probability: Double) -> Bool {
    // The more likely outcome is the one below the bound, as inversion of the binomial distribution has it.
    probability <= 0.5 ? uniform() > 1 - probability : !(uniform() > probability)
  }
}
