/// One run of the deflate decoder over one piece of data.
struct InflateDecoder {
  private let input: UnsafeRawBufferPointer
  /// The next byte to take into `bits`.
  private var position: Int
  /// Bits not yet used, the first one lowest. Above `bitCount` there is nothing, or what will be taken in next.
  private var bits: UInt64 = 0
  private var bitCount = 0
  var output: InflateOutput

  init(_ input: UnsafeRawBufferPointer, from start: Int = 0, output: InflateOutput) {
    self.input = input
    position = start
    self.output = output
  }

  /// How many bytes of input have been used; a byte that is used in part counts.
  var consumed: Int { position - bitCount / 8 }

  /// Decodes block after block, up to the one that says it is the last.
  mutating func run() throws(InflateError) {
    while true {
      let isLast = try take(1) == 1
      switch try take(2) {
      case 0: try storedBlock()
      case 1: try compressedBlock(literals: Self.fixedLiterals, distances: Self.fixedDistances)
      case 2: try dynamicBlock()
      default: throw error(.badBlockType)
      }
      if isLast { return }
    }
  }

  private func error(_ reason: InflateError.Reason) -> InflateError {
    InflateError(offset: consumed, reason: reason)
  }
}

// MARK: - Bits

extension InflateDecoder {
  /// Takes in bytes until at least 56 bits are there, or the input ends.
  @inline(__always)
  private mutating func refill() {
    if input.count - position >= 8 {
      bits |= UInt64(littleEndian: input.loadUnaligned(fromByteOffset: position, as: UInt64.self)) << UInt64(bitCount)
      position += (63 - bitCount) >> 3
      bitCount |= 56
    } else {
      while bitCount < 56, position < input.count {
        bits |= UInt64(input[position]) << UInt64(bitCount)
        position += 1
        bitCount += 8
      }
    }
  }

  /// Uses up `count` bits that are known to be there.
  @inline(__always)
  private mutating func drop(_ count: Int) {
    bits >>= UInt64(count)
    bitCount -= count
  }

  /// The next `count` bits, at most 16, as a number.
  @inline(__always)
  private mutating func take(_ count: Int) throws(InflateError) -> Int {
    if bitCount < count { refill() }
    guard bitCount >= count else { throw error(.truncated) }
    let value = Int(truncatingIfNeeded: bits) & (1 << count - 1)
    drop(count)
    return value
  }

  /// The next symbol of `code`.
  @inline(__always)
  private mutating func symbol(_ code: borrowing PrefixCode) throws(InflateError) -> PrefixEntry {
    if bitCount < PrefixCode.longest { refill() }
    let entry = code.decode(bits)
    guard !entry.isAbsent else { throw error(bitCount < PrefixCode.longest ? .truncated : .badSymbol) }
    guard entry.length <= bitCount else { throw error(.truncated) }
    drop(entry.length)
    return entry
  }
}

// MARK: - Blocks

