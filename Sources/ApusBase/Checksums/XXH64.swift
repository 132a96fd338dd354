/// XXH64: eight bytes that tell two pieces of data apart, at the speed of memory.
///
/// For data that nobody has made to deceive: of two that differ, one pair in 2⁶⁴ has the same hash. Where somebody may want
/// two that are taken for each other, only ``SHA256`` will do, which takes some thirty times as long.
package enum XXH64 {
  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5
  )
  /// Bytes that are taken at a time, eight to a lane.
  private static let stripe = 32

  /// The hash of `bytes`, another one for each `seed`.
  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return avalanche(seed &+ primes.4) }
    let count = bytes.count
    var offset = 0
    var hash: UInt64
    if count >= stripe {
      var lanes = (seed &+ primes.0 &+ primes.1, seed &+ primes.1, seed, seed &- primes.0)
      while count &- offset >= stripe {
        lanes.0 = round(lanes.0, word(base, offset))
        lanes.1 = round(lanes.1, word(base, offset &+ 8))
        lanes.2 = round(lanes.2, word(base, offset &+ 16))
        lanes.3 = round(lanes.3, word(base, offset &+ 24))
        offset &+= stripe
      }
      hash = rotated(lanes.0, 1) &+ rotated(lanes.1, 7) &+ rotated(lanes.2, 12) &+ rotated(lanes.3, 18)
      hash = merged(merged(merged(merged(hash, lanes.0), lanes.1), lanes.2), lanes.3)
    } else {
      hash = seed &+ primes.4
    }
    hash &+= UInt64(truncatingIfNeeded: count)
    while count &- offset >= 8 {
      hash = rotated(hash ^ round(0, word(base, offset)), 27) &* primes.0 &+ primes.3
      offset &+= 8
    }
    if count &- offset >= 4 {
      let half = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash = rotated(hash ^ (UInt64(half) &* primes.0), 23) &* primes.1 &+ primes.2
      offset &+= 4
    }
    while offset < count {
      let byte = base.load(fromByteOffset: offset, as: UInt8.self)
      hash = rotated(hash ^ (UInt64(byte) &* primes.4), 11) &* primes.0
      offset &+= 1
    }
    return avalanche(hash)
  }

  @inline(__always)
  private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* primes.1, 31) &* primes.0
  }

  @inline(__always)
  private static func merged(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* primes.0 &+ primes.3
  }

  @inline(__always)
  private static func avalanche(_ hash: UInt64) -> UInt64 {
    var hash = (hash ^ (hash &>> 33)) &* primes.1
    hash = (hash ^ (hash &>> 29)) &* primes.2
    return hash ^ (hash &>> 32)
  }

  @inline(__always)
  private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
    word &<< count | word &>> (64 &- count)
  }
}
