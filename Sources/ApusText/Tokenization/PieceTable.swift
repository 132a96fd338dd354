/// The lines of a vocabulary, and a hash table that finds them.
final class PieceTable: Sendable {
  let source: String
  private let bytes: [UInt8]
  /// Where the piece on each line is in `bytes`.
  let lines: [Range<UInt32>]
  /// Half of a piece's hash, and its number plus 1; 0 where nothing is.
  ///
  /// Pieces inside a word are found by what follows their `##`: each is in the table twice.
  private let slots: [UInt64]
  /// Unlike from run to run, so that no file can be made whose pieces all fall together.
  private let multiplier: UInt64
  /// The bytes of the longest piece.
  private let longestCount: Int

  private static let prefix: [UInt8] = [UInt8(ascii: "#"), UInt8(ascii: "#")]

  /// - Throws: ``VocabularyError``.
  init(_ text: UnsafeRawBufferPointer, source: String) throws {
    func error(_ reason: VocabularyError.Reason) -> VocabularyError { VocabularyError(source: source, reason: reason) }
    guard text.count <= WordPieceVocabulary.byteLimit else {
      throw error(.tooManyBytes(count: text.count, limit: WordPieceVocabulary.byteLimit))
    }
    let bytes = [UInt8](text)
    var lines: [Range<UInt32>] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let isReturned = end > start && bytes[end - 1] == UInt8(ascii: "\r")
      lines.append(UInt32(start)..<UInt32(isReturned ? end - 1 : end))
      guard lines.count <= WordPieceVocabulary.tokenLimit else {
        throw error(.tooManyTokens(limit: WordPieceVocabulary.tokenLimit))
      }
      start = end + 1
    }
    if String(validating: bytes, as: UTF8.self) == nil {
      let line = lines.firstIndex { String(validating: bytes[Range($0)], as: UTF8.self) == nil }
      throw error(.notUTF8(line: (line ?? 0) + 1))
    }
    self.source = source
    self.bytes = bytes
    self.lines = lines
    longestCount = lines.map(\.count).max() ?? 0
    let multiplier = UInt64.random(in: 0...(.max)) | 1
    self.multiplier = multiplier
    // At most two thirds are taken: every piece is there once or twice.
    var size = 16
    while size < lines.count * 3 { size *= 2 }
    var slots = [UInt64](repeating: 0, count: size)

    /// - Returns: the number that the same piece has already; `nil` when it was put in.
    func insert(_ id: Int, isInside: Bool) -> Int? {
      let place = bytes[Range(lines[id])].dropFirst(isInside ? 2 : 0).withUnsafeBufferPointer { piece in
        let hash = piece.reduce(Self.basis(isInside: isInside)) { Self.step($0, $1, multiplier) }
        return Self.place(of: piece, hash: hash, isInside: isInside, slots, bytes, lines)
      }
      if slots[place.index] != 0 { return Int(slots[place.index] & 0xFFFF_FFFF) - 1 }
      slots[place.index] = place.tag | UInt64(id + 1)
      return nil
    }
    for id in lines.indices where !lines[id].isEmpty {
      if let first = insert(id, isInside: false) {
        let token = String(decoding: bytes[Range(lines[id])], as: UTF8.self)
        throw error(.duplicate(token: token, first: first + 1, second: id + 1))
      }
      if lines[id].count > 2, bytes[Range(lines[id])].starts(with: Self.prefix) { _ = insert(id, isInside: true) }
    }
    self.slots = slots
  }

  func text(of id: Int) -> ArraySlice<UInt8> { bytes[Range(lines[id])] }

  /// See ``WordPieceVocabulary/longestPiece(of:from:ends:)``.
  func longest(of word: [UInt8], from first: Int, ends: [Int]) -> (id: Int, next: Int)? {
    let start = first == 0 ? 0 : ends[first - 1]
    let isInside = first > 0
    return word.withUnsafeBufferPointer { word in
      // The hash of every beginning in one go; then the longest of them first.
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: ends.count - first) { hashes in
        var hash = Self.basis(isInside: isInside)
        var (index, last) = (start, first)
        while last < ends.count, ends[last] - start <= longestCount {
          while index < ends[last] {
            hash = Self.step(hash, word[index], multiplier)
            index += 1
          }
          hashes[last - first] = hash
          last += 1
        }
        while last > first {
          last -= 1
          let piece = UnsafeBufferPointer(rebasing: word[start..<ends[last]])
          if let id = find(piece, hash: hashes[last - first], isInside: isInside) { return (id, last + 1) }
        }
        return nil
      }
    }
  }

  /// - Parameter isInside: whether a piece is looked for that has `##` before this text.
  func find(_ piece: UnsafeBufferPointer<UInt8>, isInside: Bool) -> Int? {
    find(
      piece, hash: piece.reduce(Self.basis(isInside: isInside)) { Self.step($0, $1, multiplier) }, isInside: isInside)
  }

  private func find(_ piece: UnsafeBufferPointer<UInt8>, hash: UInt64, isInside: Bool) -> Int? {
    let place = Self.place(of: piece, hash: hash, isInside: isInside, slots, bytes, lines)
    return slots[place.index] == 0 ? nil : Int(slots[place.index] & 0xFFFF_FFFF) - 1
  }
}

// MARK: - Hashing

extension PieceTable {
  private static func basis(isInside: Bool) -> UInt64 { isInside ? 0x9E37_79B9_7F4A_7C15 : 0xCBF2_9CE4_8422_2325 }

  private static func step(_ hash: UInt64, _ byte: UInt8, _ multiplier: UInt64) -> UInt64 {
    let product = (hash ^ UInt64(byte)) &* multiplier
    return product ^ (product >> 32)
  }

  /// The slot that has the piece, or the empty one where it would be; and the upper half of its entry.
  private static func place(
    of piece: UnsafeBufferPointer<UInt8>, hash: UInt64, isInside: Bool, _ slots: [UInt64], _ bytes: [UInt8],
    _ lines: [Range<UInt32>]
  ) -> (index: Int, tag: UInt64) {
    let product = (hash ^ (hash >> 29)) &* 0xBF58_476D_1CE4_E5B9
    let mixed = product ^ (product >> 32)
    let tag = mixed & 0xFFFF_FFFF_0000_0000
    var index = Int(truncatingIfNeeded: mixed) & (slots.count - 1)
    while slots[index] != 0 {
      if slots[index] & 0xFFFF_FFFF_0000_0000 == tag {
        let found = bytes[Range(lines[Int(slots[index] & 0xFFFF_FFFF) - 1])]
        if isInside
          ? found.starts(with: prefix) && found.dropFirst(2).elementsEqual(piece)
          : found.elementsEqual(piece)
        {
          break
        }
      }
      index = (index + 1) & (slots.count - 1)
    }
    return (index, tag)
  }
}

extension Range<Int> {
  fileprivate init(_ range: Range<UInt32>) { self = Int(range.lowerBound)..<Int(range.upperBound) }
}
