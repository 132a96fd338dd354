/// What a scan says about itself.
struct JPEGScanHeader {
  /// The components, and their tables.
  struct Member {
    /// The component's place in the frame.
    let component: Int
    let firstTable: Int
    let othersTable: Int
  }

  let members: [Member]
  /// The first and last coefficient of a progressive scan.
  let coefficients: ClosedRange<Int>
  /// Bits that the scan before omitted, or none when this is the first.
  let before: Int
  /// Bits that this scan omits.
  let after: Int

  /// - Throws: ``ImageError``.
  init(_ reader: inout JPEGReader, _ frame: JPEGFrame) throws(ImageError) {
    let what = "a scan header"
    let count = try reader.byte(what)
    guard 1...frame.components.count ~= count else {
      throw reader.malformed("a scan of \(count) components in a file of \(frame.components.count)")
    }
    var members: [Member] = []
    for _ in 0..<count {
      let identifier = try reader.byte(what)
      let tables = try reader.byte(what)
      guard let component = frame.components.firstIndex(where: { $0.identifier == identifier }),
        !members.contains(where: { $0.component == component })
      else { throw reader.malformed("a scan of component \(identifier), not in the file or twice in the scan") }
      guard tables >> 4 < 4, tables & 15 < 4 else {
        throw reader.malformed("Huffman tables \(tables >> 4) and \(tables & 15); 0 to 3 are allowed")
      }
      members.append(Member(component: component, firstTable: tables >> 4, othersTable: tables & 15))
    }
    let (first, last) = (try reader.byte(what), try reader.byte(what))
    let approximation = try reader.byte(what)
    (before, after) = (approximation >> 4, approximation & 15)
    self.members = members
    guard frame.isProgressive else {
      // Many writers put something else here, which means nothing.
      coefficients = 0...63
      return
    }
    guard first <= last, last < 64, first == 0 ? last == 0 : count == 1 else {
      throw reader.malformed("a progressive scan of the coefficients \(first) to \(last) of \(count) components")
    }
    guard after <= 13, before == 0 || before == after + 1 else {
      throw reader.malformed("a progressive scan of bit \(after) after bit \(before)")
    }
    coefficients = first...last
  }
}

/// The coefficients' bits of a scan.
///
/// The bytes are copied once, without those that are put in after 255 to distinguish it from a marker, so that a
/// decoder need not look at each byte; and what lies between restart markers is known from the start.
struct JPEGScanData {
  struct Piece {
    /// Bytes of the copy.
    let bytes: Range<Int>
    /// Where it begins in the file.
    let offset: Int
  }

  let pieces: [Piece]
  /// Where the marker behind the scan is, or the file's end.
  let end: Int
  let isCutShort: Bool

  /// Copies the scan that begins at `offset`.
  ///
  /// `copy` must have room for all bytes from there on and ``JPEGBits/slack`` more.
  /// - Throws: ``ImageError`` for restart markers in another order than theirs.
  init(_ reader: JPEGReader, copy: UnsafeMutablePointer<UInt8>) throws(ImageError) {
    let (bytes, end) = (reader.bytes, reader.end)
    var offset = reader.offset
    var pieces: [Piece] = []
    var (start, count) = (0, 0)
    var pieceOffset = offset
    var isCutShort = true
    scan: while offset < end {
      let stretch = Self.stretch(bytes, from: offset, to: end)
      if stretch > 0, let source = bytes.baseAddress {
        UnsafeMutableRawPointer(copy + count).copyMemory(from: source + offset, byteCount: stretch)
      }
      offset += stretch
      count += stretch
      // A byte 255, or several, and what it means.
      var behind = offset
      while behind < end, bytes[behind] == 0xFF { behind += 1 }
      guard behind < end else { break }
      switch bytes[behind] {
      case 0:
        copy[count] = 0xFF
        count += 1
        offset = behind + 1
      case 0xD0...0xD7:
        guard Int(bytes[behind] & 7) == pieces.count & 7 else {
          throw reader.error(.malformed("a restart marker that another one should come before"), at: behind)
        }
        pieces.append(Piece(bytes: start..<count, offset: pieceOffset))
        (start, offset, pieceOffset) = (count, behind + 1, behind + 1)
      default:
        isCutShort = false
        break scan
      }
    }
    pieces.append(Piece(bytes: start..<count, offset: pieceOffset))
    (copy + count).update(repeating: 0, count: JPEGBits.slack)
    self.pieces = pieces
    self.end = offset
    self.isCutShort = isCutShort
  }

  /// How many bytes come before the next 255.
  private static func stretch(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var place = start
    while place + 8 <= end {
      // A byte of the complement is zero just where one of the word is 255.
      let word = ~(base + place).loadUnaligned(as: UInt64.self)
      let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
      if zeros != 0 { return place - start + UInt64(littleEndian: zeros).trailingZeroBitCount / 8 }
      place += 8
    }
    while place < end, bytes[place] != 0xFF { place += 1 }
    return place - start
  }

  /// The file's byte that became byte `place` of the copy, as nearly as needed for a message.
  func offset(of place: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    guard let piece = pieces.last(where: { $0.bytes.lowerBound <= place }) else { return end }
    var (offset, left) = (piece.offset, place - piece.bytes.lowerBound)
    while left > 0, offset < end {
      offset += bytes[offset] == 0xFF ? 2 : 1
      left -= 1
    }
    return min(offset, bytes.count)
  }
}
