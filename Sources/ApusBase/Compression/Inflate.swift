/// Decodes deflate data (RFC 1951), bare or in the zlib format (RFC 1950).
///
/// Nothing in the data can make it trap, loop, or write beyond the limit it is given: whatever is wrong is an
/// ``InflateError``. A few bytes may stand for a thousand times as many, so there is no decoding without a limit.
package enum Inflate {
  /// Decodes bare deflate data from the beginning of `input`.
  ///
  /// - Parameter limit: the most bytes of output.
  /// - Returns: the output, and how many bytes of `input` it took.
  package static func raw(
    _ input: UnsafeRawBufferPointer, limit: Int
  ) throws(InflateError) -> (output: [UInt8], consumed: Int) {
    var decoder = InflateDecoder(input, output: InflateOutput(limit: limit))
    defer { decoder.output.deallocate() }
    try decoder.run()
    return (Array(decoder.output.bytes), decoder.consumed)
  }

  /// The first `byteCount` bytes of what bare deflate data stands for, or all of them where there are fewer.
  package static func beginning(of input: UnsafeRawBufferPointer, byteCount: Int) throws(InflateError) -> [UInt8] {
    // A stored block is taken whole or not at all.
    let largestBlock = 0xFFFF
    var decoder = InflateDecoder(input, output: InflateOutput(limit: byteCount + largestBlock))
    defer { decoder.output.deallocate() }
    do {
      try decoder.run()
    } catch {
      guard case .outputTooLong = error.reason else { throw error }
    }
    return Array(decoder.output.bytes.prefix(byteCount))
  }

  /// Decodes bare deflate data into `output`, which must be just large enough.
  ///
  /// - Returns: how many bytes of output there are, and how many bytes of `input` they took.
  package static func raw(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(InflateError) -> (produced: Int, consumed: Int) {
    var decoder = InflateDecoder(input, output: InflateOutput(borrowing: output))
    try decoder.run()
    return (decoder.output.count, decoder.consumed)
  }

  /// Decodes zlib data from the beginning of `input`, and checks it against its checksum.
  ///
  /// - Parameter limit: the most bytes of output.
  /// - Returns: the output, and how many bytes of `input` it took.
  package static func zlib(
    _ input: UnsafeRawBufferPointer, limit: Int
  ) throws(InflateError) -> (output: [UInt8], consumed: Int) {
    var output = InflateOutput(limit: limit)
    defer { output.deallocate() }
    let consumed = try zlib(input, &output)
    return (Array(output.bytes), consumed)
  }

  /// Decodes zlib data from the beginning of `input` into `output`, which must be large enough, and checks it.
  ///
  /// - Returns: how many bytes of output there are, and how many bytes of `input` they took.
  package static func zlib(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(InflateError) -> (produced: Int, consumed: Int) {
    var memory = InflateOutput(borrowing: output)
    let consumed = try zlib(input, &memory)
    return (memory.count, consumed)
  }

  private static func zlib(_ input: UnsafeRawBufferPointer, _ output: inout InflateOutput) throws(InflateError) -> Int {
    guard input.count >= 2 else { throw InflateError(offset: input.count, reason: .truncated) }
    let (method, flags) = (input[0], input[1])
    // Deflate with a window of at most 32 KiB, a check on these two bytes, and no preset dictionary.
    guard method & 0x0F == 8, method >> 4 <= 7, (Int(method) << 8 | Int(flags)) % 31 == 0, flags & 0x20 == 0 else {
      throw InflateError(offset: 0, reason: .badZlibHeader)
    }
    var decoder = InflateDecoder(input, from: 2, output: output)
    // The memory may have moved, also when decoding fails.
    defer { output = decoder.output }
    try decoder.run()
    let end = decoder.consumed
    guard input.count - end >= 4 else { throw InflateError(offset: input.count, reason: .truncated) }
    let expected = UInt32(bigEndian: input.loadUnaligned(fromByteOffset: end, as: UInt32.self))
    guard Adler32.checksum(decoder.output.bytes) == expected else {
      throw InflateError(offset: end, reason: .badChecksum)
    }
    return end + 4
  }
}

/// Where decoded bytes go: memory of the caller's, or memory that grows up to a limit.
struct InflateOutput {
  fileprivate var memory: UnsafeMutableRawBufferPointer
  let limit: Int
  fileprivate(set) var count = 0

  init(limit: Int) {
    memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    self.limit = max(0, limit)
  }

  /// - Note: such an output is not deallocated.
  init(borrowing memory: UnsafeMutableRawBufferPointer) {
    self.memory = memory
    limit = memory.count
  }

  func deallocate() {
    memory.deallocate()
  }

  /// What has been decoded.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Makes room for `extra` more bytes.
  /// - Returns: `false` when that would pass the limit.
  @inline(__always)
  mutating func reserve(_ extra: Int) -> Bool {
    extra <= memory.count - count || grow(extra)
  }

  private mutating func grow(_ extra: Int) -> Bool {
    guard extra <= limit - count else { return false }
    // Memory of the caller's has its limit for its size, so it never comes here.
    let capacity = min(limit, max(count + extra, 2 * memory.count, 4096))
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: bytes)
    memory.deallocate()
    memory = larger
    return true
  }

  /// Adds one byte; there is room for it.
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    memory[count] = byte
    count += 1
  }

  /// Adds bytes; there is room for them.
  mutating func append(contentsOf source: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + source.count]).copyMemory(from: source)
    count += source.count
  }

  /// Adds `length` bytes again that stand `distance` before the end, of which there is that much; there is room.
  @inline(__always)
  mutating func `repeat`(distance: Int, length: Int) {
    // Byte by byte: what is copied may be what was just written.
    for index in count..<count + length { memory[index] = memory[index - distance] }
    count += length
  }
}

// MARK: - Without looking

extension InflateOutput {
  /// The room that must be left for three literals, the longest repetition, and what copying it writes too much.
  static let slack = 3 + 258 + 8

  var start: UnsafeMutableRawPointer? { memory.baseAddress }
  var capacity: Int { memory.count }

  /// Says that there are `count` bytes now, of which those after the old ones were written to `start`.
  mutating func advance(to count: Int) { self.count = count }

  /// Writes `length` bytes that stand `distance` before `target`, and up to eight more, of no meaning, after them.
  @inline(__always)
  static func copy(to target: UnsafeMutableRawPointer, distance: Int, length: Int) {
    let source = target - distance
    var offset = 0
    if distance >= 8 {
      repeat {
        let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        offset += 8
      } while offset < length
      return
    }
    // The bytes over and over, as often as they go into eight.
    let bits = UInt64(8 * distance)
    var word = UInt64(littleEndian: source.loadUnaligned(as: UInt64.self)) & (1 << bits - 1)
    word |= word << bits
    word |= word << (2 * bits)
    word |= word << (4 * bits)
    let step = 8 - 8 % distance
    repeat {
      target.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += step
    } while offset < length
  }
}
