/// The `limit` elements with the highest scores of those that come by, in O(n log limit).
///
/// Of equal scores the one that came first is higher.
struct HighestScores<Element> {
  private let limit: Int
  /// A heap, the lowest on top.
  private var heap: [(score: Double, order: Int, element: Element)] = []
  private var count = 0

  init(limit: Int) { self.limit = limit }

  mutating func add(_ element: @autoclosure () -> Element, score: Double) {
    defer { count += 1 }
    if heap.count < limit {
      heap.append((score, count, element()))
      var child = heap.count - 1
      while child > 0, isLower(child, (child - 1) / 2) {
        heap.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
    } else if let lowest = heap.first, score > lowest.score {
      heap[0] = (score, count, element())
      var parent = 0
      while true {
        var lowest = parent
        for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isLower(child, lowest) {
          lowest = child
        }
        if lowest == parent { return }
        heap.swapAt(parent, lowest)
        parent = lowest
      }
    }
  }

  /// From the highest to the lowest.
  var sorted: [Element] {
    heap.sorted { $0.score != $1.score ? $0.score > $1.score : $0.order < $1.order }.map { $0.element }
  }

  private func isLower(_ a: Int, _ b: Int) -> Bool {
    heap[a].score != heap[b].score ? heap[a].score < heap[b].score : heap[a].order > heap[b].order
  }
}
