import Apus
import ApusMedia

/// PNG files for tests, sound or not.
enum PNGBuilder {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  static let end = chunk("IEND", [])

  static func chunk(_ name: String, _ contents: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + contents
    return big(contents.count) + body + big(Int(body.withUnsafeBytes { CRC32.checksum($0) }))
  }

  static func header(
    width: Int = 2, height: Int = 2, depth: UInt8 = 8, kind: UInt8 = 0, interlaced: UInt8 = 0
  ) -> [UInt8] {
    chunk("IHDR", big(width) + big(height) + [depth, kind, 0, 0, interlaced])
  }

  /// Rows with their filters, not compressed: one stored block.
  static func pixels(_ rows: [UInt8]) -> [UInt8] {
    chunk("IDAT", zlib(rows))
  }

  static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    let count = [UInt8(truncatingIfNeeded: bytes.count), UInt8(truncatingIfNeeded: bytes.count >> 8)]
    let checksum = Int(bytes.withUnsafeBytes { Adler32.checksum($0) })
    return [0x78, 0x01, 1] + count + count.map { ~$0 } + bytes + big(checksum)
  }

  static func file(_ chunks: [UInt8]...) -> [UInt8] {
    signature + chunks.flatMap { $0 } + end
  }

  static func big(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}

func decodePNG(_ bytes: [UInt8], limits: ImageLimits = .default) throws(ImageError) -> PNGPicture {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
  defer { memory.deallocate() }
  memory.copyBytes(from: bytes)
  return try PNGDecoder.decode(UnsafeRawBufferPointer(memory), limits: limits)
}
