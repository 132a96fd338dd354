/// A canonical prefix code, as deflate describes one: by the length of each symbol's code.
///
/// Codes of up to ten bits are looked up; longer ones, which are rare by construction, are found length by length.
struct PrefixCode {
  static let longest = 15
  private static let lookupBits = 10

  /// For each pattern of ten bits, the symbol whose code begins it and the length of that code, as
  /// `symbol << 4 | length`; 0 where the code is longer, or there is none.
  private var lookup: [UInt16]
  /// The symbols in the order of their codes.
  private var symbols: [UInt16]
  /// How many codes have each length.
  private var counts: [Int]

  /// - Parameters:
  ///   - lengths: at most 2048 lengths of at most 15; 0 for a symbol that does not occur.
  ///   - mustBeComplete: refuses what zlib allows elsewhere: no symbol at all, or a single one with a code of one bit.
  /// - Returns: `nil` when no code has these lengths: too many short ones, or too few to be complete.
  init?(_ lengths: ArraySlice<UInt8>, mustBeComplete: Bool = false) {
    counts = [Int](repeating: 0, count: Self.longest + 1)
    for length in lengths { counts[Int(length)] += 1 }
    counts[0] = 0
    var free = 1
    for length in 1...Self.longest {
      free = free << 1 - counts[length]
      guard free >= 0 else { return nil }
    }
    let used = counts.reduce(0, +)
    guard free == 0 || (!mustBeComplete && (used == 0 || (used == 1 && counts[1] == 1))) else { return nil }

    var position = [Int](repeating: 0, count: Self.longest + 2)
    var nextCode = [Int](repeating: 0, count: Self.longest + 2)
    for length in 1...Self.longest {
      position[length + 1] = position[length] + counts[length]
      nextCode[length + 1] = (nextCode[length] + counts[length]) << 1
    }
    symbols = [UInt16](repeating: 0, count: used)
    lookup = [UInt16](repeating: 0, count: 1 << Self.lookupBits)
    for (index, length) in lengths.enumerated() where length > 0 {
      let symbol = UInt16(index)
      let length = Int(length)
      symbols[position[length]] = symbol
      position[length] += 1
      let code = nextCode[length]
      nextCode[length] += 1
      guard length <= Self.lookupBits else { continue }
      // Codes come with their first bit lowest, so every pattern that ends in the reversed code is this symbol.
      let reversed = Self.reversed(code, count: length)
      for pattern in stride(from: reversed, to: lookup.count, by: 1 << length) {
        lookup[pattern] = symbol << 4 | UInt16(length)
      }
    }
  }

  /// The symbol whose code begins `bits`, its first bit lowest, and the length of that code; `nil` when there is none.
  @inline(__always)
  func decode(_ bits: UInt64) -> (symbol: Int, length: Int)? {
    let entry = Int(lookup[Int(truncatingIfNeeded: bits) & (1 << Self.lookupBits - 1)])
    if entry != 0 { return (entry >> 4, entry & 15) }
    return decodeLong(bits)
  }

  private func decodeLong(_ bits: UInt64) -> (symbol: Int, length: Int)? {
    var code = 0
    var first = 0
    var index = 0
    for length in 1...Self.longest {
      code |= Int(truncatingIfNeeded: bits >> UInt64(length - 1)) & 1
      let offset = code - first
      if offset < counts[length] { return (Int(symbols[index + offset]), length) }
      index += counts[length]
      first = (first + counts[length]) << 1
      code <<= 1
    }
    return nil
  }

  private static func reversed(_ code: Int, count: Int) -> Int {
    var result = 0
    for bit in 0..<count where code >> bit & 1 == 1 { result |= 1 << (count - 1 - bit) }
    return result
  }
}
