/// SHA-256 (FIPS 180-4): 32 bytes that stand for any number of bytes, which may come in pieces.
///
/// ```swift
/// var hash = SHA256()
/// while let chunk = try input.next() { chunk.withUnsafeBytes { hash.update($0) } }
/// print(hash.finalized().hexadecimal)
/// ```
package struct SHA256: Sendable {
  /// What comes out, as eight words, the first the most significant.
  package struct Digest: Hashable, Sendable {
    fileprivate let words: [UInt32]

    /// 64 digits in small letters, as `sha256sum` prints them.
    package var hexadecimal: String {
      words.map { word in
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
      }.joined()
    }
  }

  private static let blockSize = 64

  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// What does not fill a block yet.
  private var rest: [UInt8] = []
  private var byteCount: UInt64 = 0

  package init() {}

  /// The hash of `bytes`.
  @inlinable
  package static func hash(_ bytes: some Sequence<UInt8>) -> Digest {
    var hash = SHA256()
    Array(bytes).withUnsafeBytes { hash.update($0) }
    return hash.finalized()
  }

  /// Adds bytes at the end.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    byteCount &+= UInt64(bytes.count)
    var bytes = bytes[...]
    if !rest.isEmpty {
      let part = bytes.prefix(Self.blockSize - rest.count)
      rest += part
      bytes = bytes.dropFirst(part.count)
      guard rest.count == Self.blockSize else { return }
      rest.withUnsafeBytes { Self.compress($0, into: &state) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / Self.blockSize * Self.blockSize
    Self.compress(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)), into: &state)
    rest += bytes.dropFirst(whole)
  }

  /// The hash of everything added so far; more may follow.
  package func finalized() -> Digest {
    var end = self
    // A one bit, zeros up to eight bytes before the end of a block, and the number of bits.
    var padding: [UInt8] = [0x80]
    padding += [UInt8](repeating: 0, count: (Self.blockSize * 2 - 9 - rest.count) % Self.blockSize)
    padding += withUnsafeBytes(of: (byteCount &* 8).bigEndian) { Array($0) }
    padding.withUnsafeBytes { end.update($0) }
    return Digest(words: end.state)
  }
}

// MARK: - Compression

extension SHA256 {
  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]

  /// Takes whole blocks into the state (section 6.2.2).
  private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt32]) {
    guard blocks.count >= blockSize, let bytes = blocks.baseAddress else { return }
    constants.withUnsafeBufferPointer { constants in
      state.withUnsafeMutableBufferPointer { state in
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
          guard let k = constants.baseAddress, let h = state.baseAddress, let w = schedule.baseAddress else { return }
          var offset = 0
          while offset &+ blockSize <= blocks.count {
            expand(bytes + offset, into: w)
            mix(h, w, k)
            offset &+= blockSize
          }
        }
      }
    }
  }

  /// The 64 words of the message schedule.
  @inline(__always)
  private static func expand(_ block: UnsafeRawPointer, into w: UnsafeMutablePointer<UInt32>) {
    for t in 0..<16 { w[t] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: t &* 4, as: UInt32.self)) }
    for t in 16..<64 {
      let (early, late) = (w[t &- 15], w[t &- 2])
      let s0 = rotated(early, 7) ^ rotated(early, 18) ^ (early &>> 3)
      let s1 = rotated(late, 17) ^ rotated(late, 19) ^ (late &>> 10)
      w[t] = w[t &- 16] &+ s0 &+ w[t &- 7] &+ s1
    }
  }

  @inline(__always)
  private static func mix(
    _ state: UnsafeMutablePointer<UInt32>, _ w: UnsafePointer<UInt32>, _ k: UnsafePointer<UInt32>
  ) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    var t = 0
    // Eight rounds at a time: the names move instead of the values.
    while t < 64 {
      round(a, b, c, &d, e, f, g, &h, k[t] &+ w[t])
      round(h, a, b, &c, d, e, f, &g, k[t &+ 1] &+ w[t &+ 1])
      round(g, h, a, &b, c, d, e, &f, k[t &+ 2] &+ w[t &+ 2])
      round(f, g, h, &a, b, c, d, &e, k[t &+ 3] &+ w[t &+ 3])
      round(e, f, g, &h, a, b, c, &d, k[t &+ 4] &+ w[t &+ 4])
      round(d, e, f, &g, h, a, b, &c, k[t &+ 5] &+ w[t &+ 5])
      round(c, d, e, &f, g, h, a, &b, k[t &+ 6] &+ w[t &+ 6])
      round(b, c, d, &e, f, g, h, &a, k[t &+ 7] &+ w[t &+ 7])
      t &+= 8
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
    _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ word: UInt32
  ) {
    let choice = (e & f) ^ (~e & g)
    let majority = (a & b) ^ (a & c) ^ (b & c)
    let sum = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ choice &+ word
    d &+= sum
    h = sum &+ (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 &- count)
  }
}
