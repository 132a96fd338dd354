/// How many elements must be put in, taken out or exchanged for others to make `b` of `a` (Levenshtein).
///
/// With `transpositions`, two neighbours that change places are one change as well: the optimal string alignment
/// distance, in which no element is changed twice. In O(a · b), and O(1) where the lengths alone say that the limit is
/// passed.
/// - Parameter limit: where counting ends.
/// - Returns: `nil` when there are more changes than `limit`.
@inlinable
package func editDistance<Element: Equatable>(
  _ a: [Element], _ b: [Element], transpositions: Bool, limit: Int
) -> Int? {
  guard abs(a.count - b.count) <= limit else { return nil }
  if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
  var before: [Int] = []
  var previous = Array(0...b.count)
  var row = previous
  for i in 1...a.count {
    row[0] = i
    var least = i
    for j in 1...b.count {
      var cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
      if transpositions, i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
        cost = min(cost, before[j - 2] + 1)
      }
      row[j] = cost
      least = min(least, cost)
    }
    // The next row may reach back two rows, by one change at least.
    if least > limit, !transpositions || (previous.min() ?? 0) >= limit { return nil }
    (before, previous, row) = (previous, row, before.isEmpty ? row : before)
  }
  return previous[b.count] <= limit ? previous[b.count] : nil
}
