/// Numbers with an index each, the greatest at hand: a binary heap. Of equal numbers that with the greater index comes
/// first.
struct KeyHeap {
  typealias Entry = (key: Int64, index: Int)

  /// The greatest is the first; the others are in no order.
  private var entries: [Entry]

  /// - Complexity: O(*n*)
  init(_ entries: consuming [Entry]) {
    self.entries = entries
    for place in stride(from: self.entries.count / 2 - 1, through: 0, by: -1) { sink(place) }
  }

  /// - Complexity: O(log *n*)
  mutating func popFirst() -> Entry? {
    guard let last = entries.popLast() else { return nil }
    guard let first = entries.first else { return last }
    entries[0] = last
    sink(0)
    return first
  }

  private mutating func sink(_ start: Int) {
    entries.withUnsafeMutableBufferPointer { entries in
      var place = start
      let moved = entries[place]
      while true {
        var child = 2 * place + 1
        guard child < entries.count else { break }
        if child + 1 < entries.count, entries[child] < entries[child + 1] { child += 1 }
        guard moved < entries[child] else { break }
        entries[place] = entries[child]
        place = child
      }
      entries[place] = moved
    }
  }
}
