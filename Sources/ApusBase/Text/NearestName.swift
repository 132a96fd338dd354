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
    if let distance = editDistance(wanted, Array(candidate.utf8), transpositions: false, limit: limit) {
      best = (candidate, distance)
    }
  }
  return best?.name
}
