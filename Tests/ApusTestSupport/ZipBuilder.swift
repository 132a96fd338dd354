import ApusBase

/// Builds ZIP archives, right ones and wrong ones.
package struct ZipBuilder {
  package struct Entry {
    package var name: [UInt8]
    package var data: [UInt8]
    package var method: UInt16 = 0
    package var flags: UInt16 = 0
    package var byteCount: UInt32
    package var compressedCount: UInt32
    package var checksum: UInt32
    package var localName: [UInt8]
    /// Where the directory says that the local header is; `nil` for where it is.
    package var offset: UInt32?
    package var extra: [UInt8] = []

    package init(_ name: String, _ data: [UInt8]) {
      self.name = Array(name.utf8)
      localName = self.name
      self.data = data
      byteCount = UInt32(data.count)
      compressedCount = UInt32(data.count)
      checksum = data.withUnsafeBytes { CRC32.checksum($0) }
    }
  }

  package var entries: [Entry]
  package var prefix: [UInt8] = []
  package var comment: [UInt8] = []
  package var disk: UInt16 = 0
  package var entryCount: UInt16?
  package var isWide = false

  package init(_ contents: KeyValuePairs<String, [UInt8]>) {
    entries = contents.map { Entry($0.key, $0.value) }
  }

  package var bytes: [UInt8] {
    var file = prefix
    var offsets: [UInt32] = []
    for entry in entries {
      offsets.append(entry.offset ?? UInt32(file.count))
      file += number(0x0403_4B50 as UInt32) + number(20 as UInt16) + number(entry.flags) + number(entry.method)
      file += number(0 as UInt32) + number(entry.checksum) + number(entry.compressedCount) + number(entry.byteCount)
      file += number(UInt16(entry.localName.count)) + number(0 as UInt16) + entry.localName + entry.data
    }
    let start = file.count
    for (entry, offset) in zip(entries, offsets) {
      file += number(0x0201_4B50 as UInt32) + number(20 as UInt16) + number(20 as UInt16) + number(entry.flags)
      file += number(entry.method) + number(0 as UInt32) + number(entry.checksum) + number(entry.compressedCount)
      file += number(entry.byteCount) + number(UInt16(entry.name.count)) + number(UInt16(entry.extra.count))
      file += number(0 as UInt16) + number(disk) + number(0 as UInt16) + number(0 as UInt32) + number(offset)
      file += entry.name + entry.extra
    }
    let end = file.count
    let count = entryCount ?? UInt16(entries.count)
    if isWide {
      file += number(0x0606_4B50 as UInt32) + number(44 as UInt64) + number(45 as UInt16) + number(45 as UInt16)
      file += number(0 as UInt32) + number(0 as UInt32) + number(UInt64(count)) + number(UInt64(count))
      file += number(UInt64(end - start)) + number(UInt64(start))
      file += number(0x0706_4B50 as UInt32) + number(0 as UInt32) + number(UInt64(end)) + number(1 as UInt32)
    }
    file += number(0x0605_4B50 as UInt32) + number(disk) + number(disk)
    file += number(isWide ? .max : count) + number(isWide ? .max : count)
    file += number(isWide ? UInt32.max : UInt32(end - start)) + number(isWide ? UInt32.max : UInt32(start))
    return file + number(UInt16(comment.count)) + comment
  }
}

package func number(_ value: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: value.littleEndian) { Array($0) }
}
