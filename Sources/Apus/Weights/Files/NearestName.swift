/// The name a misspelt one was probably meant to be, if any is near enough.
///
/// Near is an edit distance of at most a third of the name. Very long lists and names are not searched: this is a hint
/// in an error message, and must not cost more than the work that failed.
package func nearestName(to name: String, in candidates: [String]) -> String? {
  let wanted = Array(name.utf8)
  guard !wanted.isEmpty, wanted.count <= 128, candidates.count <= 4096 else { return nil }
  var best: (name: String, distance: Int)?
  for candidate in candidates where candidate.utf8.count <= 128 {
    let limit = best.map { $0.distance - 1 } ?? wanted.count / 3
    let text = Array(candidate.utf8)
    guard abs(text.count - wanted.count) <= limit else { continue }
    let distance = editDistance(wanted, text)
    if distance <= limit { best = (candidate, distance) }
  }
  return best?.name
}

/// The least number of insertions, deletions and substitutions that turn `a` into `b` (Levenshtein).
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var previous = Array(0...b.count)
  for (i, x) in a.enumerated() {
    var current = [i + 1]
    current.reserveCapacity(b.count + 1)
    for (j, y) in b.enumerated() {
      current.append(min(previous[j] + (x == y ? 0 : 1), previous[j + 1] + 1, current[j] + 1))
    }
    previous = current
  }
  return previous[b.count]
}
