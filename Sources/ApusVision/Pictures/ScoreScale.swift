import ApusPlatform

/// What a network's scores are.
public enum ScoreScale: String, Sendable, Hashable, CaseIterable {
  /// Numbers from 0 to 1.
  case probabilities
  /// Any numbers, whose sigmoid is the probability: a network exported without its last function.
  case logits

  /// The probability.
  func callAsFunction(_ score: Float) -> Float {
    self == .probabilities ? score : Float(1 / (1 + exp(-Double(score))))
  }
}
