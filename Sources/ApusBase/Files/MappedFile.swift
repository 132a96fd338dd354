import ApusPlatform

/// How the bytes of a file come into memory.
public enum FileAccess: String, Sendable, Hashable, CaseIterable {
  /// The file is mapped: opening reads nothing, and memory is used only for what is touched.
  ///
  /// A mapped file must not be cut shorter while it is in use: the fault that follows (`SIGBUS`) ends the process, or,
  /// where ``ShrinkingFiles`` watches, voids what is computed. Where another process may do that, use ``copied``.
  /// Replacing a file by renaming another over it is harmless, and is what every writer here does.
  case mapped
  /// The file is read into memory when it is opened.
  case copied
}

/// The bytes of a file, mapped read-only or copied into memory, for as long as this object lives.
package final class MappedFile: @unchecked Sendable {
  /// What messages call it: the path it was opened by.
  package let name: String
  /// The contents, for code that keeps this object alive while it looks at them: see ``withUnsafeBytes(_:)``.
  package let unownedBytes: UnsafeRawBufferPointer
  private let release: Release

  private enum Release: Equatable {
    /// With the number of the range that is watched.
    case unmap(Int?)
    case free
  }

  /// Opens a regular file that is not empty, and has at most `limit` bytes.
  /// - Throws: ``FileError``.
  package init(path: String, access: FileAccess = .mapped, limit: Int = .max) throws {
    let descriptor = try openForReading(path)
    defer { close(descriptor) }
    let count = try Self.size(of: descriptor, path: path)
    guard count > 0 else { throw FileError.empty(path: path) }
    guard count <= limit else { throw FileError.tooLarge(path: path, byteCount: count, limit: limit) }
    name = path
    switch access {
    case .mapped:
      let address = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
      guard let address, address != MAP_FAILED else {
        throw FileError.unreadable(path: path, reason: lastSystemError())
      }
      let (range, isFull) = MappedRanges.enter(address, count: count, name: path)
      if !isFull {
        unownedBytes = UnsafeRawBufferPointer(start: address, count: count)
        release = .unmap(range)
        return
      }
      // What cannot be watched is read.
      munmap(address, count)
      fallthrough
    case .copied:
      let copy = try Self.allocate(count, name: path)
      do {
        try Self.read(descriptor, into: copy, path: path)
      } catch {
        Self.release(copy)
        throw error
      }
      unownedBytes = UnsafeRawBufferPointer(copy)
      release = .free
    }
  }

  /// Contents that are not a file: `count` bytes that `fill` writes, every one of them.
  /// - Throws: ``FileError/tooLarge(path:byteCount:limit:)``, ``FileError/noRoom(path:byteCount:others:limit:)``, and
  ///   what `fill` throws.
  package init(name: String, byteCount: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
    let memory = try Self.allocate(byteCount, name: name)
    do {
      try fill(memory)
    } catch {
      Self.release(memory)
      throw error
    }
    self.name = name
    unownedBytes = UnsafeRawBufferPointer(memory)
    release = .free
  }

  /// A copy of bytes that are already in memory.
  package convenience init(copying source: UnsafeRawBufferPointer, name: String) throws {
    try self.init(name: name, byteCount: source.count) { $0.copyMemory(from: source) }
  }

  deinit {
    switch release {
    case .unmap(let range):
      if let range { MappedRanges.leave(range) }
      munmap(UnsafeMutableRawPointer(mutating: unownedBytes.baseAddress), unownedBytes.count)
    case .free: Self.release(UnsafeMutableRawBufferPointer(mutating: unownedBytes))
    }
  }
}

extension MappedFile {
  /// Whether a file or folder of that name can be looked at.
  package static func isThere(_ path: String) -> Bool {
    var status = stat()
    return !path.utf8.contains(0) && stat(path, &status) == 0
  }

  /// The number of bytes; at least one when it is a file.
  package var count: Int { unownedBytes.count }

  /// Calls `body` with the contents.
  @inlinable
  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(self) { try body(unownedBytes) }
  }

  /// - Throws: ``FileError/shrank(path:)`` when ``ShrinkingFiles`` watches and has seen that a page was missing.
  package func checkIsWhole() throws(FileError) {
    if case .unmap(let range?) = release, MappedRanges.isShort(range) { throw FileError.shrank(path: name) }
  }

  /// Gives the whole pages of a part of a mapped file back to the system; the next read of them reads the file again.
  package func discard(_ part: UnsafeRawBufferPointer) {
    let page = AlignedMemory.pageSize
    guard release != .free, let base = part.baseAddress else { return }
    let start = Int(bitPattern: base).roundedUp(toMultipleOf: page)
    let end = (Int(bitPattern: base) + part.count) / page * page
    guard start < end else { return }
    madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_DONTNEED)
  }
}

// MARK: - System calls

extension MappedFile {
  /// Memory aligned as tensors are, so that a tensor can borrow it.
  private static func allocate(_ count: Int, name: String) throws -> UnsafeMutableRawBufferPointer {
    let limit = MemoryLimit.current
    try FileMemory.shared.take(count, limit: limit, path: name)
    guard let memory = AlignedMemory.allocate(byteCount: count) else {
      FileMemory.shared.give(count)
      throw FileError.tooLarge(path: name, byteCount: count, limit: limit)
    }
    return UnsafeMutableRawBufferPointer(start: memory, count: count)
  }

  private static func release(_ memory: UnsafeMutableRawBufferPointer) {
    FileMemory.shared.give(memory.count)
    free(memory.baseAddress)
  }

  private static func size(of descriptor: Int32, path: String) throws -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError.unreadable(path: path, reason: lastSystemError()) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return Int(status.st_size)
    case S_IFDIR: throw FileError.isDirectory(path: path)
    default: throw FileError.notRegular(path: path)
    }
  }

  private static func read(_ descriptor: Int32, into memory: UnsafeMutableRawBufferPointer, path: String) throws {
    var offset = 0
    while offset < memory.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: memory[offset...])
      // Bounded requests: one read of more than 2 GiB is cut short on some systems and refused on others.
      switch pread(descriptor, rest.baseAddress, min(rest.count, 1 << 30), off_t(offset)) {
      case let count where count > 0: offset += count
      case 0: throw FileError.unreadable(path: path, reason: "it became shorter while it was read")
      default: if errno != EINTR { throw FileError.unreadable(path: path, reason: lastSystemError()) }
      }
    }
  }
}

/// A descriptor of a file or folder to read from.
private func openForReading(_ path: String) throws -> Int32 {
  guard !path.utf8.contains(0) else { throw FileError.notFound(path: path) }
  // A pipe with a name is not even opened: its writer would take that for the reader, and write to nobody. One that has
  // come in between is opened without waiting for its writer.
  if let status = fileStatus(path), ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
    throw FileError.notRegular(path: path)
  }
  while true {
    let descriptor = open(path.systemBytes, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor >= 0 { return descriptor }
    switch errno {
    case EINTR: continue
    case ENOENT, ENOTDIR: throw FileError.notFound(path: path)
    default: throw FileError.unreadable(path: path, reason: lastSystemError())
    }
  }
}
