/// The literals and repetitions of one block, and how to write them.
struct DeflateBlock {
  private static let capacity = 1 << 14
  private static let endOfBlock = 256

  /// A literal, or `length << 16 | (distance - 1)`.
  private var symbols: [UInt32] = []
  private var literalCounts = [Int](repeating: 0, count: 286)
  private var distanceCounts = [Int](repeating: 0, count: 30)

  init() { symbols.reserveCapacity(Self.capacity) }

  var isFull: Bool { symbols.count >= Self.capacity }

  @inline(__always)
  mutating func append(literal: UInt8) {
    symbols.append(UInt32(literal))
    literalCounts[Int(literal)] += 1
  }

  /// - Parameters:
  ///   - length: 3 to 258.
  ///   - distance: 1 to 32768.
  @inline(__always)
  mutating func append(length: Int, distance: Int) {
    symbols.append(UInt32(truncatingIfNeeded: length << 16 | (distance - 1)))
    literalCounts[Self.lengthSymbol(length)] += 1
    distanceCounts[Self.distanceSymbol(distance)] += 1
  }

  mutating func clear() {
    symbols.removeAll(keepingCapacity: true)
    for index in literalCounts.indices { literalCounts[index] = 0 }
    for index in distanceCounts.indices { distanceCounts[index] = 0 }
  }

  /// Writes the block in the shortest of the three ways there are.
  ///
  /// - Parameter source: the bytes that it stands for.
  mutating func write(_ source: UnsafeRawBufferPointer, isLast: Bool, to writer: inout BitWriter) {
    literalCounts[Self.endOfBlock] = 1
    let literals = DeflateCode(counts: literalCounts, longest: 15)
    let distances = DeflateCode(counts: distanceCounts, longest: 15)
    let table = DeflateCodeTable(literals, distances)
    let dynamic = table.bitCount + size(literals, distances)
    let fixed = size(Self.fixedLiterals, Self.fixedDistances)
    let stored = 8 * source.count + (source.count / 65_535 + 1) * 40
    if stored < min(dynamic, fixed) { return Self.writeStored(source, isLast: isLast, to: &writer) }
    writer.reserve(bitCount: min(dynamic, fixed) + 3)
    writer.write(isLast ? 1 : 0, 1)
    if fixed <= dynamic {
      writer.write(1, 2)
      writeSymbols(Self.fixedLiterals, Self.fixedDistances, to: &writer)
    } else {
      writer.write(2, 2)
      table.write(to: &writer)
      writeSymbols(literals, distances, to: &writer)
    }
  }

  /// The bits of all symbols.
  private func size(_ literals: DeflateCode, _ distances: DeflateCode) -> Int {
    var bits = 0
    for (symbol, count) in literalCounts.enumerated() where count > 0 {
      let extra = symbol > Self.endOfBlock ? Int(InflateDecoder.lengthExtra[symbol - 257]) : 0
      bits += count * (literals.lengths[symbol] + extra)
    }
    for (symbol, count) in distanceCounts.enumerated() where count > 0 {
      bits += count * (distances.lengths[symbol] + Int(InflateDecoder.distanceExtra[symbol]))
    }
    return bits
  }

  private func writeSymbols(_ literals: DeflateCode, _ distances: DeflateCode, to writer: inout BitWriter) {
    for symbol in symbols {
      let length = Int(symbol >> 16)
      guard length > 0 else {
        writer.write(UInt64(literals.codes[Int(symbol)]), literals.lengths[Int(symbol)])
        continue
      }
      let lengthSymbol = Self.lengthSymbol(length)
      var bits = UInt64(literals.codes[lengthSymbol])
      var count = literals.lengths[lengthSymbol]
      bits |= UInt64(length - Int(InflateDecoder.lengthBase[lengthSymbol - 257])) << UInt64(count)
      count += Int(InflateDecoder.lengthExtra[lengthSymbol - 257])
      let distance = Int(symbol & 0xFFFF) + 1
      let distanceSymbol = Self.distanceSymbol(distance)
      bits |= UInt64(distances.codes[distanceSymbol]) << UInt64(count)
      count += distances.lengths[distanceSymbol]
      bits |= UInt64(distance - Int(InflateDecoder.distanceBase[distanceSymbol])) << UInt64(count)
      count += Int(InflateDecoder.distanceExtra[distanceSymbol])
      writer.write(bits, count)
    }
    writer.write(UInt64(literals.codes[Self.endOfBlock]), literals.lengths[Self.endOfBlock])
  }

  private static func writeStored(_ source: UnsafeRawBufferPointer, isLast: Bool, to writer: inout BitWriter) {
    var start = 0
    repeat {
      let end = min(start + 65_535, source.count)
      writer.reserve(bitCount: 16)
      writer.write(isLast && end == source.count ? 1 : 0, 3)
      writer.align()
      let count = UInt16(end - start)
      for number in [count, ~count] { writer.append([UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]) }
      writer.append(UnsafeRawBufferPointer(rebasing: source[start..<end]))
      start = end
    } while start < source.count
  }
}

// MARK: - Symbols of RFC 1951, 3.2.5

extension DeflateBlock {
  @inline(__always)
  private static func lengthSymbol(_ length: Int) -> Int { Int(lengthSymbols[length]) }

  /// Twice as many distances have the same number of symbols, two, from 5 on.
  @inline(__always)
  private static func distanceSymbol(_ distance: Int) -> Int {
    guard distance > 4 else { return distance - 1 }
    let bits = Int.bitWidth - 1 - (distance - 1).leadingZeroBitCount
    return 2 * bits + ((distance - 1) >> (bits - 1) & 1)
  }

  private static let lengthSymbols: [UInt16] = {
    var symbols = [UInt16](repeating: 0, count: 259)
    for (index, base) in InflateDecoder.lengthBase.enumerated() {
      for length in Int(base)..<symbols.count { symbols[length] = UInt16(257 + index) }
    }
    return symbols
  }()

  private static let fixedLiterals = DeflateCode(lengths: InflateDecoder.fixedLiteralLengths.map(Int.init))
  private static let fixedDistances = DeflateCode(lengths: [Int](repeating: 5, count: 30))
}
