import Apus
import ApusPlatform

/// Bytes from a file, or from standard input as they come.
final class ByteInput {
  /// What messages call it.
  let name: String
  /// The size of a regular file; `nil` where the end is not in sight.
  let byteCount: Int?
  /// How many bytes have been read.
  private(set) var position = 0

  private let descriptor: Int32
  private let digest: InputDigest?
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)

  /// - Parameters:
  ///   - path: a path, or `-` for standard input.
  ///   - digest: gets every byte that is read.
  init(path: String, digest: InputDigest? = nil) throws {
    self.digest = digest
    if path == "-" {
      name = "standard input"
      descriptor = STDIN_FILENO
    } else {
      name = path
      descriptor = open(path.systemBytes, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw CommandFailure(.noInput, "\(path): \(errno == ENOENT ? "no such file" : systemMessage(errno))")
      }
    }
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    let type = isKnown ? status.st_mode & S_IFMT : 0
    byteCount = type == S_IFREG ? Int(status.st_size) : nil
    if type == S_IFDIR {
      if descriptor != STDIN_FILENO { close(descriptor) }
      throw CommandFailure(.noInput, "\(name): is a directory; a file was expected")
    }
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// The bytes that are there, waiting for the first; `nil` at the end.
  func next() throws -> ArraySlice<UInt8>? {
    while true {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        position += count
        if let digest { chunk.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) } }
        return chunk[..<count]
      }
      if count == 0 { return nil }
      guard errno == EINTR else {
        throw CommandFailure(.inputOutput, "\(name): cannot be read: \(systemMessage(errno))")
      }
    }
  }

  /// Everything, up to a limit, and less where there is little memory.
  /// - Parameter beginning: what was read already.
  func readAll(after beginning: [UInt8] = [], limit: Int) throws -> [UInt8] {
    let limit = MemoryLimit.streamLimit(limit)
    var bytes = beginning
    while let chunk = try next() {
      bytes += chunk
      guard bytes.count <= limit else {
        throw CommandFailure(.badData, "\(name): is larger than \(limit) bytes")
      }
    }
    return bytes
  }
}
