import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Recycles tensor memory, so that a model in steady state allocates nothing.
///
/// Buffers are kept in size classes, four to each power of two, so at most a quarter of a buffer is slack. What is idle
/// beyond ``idleLimit`` goes back to the system.
final class BufferPool: Sendable {
  static let shared = BufferPool()

  /// Bytes of unused buffers kept for later.
  static let idleLimit = 256 << 20
  static let alignment = 64

  private struct State {
    var idle: [Int: [Buffer]] = [:]
    var idleBytes = 0
  }
  private struct Buffer: @unchecked Sendable { let base: UnsafeMutableRawPointer }
  private let state = Mutex(State())

  /// A buffer of at least `byteCount` bytes, contents undefined.
  func allocate(byteCount: Int) throws -> UnsafeMutableRawPointer {
    let limit = Execution.memoryLimit
    guard byteCount >= 0, byteCount <= limit else { throw TensorError.memory(bytes: byteCount, limit: limit) }
    let size = Self.sizeClass(byteCount)
    let recycled = state.withLock { state -> Buffer? in
      guard let buffer = state.idle[size]?.popLast() else { return nil }
      state.idleBytes -= size
      return buffer
    }
    if let recycled { return recycled.base }
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, Self.alignment, size) == 0, let memory else {
      throw TensorError.memory(bytes: byteCount, limit: limit)
    }
    return memory
  }

  /// Takes back what ``allocate(byteCount:)`` gave for the same size.
  func recycle(_ base: UnsafeMutableRawPointer, byteCount: Int) {
    let size = Self.sizeClass(byteCount)
    let buffer = Buffer(base: base)
    let kept = state.withLock { state -> Bool in
      guard state.idleBytes + size <= Self.idleLimit else { return false }
      state.idle[size, default: []].append(buffer)
      state.idleBytes += size
      return true
    }
    if !kept { free(base) }
  }

  /// Frees every idle buffer.
  func trim() {
    let idle = state.withLock { state in
      defer { state = State() }
      return state.idle
    }
    for buffers in idle.values { for buffer in buffers { free(buffer.base) } }
  }

  /// `byteCount` rounded up to the next of four sizes a power of two.
  static func sizeClass(_ byteCount: Int) -> Int {
    let size = max(byteCount, 256)
    let step = 1 << (Int.bitWidth - 1 - (size - 1).leadingZeroBitCount - 2)
    return (size + step - 1) & ~(step - 1)
  }
}
