import Apus
import ApusMedia
import ApusMotion
import ApusPlatform

/// The hash of an input, made while its bytes are read for something else.
final class InputDigest {
  let role: String
  let path: String
  private var hash = SHA256()
  private var byteCount = 0

  init(role: String, path: String) { (self.role, self.path) = (role, path) }

  func update(_ bytes: UnsafeRawBufferPointer) {
    hash.update(bytes)
    byteCount += bytes.count
  }

  /// What was read. A file of which not everything was is read once more; of a stream it is what came.
  func input() throws -> SessionInput {
    if path != "-", isFolder(path) { return try folder() }
    // Not opened to be looked at: a pipe would wait for a writer that has gone.
    var status = stat()
    guard path == "-" || stat(path.systemBytes, &status) == 0 else {
      throw CommandFailure(.noInput, "\(path): \(systemMessage(errno))")
    }
    let isFile = path != "-" && status.st_mode & S_IFMT == S_IFREG
    if isFile, Int(status.st_size) != byteCount {
      (hash, byteCount) = (SHA256(), 0)
      let file = try ByteInput(path: path, digest: self)
      while try file.next() != nil {}
    }
    return SessionInput(
      role: role, path: path, kind: isFile ? .file : .stream, byteCount: byteCount,
      sha256: hash.finalized().hexadecimal)
  }

  private func folder() throws -> SessionInput {
    var total = 0
    let files = try ImageFolder(path: path).pictures.map { picture in
      let file = try InputDigest(role: role, path: picture.path).input()
      total += file.byteCount
      return (name: picture.name, sha256: file.sha256)
    }
    return SessionInput(
      role: role, path: path, kind: .folder, byteCount: total,
      sha256: SHA256.hash(SessionInput.listing(of: files).utf8).hexadecimal)
  }
}
