/// How common a word is: by its place among the words of a vocabulary, the most frequent first.
package enum WordTier: Int, Sendable, Hashable, Comparable {
  case high, medium, low

  /// - Parameter index: the word's place, from 0 on: high below 7000, medium below 17,000.
  package init(index: Int) {
    self = index < 7000 ? .high : index < 17_000 ? .medium : .low
  }

  /// The more common tier is the smaller one.
  package static func < (a: WordTier, b: WordTier) -> Bool { a.rawValue < b.rawValue }

  /// How much a completion is worth without a network: for its tier, its rank among the completions, from 0 on, and its
  /// place in the vocabulary.
  ///
  ///     100, 50 or 10  −  0.5 · rank  +  100 / (index + 1)
  package func completionScore(rank: Int, index: Int) -> Double {
    let base: Double =
      switch self {
      case .high: 100
      case .medium: 50
      case .low: 10
      }
    return base - 0.5 * Double(rank) + 100 / (Double(max(0, index)) + 1)
  }
}
