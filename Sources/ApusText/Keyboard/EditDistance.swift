import Apus

/// How many letters must be put in, taken out or exchanged for others to make one word of another.
///
/// With `transpositions`, two neighbours that change places are one change as well: the optimal string alignment
/// distance, in which no letter is changed twice.
/// - Parameter limit: where counting ends.
/// - Returns: `nil` when there are more changes than `limit`.
package func editDistance(
  _ first: String, _ second: String, transpositions: Bool = true, limit: Int = .max
) -> Int? {
  editDistance(Array(first.unicodeScalars), Array(second.unicodeScalars), transpositions: transpositions, limit: limit)
}
