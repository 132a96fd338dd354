import ApusBase
import ApusPlatform

/// Recycles tensor memory, so that a model in steady state allocates nothing.
///
/// Buffers are kept in size classes, four to each power of two, so at most a quarter of a new buffer is slack. Where none
/// of the class is idle, one up to four times as large serves for the while: the many sizes of a network share memory
/// that way, of which each would hold its own otherwise. And where none is idle that serves, as many bytes of smaller ones
/// go back to the system: they were of use to what came before, and should they be missed, a network has all its sizes
/// after a few runs, the largest first. What would be idle beyond a limit goes back too, class after class: after a change
/// of model or input size the pool fills with what is used now. While there is a ``RecurringUse`` the limit grows by what was
/// held at most and is not now, so that all buffers take no more than they did: the volumes of a scan are larger than the
/// usual limit, and would be mapped and cleared anew in every run.
///
/// Built with `APUS_CHECKED=1` it keeps nothing, allocates exactly what is asked for and fills it with NaNs, so that
/// AddressSanitizer sees every overrun and a test every read of undefined memory.
final class BufferPool: Sendable {
  static let shared = BufferPool()

  /// Memory that was given out.
  struct Buffer: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    /// What was asked for, and counts as used.
    let byteCount: Int
    /// Bytes that are there: the size of a class.
    let capacity: Int
  }

  /// The bytes of a huge page of the processors we know.
  private static let hugePage = 2 << 20

  #if APUS_CHECKED
    static let isChecked = true
  #else
    static let isChecked = false
  #endif

  /// Bytes of unused buffers kept for later, without a ``RecurringUse``.
  let idleLimit: Int
  private let ownMemoryLimit: Int?
  private let state = Locked(State())

  /// - Parameter memoryLimit: bytes that all buffers together may take; nil means ``Execution/memoryLimit``.
  init(idleLimit: Int = isChecked ? 0 : 256 << 20, memoryLimit: Int? = nil) {
    self.idleLimit = idleLimit
    self.ownMemoryLimit = memoryLimit
  }

  deinit { trim() }

  /// Idle memory of a class.
  private struct Block {
    let base: UnsafeMutableRawPointer
    let capacity: Int
  }

  /// Idle blocks, each holding where the next is in its first bytes.
  private struct Chain: @unchecked Sendable {
    var first: Block?

    mutating func push(_ block: Block) {
      block.base.storeBytes(of: first, as: Block?.self)
      first = block
    }

    mutating func pop() -> Block? {
      guard let block = first else { return nil }
      first = block.base.load(as: Block?.self)
      return block
    }
  }

  private struct State {
    var chains = [Chain](repeating: Chain(), count: 4 * Int.bitWidth)
    var idleBytes = 0
    /// The capacity of all buffers that are out.
    var heldBytes = 0
    /// The most that `heldBytes` has been since everything idle was given back.
    var mostHeldBytes = 0
    var recurringUses = 0
    var usedBytes = 0
    /// The most that `usedBytes` has been since it was last asked for.
    var peakBytes = 0
    /// The class that gives buffers back next when there are too many.
    var evicted = 0

    /// Counts a buffer that is given out.
    mutating func hold(_ bytes: Int) {
      heldBytes += bytes
      mostHeldBytes = max(mostHeldBytes, heldBytes)
    }

    /// The bytes that may be idle now.
    func idleLimit(_ usual: Int) -> Int {
      recurringUses > 0 && usual > 0 ? usual + mostHeldBytes - heldBytes : usual
    }

    /// Takes idle buffers out, class after class, until no more than so many bytes are idle.
    mutating func takeBeyond(_ limit: Int) -> Chain {
      var surplus = Chain()
      while idleBytes > limit {
        if let block = chains[evicted].pop() {
          surplus.push(block)
          idleBytes -= block.capacity
        } else {
          evicted = (evicted + 1) % chains.count
        }
      }
      return surplus
    }

    /// The idle buffer that fits best, if one does.
    mutating func take(_ byteCount: Int, class size: Int, lending: Bool) -> Buffer? {
      let index = BufferPool.classIndex(size)
      let isLent = lending && size >= BufferPool.smallestLoan
      for index in index...min(isLent ? index + BufferPool.largestLoan : index, chains.count - 1) {
        guard let block = chains[index].pop() else { continue }
        idleBytes -= block.capacity
        return Buffer(base: block.base, byteCount: byteCount, capacity: block.capacity)
      }
      return nil
    }

    /// Takes idle buffers that are smaller than `size` out, the largest first, of no more bytes than that together.
    mutating func takeSmaller(thanClass size: Int) -> Chain {
      var (taken, bytes) = (Chain(), size)
      for index in (0..<BufferPool.classIndex(size)).reversed() {
        let capacity = BufferPool.classSize(index)
        guard capacity >= BufferPool.smallestLoan else { break }
        while bytes >= capacity, let block = chains[index].pop() {
          taken.push(block)
          bytes -= capacity
          idleBytes -= capacity
        }
      }
      return taken
    }
  }

  /// Smaller ones are many and take little.
  private static let smallestLoan = 1 << 16
  /// How many classes above that of its size a buffer may be of: those up to four times as large.
  private static let largestLoan = 8

  /// A buffer of at least `byteCount` bytes, contents undefined.
  /// - Parameter lending: whether it may be a larger one that is idle, as is right for what is given back soon.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)`` when all buffers in use would exceed ``Execution/memoryLimit``, or
  ///   the system has no more.
  func allocate(byteCount: Int, lending: Bool = true) throws -> Buffer {
    let limit = ownMemoryLimit ?? Execution.memoryLimit
    // Beyond 2^62 a size class overflows.
    guard byteCount >= 0, byteCount <= min(limit, 1 << 62) else {
      throw refusal(byteCount, limit)
    }
    let size = Self.sizeClass(byteCount)
    enum Answer { case refused, recycled(Buffer), new(instead: Chain, isTight: Bool) }
    let answer = state.withLock { state -> Answer in
      guard state.usedBytes <= limit - byteCount else { return .refused }
      state.usedBytes += byteCount
      state.peakBytes = max(state.peakBytes, state.usedBytes)
      let idle = state.take(byteCount, class: size, lending: lending)
      state.hold(idle?.capacity ?? size)
      if let idle { return .recycled(idle) }
      return .new(instead: state.takeSmaller(thanClass: size), isTight: state.heldBytes > limit - state.idleBytes)
    }
    switch answer {
    case .recycled(let buffer): return buffer
    case .new(let smaller, let isTight):
      giveBack(smaller)
      if isTight { trim() }
      if let buffer = system(byteCount, size) { return buffer }
      trim()
      if let buffer = system(byteCount, size) { return buffer }
      state.withLock {
        $0.usedBytes -= byteCount
        $0.heldBytes -= size
      }
    case .refused: break
    }
    throw refusal(byteCount, limit)
  }

  private func refusal(_ byteCount: Int, _ limit: Int) -> TensorError {
    ownMemoryLimit == nil ? .beyondMemoryLimit(bytes: byteCount) : .memory(bytes: byteCount, limit: limit)
  }

  /// Takes back what ``allocate(byteCount:lending:)`` gave.
  func recycle(_ buffer: Buffer) {
    let block = Block(base: buffer.base, capacity: buffer.capacity)
    let surplus = state.withLock { state -> Chain? in
      state.usedBytes -= buffer.byteCount
      state.heldBytes -= block.capacity
      let limit = state.idleLimit(idleLimit)
      guard block.capacity <= limit else { return nil }
      let surplus = state.takeBeyond(limit - block.capacity)
      state.chains[Self.classIndex(block.capacity)].push(block)
      state.idleBytes += block.capacity
      return surplus
    }
    // What is not kept may be too small to be linked to others.
    if let surplus { giveBack(surplus) } else { giveBack(block) }
  }

  /// Begins to keep what is held at most, until ``endRecurringUse()`` is called as often.
  func beginRecurringUse() { state.withLock { $0.recurringUses += 1 } }

  func endRecurringUse() {
    let surplus = state.withLock { state -> Chain in
      state.recurringUses -= 1
      return state.takeBeyond(state.idleLimit(idleLimit))
    }
    giveBack(surplus)
  }

  /// The same for memory that nobody has written: the system has no pages behind it yet, and it is not kept.
  func release(_ buffer: Buffer) {
    state.withLock {
      $0.usedBytes -= buffer.byteCount
      $0.heldBytes -= buffer.capacity
    }
    giveBack(Block(base: buffer.base, capacity: buffer.capacity))
  }

  /// Counts bytes that are taken elsewhere, as if a buffer of so many were given out.
  /// - Throws: as ``allocate(byteCount:lending:)`` does.
  func reserve(byteCount: Int) throws {
    let limit = ownMemoryLimit ?? Execution.memoryLimit
    guard byteCount >= 0, byteCount <= limit else { throw refusal(byteCount, limit) }
    let isTight = state.withLock { state -> Bool? in
      guard state.usedBytes <= limit - byteCount else { return nil }
      state.usedBytes += byteCount
      state.peakBytes = max(state.peakBytes, state.usedBytes)
      state.hold(byteCount)
      return state.heldBytes > limit - state.idleBytes
    }
    guard let isTight else { throw refusal(byteCount, limit) }
    if isTight { trim() }
  }

  /// Takes back what ``reserve(byteCount:)`` counted.
  func endReservation(byteCount: Int) {
    state.withLock {
      $0.usedBytes -= byteCount
      $0.heldBytes -= byteCount
    }
  }

  /// Frees every idle buffer.
  func trim() {
    let idle = state.withLock { state in
      let chains = state.chains
      state.chains = [Chain](repeating: Chain(), count: chains.count)
      state.idleBytes = 0
      state.mostHeldBytes = state.heldBytes
      return chains
    }
    for chain in idle { giveBack(chain) }
  }

  /// Bytes given out and not taken back.
  var usedByteCount: Int { state.withLock { $0.usedBytes } }

  /// Bytes given out at most while `body` runs, beyond those that were out before.
  ///
  /// Whatever other threads take meanwhile is counted too, and measurements within each other disturb the outer one.
  func measuringPeak(_ body: () throws -> Void) rethrows -> Int {
    let before = state.withLock { state in
      state.peakBytes = state.usedBytes
      return state.usedBytes
    }
    try body()
    return state.withLock { $0.peakBytes - before }
  }

  /// Bytes kept for later.
  var idleByteCount: Int { state.withLock { $0.idleBytes } }

  // MARK: The system's memory

  /// Whether so much is memory of its own. In the C library's a buffer that was given back would remain as a hole as soon
  /// as something lies behind it.
  private func isMapped(_ capacity: Int) -> Bool { capacity >= 1 << 17 && idleLimit > 0 && !Self.isChecked }

  private func system(_ byteCount: Int, _ capacity: Int) -> Buffer? {
    let base = isMapped(capacity) ? Self.mapped(capacity) : allocated(byteCount, capacity)
    return base.map { Buffer(base: $0, byteCount: byteCount, capacity: capacity) }
  }

  private func allocated(_ byteCount: Int, _ capacity: Int) -> UnsafeMutableRawPointer? {
    // What is never kept need not fit a class.
    let size = idleLimit == 0 ? max(byteCount, 1) : capacity
    guard let memory = AlignedMemory.allocate(byteCount: size) else { return nil }
    if Self.isChecked { memset(memory, 0xFF, size) }
    return memory
  }

  /// Whole pages; what has room for a huge one begins at one.
  private static func mapped(_ size: Int) -> UnsafeMutableRawPointer? {
    let slack = size >= hugePage ? hugePage : 0
    guard let found = mmap(nil, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      found != MAP_FAILED
    else { return nil }
    guard slack > 0 else { return found }
    let before = (hugePage - Int(bitPattern: found) % hugePage) % hugePage
    let memory = found + before
    if before > 0 { munmap(found, before) }
    if before < slack { munmap(memory + size, slack - before) }
    LargePages.advise(memory, byteCount: size)
    return memory
  }

  private func giveBack(_ block: Block) {
    if isMapped(block.capacity) { munmap(block.base, block.capacity) } else { free(block.base) }
  }

  private func giveBack(_ chain: Chain) {
    var chain = chain
    while let block = chain.pop() { giveBack(block) }
  }
}

