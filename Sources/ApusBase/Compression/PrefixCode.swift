/// A canonical prefix code, as deflate describes one: by the length of each symbol's code.
///
/// Codes of up to `lookupBits` bits are looked up; longer ones, which are rare by construction, are found length by
/// length.
struct PrefixCode {
  static let longest = 15

  /// For each pattern of the lowest bits, the symbol whose code begins it; 0 where the code is longer, or there is none.
  let lookup: [PrefixEntry]
  private let meanings: [PrefixEntry]
  /// The symbols in the order of their codes.
  private let symbols: [UInt16]
  /// How many codes have each length.
  private let counts: [Int]

  /// - Parameters:
  ///   - lengths: lengths of at most 15, one for each symbol; 0 for one that does not occur.
  ///   - meanings: what the symbols stand for; no fewer than there are lengths.
  ///   - lookupBits: at most 15.
  ///   - mustBeComplete: refuses what zlib allows elsewhere: no symbol at all, or a single one with a code of one bit.
  /// - Returns: `nil` when no code has these lengths: too many short ones, or too few to be complete.
  init?(_ lengths: ArraySlice<UInt8>, meanings: [PrefixEntry], lookupBits: Int, mustBeComplete: Bool = false) {
    var counts = [Int](repeating: 0, count: Self.longest + 1)
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
    var symbols = [UInt16](repeating: 0, count: used)
    var lookup = [PrefixEntry](repeating: .absent, count: 1 << lookupBits)
    for (symbol, length) in lengths.enumerated() where length > 0 {
      let length = Int(length)
      symbols[position[length]] = UInt16(symbol)
      position[length] += 1
      let code = nextCode[length]
      nextCode[length] += 1
      guard length <= lookupBits else { continue }
      // Codes come with their first bit lowest, so every pattern that ends in the reversed code is this symbol.
      let entry = meanings[symbol].of(length: length)
      for pattern in stride(from: reversedBits(code, count: length), to: lookup.count, by: 1 << length) {
        lookup[pattern] = entry
      }
    }
    (self.lookup, self.symbols, self.counts, self.meanings) = (lookup, symbols, counts, meanings)
  }

  /// The symbol whose code begins `bits`, its first bit lowest; absent when there is none.
  @inline(__always)
  func decode(_ bits: UInt64) -> PrefixEntry {
    let entry = lookup[Int(truncatingIfNeeded: bits) & (lookup.count - 1)]
    return entry.isAbsent ? decodeLong(bits) : entry
  }

  private func decodeLong(_ bits: UInt64) -> PrefixEntry {
    var code = 0
    var first = 0
    var index = 0
    for length in 1...Self.longest {
      code |= Int(truncatingIfNeeded: bits >> UInt64(length - 1)) & 1
      let offset = code - first
      if offset < counts[length] { return meanings[Int(symbols[index + offset])].of(length: length) }
      index += counts[length]
      first = (first + counts[length]) << 1
      code <<= 1
    }
    return .absent
  }
}

/// What a code stands for, in one word: bits 0–3 the length of the code, 4–7 how many extra bits follow it, 8–9 its kind,
/// and from 16 on a number.
struct PrefixEntry: Equatable {
  enum Kind: UInt32 {
    /// The number itself.
    case value
    /// A number to which that of the extra bits is added.
    case base
    case endOfBlock
    /// Nothing: the code is there, but must not occur.
    case forbidden
  }

  private var word: UInt32

  /// No code; also one that is too long to be looked up.
  static let absent = PrefixEntry(word: 0)

  private init(word: UInt32) { self.word = word }

  /// - Parameters:
  ///   - number: at most 65535.
  ///   - extra: at most 15.
  init(_ kind: Kind, _ number: Int, extra: Int = 0) {
    word = UInt32(truncatingIfNeeded: number) << 16 | kind.rawValue << 8 | UInt32(truncatingIfNeeded: extra) << 4
  }

  /// The same with the length of the code.
  func of(length: Int) -> PrefixEntry { PrefixEntry(word: word | UInt32(truncatingIfNeeded: length)) }

  @inline(__always) var isAbsent: Bool { word == 0 }
  @inline(__always) var length: Int { Int(word & 15) }
  @inline(__always) var extra: Int { Int(word >> 4 & 15) }
  @inline(__always) var number: Int { Int(word >> 16) }
  /// Whether it is there, and a number itself.
  @inline(__always) var isValue: Bool { word & 0x300 == 0 && word != 0 }
  @inline(__always) var isBase: Bool { word & 0x300 == 0x100 }
  @inline(__always) var isEnd: Bool { word & 0x300 == 0x200 }
}
