import ApusBase

/// The memory behind a tensor: its own, taken from the pool or the arena of a run and given back, or borrowed,
/// kept alive.
final class TensorStorage: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer
  let byteCount: Int
  /// What keeps `base` valid when the memory is borrowed, from a mapped file for example. Such memory is never written.
  let owner: (any AnyObject & Sendable)?
  /// Where the memory has its place, when it is not from the pool.
  private let arena: MemoryArena?
  /// What the pool gave; nil for memory from elsewhere.
  private let buffer: BufferPool.Buffer?
  /// Where the memory counts, when somebody is held to a limit of its own.
  private let account: MemoryAccount?
  /// What writes the memory once somebody looks at it; nil for memory that was written as soon as it was taken.
  private let elements: DeferredElements?

  /// Memory from the arena of the current run, where that offers a place of this size, or from the pool; 64-byte
  /// aligned, its contents undefined.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``, ``TensorError/growth(bytes:limit:shape:)``.
  ///
  /// With `elements`, these are written when ``base`` is first asked for. What is kept for long takes no more than it needs.
  init(byteCount: Int, deferring elements: DeferredElements? = nil, isKept: Bool = false) throws {
    self.elements = elements
    self.byteCount = byteCount
    self.owner = nil
    let task = TaskMemory.current
    self.account = task.account
    try account?.take(byteCount)
    if let arena = task.arena, let place = arena.take(byteCount: byteCount) {
      self.memory = place
      self.arena = arena
      self.buffer = nil
    } else {
      do {
        let buffer = try BufferPool.shared.allocate(byteCount: byteCount, lending: !isKept)
        self.memory = buffer.base
        self.buffer = buffer
      } catch {
        account?.give(byteCount)
        throw error
      }
      self.arena = nil
    }
  }

  /// Borrowed memory that `owner` keeps alive.
  init(borrowing base: UnsafeRawPointer, byteCount: Int, owner: any AnyObject & Sendable) {
    self.memory = UnsafeMutableRawPointer(mutating: base)
    self.byteCount = byteCount
    self.owner = owner
    self.arena = nil
    self.buffer = nil
    self.account = nil
    self.elements = nil
  }

  /// The memory, written if that was put off.
  var base: UnsafeMutableRawPointer {
    elements?.settle(memory)
    return memory
  }

  /// What the memory will hold, as long as nobody has looked at it.
  var deferred: DeferredElements? { elements.flatMap { $0.isSettled ? nil : $0 } }

  /// Gives the memory of a mapped file back to the system, whose contents are read again when they are needed. Nothing
  /// happens to memory of any other kind.
  func discardFilePages() {
    (owner as? MappedFile)?.discard(UnsafeRawBufferPointer(start: memory, count: byteCount))
  }

  /// The same for a part, in bytes from the beginning.
  func discardFilePages(_ part: Range<Int>) {
    guard part.lowerBound >= 0, part.upperBound <= byteCount else { return }
    (owner as? MappedFile)?.discard(UnsafeRawBufferPointer(start: memory + part.lowerBound, count: part.count))
  }

  /// Whether the memory may be a mapped file's.
  var isMappedFile: Bool { owner is MappedFile }

  deinit {
    account?.give(byteCount)
    if let arena {
      arena.leave(memory)
    } else if let buffer {
      deferred == nil ? BufferPool.shared.recycle(buffer) : BufferPool.shared.release(buffer)
    }
  }
}
