/// A word that is offered.
public struct KeyboardSuggestion: Sendable, Hashable {
  /// Why a word is offered.
  public enum Source: String, Sendable, Hashable {
    /// The network predicted it.
    case model
    /// It is what the user has typed, although no dictionary has it.
    case literal
    /// It resembles what the user has typed.
    case correction
    /// It was learned from what the user wrote before; the network does not know it.
    case learned
  }

  /// With capitals, as it is to be shown and written.
  public var word: String
  /// How likely the network finds it, among all words of its vocabulary; 0 for one that it does not know.
  public var probability: Double
  /// Why it is offered.
  public var source: Source
  /// Whether it follows the word at the cursor, which is complete, rather than taking its place.
  public var isNext = false
}

/// What a keyboard offers for a request.
public struct KeyboardSuggestions: Sendable, Hashable {
  /// Whether the next word was wanted, or the rest of one.
  public var mode: KeyboardRequest.Mode
  /// The word at the cursor as it was typed; empty where the next one was wanted.
  public var partial: String
  /// The best first.
  public var suggestions: [KeyboardSuggestion] = []
  /// Whether the network has no idea: no word of all has a probability of 10 %.
  public var isUncertain = false
  /// Whether the word at the cursor is unknown, and resembles no known word.
  public var isGibberish = false
}

/// What is reused from one keystroke to the next: probabilities of the last inputs.
///
/// While a word is being typed in the stock style the network's input does not change, and it is run once a word.
package struct KeyboardCache: Sendable {
  /// How many inputs are remembered.
  package static let limit = 4

  private var entries: [(input: KeyboardInput, probabilities: WordProbabilities)] = []
  /// How often a network was run.
  package private(set) var runs = 0

  /// Nothing remembered.
  package init() {}

  mutating func probabilities(
    for input: KeyboardInput, run: () throws -> WordProbabilities
  ) rethrows -> WordProbabilities {
    let probabilities: WordProbabilities
    if let index = entries.firstIndex(where: { $0.input == input }) {
      probabilities = entries.remove(at: index).probabilities
    } else {
      probabilities = try run()
      runs &+= 1
      if entries.count >= Self.limit { entries.removeFirst() }
    }
    entries.append((input, probabilities))
    return probabilities
  }
}
