import Apus
import ApusPlatform

/// How a classifier's numbers become the probabilities of its classes.
public struct ClassScoring: Sendable, Hashable {
  /// What the numbers are. Where nothing says it they are probabilities if none is below 0 and they add up to 1, and
  /// logits otherwise.
  public var scale: ScoreScale?
  /// Whether one of the classes is right, as softmax has it; else any number of them may be, each by its own sigmoid.
  public var isExclusive: Bool
  /// Whether ``scale`` is the caller's word, which is checked, and not what the model was seen to end with.
  public var isStated: Bool

  /// - Parameters:
  ///   - scale: what the numbers are, where it is known.
  ///   - isExclusive: whether one of the classes is right.
  ///   - isStated: whether the scale is the caller's word.
  public init(_ scale: ScoreScale? = nil, isExclusive: Bool = true, isStated: Bool = false) {
    (self.scale, self.isExclusive, self.isStated) = (scale, isExclusive, isStated)
  }

  /// A probability for each number. One that stands alone is that of its own class, by sigmoid.
  ///
  /// - Throws: ``ClassScoringError`` for numbers that are not finite, and numbers that are not of the scale.
  public func probabilities(_ numbers: [Float]) throws -> [Double] {
    if let index = numbers.firstIndex(where: { !$0.isFinite }) {
      throw ClassScoringError("class \(index) is \(numbers[index])")
    }
    guard let least = numbers.min(), let most = numbers.max() else {
      throw ClassScoringError("there is no number; one for each class was expected")
    }
    let values = numbers.map(Double.init)
    let sum = values.reduce(0, +)
    let areShares = values.count > 1 && least >= 0 && abs(sum - 1) < 1e-3
    guard scale ?? (areShares ? .probabilities : .logits) == .probabilities else {
      if isStated, areShares {
        throw ClassScoringError(
          "the numbers add up to 1, and none is below 0: these are probabilities (--scores probabilities)")
      }
      guard isExclusive, values.count > 1 else { return values.map { 1 / (1 + exp(-$0)) } }
      return try softmax(Tensor(values), axis: 0).elements
    }
    // Sixteen-bit numbers round a little past 1.
    guard least >= -1e-3, most <= 1 + 1e-3 else {
      throw ClassScoringError(
        "the numbers go from \(least) to \(most), and probabilities lie between 0 and 1: logits do not "
          + "(--scores logits)")
    }
    return areShares ? values.map { $0 / sum } : values.map { min(max($0, 0), 1) }
  }
}

/// Numbers that a classifier should not give.
public struct ClassScoringError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// What the numbers are, and what was expected.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension ClassScoringError {
  /// ``Fault/data``: what the model gave.
  public var fault: Fault { .data }
}
