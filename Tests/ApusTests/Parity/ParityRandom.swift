import ApusBase

/// A small deterministic generator: the same numbers on every machine.
struct ParityRandom {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15) }

  mutating func next() -> UInt64 { generator.next() }

  mutating func next(in range: ClosedRange<Double>) -> Double {
    let unit = Double(next() >> 11) * 0x1p-53
    return range.lowerBound + unit * (range.upperBound - range.lowerBound)
  }
}
