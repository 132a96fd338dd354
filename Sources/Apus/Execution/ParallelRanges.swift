/// How many elements make a piece of work worth handing to another thread: some microseconds of the cheapest kernel.
package let elementsPerPiece = 1 << 15

/// One of `parts` neighbouring ranges into which `0 ..< count` is divided, of lengths that differ by one at most.
func evenPart(_ index: Int, of parts: Int, in count: Int) -> Range<Int> {
  func start(_ index: Int) -> Int { count / parts * index + min(index, count % parts) }
  return start(index)..<start(index + 1)
}

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
