/// A small generator of random numbers whose whole state is one number (Steele, Lea and Flood, 2014).
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  /// The generator of one input: it depends on nothing else, so any input can be made again without those before it.
  init(seed: UInt64, target: String, iteration: UInt64) {
    var mixed = SplitMix64(seed)
    var state = mixed.next()
    for byte in target.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    mixed = SplitMix64(state &+ iteration &* 0x9E37_79B9_7F4A_7C15)
    self.state = mixed.next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number below `bound`, which is above zero.
  mutating func below(_ bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }

  /// True once in `n` times.
  mutating func once(in n: Int) -> Bool {
    below(n) == 0
  }
}
