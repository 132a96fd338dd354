/// The bits of a scan, from the highest of each byte on.
///
/// A view of memory that has ``slack`` bytes more than there are bits: nothing is checked while a block is read,
/// which takes fewer bytes than that, and ``isBehindEnd`` says afterwards whether there were enough.
struct JPEGBits {
  /// More than the longest block has.
  static let slack = 1024

  /// The next bits, the first one highest.
  private(set) var bits: UInt64 = 0
  /// How many of them were taken from memory; more may be there.
  private(set) var count: UInt64 = 0
  private(set) var next: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>

  init(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
    (next, self.end) = (start, end)
  }

  /// Makes sure that there are 56 bits.
  @inline(__always)
  mutating func fill() {
    let word = UInt64(bigEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
    bits |= word &>> count
    next += Int(truncatingIfNeeded: (63 &- count) &>> 3)
    count |= 56
  }

  /// The next ``JPEGHuffmanTable/reach`` bits.
  @inline(__always)
  var view: UInt64 { bits &>> UInt64(64 - JPEGHuffmanTable.reach) }

  /// Passes over bits, fewer than 64 and no more than there are.
  @inline(__always)
  mutating func drop(_ number: UInt64) {
    bits &<<= number
    count &-= number & 63
  }

  /// The next bits, 1 to 32.
  @inline(__always)
  mutating func take(_ number: Int) -> Int {
    let value = Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- number))
    drop(UInt64(truncatingIfNeeded: number))
    return value
  }

  /// The next bits as a number of a size from 0 to 16: those that begin with 0 are negative.
  @inline(__always)
  mutating func takeSigned(_ size: Int) -> Int {
    guard size > 0 else { return 0 }
    let value = take(size)
    return value < 1 &<< (size &- 1) ? value &- 1 &<< size &+ 1 : value
  }

  /// A number of blocks, whose size a symbol gives: from 2 to the power of `size` to twice as many less one.
  @inline(__always)
  mutating func takeBlockCount(_ size: Int) -> Int {
    size == 0 ? 1 : 1 &<< size &+ take(size)
  }

  /// Whether more was read than there is.
  @inline(__always)
  var isBehindEnd: Bool { next - Int(truncatingIfNeeded: count &>> 3) > end }

  /// The next symbol; nil where no code word fits. 16 bits must be there.
  @inline(__always)
  mutating func symbol(_ table: JPEGHuffmanView) -> Int? {
    var word = Int(table.words[Int(truncatingIfNeeded: view)])
    if word == 0 {
      // Of a number, not of these bits: they would have to leave their register.
      word = Self.longWord(Int32(truncatingIfNeeded: bits &>> 48), table)
      guard word != 0 else { return nil }
    }
    drop(UInt64(truncatingIfNeeded: word & 0xFF))
    return word &>> 8
  }

  /// The symbol and length of the code word, longer than ``JPEGHuffmanTable/reach``, that 16 bits begin with.
  @inline(never)
  private static func longWord(_ view: Int32, _ table: JPEGHuffmanView) -> Int {
    for length in JPEGHuffmanTable.reach + 1...16 where view < table.limits[length] {
      let place = view &>> Int32(truncatingIfNeeded: 16 &- length) &+ table.offsets[length]
      return 0..<256 ~= place ? Int(table.symbols[Int(place)]) &<< 8 | length : 0
    }
    return 0
  }
}