/// Somebody who does the same again and again, as a session does that is run: while there is one, the memory that all tensors
/// took at most is kept for the next time.
package final class RecurringUse: Sendable {
  package init() { BufferPool.shared.beginRecurringUse() }
  deinit { BufferPool.shared.endRecurringUse() }
}

// MARK: - Size classes

extension BufferPool {
  /// `byteCount` rounded up to the next of four sizes a power of two; 256 at least.
  static func sizeClass(_ byteCount: Int) -> Int {
    let size = max(byteCount, 256)
    let step = 1 << (exponent(size - 1) - 2)
    return (size + step - 1) & ~(step - 1)
  }

  /// Where the chain of a size class is.
  private static func classIndex(_ size: Int) -> Int {
    let exponent = exponent(size)
    return exponent << 2 | (size >> (exponent - 2)) & 3
  }

  /// The size of the class at `index`.
  private static func classSize(_ index: Int) -> Int {
    (4 + index & 3) << (index >> 2 - 2)
  }

  private static func exponent(_ size: Int) -> Int { Int.bitWidth - 1 - size.leadingZeroBitCount }
}

extension Execution {
  /// Gives memory that no tensor uses back to the system: that of a model's preparation, which seldom has the sizes of a
  /// run.
  package static func releaseIdleMemory() {
    BufferPool.shared.trim()
    PackedMemory.releaseUnusedPages()
  }

  /// The most bytes that all tensors together took while `body` ran, beyond those that were there before.
  package static func measuringPeakMemory(_ body: () throws -> Void) rethrows -> Int {
    try BufferPool.shared.measuringPeak(body)
  }
}
