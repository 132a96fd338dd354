import Synchronization

/// How many elements make a piece of work worth handing to another thread: some microseconds of the cheapest kernel.
package let elementsPerPiece = 1 << 15

/// Calls `body` for consecutive pieces of `0 ..< count`, spread over threads. Pieces depend on `count` and `grain` only.
package func parallelRanges(
  _ count: Int, grain: Int = elementsPerPiece, _ body: @Sendable (_ start: Int, _ count: Int) -> Void
) {
  guard count > 0 else { return }
  let grain = max(grain, 1)
  if count <= grain {
    body(0, count)
    return
  }
  parallel((count + grain - 1) / grain) { piece in
    let start = piece * grain
    body(start, min(grain, count - start))
  }
}

/// Calls `body` for consecutive groups of `count` rows of `width` elements each, about ``elementsPerPiece`` at a time.
package func parallelRows(_ count: Int, width: Int, _ body: @Sendable (_ first: Int, _ count: Int) -> Void) {
  parallelRanges(count, grain: max(1, elementsPerPiece / max(1, width)), body)
}

extension Tensor {
  /// `axis` as the middle of three: the elements before it, along it and after it.
  func split(at axis: Int) -> (outer: Int, size: Int, inner: Int) {
    (shape[..<axis].reduce(1, *), shape[axis], shape[(axis + 1)...].reduce(1, *))
  }
}

/// Calls `body` for every index below `count`, each time with room for `elements` of a type that no other call uses
/// meanwhile. What is in there is undefined.
/// - Throws: ``TensorError/memory(bytes:limit:)``.
package func parallelWithScratch<Scalar: FloatingPointScalar>(
  _ count: Int, of type: Scalar.Type, count elements: Int,
  _ body: @Sendable (Int, UnsafeMutablePointer<Scalar>) -> Void
) throws {
  guard count > 0 else { return }
  let lanes = min(count, Execution.current.threads)
  // Whole vectors, so that every room is as aligned as the first.
  let step = (elements + 15) / 16 * 16
  let storage = try TensorStorage(byteCount: Shape.byteCount([lanes, step], of: type))
  let base = Unchecked(storage.base.assumingMemoryBound(to: type))
  // A lane is a thread's room, which stays in its caches; whoever is free takes the next index.
  let next = Counter()
  parallel(lanes) { lane in
    while true {
      let index = next.take()
      guard index < count else { return }
      body(index, base.value + lane * step)
    }
  }
  withExtendedLifetime(storage) {}
}

/// 0, 1, 2, … for whoever asks next.
private final class Counter: Sendable {
  private let value = Atomic(0)

  func take() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}
