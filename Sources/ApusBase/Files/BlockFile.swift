/// Blocks of bytes that are found by keys, in a file that is mapped: what one process has computed, and another need not.
///
/// Little-endian throughout:
///
///     8 bytes      "APUSBLK1"
///     8            the label: what the blocks are for
///     8            the number of blocks
///     8            XXH64 of the 24 bytes before and of the table
///     40 a block   the table, in the order of the blocks: both halves of the key, where the block begins, its bytes, their XXH64
///     …            the blocks, each at a multiple of 64, zeros between them; the file ends with the last one
///
/// Opening reads and checks all but the blocks, each of which is checked when it is first asked for. So a file that is cut
/// short, damaged anywhere that matters, or of another program gives nothing, and no block reaches beyond the file.
package final class BlockFile: Sendable {
  /// What a block is found by.
  package struct Key: Hashable, Sendable {
    package var first: UInt64
    package var second: UInt64

    package init(_ first: UInt64, _ second: UInt64) {
      (self.first, self.second) = (first, second)
    }
  }

  /// Why a file gives no blocks.
  package enum Refusal: Error, Hashable {
    /// It is something else: nothing to write over.
    case foreign
    /// It is for something else, or of another version.
    case otherLabel
    case damaged
  }

  fileprivate struct Entry {
    let range: Range<Int>
    let checksum: UInt64
  }

  static let magic = Array("APUSBLK1".utf8)
  static let headerByteCount = 32
  static let entryByteCount = 40
  /// Where blocks begin: at multiples of what tensors are aligned to.
  static let alignment = AlignedMemory.alignment

  /// The mapped file, which keeps the memory of all blocks.
  package let file: MappedFile
  /// The keys of all blocks, in their order.
  package let keys: [Key]
  private let entries: [Key: Entry]
  /// The blocks that were found to be whole.
  private let sound = Locked<Set<Key>>([])

  /// Opens the file at `path`.
  /// - Throws: ``FileError`` when it cannot be read, ``Refusal``.
  package convenience init(path: String, label: UInt64) throws {
    try self.init(MappedFile(path: path), label: label)
  }

  /// - Throws: ``Refusal``.
  package init(_ file: MappedFile, label: UInt64) throws(Refusal) {
    self.file = file
    (keys, entries) = try Self.table(file.unownedBytes, label)
  }

  /// The block of that key; nil where there is none, where it is not of `byteCount` bytes, and where it is damaged.
  ///
  /// The memory is ``file``'s.
  /// - Parameter byteCount: the size it must have; any when nil.
  package func block(_ key: Key, byteCount: Int? = nil) -> UnsafeRawBufferPointer? {
    guard let entry = entries[key], byteCount ?? entry.range.count == entry.range.count else { return nil }
    let bytes = UnsafeRawBufferPointer(rebasing: file.unownedBytes[entry.range])
    if sound.withLock({ $0.contains(key) }) { return bytes }
    guard XXH64.hash(bytes) == entry.checksum else { return nil }
    _ = sound.withLock { $0.insert(key) }
    return bytes
  }

  /// Whether the file at `path` begins as one of these does.
  static func isOne(_ path: String) -> Bool {
    guard let file = try? MappedFile(path: path), file.count >= magic.count else { return false }
    return file.withUnsafeBytes { $0.prefix(magic.count).elementsEqual(magic) }
  }

  private static func table(
    _ bytes: UnsafeRawBufferPointer, _ label: UInt64
  ) throws(Refusal) -> ([Key], [Key: Entry]) {
    guard bytes.count >= magic.count, bytes.prefix(magic.count).elementsEqual(magic) else { throw .foreign }
    guard bytes.count >= headerByteCount else { throw .damaged }
    func number(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    guard let count = Int(exactly: number(16)), count <= (bytes.count - headerByteCount) / entryByteCount else {
      throw .damaged
    }
    let tableEnd = headerByteCount + count * entryByteCount
    let table = UnsafeRawBufferPointer(rebasing: bytes[headerByteCount..<tableEnd])
    let head = UnsafeRawBufferPointer(rebasing: bytes[..<24])
    guard XXH64.hash(table, seed: XXH64.hash(head)) == number(24) else { throw .damaged }
    guard number(8) == label else { throw .otherLabel }
    var (keys, entries): ([Key], [Key: Entry]) = ([], [:])
    entries.reserveCapacity(count)
    var end = tableEnd
    for place in stride(from: headerByteCount, to: tableEnd, by: entryByteCount) {
      guard let offset = Int(exactly: number(place + 16)), let size = Int(exactly: number(place + 24)),
        offset == aligned(end), size > 0, offset <= bytes.count, size <= bytes.count - offset
      else { throw .damaged }
      end = offset + size
      let key = Key(number(place), number(place + 8))
      let entry = Entry(range: offset..<end, checksum: number(place + 32))
      guard entries.updateValue(entry, forKey: key) == nil else { throw .damaged }
      keys.append(key)
    }
    guard end == bytes.count else { throw .damaged }
    return (keys, entries)
  }

  fileprivate static func aligned(_ offset: Int) -> Int { offset.roundedUp(toMultipleOf: alignment) }
}

// MARK: - Writing

extension BlockFile {
  /// Writes a file of these blocks, whose keys differ, in the place of one that is there; of anything else that is there
  /// nothing is written over. No reader ever sees half of it.
  /// - Throws: ``FileError``, ``Refusal/foreign`` where something else is at `path`.
  package static func write(
    _ blocks: [(key: Key, bytes: UnsafeRawBufferPointer)], label: UInt64, to path: String
  ) throws {
    if fileExists(path), !isOne(path) { throw Refusal.foreign }
    let blocks = blocks.filter { !$0.bytes.isEmpty }
    var table: [UInt8] = []
    func add(_ number: UInt64, to bytes: inout [UInt8]) {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
    var end = headerByteCount + blocks.count * entryByteCount
    for (key, bytes) in blocks {
      let offset = aligned(end)
      for number in [key.first, key.second, UInt64(offset), UInt64(bytes.count), XXH64.hash(bytes)] {
        add(number, to: &table)
      }
      end = offset + bytes.count
    }
    var head = magic
    add(label, to: &head)
    add(UInt64(blocks.count), to: &head)
    let seed = head.withUnsafeBytes { XXH64.hash($0) }
    add(table.withUnsafeBytes { XXH64.hash($0, seed: seed) }, to: &head)
    head += table
    try AtomicFile.create(at: path) { file in
      try head.withUnsafeBytes { try file.append($0) }
      var end = head.count
      let zeros = [UInt8](repeating: 0, count: alignment)
      for (_, bytes) in blocks {
        let gap = aligned(end) - end
        try zeros.withUnsafeBytes { try file.append(UnsafeRawBufferPointer(rebasing: $0[..<gap])) }
        try file.append(bytes)
        end += gap + bytes.count
      }
    }
  }
}
