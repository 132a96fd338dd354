/// The memory behind a tensor: its own, taken from the pool and given back, or somebody else's, kept alive.
final class TensorStorage: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let byteCount: Int
  /// What keeps `base` valid when the memory is not ours, a mapped file for example. Such memory is never written.
  let owner: (any AnyObject & Sendable)?

  /// Memory from the pool, 64-byte aligned, its contents undefined.
  /// - Throws: ``TensorError/memory(bytes:limit:)``.
  init(byteCount: Int) throws {
    self.base = try BufferPool.shared.allocate(byteCount: byteCount)
    self.byteCount = byteCount
    self.owner = nil
  }

  /// Borrowed memory that `owner` keeps alive.
  init(borrowing base: UnsafeRawPointer, byteCount: Int, owner: any AnyObject & Sendable) {
    self.base = UnsafeMutableRawPointer(mutating: base)
    self.byteCount = byteCount
    self.owner = owner
  }

  /// Gives the memory of a mapped file back to the system, whose contents are read again when they are needed. Nothing
  /// happens to memory of any other kind.
  func discardFilePages() {
    (owner as? MappedFile)?.discard(UnsafeRawBufferPointer(start: base, count: byteCount))
  }

  deinit {
    if owner == nil { BufferPool.shared.recycle(base, byteCount: byteCount) }
  }
}
