/// The keys that a query may attend to by where they stand: those from `before` places before the query's own to `after`
/// places after it, among the first `count`.
package struct KeySpan: Sendable, Hashable {
  /// The place of the first query among the keys; negative where there are more queries than keys.
  package var offset: Int
  /// nil: all keys before.
  package var before: Int?
  /// nil: all keys after.
  package var after: Int?
  /// The keys that are there at all; nil: every one.
  package var count: Int?

  package init(offset: Int = 0, before: Int? = nil, after: Int? = nil, count: Int? = nil) {
    self.offset = offset
    self.before = before
    self.after = after
    self.count = count
  }

  /// Query `i` attends to the keys up to `i`.
  package static let causal = KeySpan(after: 0)

  /// The keys within reach of a query, of `total` keys.
  package func keys(of query: Int, count total: Int) -> Range<Int> {
    let place = query.addingReportingOverflow(offset).partialValue
    let total = min(total, max(0, count ?? total))
    func clamped(_ value: (partialValue: Int, overflow: Bool), otherwise limit: Int) -> Int {
      value.overflow ? limit : min(max(value.partialValue, 0), total)
    }
    let last = after.map { clamped(place.addingReportingOverflow($0 &+ 1), otherwise: total) } ?? total
    let first = before.map { clamped(place.subtractingReportingOverflow($0), otherwise: 0) } ?? 0
    return min(first, last)..<last
  }
}
