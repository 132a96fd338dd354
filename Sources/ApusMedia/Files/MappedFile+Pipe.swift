import Apus
import ApusPlatform

extension MappedFile {
  /// Everything that comes out of a pipe or a device, up to `limit` bytes, and less where there is little memory.
  /// - Throws: ``FileError``.
  convenience init(readingPipeAt path: String, limit: Int) throws {
    let descriptor = open(path.systemBytes, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError.unreadable(path: path, reason: "it cannot be opened (\(errno))") }
    defer { close(descriptor) }
    let limit = MemoryLimit.streamLimit(limit)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { break }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw FileError.unreadable(path: path, reason: "reading fails (\(errno))")
      }
      guard bytes.count + count <= limit else {
        throw FileError.tooLarge(path: path, byteCount: bytes.count + count, limit: limit)
      }
      bytes += chunk[..<count]
    }
    guard !bytes.isEmpty else { throw FileError.empty(path: path) }
    try self.init(name: path, byteCount: bytes.count) { $0.copyBytes(from: bytes) }
  }
}
