import Apus

extension SplitMix64 {
  init(_ seed: UInt64) { self.init(seed: seed) }

  /// The generator of one input: it depends on nothing else, so any input can be made again without those before it.
  init(seed: UInt64, target: String, iteration: UInt64) {
    var mixed = SplitMix64(seed)
    var state = mixed.next()
    for byte in target.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    mixed = SplitMix64(state &+ iteration &* 0x9E37_79B9_7F4A_7C15)
    self.init(mixed.next())
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
