#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes a file so that nobody ever sees half of it: under another name in the same folder, then renamed.
///
/// Until the rename, whatever was at the path is untouched, also for processes that have it mapped. On failure nothing
/// is left behind. A pipe or a device is written to as it is.
package struct AtomicFile {
  private let path: String
  private let descriptor: Int32
  /// The name until the file is complete; `nil` when it is written in place.
  private let temporary: String?
  private let target: String

  /// Creates or replaces the file at `path` with the bytes that `body` appends.
  /// - Throws: ``FileError``, and what `body` throws.
  package static func create(at path: String, _ body: (AtomicFile) throws -> Void) throws {
    let file = try AtomicFile(path: path)
    do {
      try body(file)
      try file.commit()
    } catch {
      file.abandon()
      throw error
    }
  }

  private init(path: String) throws {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw FileError.unwritable(path: path, reason: "not a file name")
    }
    self.path = path
    var status = stat()
    let exists = stat(path, &status) == 0
    let kind = status.st_mode & S_IFMT
    if exists, kind == S_IFDIR { throw FileError.isDirectory(path: path) }
    if exists, kind != S_IFREG {
      target = path
      temporary = nil
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileError.unwritable(path: path, reason: lastSystemError()) }
      return
    }
    // Through a link, the file it points to is replaced, not the link.
    target = (exists ? realPath(path) : nil) ?? path
    // A short name of its own: the file's with something added might be too long for the file system.
    let name = "\(parentFolder(of: target))/.apus-\(String(UInt64.random(in: 0...(.max)), radix: 36)).part"
    temporary = name
    descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileError.unwritable(path: path, reason: lastSystemError()) }
    if exists { fchmod(descriptor, status.st_mode & 0o777) }
  }

  /// Adds bytes at the end.
  /// - Throws: ``FileError/unwritable(path:reason:)``.
  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    var offset = 0
    while offset < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
      let count = write(descriptor, rest.baseAddress, min(rest.count, 1 << 30))
      if count > 0 {
        offset += count
      } else if count == 0 || errno != EINTR {
        throw FileError.unwritable(path: path, reason: lastSystemError())
      }
    }
  }

  /// Puts the complete file in its place. Its bytes reach the disk before its name does.
  private func commit() throws {
    guard let temporary else { return _ = close(descriptor) }
    guard fsync(descriptor) == 0, rename(temporary, target) == 0 else {
      throw FileError.unwritable(path: path, reason: lastSystemError())
    }
    close(descriptor)
    let folder = open(parentFolder(of: target), O_RDONLY | O_CLOEXEC)
    if folder >= 0 {
      // The name itself; some file systems cannot, and the file is whole either way.
      _ = fsync(folder)
      close(folder)
    }
  }

  private func abandon() {
    close(descriptor)
    if let temporary { unlink(temporary) }
  }
}

/// `path` without symbolic links; nil when nothing is there.
package func realPath(_ path: String) -> String? {
  guard let real = realpath(path, nil) else { return nil }
  defer { free(real) }
  return String(cString: real)
}

/// The folder that holds `path`.
package func parentFolder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}
