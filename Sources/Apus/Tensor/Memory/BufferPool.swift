import ApusBase
import ApusPlatform

/// Recycles tensor memory, so that a model in steady state allocates nothing.
///
/// Buffers are kept in size classes, four to each power of two, so at most a quarter of a buffer is slack. What would
/// be idle beyond a limit goes back to the system, class after class: after a change of model or input size the pool
/// fills with what is used now.
///
/// Built with `APUS_CHECKED=1` it keeps nothing, allocates exactly what is asked for and fills it with NaNs, so that
/// AddressSanitizer sees every overrun and a test every read of undefined memory.
final class BufferPool: Sendable {
  static let shared = BufferPool()

  /// The bytes of a huge page of the processors we know.
  private static let hugePage = 2 << 20

  #if APUS_CHECKED
    static let isChecked = true
  #else
    static let isChecked = false
  #endif

  /// Bytes of unused buffers kept for later.
  let idleLimit: Int
  private let ownMemoryLimit: Int?
  private let state = Locked(State())

  /// - Parameter memoryLimit: bytes that all buffers together may take; nil means ``Execution/memoryLimit``.
  init(idleLimit: Int = isChecked ? 0 : 256 << 20, memoryLimit: Int? = nil) {
    self.idleLimit = idleLimit
    self.ownMemoryLimit = memoryLimit
  }

  deinit { trim() }

  /// Idle buffers of one class, each holding the address of the next in its first bytes.
  private struct Chain: @unchecked Sendable {
    var first: UnsafeMutableRawPointer?

    mutating func push(_ buffer: UnsafeMutableRawPointer) {
      buffer.storeBytes(of: first, as: UnsafeMutableRawPointer?.self)
      first = buffer
    }

    mutating func pop() -> UnsafeMutableRawPointer? {
      guard let buffer = first else { return nil }
      first = buffer.load(as: UnsafeMutableRawPointer?.self)
      return buffer
    }

    /// Gives every buffer back to the system.
    consuming func release() {
      while let buffer = pop() { free(buffer) }
    }
  }

  private struct State {
    var chains = [Chain](repeating: Chain(), count: 4 * Int.bitWidth)
    var idleBytes = 0
    var usedBytes = 0
    /// The most that `usedBytes` has been since it was last asked for.
    var peakBytes = 0
    /// The class that gives buffers back next when there are too many.
    var evicted = 0
  }

  /// A buffer of at least `byteCount` bytes, contents undefined.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)`` when all buffers in use would exceed ``Execution/memoryLimit``, or
  ///   the system has no more.
  func allocate(byteCount: Int) throws -> UnsafeMutableRawPointer {
    let limit = ownMemoryLimit ?? Execution.memoryLimit
    // Beyond 2^62 a size class overflows.
    guard byteCount >= 0, byteCount <= min(limit, 1 << 62) else {
      throw refusal(byteCount, limit)
    }
    let size = Self.sizeClass(byteCount)
    enum Answer { case refused, recycled(Chain), new(isTight: Bool) }
    let answer = state.withLock { state -> Answer in
      guard state.usedBytes <= limit - byteCount else { return .refused }
      state.usedBytes += byteCount
      state.peakBytes = max(state.peakBytes, state.usedBytes)
      if let buffer = state.chains[Self.classIndex(size)].pop() {
        state.idleBytes -= size
        return .recycled(Chain(first: buffer))
      }
      return .new(isTight: state.usedBytes > limit - state.idleBytes)
    }
    switch answer {
    case .recycled(let chain):
      if let buffer = chain.first { return buffer }
    case .new(let isTight):
      if isTight { trim() }
      if let buffer = system(byteCount, size) { return buffer }
      trim()
      if let buffer = system(byteCount, size) { return buffer }
      state.withLock { $0.usedBytes -= byteCount }
    case .refused: break
    }
    throw refusal(byteCount, limit)
  }

  private func refusal(_ byteCount: Int, _ limit: Int) -> TensorError {
    ownMemoryLimit == nil ? .beyondMemoryLimit(bytes: byteCount) : .memory(bytes: byteCount, limit: limit)
  }

  /// Takes back what ``allocate(byteCount:)`` gave for the same size.
  func recycle(_ base: UnsafeMutableRawPointer, byteCount: Int) {
    let size = Self.sizeClass(byteCount)
    guard size <= idleLimit else {
      state.withLock { $0.usedBytes -= byteCount }
      free(base)
      return
    }
    let surplus = state.withLock { state -> Chain in
      state.usedBytes -= byteCount
      var surplus = Chain()
      while state.idleBytes > idleLimit - size {
        if let evicted = state.chains[state.evicted].pop() {
          surplus.push(evicted)
          state.idleBytes -= Self.classSize(state.evicted)
        } else {
          state.evicted = (state.evicted + 1) % state.chains.count
        }
      }
      state.chains[Self.classIndex(size)].push(base)
      state.idleBytes += size
      return surplus
    }
    surplus.release()
  }

  /// The same for memory that nobody has written: the system has no pages behind it yet, and it is not kept.
  func release(_ base: UnsafeMutableRawPointer, byteCount: Int) {
    state.withLock { $0.usedBytes -= byteCount }
    free(base)
  }

  /// Frees every idle buffer.
  func trim() {
    let idle = state.withLock { state in
      let chains = state.chains
      state.chains = [Chain](repeating: Chain(), count: chains.count)
      state.idleBytes = 0
      return chains
    }
    for chain in idle { chain.release() }
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

  private func system(_ byteCount: Int, _ size: Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    // What is never kept need not fit a class.
    let size = idleLimit == 0 ? max(byteCount, 1) : size
    let isHuge = size >= Self.hugePage && !Self.isChecked
    guard posix_memalign(&memory, isHuge ? Self.hugePage : AlignedMemory.alignment, size) == 0 else { return nil }
    #if os(Linux)
      // Where the system gives huge pages to those who ask: one page fault instead of 512.
      if isHuge, let memory { madvise(memory, size, MADV_HUGEPAGE) }
    #endif
    if Self.isChecked, let memory { memset(memory, 0xFF, size) }
    return memory
  }
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
  /// The most bytes that all tensors together took while `body` ran, beyond those that were there before.
  package static func measuringPeakMemory(_ body: () throws -> Void) rethrows -> Int {
    try BufferPool.shared.measuringPeak(body)
  }
}