extension InflateDecoder {
  private mutating func storedBlock() throws(InflateError) {
    drop(bitCount & 7)
    // The rest of `bits` is whole bytes: they are given back.
    position = consumed
    bits = 0
    bitCount = 0
    guard input.count - position >= 4 else { throw error(.truncated) }
    let length = UInt16(littleEndian: input.loadUnaligned(fromByteOffset: position, as: UInt16.self))
    let complement = UInt16(littleEndian: input.loadUnaligned(fromByteOffset: position + 2, as: UInt16.self))
    guard length == ~complement else { throw error(.badStoredLength) }
    position += 4
    let count = Int(length)
    guard input.count - position >= count else { throw error(.truncated) }
    guard output.reserve(count) else { throw error(.outputTooLong(limit: output.limit)) }
    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: input[position..<position + count]))
    position += count
  }

  private mutating func dynamicBlock() throws(InflateError) {
    let literalCount = try take(5) + 257
    let distanceCount = try take(5) + 1
    let lengthCount = try take(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else { throw error(.badCode) }
    var codeLengths = [UInt8](repeating: 0, count: 19)
    for index in 0..<lengthCount { codeLengths[Int(Self.lengthOrder[index])] = UInt8(try take(3)) }
    guard
      let code = PrefixCode(codeLengths[...], meanings: Self.lengthMeanings, lookupBits: 7, mustBeComplete: true)
    else { throw error(.badCode) }
    let lengths = try readLengths(count: literalCount + distanceCount, code)
    guard lengths[256] > 0,
      let literals = Self.literalCode(lengths[..<literalCount]),
      let distances = Self.distanceCode(lengths[literalCount...])
    else { throw error(.badCode) }
    try compressedBlock(literals: literals, distances: distances)
  }

  /// Code lengths, of which runs are written as repetitions.
  private mutating func readLengths(count: Int, _ code: PrefixCode) throws(InflateError) -> [UInt8] {
    var lengths: [UInt8] = []
    lengths.reserveCapacity(count)
    while lengths.count < count {
      let symbol = try symbol(code).number
      let run: Int
      var value: UInt8 = 0
      switch symbol {
      case 16:
        guard let last = lengths.last else { throw error(.badCode) }
        value = last
        run = try 3 + take(2)
      case 17: run = try 3 + take(3)
      case 18: run = try 11 + take(7)
      default:
        value = UInt8(symbol)
        run = 1
      }
      guard run <= count - lengths.count else { throw error(.badCode) }
      for _ in 0..<run { lengths.append(value) }
    }
    return lengths
  }

  private mutating func compressedBlock(
    literals: borrowing PrefixCode, distances: borrowing PrefixCode
  ) throws(InflateError) {
    while true {
      runAhead(literals, distances)
      let literal = try symbol(literals)
      if literal.isValue {
        guard output.reserve(1) else { throw error(.outputTooLong(limit: output.limit)) }
        output.append(UInt8(truncatingIfNeeded: literal.number))
        continue
      }
      if literal.isEnd { return }
      guard literal.isBase else { throw error(.badSymbol) }
      let length = try literal.number + take(literal.extra)
      let base = try symbol(distances)
      guard base.isBase else { throw error(.badSymbol) }
      let distance = try base.number + take(base.extra)
      guard distance <= output.count else { throw error(.badDistance) }
      guard output.reserve(length) else { throw error(.outputTooLong(limit: output.limit)) }
      output.repeat(distance: distance, length: length)
    }
  }

  /// Decodes as long as there is more than enough of input and of room, so that neither has to be looked at. Stops before
  /// whatever is out of the ordinary: the end of the block, a long code, an error.
  private mutating func runAhead(_ literals: borrowing PrefixCode, _ distances: borrowing PrefixCode) {
    // Two loads of eight bytes, of which each goes on by seven at most.
    let lastPosition = input.count - 16
    let lastCount = output.capacity - InflateOutput.slack
    guard position <= lastPosition, output.count <= lastCount, let memory = output.start,
      let source = input.baseAddress
    else { return }
    var (bits, bitCount, position, count) = (bits, bitCount, position, output.count)
    let (literalMask, distanceMask) = (UInt64(literals.lookup.count - 1), UInt64(distances.lookup.count - 1))
    literals.lookup.withUnsafeBufferPointer { literals in
      distances.lookup.withUnsafeBufferPointer { distances in
        while position <= lastPosition, count <= lastCount {
          bits |=
            UInt64(littleEndian: source.loadUnaligned(fromByteOffset: position, as: UInt64.self)) << UInt64(bitCount)
          position += (63 - bitCount) >> 3
          bitCount |= 56
          // Three literals of at most 11 bits each, and then a length of at most 16: 49.
          var entry = literals[Int(truncatingIfNeeded: bits & literalMask)]
          var literalCount = 0
          while entry.isValue, literalCount < 3 {
            memory.storeBytes(of: UInt8(truncatingIfNeeded: entry.number), toByteOffset: count, as: UInt8.self)
            count += 1
            literalCount += 1
            bits >>= UInt64(entry.length)
            bitCount -= entry.length
            entry = literals[Int(truncatingIfNeeded: bits & literalMask)]
          }
          if entry.isValue { continue }
          guard entry.isBase else { return }
          let before = (bits, bitCount, position)
          bits >>= UInt64(entry.length)
          let length = entry.number + Int(truncatingIfNeeded: bits & (1 << UInt64(entry.extra) - 1))
          bits >>= UInt64(entry.extra)
          bitCount -= entry.length + entry.extra
          bits |=
            UInt64(littleEndian: source.loadUnaligned(fromByteOffset: position, as: UInt64.self)) << UInt64(bitCount)
          position += (63 - bitCount) >> 3
          bitCount |= 56
          entry = distances[Int(truncatingIfNeeded: bits & distanceMask)]
          bits >>= UInt64(entry.length)
          let distance = entry.number + Int(truncatingIfNeeded: bits & (1 << UInt64(entry.extra) - 1))
          bits >>= UInt64(entry.extra)
          bitCount -= entry.length + entry.extra
          guard entry.isBase, distance <= count else {
            (bits, bitCount, position) = before
            return
          }
          InflateOutput.copy(to: memory + count, distance: distance, length: length)
          count += length
        }
      }
    }
    (self.bits, self.bitCount, self.position) = (bits, bitCount, position)
    output.advance(to: count)
  }
}

