import Apus

/// A keyboard that cannot be made, or a network that gives it nothing to use.
public enum KeyboardError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The vocabulary has pieces that the network does not know.
  case vocabularyTooLarge(vocabulary: Int, network: Int)
  /// A network that gave another number of scores than it knows words.
  case wrongScoreCount(count: Int, expected: Int)
  /// The score of a word is infinite, or not a number.
  case notFinite(id: Int)
  /// An option that no keyboard can have.
  case invalidOption(name: String, value: Int, allowed: ClosedRange<Int>)

  /// What was found, and what was expected.
  public var description: String {
    switch self {
    case .vocabularyTooLarge(let vocabulary, let network):
      "the vocabulary has \(vocabulary) lines, and the network knows \(network) words"
    case .wrongScoreCount(let count, let expected): "the network gave \(count) scores; expected \(expected)"
    case .notFinite(let id): "the network's score of word \(id) is not a finite number"
    case .invalidOption(let name, let value, let allowed):
      "\(name) is \(value); expected \(allowed.lowerBound) to \(allowed.upperBound)"
    }
  }
}

extension KeyboardError {
  /// ``Fault/data``: vocabulary, network and options do not go together.
  public var fault: Fault { .data }
}
