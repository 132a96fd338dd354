import Apus

/// A network that says which words may stand at a place.
public protocol MaskedWordScoring: Sendable {
  /// Words the network knows.
  var vocabularySize: Int { get }
  /// The longest text, in tokens.
  var positionCount: Int { get }

  /// The score of every word at one place.
  /// - Parameter ids: the tokens, special ones included; the mask is at `position`.
  func scores(ids: [Int], at position: Int) throws -> [Float]
}

extension MaskedLanguageModel: MaskedWordScoring {
  /// The scores of all words of the vocabulary at `position`, in float32.
  /// - Throws: ``TensorError`` for tokens that do not fit the network.
  public func scores(ids: [Int], at position: Int) throws -> [Float] {
    try logits(ids: ids, at: position).converted(to: Float.self).elements
  }
}

/// Suggests words while a user types: the next word, the rest of one that is begun, and another for one that is
/// misspelt.
///
/// ```swift
/// let suggester = try KeyboardSuggester(folder: "Weights/keyboard/shipped")
/// let found = try suggester.suggestions(for: KeyboardRequest("how are "))
/// found.suggestions.map(\.word)   // ["you", …]
/// ```
///
/// Words are ranked by their probability among all words of the vocabulary. A word that is begun is completed by words
/// that begin so. Where there are none, and some word is one or two changes away, what was typed is offered first, and
/// the words close by after it.
///
/// Nothing is stored, printed or sent. ``KeyboardSession`` does the same for a user who types faster than it computes.
public struct KeyboardSuggester: Sendable {
  /// How suggestions are made.
  public struct Options: Sendable, Hashable {
    /// How many words are suggested.
    public var count = 3
    /// How the words that are offered are chosen and written.
    public var style = SuggestionStyle.stock
    /// The most tokens that the network reads.
    public var length = 32

    /// - Parameters:
    ///   - count: how many words are suggested.
    ///   - style: how they are chosen and written.
    ///   - length: the most tokens that the network reads; of longer texts the end is kept.
    public init(count: Int = 3, style: SuggestionStyle = .stock, length: Int = 32) {
      (self.count, self.style, self.length) = (count, style, length)
    }

    /// The same, with no more tokens than `network` can read.
    package func fitted(to network: any MaskedWordScoring) -> Options {
      Options(count: count, style: style, length: min(length, max(3, network.positionCount)))
    }
  }

  /// What turns text into the network's tokens.
  public let tokenizer: WordPieceTokenizer
  /// The words of the vocabulary that can be offered.
  package let words: WordIndex
  /// What the suggester was made with.
  public let options: Options
  private let network: any MaskedWordScoring

  /// - Throws: ``KeyboardError`` for a vocabulary with more lines than the network knows words, and for options that
  ///   cannot be.
  public init(
    network: any MaskedWordScoring, tokenizer: WordPieceTokenizer, options: Options = .init()
  ) throws {
    guard tokenizer.vocabulary.count <= network.vocabularySize else {
      throw KeyboardError.vocabularyTooLarge(vocabulary: tokenizer.vocabulary.count, network: network.vocabularySize)
    }
    func check(_ name: String, _ value: Int, _ allowed: ClosedRange<Int>) throws {
      guard allowed ~= value else { throw KeyboardError.invalidOption(name: name, value: value, allowed: allowed) }
    }
    try check("count", options.count, 1...1000)
    try check("length", options.length, 3...max(3, network.positionCount))
    self.network = network
    self.tokenizer = tokenizer
    self.options = options
    words = WordIndex(tokenizer)
  }

  /// Opens a folder of Hugging Face with a masked-language model and its `vocab.txt`.
  ///
  /// - Parameters:
  ///   - style: how the network is asked; as the folder's `config.json` says under `suggestion_style` when `nil`, and
  ///     ``SuggestionStyle/stock`` where that says nothing.
  ///   - length: the most tokens; fewer where the network knows fewer.
  /// - Throws: ``KeyboardError``, and what opening the folder's files throws: ``FileError``, ``PretrainedFolderError``,
  ///   ``ModelConfigurationError``, ``VocabularyError``, ``JSONError``, ``SafetensorsError``, ``WeightsError``.
  public init(folder: String, count: Int = 3, style: SuggestionStyle? = nil, length: Int = 32) throws {
    let pretrained = try PretrainedFolder(path: folder)
    let tokenizer = try WordPieceTokenizer(folder: folder)
    let network = try pretrained.maskedLanguageModel()
    let said = try pretrained.suggestionStyle
    try self.init(
      network: network, tokenizer: tokenizer,
      options: Options(count: count, style: style ?? said ?? .stock, length: length).fitted(to: network))
  }

  /// Words for what the user has typed; none for no text.
  /// - Parameters:
  ///   - learned: the words of the user, and the day it is, as in ``LearnedWords/learn(_:after:day:)``.
  /// - Throws: ``KeyboardError/notFinite(id:)``; ``TensorError``.
  public func suggestions(
    for request: KeyboardRequest, learned: LearnedWords? = nil, day: Double = 0
  ) throws -> KeyboardSuggestions {
    var cache = KeyboardCache()
    return try suggestions(for: request, learned: learned, day: day, cache: &cache)
  }

