import ApusBase
import ApusPlatform

/// One block of memory in which the tensors of a run have planned places.
///
/// The caller of an operator offers the places planned for its outputs; memory of exactly such a size is then taken
/// there instead of from the ``BufferPool``, by the thread that offers and by no worker. A plan may be wrong about how
/// long tensors live: what lies where something is still alive is not given, and the pool serves. The block goes back
/// to the pool when nothing holds the arena any more, its tensors included.
package final class MemoryArena: Sendable {
  /// A place for one tensor. One that may turn out to have either of two sizes has two places at one offset.
  package struct Place: Sendable, Hashable {
    /// Bytes from the beginning of the block; a multiple of ``MemoryArena/alignment``.
    package let offset: Int
    package let byteCount: Int

    package init(offset: Int, byteCount: Int) {
      self.offset = offset
      self.byteCount = byteCount
    }
  }

  /// What offsets are multiples of.
  package static let alignment = AlignedMemory.alignment

  private let buffer: BufferPool.Buffer
  package let byteCount: Int
  private let places: [Place]
  private let state = Locked(State())

  private struct State {
    /// Which of the places are offered.
    var offers = 0..<0
    /// What is alive.
    var taken: [Range<Int>] = []
  }

  /// - Parameter places: all that will be offered.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``.
  package init(byteCount: Int, places: [Place]) throws {
    buffer = try BufferPool.shared.allocate(byteCount: byteCount)
    self.byteCount = byteCount
    self.places = places
  }

  deinit { BufferPool.shared.recycle(buffer) }

  /// Replaces what is offered by these of the places.
  package func offer(_ range: Range<Int>) { state.withLock { $0.offers = range.clamped(to: places.indices) } }

  /// Bytes of the tensors that are alive in here.
  package var takenByteCount: Int { state.withLock { $0.taken.reduce(0) { $0 + $1.count } } }

  /// A place that is offered, and free, for exactly so many bytes.
  func take(byteCount: Int) -> UnsafeMutableRawPointer? {
    let offset = state.withLock { state -> Int? in
      guard byteCount > 0 else { return nil }
      for place in places[state.offers] where place.byteCount == byteCount {
        guard place.offset >= 0, place.offset <= self.byteCount - byteCount else { continue }
        let range = place.offset..<(place.offset + byteCount)
        if state.taken.contains(where: { $0.overlaps(range) }) { continue }
        state.taken.append(range)
        return place.offset
      }
      return nil
    }
    guard let offset else { return nil }
    let memory = buffer.base + offset
    // What is not written must not look like what was here before.
    if BufferPool.isChecked { memset(memory, 0xFF, byteCount) }
    return memory
  }

  /// Takes back what ``take(byteCount:)`` gave.
  func leave(_ memory: UnsafeMutableRawPointer) {
    let offset = memory - buffer.base
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
    guard TensorLayout.canBlock(shape, dataType) else { return [plain] }
    let blocked = try bytes(Tensor<Float>.blockedShape(shape))
    return blocked == plain ? [plain] : [plain, blocked]
  }
}
