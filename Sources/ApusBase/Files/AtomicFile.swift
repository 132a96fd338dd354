import ApusPlatform

/// Writes a file so that no reader ever sees half of it: as `NAME.part` in the same folder, then renamed.
///
/// Until the rename, whatever was at the path is untouched, also for processes that have it mapped. A pipe, a device and a
/// file that has no name are written to as they are.
package final class AtomicFile {
  private let path: String
  private let descriptor: Int32
  /// The name until the file is complete; `nil` when it is written in place.
  private let temporary: String?
  private let target: String
  /// What ``UnfinishedFiles`` knows it by.
  private let ticket: UnfinishedFiles.Ticket?
  private let isStream: Bool
  private var isOpen = true

  /// Creates or replaces the file at `path` with the bytes that `body` appends. On failure nothing is left behind.
  /// - Parameter isStream: as ``init(path:isStream:)`` has it.
  /// - Throws: ``FileError``, and what `body` throws.
  package static func create(
    at path: String, isStream: Bool = false, _ body: (AtomicFile) throws -> Void
  ) throws {
    let file = try AtomicFile(path: path, isStream: isStream)
    do {
      try body(file)
      try file.commit()
    } catch {
      file.abandon()
      throw error
    }
  }

  /// Begins a file, which ends with ``commit()``, ``abandon()`` or ``keep()``.
  ///
  /// - Parameter isStream: whether what was appended is worth something without the rest, as rows and frames are: it is
  ///   kept as `NAME.part` when a signal ends the process, and each ``append(_:)`` is in it whole or not at all.
  /// - Throws: ``FileError``.
  package init(path: String, isStream: Bool) throws {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw FileError.unwritable(path: path, reason: "not a file name")
    }
    (self.path, self.isStream) = (path, isStream)
    var status = stat()
    let exists = stat(path.systemBytes, &status) == 0
    let kind = status.st_mode & S_IFMT
    if exists, kind == S_IFDIR { throw FileError.isDirectory(path: path) }
    let replaced = kind == S_IFREG ? Self.realName(of: path, status) : nil
    if exists, replaced == nil {
      (target, temporary, ticket) = (path, nil, nil)
      descriptor = open(path.systemBytes, O_WRONLY | O_TRUNC | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileError.unwritable(path: path, reason: lastSystemError()) }
      return
    }
    let target = try replaced ?? Self.target(of: path)
    let begun = try UnfinishedFiles.begin(path: path, isKept: isStream) {
      guard let part = Self.openPart(of: target) else {
        throw FileError.unwritable(path: path, reason: lastSystemError())
      }
      return part
    }
    (self.target, descriptor, temporary, ticket) = (target, begun.descriptor, begun.part, begun.ticket)
    if exists { fchmod(descriptor, status.st_mode & 0o777) }
  }

  deinit {
    if isOpen { abandon() }
  }

  /// The end of the name of a file that is being written.
  package static let partSuffix = ".part"

  /// Where a file that is not there yet is while it is written, unless that name is taken.
  package static func part(of path: String) -> String { (throughLinks(path) ?? path) + partSuffix }

  /// The name of the file that `path` leads to and `status` is of, by which it can be replaced. Nil where it has none: a
  /// file that was removed, or never had a name, is reached through `/dev/fd` still.
  private static func realName(of path: String, _ status: stat) -> String? {
    let name = realPath(path) ?? path
    var found = stat()
    // The system calls a file that was removed "NAME (deleted)", and a file of that name would be another.
    guard lstat(name.systemBytes, &found) == 0, areSame(found, status) else { return nil }
    return name
  }

  /// Through a link, the file it points to is replaced or made, not the link.
  private static func target(of path: String) throws -> String {
    guard let target = throughLinks(path) else {
      throw FileError.unwritable(path: path, reason: "its links lead back to themselves")
    }
    return target
  }

  /// How many names are tried before giving up: only files left behind take them.
  private static let mostNames = 100

  /// Opens a new file beside `target`: never one that is there, which may be wanted.
  /// - Returns: nil where the system refuses, which `errno` explains.
  private static func openPart(of target: String) -> (descriptor: Int32, part: String)? {
    for number in 1...mostNames {
      let name = target + (number == 1 ? "" : "-\(number)") + partSuffix
      let descriptor = open(name.systemBytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return (descriptor, name) }
      if errno == EEXIST { continue }
      guard errno == ENAMETOOLONG else { return nil }
      break
    }
    // With something added, the file's own name is too long for the file system, or too many are taken.
    let name = "\(parentFolder(of: target))/apus-\(String(UInt64.random(in: 0...(.max)), radix: 36))\(partSuffix)"
    let descriptor = open(name.systemBytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    return descriptor >= 0 ? (descriptor, name) : nil
  }

  /// Adds bytes at the end.
  /// - Throws: ``FileError/unwritable(path:reason:)``.
  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    // The thread that ends the process waits for what is being appended to a stream.
    if isStream, temporary != nil { return try UnfinishedFiles.holding { try write(bytes) } }
    try write(bytes)
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws {
    var offset = 0
    while offset < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
      let count = written(descriptor, rest.baseAddress, min(rest.count, 1 << 30))
      if count > 0 {
        offset += count
      } else if count == 0 || errno != EINTR {
        throw FileError.unwritable(path: path, reason: lastSystemError())
      }
    }
  }

  /// Puts the complete file in its place. Its bytes reach the disk before its name does.
  /// - Throws: ``FileError/unwritable(path:reason:)``; the file is unfinished then.
  package func commit() throws {
    guard let temporary else {
      isOpen = false
      return _ = close(descriptor)
    }
    guard fsync(descriptor) == 0 else { throw FileError.unwritable(path: path, reason: lastSystemError()) }
    try UnfinishedFiles.finish(ticket) { others in
      // What is being written has no other name yet, and its end would give it that of this file.
      guard !others.contains(where: { Self.areSame($0.part, target) }) else {
        throw FileError.unwritable(path: path, reason: "another file is being written there")
      }
      guard rename(temporary.systemBytes, target.systemBytes) == 0 else {
        throw FileError.unwritable(path: path, reason: lastSystemError())
      }
    }
    isOpen = false
    close(descriptor)
    let folder = open(parentFolder(of: target).systemBytes, O_RDONLY | O_CLOEXEC)
    if folder >= 0 {
      // The name itself; some file systems cannot, and the file is whole either way.
      _ = fsync(folder)
      close(folder)
    }
  }

  private static func areSame(_ path: String, _ other: String) -> Bool {
    guard let a = fileStatus(path), let b = fileStatus(other) else { return false }
    return areSame(a, b)
  }

  private static func areSame(_ a: stat, _ b: stat) -> Bool { a.st_dev == b.st_dev && a.st_ino == b.st_ino }

  /// Ends without a file: nothing is left behind.
  package func abandon() {
    guard isOpen else { return }
    isOpen = false
    close(descriptor)
    UnfinishedFiles.finish(ticket) { _ in if let temporary { unlink(temporary.systemBytes) } }
  }

  /// Ends before the file is complete, and leaves what there is of it under the name that it has until then.
  /// - Returns: that name; nil where there is nothing of it, or where it is written in place.
  package func keep() -> String? {
    guard isOpen else { return nil }
    isOpen = false
    close(descriptor)
    return UnfinishedFiles.keep(ticket)
  }
}