  /// The same; the network is run only for an input that the cache does not have.
  package func suggestions(
    for request: KeyboardRequest, learned: LearnedWords? = nil, day: Double = 0, cache: inout KeyboardCache
  ) throws -> KeyboardSuggestions {
    var found = KeyboardSuggestions(mode: request.mode, partial: request.partial)
    guard request.text.contains(where: { !$0.isWhitespace }) else { return found }
    let input = try KeyboardInput(request, tokenizer: tokenizer, style: options.style, length: options.length)
    let probabilities = try cache.probabilities(for: input) { try self.probabilities(of: input) }
    found.isUncertain = probabilities.highest < 0.1
    let ranking = Ranking(
      probabilities: probabilities, learned: learned, day: day, previous: previousWord(in: request.context))
    switch request.mode {
    case .nextWord:
      found.suggestions = best(words.entries.indices, ranking, except: ranking.previous) { _ in true }
    case .completion:
      let key = words.key(request.partial)
      found.suggestions = best(words.completions(of: key), ranking, except: key) { $0.hasPrefix(key) }
      if found.suggestions.isEmpty {
        let isLearned = (learned?.boost(key, after: nil, day: day) ?? 0) > 0
        let corrections = isLearned ? [] : words.corrections(of: key, probabilities: probabilities)
        found.suggestions = corrected(corrections, request.partial, probabilities)
        found.isGibberish =
          !isLearned && corrections.isEmpty && !words.contains(key) && WordShape.isGibberish(request.partial)
      }
    }
    for index in found.suggestions.indices where found.suggestions[index].source != .literal {
      found.suggestions[index].word = WordCasing.restored(
        found.suggestions[index].word, partial: request.partial, isAtSentenceStart: request.isAtSentenceStart)
    }
    return found
  }

  private func probabilities(of input: KeyboardInput) throws -> WordProbabilities {
    let scores = try network.scores(ids: input.ids, at: input.maskPosition)
    guard scores.count == network.vocabularySize else {
      throw KeyboardError.wrongScoreCount(count: scores.count, expected: network.vocabularySize)
    }
    return try WordProbabilities(scores: scores)
  }
}

extension PretrainedFolder {
  /// How the network is to be asked for words, as `config.json` says under `suggestion_style`; nil where it says nothing.
  /// - Throws: ``ModelConfigurationError`` for a style that there is not.
  public var suggestionStyle: SuggestionStyle? {
    get throws {
      let styles = Dictionary(uniqueKeysWithValues: SuggestionStyle.allCases.map { ($0.rawValue, $0) })
      return try fields.text("suggestion_style") == nil
        ? nil : fields.choice("suggestion_style", default: .stock, of: styles)
    }
  }
}

// MARK: - Ranking

extension KeyboardSuggester {
  /// By what words are ranked: the network's probabilities, and the user's habits.
  private struct Ranking {
    var probabilities: WordProbabilities
    var learned: LearnedWords?
    var day: Double
    /// The word before the cursor's, as it is looked for.
    var previous: String?

    /// Seven parts probability in percent, three parts habit.
    func score(_ word: String, probability: Double) -> Double {
      70 * probability + 0.3 * (learned?.boost(word, after: previous, day: day) ?? 0)
    }
  }

  /// The best of some words and of the learned ones, which `isEligible` accepts, except for one.
  private func best(
    _ indices: some Sequence<Int>, _ ranking: Ranking, except excluded: String?, isEligible: (String) -> Bool
  ) -> [KeyboardSuggestion] {
    var best = HighestScores<KeyboardSuggestion>(limit: options.count)
    var unknown = Set(ranking.learned?.words ?? [])
    for index in indices {
      let entry = words.entries[index]
      if !unknown.isEmpty { unknown.remove(entry.key) }
      guard entry.key != excluded else { continue }
      let probability = words.probability(of: index, in: ranking.probabilities)
      best.add(
        KeyboardSuggestion(word: entry.word, probability: probability, source: .model),
        score: ranking.score(entry.key, probability: probability))
    }
    for word in unknown.sorted() where isEligible(word) && word != excluded {
      best.add(
        KeyboardSuggestion(word: word, probability: 0, source: .learned), score: ranking.score(word, probability: 0))
    }
    return best.sorted
  }

  /// What was typed, and what may have been meant; nothing where nothing may.
  private func corrected(
    _ corrections: [WordIndex.Correction], _ partial: String, _ probabilities: WordProbabilities
  ) -> [KeyboardSuggestion] {
    if corrections.isEmpty { return [] }
    let literal = KeyboardSuggestion(word: partial, probability: 0, source: .literal)
    return [literal]
      + corrections.prefix(options.count - 1).map {
        KeyboardSuggestion(
          word: words.entries[$0.index].word, probability: words.probability(of: $0.index, in: probabilities),
          source: .correction)
      }
  }

  /// The word right before the one at the cursor, with nothing but spaces between them.
  private func previousWord(in context: String) -> String? {
    let trimmed = context.suffix(256).reversed().drop(while: \.isWhitespace)
    let word = String(trimmed.prefix { !$0.isWhitespace }.reversed())
    guard let last = word.last, last.isLetter else { return nil }
    let key = words.key(KeyboardRequest(word).partial)
    return key.isEmpty ? nil : key
  }
}
