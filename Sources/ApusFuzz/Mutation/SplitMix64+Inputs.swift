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

  mutating func element<Element>(of choices: [Element]) -> Element {
    choices[below(choices.count)]
  }

  /// A number of a length or a choice: small, extreme, or near what stood there.
  mutating func number(near old: UInt64) -> UInt64 {
    switch below(4) {
    case 0: old &+ UInt64(truncatingIfNeeded: below(9) - 4)
    case 1: UInt64(below(24))
    case 2: (1 << UInt64(below(64))) &- UInt64(below(2))
    default: element(of: [0, 1, .max, UInt64(Int.max), 1 << 63, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF])
    }
  }

  /// A number in four or eight bytes: one that kernels meet seldom.
  mutating func floatingPointBytes(count: Int) -> [UInt8] {
    let value = element(of: [
      0, -0.0, 1, -1, 0.5, 1e30, -1e30, 1e-40, .infinity, -.infinity, .nan, 255.5, 2_147_483_648,
    ])
    if count == 4 { return Swift.withUnsafeBytes(of: Float(value).bitPattern.littleEndian) { Array($0) } }
    return Swift.withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
  }
}
