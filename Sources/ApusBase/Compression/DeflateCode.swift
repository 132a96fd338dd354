/// A prefix code for symbols of known frequency, in the canonical form that deflate demands.
struct DeflateCode {
  /// The bits of each symbol's code; 0 for one that does not occur.
  let lengths: [Int]
  /// The codes, their first bit lowest.
  let codes: [UInt16]

  /// The best code, or close to it, that has no codes of more than `longest` bits.
  init(counts: [Int], longest: Int) {
    self.init(lengths: Self.lengths(counts: counts, longest: longest))
  }

  init(lengths: [Int]) {
    self.lengths = lengths
    var next = [Int](repeating: 0, count: 17)
    for length in lengths where length > 0 { next[length + 1] += 1 }
    // The first code of each length.
    for length in 1..<17 { next[length] = (next[length] + next[length - 1]) << 1 }
    codes = lengths.map { length in
      guard length > 0 else { return 0 }
      next[length] += 1
      return UInt16(truncatingIfNeeded: reversedBits(next[length] - 1, count: length))
    }
  }
}

// MARK: - Lengths

extension DeflateCode {
  /// Huffman's lengths, with those beyond `longest` cut back. There are always two codes or more: decoders demand it.
  private static func lengths(counts: [Int], longest: Int) -> [Int] {
    var symbols = counts.indices.filter { counts[$0] > 0 }
    for symbol in counts.indices where symbols.count < 2 && !symbols.contains(symbol) { symbols.append(symbol) }
    symbols.sort { (counts[$0], $0) < (counts[$1], $1) }
    var perLength = huffmanLengths(symbols.map { max(1, counts[$0]) })
    limit(&perLength, longest)
    var lengths = [Int](repeating: 0, count: counts.count)
    var rest = symbols[...]
    // The rarest symbols have the longest codes.
    for length in perLength.indices.reversed() {
      for symbol in rest.prefix(perLength[length]) { lengths[symbol] = length }
      rest = rest.dropFirst(perLength[length])
    }
    return lengths
  }

  /// How many codes have each length, for two or more frequencies in ascending order.
  private static func huffmanLengths(_ counts: [Int]) -> [Int] {
    // The two lightest trees are joined until one is left. Leaves and joined trees both come in ascending order.
    let leafCount = counts.count
    var weights = counts
    var parents = [Int](repeating: 0, count: 2 * leafCount - 1)
    var (leaf, joined) = (0, leafCount)
    while weights.count < parents.count {
      var weight = 0
      for _ in 0..<2 {
        let takesLeaf = leaf < leafCount && (joined >= weights.count || weights[leaf] <= weights[joined])
        let tree = takesLeaf ? leaf : joined
        if takesLeaf { leaf += 1 } else { joined += 1 }
        weight += weights[tree]
        parents[tree] = weights.count
      }
      weights.append(weight)
    }
    var depths = [Int](repeating: 0, count: parents.count)
    for tree in stride(from: parents.count - 2, through: 0, by: -1) { depths[tree] = depths[parents[tree]] + 1 }
    var perLength = [Int](repeating: 0, count: (depths.max() ?? 0) + 1)
    for tree in 0..<leafCount { perLength[depths[tree]] += 1 }
    return perLength
  }

  /// Makes codes that are too long `longest` bits long, and shorter ones longer until all have room.
  private static func limit(_ perLength: inout [Int], _ longest: Int) {
    guard perLength.count > longest + 1 else { return }
    perLength[longest] += perLength[(longest + 1)...].reduce(0, +)
    perLength.removeSubrange((longest + 1)...)
    var room = perLength.indices.dropFirst().reduce(0) { $0 + perLength[$1] << (longest - $1) } - 1 << longest
    while room > 0, let length = (1..<longest).last(where: { perLength[$0] > 0 }) {
      // One code of the greatest length gives way, and stands beside a shorter one that becomes a bit longer.
      perLength[longest] -= 1
      perLength[length] -= 1
      perLength[length + 1] += 2
      room -= 1
    }
  }
}

/// The lengths of a block's two codes as they are written before it: runs, in a prefix code of their own.
struct DeflateCodeTable {
  private let literalCount: Int
  private let distanceCount: Int
  /// Symbols of 3.2.7, with the extra bits of the repetitions among them.
  private var runs: [(symbol: Int, extra: Int)] = []
  private let code: DeflateCode
  /// How many lengths of that code are written.
  private let orderCount: Int

  private static let extraBits = [16: 2, 17: 3, 18: 7]

  init(_ literals: DeflateCode, _ distances: DeflateCode) {
    literalCount = max(257, (literals.lengths.lastIndex { $0 > 0 } ?? 0) + 1)
    distanceCount = max(1, (distances.lengths.lastIndex { $0 > 0 } ?? 0) + 1)
    let lengths = Array(literals.lengths[..<literalCount] + distances.lengths[..<distanceCount])
    var start = 0
    while start < lengths.count {
      let end = lengths[start...].firstIndex { $0 != lengths[start] } ?? lengths.count
      Self.add(lengths[start], count: end - start, to: &runs)
      start = end
    }
    var counts = [Int](repeating: 0, count: 19)
    for run in runs { counts[run.symbol] += 1 }
    let code = DeflateCode(counts: counts, longest: 7)
    self.code = code
    orderCount = max(4, (InflateDecoder.lengthOrder.lastIndex { code.lengths[Int($0)] > 0 } ?? 0) + 1)
  }

  private static func add(_ length: Int, count: Int, to runs: inout [(symbol: Int, extra: Int)]) {
    var rest = count
    if length == 0 {
      while rest >= 11 {
        let run = min(rest, 138)
        runs.append((18, run - 11))
        rest -= run
      }
      if rest >= 3 {
        runs.append((17, rest - 3))
        rest = 0
      }
    } else {
      runs.append((length, 0))
      rest -= 1
      while rest >= 3 {
        let run = min(rest, 6)
        runs.append((16, run - 3))
        rest -= run
      }
    }
    for _ in 0..<rest { runs.append((length, 0)) }
  }

  var bitCount: Int {
    runs.reduce(14 + 3 * orderCount) { $0 + code.lengths[$1.symbol] + (Self.extraBits[$1.symbol] ?? 0) }
  }

  /// Writes the table; there is room for it.
  func write(to writer: inout BitWriter) {
    writer.write(UInt64(literalCount - 257), 5)
    writer.write(UInt64(distanceCount - 1), 5)
    writer.write(UInt64(orderCount - 4), 4)
    for symbol in InflateDecoder.lengthOrder.prefix(orderCount) { writer.write(UInt64(code.lengths[Int(symbol)]), 3) }
    for run in runs {
      writer.write(UInt64(code.codes[run.symbol]), code.lengths[run.symbol])
      writer.write(UInt64(run.extra), Self.extraBits[run.symbol] ?? 0)
    }
  }
}
