/// The code words of a Huffman table, and what they stand for.
struct JPEGHuffmanTable {
  /// What a table's symbols are.
  enum Kind {
    /// Lengths of differences of first coefficients.
    case first
    /// Runs of zeros and lengths of the coefficient behind them.
    case others
    /// The same, with symbols for the ends of many blocks.
    case progressive
  }

  /// Bits of a file that one look at the table covers.
  static let reach = 10

  /// How many code words there are of 1 to 16 bits.
  let counts: [UInt8]
  let symbols: [UInt8]

  /// - Throws: ``ImageError`` for code words that cannot be.
  init(_ reader: inout JPEGReader) throws(ImageError) {
    let what = "a Huffman table"
    var counts: [UInt8] = []
    var (total, room) = (0, 1)
    for _ in 0..<16 {
      let count = try reader.byte(what)
      room = room * 2 - count
      guard room >= 0 else { throw reader.malformed("\(what) with more code words than there can be") }
      total += count
      counts.append(UInt8(truncatingIfNeeded: count))
    }
    guard total <= 256 else { throw reader.malformed("\(what) of \(total) symbols; at most 256 are allowed") }
    var symbols: [UInt8] = []
    for _ in 0..<total { symbols.append(UInt8(truncatingIfNeeded: try reader.byte(what))) }
    (self.counts, self.symbols) = (counts, symbols)
  }

  init(counts: [UInt8], symbols: [UInt8]) {
    (self.counts, self.symbols) = (counts, symbols)
  }

  /// The tables that most files have, and that the pictures of a film go without.
  static func standardFirst(_ place: Int) -> JPEGHuffmanTable? {
    place < 2 ? [standard.luminanceFirst, standard.colorFirst][place] : nil
  }

  static func standardOthers(_ place: Int) -> JPEGHuffmanTable? {
    place < 2 ? [standard.luminanceOthers, standard.colorOthers][place] : nil
  }
}

/// A table laid out for decoding: memory of its own, and no arrays, for it is read for every coefficient.
///
/// An entry that says all about the next ``JPEGHuffmanTable/reach`` bits has the coefficient in its upper half, then
/// the zeros before it in eight bits, and then the bits of the code word and of the coefficient together. The end of
/// a block is a run of 64 zeros, which needs no question of its own. Where the bits in view do not suffice, the
/// lowest eight are zero.
struct JPEGHuffmanView {
  /// Entries for all that the next bits can be.
  let entries: UnsafeMutablePointer<UInt32>
  /// For the next bits the symbol in the upper eight bits and the length of its code word in the lower; zero where
  /// that is longer.
  let words: UnsafeMutablePointer<UInt16>
  /// For lengths of 1 to 16 bits, the first number of sixteen bits that begins with no code word of at most that
  /// length.
  let limits: UnsafeMutablePointer<Int32>
  /// What to add to a code word of a length to have its symbol's place.
  let offsets: UnsafeMutablePointer<Int32>
  /// 256 of them.
  let symbols: UnsafeMutablePointer<UInt8>
}

/// Owns the memory of a ``JPEGHuffmanView``.
///
/// Nothing of it changes after its making.
final class JPEGHuffmanDecoder: @unchecked Sendable {
  let view: JPEGHuffmanView
  private let kind: JPEGHuffmanTable.Kind

  /// Of a table without code words.
  static let none = JPEGHuffmanDecoder(
    JPEGHuffmanTable(counts: [UInt8](repeating: 0, count: 16), symbols: []), .first)

  init(_ table: JPEGHuffmanTable, _ kind: JPEGHuffmanTable.Kind) {
    let reach = JPEGHuffmanTable.reach
    self.kind = kind
    view = JPEGHuffmanView(
      entries: .allocate(capacity: 1 << reach), words: .allocate(capacity: 1 << reach),
      limits: .allocate(capacity: 17), offsets: .allocate(capacity: 17), symbols: .allocate(capacity: 256))
    view.entries.initialize(repeating: 0, count: 1 << reach)
    view.words.initialize(repeating: 0, count: 1 << reach)
    view.limits.initialize(repeating: 0, count: 17)
    view.offsets.initialize(repeating: 0, count: 17)
    view.symbols.initialize(repeating: 0, count: 256)
    for (index, symbol) in table.symbols.prefix(256).enumerated() { view.symbols[index] = symbol }

    var (code, place) = (0, 0)
    for length in 1...16 {
      let count = Int(table.counts[length - 1])
      view.offsets[length] = Int32(place - code)
      if length <= reach {
        for index in 0..<count { enter(view.symbols[place + index], code + index, length) }
      }
      code += count
      place += count
      view.limits[length] = Int32(code << (16 - length))
      code <<= 1
    }
  }

  deinit {
    view.entries.deallocate()
    view.words.deallocate()
    view.limits.deallocate()
    view.offsets.deallocate()
    view.symbols.deallocate()
  }

  /// Enters a code word for all that can follow it.
  private func enter(_ symbol: UInt8, _ code: Int, _ length: Int) {
    let spare = JPEGHuffmanTable.reach - length
    let (first, last) = (code << spare, (code + 1) << spare)
    // Code words were counted, so that they cannot leave the table.
    guard last <= 1 << JPEGHuffmanTable.reach else { return }
    for index in first..<last {
      view.words[index] = UInt16(symbol) << 8 | UInt16(length)
      view.entries[index] = entry(symbol, length, rest: index - first, spare: spare)
    }
  }

  private func entry(_ symbol: UInt8, _ length: Int, rest: Int, spare: Int) -> UInt32 {
    let size = kind == .first ? Int(symbol) : Int(symbol & 15)
    let run = kind == .first ? 0 : UInt32(symbol >> 4)
    guard size > 0 else {
      switch kind {
      case .first: return UInt32(length)
      case .others: return (run == 15 ? 15 : 64) << 8 | UInt32(length)
      case .progressive: return run == 15 ? 15 << 8 | UInt32(length) : 0
      }
    }
    guard size <= spare else { return 0 }
    let bits = rest >> (spare - size)
    let value = bits >> (size - 1) == 0 ? bits - (1 << size) + 1 : bits
    return UInt32(UInt16(truncatingIfNeeded: value)) << 16 | run << 8 | UInt32(length + size)
  }
}
