import Apus

/// Walks along the chunks of a PNG file: length, name, contents, checksum.
struct PNGChunks {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  struct Chunk {
    let name: String
    /// Where it begins in the file.
    let offset: Int
    let contents: UnsafeRawBufferPointer
    /// Whether a reader that does not know it must give up: its name begins with a capital letter.
    let isCritical: Bool
  }

  private let bytes: UnsafeRawBufferPointer
  private var position: Int

  /// - Throws: ``ImageError`` when `bytes` do not begin as a PNG file.
  init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    guard bytes.count >= Self.signature.count, bytes.prefix(Self.signature.count).elementsEqual(Self.signature) else {
      throw bytes.elementsEqual(Self.signature.prefix(bytes.count))
        ? ImageError(.truncated("its signature"), format: .png, offset: bytes.count)
        : pngError("no PNG file: it begins otherwise", at: 0)
    }
    self.bytes = bytes
    position = Self.signature.count
  }

  /// The next chunk, whose checksum is right.
  mutating func next() throws(ImageError) -> Chunk {
    let start = position
    guard bytes.count - start >= 8 else { throw truncated("a chunk, or before the chunk IEND", start) }
    let length = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
    let letters = bytes[start + 4..<start + 8]
    guard letters.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }) else {
      throw pngError("a chunk whose name is not four letters", at: start + 4)
    }
    let name = String(decoding: letters, as: UTF8.self)
    guard length <= Int(Int32.max) else { throw pngError("a chunk \(name) of \(length) bytes", at: start) }
    guard bytes.count - start >= length + 12 else { throw truncated("the chunk \(name)", start) }
    let end = start + 8 + length
    let checksum = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self))
    guard CRC32.checksum(UnsafeRawBufferPointer(rebasing: bytes[start + 4..<end])) == checksum else {
      throw pngError("the chunk \(name) is damaged: its checksum is wrong", at: start)
    }
    position = end + 4
    return Chunk(
      name: name, offset: start, contents: UnsafeRawBufferPointer(rebasing: bytes[start + 8..<end]),
      isCritical: bytes[start + 4] & 0x20 == 0)
  }

  private func truncated(_ what: String, _ offset: Int) -> ImageError {
    ImageError(.truncated(what), format: .png, offset: offset)
  }
}