// MARK: - Tables of RFC 1951

extension InflateDecoder {
  /// In which order the lengths of the code-length code are written (3.2.7).
  static let lengthOrder: [UInt8] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// Lengths of repetitions and their extra bits, for the symbols 257 to 285 (3.2.5).
  static let lengthBase: [UInt16] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  static let lengthExtra: [UInt8] = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]

  /// Distances of repetitions and their extra bits (3.2.5).
  static let distanceBase: [UInt16] = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
  ]
  static let distanceExtra: [UInt8] = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
  ]

  /// The codes of blocks that carry none of their own (3.2.6).
  static let fixedLiteralLengths =
    [UInt8](repeating: 8, count: 144) + [UInt8](repeating: 9, count: 112) + [UInt8](repeating: 7, count: 24)
    + [UInt8](repeating: 8, count: 8)

  private static let lengthMeanings = (0..<19).map { PrefixEntry(.value, $0) }
  private static let literalMeanings =
    (0..<256).map { PrefixEntry(.value, $0) } + [PrefixEntry(.endOfBlock, 0)]
    + zip(lengthBase, lengthExtra).map { PrefixEntry(.base, Int($0), extra: Int($1)) }
    + [PrefixEntry](repeating: PrefixEntry(.forbidden, 0), count: 2)
  private static let distanceMeanings =
    zip(distanceBase, distanceExtra).map { PrefixEntry(.base, Int($0), extra: Int($1)) }
    + [PrefixEntry](repeating: PrefixEntry(.forbidden, 0), count: 2)

  private static func literalCode(_ lengths: ArraySlice<UInt8>) -> PrefixCode? {
    PrefixCode(lengths, meanings: literalMeanings, lookupBits: 11)
  }

  private static func distanceCode(_ lengths: ArraySlice<UInt8>) -> PrefixCode? {
    PrefixCode(lengths, meanings: distanceMeanings, lookupBits: 9)
  }

  private static let fixedLiterals = fixedCode(literalCode(fixedLiteralLengths[...]))
  private static let fixedDistances = fixedCode(distanceCode([UInt8](repeating: 5, count: 32)[...]))

  /// The code of lengths that stand above, and in no file.
  private static func fixedCode(_ code: PrefixCode?) -> PrefixCode {
    guard let code else { preconditionFailure("the fixed codes of deflate are complete") }
    return code
  }
}
