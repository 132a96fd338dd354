import Apus
import ApusMedia

/// Files of `Tests/Fixtures/media/jpeg`, which `Tests/Fixtures/generate/jpeg_images.py` wrote.
enum JPEGFixtures {
  static let folder = mediaFixture("jpeg/")

  static func file(_ name: String) throws -> [UInt8] {
    try MappedFile(path: folder + name + ".jpg", access: .copied).withUnsafeBytes { Array($0) }
  }

  /// A picture of `expected.npz`.
  static func pixels(_ name: String) throws -> Tensor<UInt8> {
    try NPZFile(path: folder + "expected.npz").tensor(named: name)
  }

  /// Decodes bytes in memory of just their size, so that a sanitizer sees what is read behind them.
  static func decode(_ bytes: [UInt8], limits: ImageLimits = .default) throws(ImageError) -> JPEGPicture {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    return try JPEGDecoder.decode(UnsafeRawBufferPointer(memory), limits: limits)
  }

  /// Bytes of a file with the payload of its first segment of a kind changed.
  static func changing(_ bytes: [UInt8], marker: UInt8, _ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var offset = 2
    while offset + 4 <= bytes.count {
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      if bytes[offset + 1] == marker {
        var payload = Array(bytes[offset + 4..<offset + 2 + length])
        change(&payload)
        let head = [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 0xFF)]
        return bytes[..<offset] + head + payload + bytes[(offset + 2 + length)...]
      }
      offset += 2 + length
    }
    return bytes
  }

  /// Why a file is refused.
  static func refusal(_ bytes: [UInt8], limits: ImageLimits = .default) -> ImageError? {
    do {
      _ = try decode(bytes, limits: limits)
      return nil
    } catch {
      return error
    }
  }
}
