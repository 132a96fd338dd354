/// The central directory of a ZIP archive, and the records at the end that say where it is.
enum ZipDirectory {
  /// The most bytes that one byte of deflated data can stand for: 258 in two bits, less the block's own overhead.
  private static let largestExpansion = 1032

  /// The entries; their data is not located yet: `extent` begins at the local header and ends where the directory
  /// begins, `data` has the right length and begins at 0.
  static func entries(_ reader: LittleEndianReader) throws -> [ZipArchive.Entry] {
    let directory = try find(reader)
    var entries: [ZipArchive.Entry] = []
    var names: Set<UTF8Key> = []
    var offset = directory.extent.lowerBound
    for _ in 0..<directory.entryCount {
      let entry = try readEntry(reader, at: &offset, directory)
      guard names.insert(UTF8Key(entry.name)).inserted else { throw ZipError.duplicateName(entry.name) }
      entries.append(entry)
    }
    guard offset == directory.extent.upperBound else { throw ZipError.badDirectory(offset: offset) }
    return entries
  }

  private struct Location {
    let entryCount: Int
    let extent: Range<Int>
  }
}

// MARK: - End records

extension ZipDirectory {
  private static func find(_ reader: LittleEndianReader) throws -> Location {
    guard let end = endRecord(reader), let disk = reader.uint16(end + 4), let directoryDisk = reader.uint16(end + 6),
      let diskEntries = reader.uint16(end + 8), let entryCount = reader.uint16(end + 10),
      let byteCount = reader.uint32(end + 12), let start = reader.uint32(end + 16)
    else { throw ZipError.noEndRecord }
    if let record = try wideEndRecord(reader, before: end) { return record }
    guard disk == 0, directoryDisk == 0, diskEntries == entryCount else { throw ZipError.severalDisks }
    return try location(entryCount: entryCount, start: start, byteCount: byteCount, end: end)
  }

  /// The end record: the last one whose comment reaches to the end of the file.
  private static func endRecord(_ reader: LittleEndianReader) -> Int? {
    let last = reader.count - 22
    guard last >= 0 else { return nil }
    for offset in stride(from: last, through: max(0, last - 0xFFFF), by: -1)
    where reader.uint32(offset) == 0x0605_4B50 && reader.uint16(offset + 20) == last - offset {
      return offset
    }
    return nil
  }

  /// The 64-bit end record, when its locator stands before the end record.
  private static func wideEndRecord(_ reader: LittleEndianReader, before end: Int) throws -> Location? {
    let locator = end - 20
    guard locator >= 0, reader.uint32(locator) == 0x0706_4B50 else { return nil }
    guard let record = reader.uint64(locator + 8), reader.uint32(locator + 16) == 1 else {
      throw ZipError.badDirectory(offset: locator)
    }
    guard record <= locator - 56, reader.uint32(record) == 0x0606_4B50, let rest = reader.uint64(record + 4),
      rest == locator - record - 12, let disk = reader.uint32(record + 16),
      let directoryDisk = reader.uint32(record + 20), let diskEntries = reader.uint64(record + 24),
      let entryCount = reader.uint64(record + 32), let byteCount = reader.uint64(record + 40),
      let start = reader.uint64(record + 48)
    else { throw ZipError.badDirectory(offset: locator) }
    guard disk == 0, directoryDisk == 0, diskEntries == entryCount else { throw ZipError.severalDisks }
    return try location(entryCount: entryCount, start: start, byteCount: byteCount, end: record)
  }

  /// The directory stands right before the end records, and an entry of it takes at least 46 bytes.
  private static func location(entryCount: Int, start: Int, byteCount: Int, end: Int) throws -> Location {
    guard start <= end, byteCount == end - start, entryCount <= byteCount / 46 else {
      throw ZipError.badDirectory(offset: end)
    }
    return Location(entryCount: entryCount, extent: start..<end)
  }
}

// MARK: - Entries

extension ZipDirectory {
  private static func readEntry(
    _ reader: LittleEndianReader, at offset: inout Int, _ directory: Location
  ) throws -> ZipArchive.Entry {
    let start = offset
    let bad = ZipError.badDirectory(offset: start)
    guard reader.uint32(start) == 0x0201_4B50, let flags = reader.uint16(start + 8),
      let method = reader.uint16(start + 10), let checksum = reader.uint32(start + 16),
      let nameLength = reader.uint16(start + 28), let extraLength = reader.uint16(start + 30),
      let commentLength = reader.uint16(start + 32), let disk = reader.uint16(start + 34),
      var compressedSize = reader.uint32(start + 20), var size = reader.uint32(start + 24),
      var localHeader = reader.uint32(start + 42)
    else { throw bad }
    let nameStart = start + 46
    let extraStart = nameStart + nameLength
    let end = extraStart + extraLength + commentLength
    guard end <= directory.extent.upperBound else { throw bad }
    guard let name = reader.text(nameStart..<extraStart), !MarkRun.isTooLong(in: name) else {
      throw ZipError.badName(offset: nameStart)
    }
    offset = end

    var wide = WideFields(reader, in: extraStart..<extraStart + extraLength)
    guard wide.replace(&size), wide.replace(&compressedSize), wide.replace(&localHeader) else {
      throw ZipError.badEntry(name: name)
    }
    guard flags & 0x2041 == 0 else { throw ZipError.encrypted(name: name) }
    guard method == 0 || method == 8 else { throw ZipError.unknownMethod(name: name, method: method) }
    guard disk == 0 || disk == 0xFFFF else { throw ZipError.severalDisks }
    guard localHeader <= directory.extent.lowerBound, compressedSize <= directory.extent.lowerBound else {
      throw ZipError.badEntry(name: name)
    }
    let isPossible = method == 0 ? size == compressedSize : size / largestExpansion <= compressedSize
    guard isPossible else { throw ZipError.wrongSize(name: name, expected: size, found: compressedSize) }
    return ZipArchive.Entry(
      name: name, isDeflated: method == 8, byteCount: size, checksum: UInt32(truncatingIfNeeded: checksum),
      extent: localHeader..<directory.extent.lowerBound, data: 0..<compressedSize)
  }

  /// The 64-bit values of the extra field, one for each 32-bit value that says it has no room.
  private struct WideFields {
    private let reader: LittleEndianReader
    private var rest: Range<Int>

    init(_ reader: LittleEndianReader, in extra: Range<Int>) {
      self.reader = reader
      rest = extra.upperBound..<extra.upperBound
      var offset = extra.lowerBound
      while extra.upperBound - offset >= 4, let tag = reader.uint16(offset), let length = reader.uint16(offset + 2) {
        let content = offset + 4
        guard length <= extra.upperBound - content else { return }
        if tag == 1 {
          rest = content..<content + length
          return
        }
        offset = content + length
      }
    }

    /// Puts the next 64-bit value in place of `value`, if that says so.
    /// - Returns: `false` when there is none.
    mutating func replace(_ value: inout Int) -> Bool {
      guard value == 0xFFFF_FFFF else { return true }
      guard rest.count >= 8, let wide = reader.uint64(rest.lowerBound) else { return false }
      value = wide
      rest = rest.lowerBound + 8..<rest.upperBound
      return true
    }
  }
}
