/// The entries of a ZIP archive (PKWARE's APPNOTE 6.3), read by its central directory, with 64-bit sizes where it has
/// them.
///
/// The directory decides: what lies between entries is not looked at, and an entry that the directory does not list
/// does not exist. Entries may not overlap, nor share a name; none may claim to be larger than deflate can make it.
/// Nothing is ever written, so an entry's name never becomes a path.
package struct ZipArchive: Sendable {
  package struct Entry: Sendable {
    package let name: String
    /// Whether the data is deflated; it is stored as it is otherwise.
    package let isDeflated: Bool
    /// The size of the contents.
    package let byteCount: Int
    let checksum: UInt32
    /// Where the local header lies in the file, with the data behind it.
    fileprivate(set) var extent: Range<Int>
    /// Where the data lies, deflated or not.
    fileprivate(set) var data: Range<Int>
  }

  /// In the order of the directory.
  package let entries: [Entry]
  private let file: MappedFile

  /// Reads the directory of an archive and checks it.
  /// - Throws: ``ZipError``.
  package init(_ file: MappedFile) throws {
    self.file = file
    entries = try file.withUnsafeBytes { bytes in
      let reader = LittleEndianReader(bytes)
      var entries = try ZipDirectory.entries(reader)
      for index in entries.indices { try Self.locate(&entries[index], reader) }
      try Self.checkOverlaps(entries)
      return entries
    }
  }

  /// The contents of an entry, decompressed and checked against its checksum. Of a stored one, a view of the archive.
  /// - Throws: ``ZipError``, ``FileError/tooLarge(path:byteCount:limit:)``,
  ///   ``FileError/noRoom(path:byteCount:others:limit:)``.
  package func contents(of entry: Entry) throws -> (bytes: UnsafeRawBufferPointer, owner: MappedFile) {
    let data = UnsafeRawBufferPointer(rebasing: file.unownedBytes[entry.data])
    var result = (bytes: data, owner: file)
    if entry.isDeflated {
      let inflated = try MappedFile(name: file.name, byteCount: entry.byteCount) { memory in
        try Self.inflate(data, into: memory, entry)
      }
      result = (inflated.unownedBytes, inflated)
    }
    guard CRC32.checksum(result.bytes) == entry.checksum else { throw ZipError.badChecksum(name: entry.name) }
    return result
  }

  /// The first `byteCount` bytes of an entry, or all of them where there are fewer; nothing is checked.
  /// - Throws: ``ZipError`` where not even so much can be decompressed.
  package func beginning(of entry: Entry, byteCount: Int) throws -> [UInt8] {
    let data = UnsafeRawBufferPointer(rebasing: file.unownedBytes[entry.data])
    guard entry.isDeflated else { return Array(data.prefix(byteCount)) }
    do {
      return try Inflate.beginning(of: data, byteCount: byteCount)
    } catch {
      throw ZipError.inflate(name: entry.name, error)
    }
  }

  private static func inflate(
    _ data: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, _ entry: Entry
  ) throws {
    do {
      let (produced, consumed) = try Inflate.raw(data, into: memory)
      guard produced == memory.count else {
        throw ZipError.wrongSize(name: entry.name, expected: memory.count, found: produced)
      }
      guard consumed == data.count else { throw ZipError.badEntry(name: entry.name) }
    } catch let error as InflateError {
      throw ZipError.inflate(name: entry.name, error)
    }
  }
}

// MARK: - Local headers

extension ZipArchive {
  /// Finds an entry's data behind its local header, whose length only the header itself knows.
  private static func locate(_ entry: inout Entry, _ reader: LittleEndianReader) throws {
    let start = entry.extent.lowerBound
    guard reader.uint32(start) == 0x0403_4B50, let nameLength = reader.uint16(start + 26),
      let extraLength = reader.uint16(start + 28)
    else { throw ZipError.badEntry(name: entry.name) }
    let dataStart = start + 30 + nameLength + extraLength
    // The directory has the length of the data, counted from 0; here it gets its place.
    guard dataStart <= entry.extent.upperBound, entry.data.count <= entry.extent.upperBound - dataStart else {
      throw ZipError.badEntry(name: entry.name)
    }
    entry.data = dataStart..<dataStart + entry.data.count
    entry.extent = start..<entry.data.upperBound
  }

  private static func checkOverlaps(_ entries: [Entry]) throws {
    let ordered = entries.sorted { $0.extent.lowerBound < $1.extent.lowerBound }
    for (entry, next) in zip(ordered, ordered.dropFirst()) where entry.extent.upperBound > next.extent.lowerBound {
      throw ZipError.overlap(name: entry.name, other: next.name)
    }
  }
}
