import Synchronization

/// Calls `body` for every index below `count`, each time with room for `elements` of a type that no other call uses
/// meanwhile. What is in there is undefined.
/// - Throws: ``TensorError/memory(bytes:limit:shape:)``.
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
  // A lane is a thread's room, which stays in its caches; a free thread takes the next index.
  let next = Counter()
  let stop = Execution.current.stop
  parallel(lanes) { lane in
    while true {
      let index = next.take()
      guard index < count, stop?.check() != true else { return }
      body(index, base.value + lane * step)
    }
  }
  withExtendedLifetime(storage) {}
}

/// 0, 1, 2, … for one caller after the other.
private final class Counter: Sendable {
  private let value = Atomic(0)

  // Relaxed: each number is given once; the end of ``parallel(_:_:)`` orders what the calls have written.
  func take() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}
