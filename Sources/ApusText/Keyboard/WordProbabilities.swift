import ApusPlatform

/// How likely each word of a vocabulary is, all of them together 1.
///
///     p_i = exp(s_i - max s) / Σ_j exp(s_j - max s)
public struct WordProbabilities: Sendable {
  private let exponentials: [Double]
  private let scale: Double

  /// - Throws: ``KeyboardError/notFinite(id:)`` for scores of which one is not a number, or infinite.
  public init(scores: [Float]) throws {
    if let id = scores.firstIndex(where: { !$0.isFinite }) { throw KeyboardError.notFinite(id: id) }
    let highest = Double(scores.max() ?? 0)
    var sum = 0.0
    exponentials = scores.map {
      let value = exp(Double($0) - highest)
      sum += value
      return value
    }
    scale = 1 / max(sum, 1)
  }

  /// The number of words, as many as there were scores.
  public var count: Int { exponentials.count }

  /// The probability of a word; 0 for a number that no word has.
  public subscript(id: Int) -> Double {
    exponentials.indices.contains(id) ? exponentials[id] * scale : 0
  }

  /// The highest of all.
  public var highest: Double { exponentials.isEmpty ? 0 : scale }
}

extension WordProbabilities {
  /// The likeliest words, the best first.
  /// - Parameter size: how many words there are; numbers from there on have no word.
  public func likeliest(_ limit: Int, of size: Int = .max) -> [(id: Int, probability: Double)] {
    var best = HighestScores<Int>(limit: max(0, limit))
    for id in 0..<min(count, max(0, size)) { best.add(id, score: exponentials[id]) }
    return best.sorted.map { ($0, self[$0]) }
  }
}
