import ApusBase
import ApusPlatform

/// One block of memory in which the tensors of a run have planned places.
///
/// The caller of an operator offers the places planned for its outputs; memory of exactly such a size is then taken
/// there instead of from the ``BufferPool``, by the thread that offers and by no worker. A plan may be wrong about how
/// long tensors live: what lies where something is still alive is not given, and the pool serves. The block goes back
/// to the pool when nothing holds the arena any more, its tensors included.
package final class MemoryArena: Sendable {
  /// The arena of the run that the current task is in.
  @TaskLocal package static var current: MemoryArena?

  /// A place for one tensor.
  package struct Place: Sendable, Hashable {
    /// Bytes from the beginning of the block; a multiple of ``MemoryArena/alignment``.
    package let offset: Int
    /// The sizes in bytes that the tensor may turn out to have.
    package let sizes: [Int]

    package init(offset: Int, sizes: [Int]) {
      self.offset = offset
      self.sizes = sizes
    }
  }

  /// What offsets are multiples of.
  package static let alignment = AlignedMemory.alignment

  private let base: Base
  package let byteCount: Int
  private let state = Locked(State())

  private struct Base: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer
  }

  private struct State {
    var offers: [Place] = []
    /// What is alive.
    var taken: [Range<Int>] = []
  }

  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``.
  package init(byteCount: Int) throws {
    base = Base(pointer: try BufferPool.shared.allocate(byteCount: byteCount))
    self.byteCount = byteCount
  }

  deinit { BufferPool.shared.recycle(base.pointer, byteCount: byteCount) }

  /// Replaces what is offered.
  package func offer(_ places: [Place]) { state.withLock { $0.offers = places } }

  /// Bytes of the tensors that are alive in here.
  package var takenByteCount: Int { state.withLock { $0.taken.reduce(0) { $0 + $1.count } } }

  /// A place that is offered, and free, for exactly so many bytes.
  func take(byteCount: Int) -> UnsafeMutableRawPointer? {
    let offset = state.withLock { state -> Int? in
      guard byteCount > 0, let index = state.offers.firstIndex(where: { $0.sizes.contains(byteCount) }) else {
        return nil
      }
      let offset = state.offers[index].offset
      guard offset >= 0, offset <= self.byteCount - byteCount else { return nil }
      let range = offset..<(offset + byteCount)
      guard !state.taken.contains(where: { $0.overlaps(range) }) else { return nil }
      state.offers.remove(at: index)
      state.taken.append(range)
      return offset
    }
    guard let offset else { return nil }
    let memory = base.pointer + offset
    // What is not written must not look like what was here before.
    if BufferPool.isChecked { memset(memory, 0xFF, byteCount) }
    return memory
  }

  /// Takes back what ``take(byteCount:)`` gave.
  func leave(_ memory: UnsafeMutableRawPointer) {
    let offset = memory - base.pointer
    state.withLock { state in
      guard let index = state.taken.firstIndex(where: { $0.lowerBound == offset }) else { return }
      state.taken.swapAt(index, state.taken.count - 1)
      state.taken.removeLast()
    }
  }
}

extension MemoryArena {
  /// The bytes that a tensor may take: row-major and, where it can be kept so, channel-blocked.
  /// - Throws: ``TensorError`` for more than memory could hold.
  package static func byteCounts(_ shape: [Int], _ dataType: DataType) throws -> [Int] {
    func bytes(_ shape: [Int]) throws -> Int {
      let bytes = try Shape.byteCount(shape, elementByteCount: dataType.byteCount)
      guard bytes <= Execution.memoryLimit else { throw TensorError.beyondMemoryLimit(bytes: bytes, shape: shape) }
      return bytes
    }
    let plain = try bytes(shape)
    guard canBeChannelBlocked(shape, dataType) else { return [plain] }
    let blocked = try bytes(Tensor<Float>.blockedShape(shape))
    return blocked == plain ? [plain] : [plain, blocked]
  }

  /// Whether a tensor may be kept channel-blocked.
  package static func canBeChannelBlocked(_ shape: [Int], _ dataType: DataType) -> Bool {
    dataType == .float32 && (shape.count == 3 || shape.count == 4) && Tensor<Float>.isWorthBlocking(channels: shape[1])
  }
}
