import ApusBase
import ApusPlatform

/// Memory for what is packed once and kept, weights above all: blocks side by side in a few large pieces.
///
/// Hundreds of buffers of some hundred kilobytes would take a page fault every four of them; pieces of several
/// megabytes are served with huge pages where the system has them. A piece goes back to the pool with the last block in
/// it.
enum PackedMemory {
  private static let pieceByteCount = 8 << 20
  /// What is larger is a piece by itself.
  private static let largest = pieceByteCount / 4

  private final class Piece: Sendable {
    private let buffer: BufferPool.Buffer
    var base: UnsafeMutableRawPointer { buffer.base }

    init() throws { buffer = try BufferPool.shared.allocate(byteCount: pieceByteCount, lending: false) }

    deinit { BufferPool.shared.recycle(buffer) }
  }

  private struct State {
    /// The piece that is being filled, as long as a block of it is held.
    weak var piece: Piece?
    var usedByteCount = 0
  }

  private static let state = Locked(State())

  /// Memory that `fill` writes; or, where it did so in a process before, what it wrote then. 64-byte aligned.
  /// - Parameter place: where that is looked for; nowhere when nil.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``, and what `fill` throws.
  static func storage(
    byteCount: Int, at place: PackedPlace?, fill: (TensorStorage) throws -> Void
  ) throws -> TensorStorage {
    guard let place, byteCount >= PackedCache.leastByteCount else {
      let storage = try storage(byteCount: byteCount)
      try fill(storage)
      return storage
    }
    return try place.cache.storage(place.key, byteCount: byteCount) {
      let storage = try storage(byteCount: byteCount)
      // What nobody writes goes to a file as well: zeros, and not what was in this memory before.
      memset(storage.base, 0, byteCount)
      // Not to be broken off: it outlives the run that is stopped.
      try Execution.withoutStop { try fill(storage) }
      return storage
    }
  }

  /// Memory for the caller to fill, once; 64-byte aligned.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``.
  static func storage(byteCount: Int) throws -> TensorStorage {
    guard !BufferPool.isChecked, byteCount > 0, byteCount <= largest else {
      return try TensorStorage(byteCount: byteCount, isKept: true)
    }
    let alignment = AlignedMemory.alignment
    let size = (byteCount + alignment - 1) / alignment * alignment
    return try state.withLock { state in
      if let piece = state.piece, state.usedByteCount + size <= pieceByteCount {
        defer { state.usedByteCount += size }
        return TensorStorage(borrowing: piece.base + state.usedByteCount, byteCount: byteCount, owner: piece)
      }
      // A whole piece may be too much where a block is not.
      guard let piece = try? Piece() else { return try TensorStorage(byteCount: byteCount, isKept: true) }
      (state.piece, state.usedByteCount) = (piece, size)
      return TensorStorage(borrowing: piece.base, byteCount: byteCount, owner: piece)
    }
  }

  /// Gives back what of the last piece nothing is in: of a huge page that may be most.
  static func releaseUnusedPages() {
    #if os(Linux)
      state.withLock { state in
        guard let piece = state.piece else { return }
        let page = AlignedMemory.pageSize
        let used = (state.usedByteCount + page - 1) / page * page
        if used < pieceByteCount { madvise(piece.base + used, pieceByteCount - used, MADV_DONTNEED) }
      }
    #endif
  }
}
