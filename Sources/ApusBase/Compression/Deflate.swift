/// Compresses with deflate (RFC 1951), bare or in the zlib format (RFC 1950).
///
/// About what zlib does at its default level: repetitions of four bytes and more are found through chains of earlier
/// places with the same four bytes, one byte later is tried before a repetition is taken, and every block has the
/// prefix codes that fit it, or none where nothing can be gained.
package enum Deflate {
  /// Bare deflate data that stands for `input`.
  package static func raw(_ input: UnsafeRawBufferPointer) -> [UInt8] {
    var writer = BitWriter()
    defer { writer.deallocate() }
    compress(input, into: &writer)
    return writer.bytes
  }

  /// zlib data that stands for `input`, with its checksum.
  package static func zlib(_ input: UnsafeRawBufferPointer) -> [UInt8] {
    var writer = BitWriter()
    defer { writer.deallocate() }
    // A window of 32 KiB, the default level.
    writer.append([0x78, 0x9C])
    compress(input, into: &writer)
    withUnsafeBytes(of: Adler32.checksum(input).bigEndian) { writer.append($0) }
    return writer.bytes
  }

  private static func compress(_ input: UnsafeRawBufferPointer, into writer: inout BitWriter) {
    var matcher = DeflateMatcher(input)
    defer { matcher.deallocate() }
    var block = DeflateBlock()
    var start = 0
    repeat {
      matcher.fill(&block)
      let end = matcher.settled
      block.write(UnsafeRawBufferPointer(rebasing: input[start..<end]), isLast: matcher.isDone, to: &writer)
      block.clear()
      start = end
    } while !matcher.isDone
    writer.align()
  }
}

/// Bits one after the other, the first one lowest in its byte.
struct BitWriter {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
  private var count = 0
  private var pending: UInt64 = 0
  /// How many bits of `pending` are to be written: less than 8 between calls.
  private var pendingCount = 0

  func deallocate() { memory.deallocate() }

  /// What was written; whole bytes.
  var bytes: [UInt8] { Array(memory[..<count]) }

  /// Makes room for `bitCount` more bits.
  mutating func reserve(bitCount: Int) {
    // `write` stores eight bytes at a time.
    let needed = count + bitCount / 8 + 16
    guard needed > memory.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, 2 * memory.count), alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    memory.deallocate()
    memory = larger
  }

  /// Writes the lower `bitCount` bits, at most 56, of a number that has no others. There is room for them.
  @inline(__always)
  mutating func write(_ bits: UInt64, _ bitCount: Int) {
    pending |= bits << UInt64(pendingCount)
    pendingCount += bitCount
    memory.storeBytes(of: pending.littleEndian, toByteOffset: count, as: UInt64.self)
    count += pendingCount >> 3
    pending >>= UInt64(pendingCount & ~7)
    pendingCount &= 7
  }

  /// Fills the last byte up with zeros.
  mutating func align() {
    guard pendingCount > 0 else { return }
    reserve(bitCount: 8)
    write(0, 8 - pendingCount)
  }

  /// Writes whole bytes; what was written before is whole bytes too.
  mutating func append(_ source: some Collection<UInt8>) {
    reserve(bitCount: 8 * source.count)
    UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + source.count]).copyBytes(from: source)
    count += source.count
  }
}
