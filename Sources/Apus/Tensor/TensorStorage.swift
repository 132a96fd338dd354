import ApusBase

/// The memory behind a tensor: its own, taken from the pool or the arena of a run and given back, or borrowed,
/// kept alive.
final class TensorStorage: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let byteCount: Int
  /// What keeps `base` valid when the memory is borrowed, from a mapped file for example. Such memory is never written.
  let owner: (any AnyObject & Sendable)?
  /// Where the memory has its place, when it is not from the pool.
  private let arena: MemoryArena?
  /// Where the memory counts, when somebody is held to a limit of its own.
  private let account: MemoryAccount?

  /// Memory from the arena of the current run, where that offers a place of this size, or from the pool; 64-byte
  /// aligned, its contents undefined.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``, ``TensorError/growth(bytes:limit:shape:)``.
  init(byteCount: Int) throws {
    self.byteCount = byteCount
    self.owner = nil
    self.account = MemoryAccount.current
    try account?.take(byteCount)
    if let arena = MemoryArena.current, let place = arena.take(byteCount: byteCount) {
      self.base = place
      self.arena = arena
    } else {
      do {
        self.base = try BufferPool.shared.allocate(byteCount: byteCount)
      } catch {
        account?.give(byteCount)
        throw error
      }
      self.arena = nil
    }
  }

  /// Borrowed memory that `owner` keeps alive.
  init(borrowing base: UnsafeRawPointer, byteCount: Int, owner: any AnyObject & Sendable) {
    self.base = UnsafeMutableRawPointer(mutating: base)
    self.byteCount = byteCount
    self.owner = owner
    self.arena = nil
    self.account = nil
  }

  /// Gives the memory of a mapped file back to the system, whose contents are read again when they are needed. Nothing
  /// happens to memory of any other kind.
  func discardFilePages() {
    (owner as? MappedFile)?.discard(UnsafeRawBufferPointer(start: base, count: byteCount))
  }

  /// The same for a part, in bytes from the beginning.
  func discardFilePages(_ part: Range<Int>) {
    guard part.lowerBound >= 0, part.upperBound <= byteCount else { return }
    (owner as? MappedFile)?.discard(UnsafeRawBufferPointer(start: base + part.lowerBound, count: part.count))
  }

  /// Whether the memory may be a mapped file's.
  var isMappedFile: Bool { owner is MappedFile }

  deinit {
    account?.give(byteCount)
    if let arena {
      arena.leave(base)
    } else if owner == nil {
      BufferPool.shared.recycle(base, byteCount: byteCount)
    }
  }
}