/// The system's `write`, which a method hides.
private func written(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// `path` without symbolic links; nil when nothing is there.
package func realPath(_ path: String) -> String? {
  guard !path.utf8.contains(0), let real = realpath(path.systemBytes, nil) else { return nil }
  defer { free(real) }
  return String(systemBytes: UnsafeRawBufferPointer(start: real, count: strlen(real)))
}

/// Where `path` leads through symbolic links, also where nothing is there yet: of what is there the real path, else the
/// path that the last link names. Nil where links lead back to themselves.
package func throughLinks(_ path: String) -> String? {
  var path = path
  // As many as Linux follows.
  for _ in 0...40 {
    if let real = realPath(path) { return real }
    guard let next = linkText(path) else { return path }
    path = next.hasPrefix("/") ? next : "\(parentFolder(of: withoutTrailingSlashes(path)))/\(next)"
  }
  return nil
}

/// What a symbolic link names; nil for what is none.
private func linkText(_ path: String) -> String? {
  guard !path.utf8.contains(0) else { return nil }
  var text = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = readlink(path.systemBytes, &text, text.count)
  guard count > 0 else { return nil }
  return text.withUnsafeBytes { String(systemBytes: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
}

/// The path without slashes at its end; `/` stays.
package func withoutTrailingSlashes(_ path: String) -> String {
  var path = path
  while path.count > 1, path.hasSuffix("/") { path.removeLast() }
  return path
}

/// The folder that holds `path`.
package func parentFolder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}
