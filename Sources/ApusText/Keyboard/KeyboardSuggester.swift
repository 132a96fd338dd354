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
/// let found = try suggester.suggestions(for: KeyboardRequest("how are"))
/// found.suggestions.map(\.word)   // ["you", …]
/// ```
///
/// Words are ranked by their probability among all words of the vocabulary. A word that is begun is completed by words
/// that begin so; after one that is complete as it stands, next words are offered as well. A word without its
/// apostrophe, or misspelt as many people do, is offered as it was typed, and then as it was meant. Where no word begins
/// so, and some word is one or two changes away, what was typed is offered first, and the words close by after it.
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
    let probabilities = try self.probabilities(for: request, cache: &cache)
    found.isUncertain = probabilities.highest < 0.1
    let ranking = Ranking(
      probabilities: probabilities, learned: learned, day: day, previous: previousWord(in: request.context))
    var best = HighestScores<KeyboardSuggestion>(limit: options.count)
    switch request.mode {
    case .nextWord:
      add(words.entries.indices, to: &best, ranking, except: ranking.previous) { _ in true }
      found.suggestions = best.sorted
    case .completion:
      let key = words.key(request.partial)
      let isLearned = ranking.habit(of: key, after: nil) > 0
      try addCompletions(of: request, key, isWhole: isLearned || words.isWhole(key), to: &best, ranking, cache: &cache)
      found.suggestions = best.sorted
      if isLearned { break }
      if let meant = words.spelling(of: key) {
        found.suggestions = corrected([meant], request.partial, probabilities, and: found.suggestions)
      } else if found.suggestions.isEmpty {
        let corrections = words.corrections(of: key, probabilities: probabilities)
        found.suggestions = corrected(corrections.map { words.entries[$0.index].word }, request.partial, probabilities)
        found.isGibberish = corrections.isEmpty && !words.contains(key) && WordShape.isGibberish(request.partial)
      }
    }
    for index in found.suggestions.indices where found.suggestions[index].source != .literal {
      let suggestion = found.suggestions[index]
      found.suggestions[index].word =
        suggestion.isNext
        ? WordCasing.restored(suggestion.word, after: request.partial)
        : WordCasing.restored(
          suggestion.word, partial: request.partial, isAtSentenceStart: request.isAtSentenceStart)
    }
    return found
  }

  private func probabilities(
    for request: KeyboardRequest, cache: inout KeyboardCache
  ) throws -> WordProbabilities {
    let input = try KeyboardInput(request, tokenizer: tokenizer, style: options.style, length: options.length)
    return try cache.probabilities(for: input) { try probabilities(of: input) }
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

    /// What the probabilities are multiplied by where they compete with those of another place.
    var weight = 1.0

    /// Seven parts probability in percent, three parts habit.
    func score(_ word: String, probability: Double) -> Double {
      70 * weight * probability + 0.3 * habit(of: word, after: previous)
    }

    func habit(of word: String, after previous: String?) -> Double {
      learned?.boost(word, after: previous, day: day) ?? 0
    }
  }

  /// Adds some words, and those of the learned ones that `isEligible` accepts, except for one.
  private func add(
    _ indices: some Sequence<Int>, to best: inout HighestScores<KeyboardSuggestion>, _ ranking: Ranking,
    except excluded: String?, isNext: Bool = false, isEligible: (String) -> Bool
  ) {
    var unknown = Set(ranking.learned?.words ?? [])
    for index in indices {
      let entry = words.entries[index]
      if !unknown.isEmpty { unknown.remove(entry.key) }
      guard entry.key != excluded else { continue }
      let probability = words.probability(of: index, in: ranking.probabilities)
      best.add(
        KeyboardSuggestion(word: entry.word, probability: probability, source: .model, isNext: isNext),
        score: ranking.score(entry.key, probability: probability))
    }
    for word in unknown.sorted() where isEligible(word) && word != excluded {
      best.add(
        KeyboardSuggestion(word: word, probability: 0, source: .learned, isNext: isNext),
        score: ranking.score(word, probability: 0))
    }
  }

  /// Adds what the word at the cursor may become, and after a whole one the next words.
  private func addCompletions(
    of request: KeyboardRequest, _ key: String, isWhole: Bool, to best: inout HighestScores<KeyboardSuggestion>,
    _ ranking: Ranking, cache: inout KeyboardCache
  ) throws {
    // Of a lone mark nothing is left to look for, and every word begins with nothing.
    guard !key.isEmpty else { return }
    let completions = words.completions(of: key)
    var (own, next) = (ranking, ranking)
    next.previous = key
    if isWhole, options.style == .stock {
      // One place has the word at the cursor, another what follows it: the one's share is that of the whole word among
      // all that begin so.
      let whole = words.place(of: key).map { words.probability(of: $0, in: own.probabilities) } ?? 0
      let all = completions.reduce(whole) { $0 + words.probability(of: $1, in: own.probabilities) }
      if all > 0 { (own.weight, next.weight) = (1 / all, completions.isEmpty ? 1 : whole / all) }
      next.probabilities = try probabilities(
        for: KeyboardRequest(request.text + " ", following: request.following), cache: &cache)
    }
    add(completions, to: &best, own, except: key) { $0.hasPrefix(key) }
    for contraction in words.isEnglish ? Contraction.completions(of: key) : []
    where !words.contains(contraction.word) {
      let probability = probability(of: contraction, typed: key, in: own.probabilities)
      best.add(
        KeyboardSuggestion(word: contraction.word, probability: probability, source: .model),
        score: own.score(contraction.word, probability: probability))
    }
    guard isWhole else { return }
    let others = words.entries.indices.lazy.filter { !words.entries[$0].key.hasPrefix(key) }
    add(others, to: &best, next, except: key, isNext: true) { !$0.hasPrefix(key) }
  }

  /// That of the piece which the network is asked for: the whole word's first, or the first that is not typed yet.
  private func probability(of contraction: Contraction, typed: String, in probabilities: WordProbabilities) -> Double {
    let piece =
      options.style == .stock ? contraction.stem : contraction.stem == typed ? "'" : contraction.ending
    return tokenizer.vocabulary.id(of: piece).map { probabilities[$0] } ?? 0
  }

  /// What was typed, what may have been meant, and others; nothing where nothing may.
  private func corrected(
    _ meant: [String], _ partial: String, _ probabilities: WordProbabilities, and others: [KeyboardSuggestion] = []
  ) -> [KeyboardSuggestion] {
    if meant.isEmpty { return [] }
    let literal = KeyboardSuggestion(word: partial, probability: 0, source: .literal)
    let corrections = meant.prefix(options.count - 1).map { word in
      let place = words.place(of: words.key(word))
      return KeyboardSuggestion(
        word: word, probability: place.map { words.probability(of: $0, in: probabilities) } ?? 0, source: .correction)
    }
    let rest = others.filter { !meant.contains($0.word) }
    return Array(([literal] + corrections + rest).prefix(options.count))
  }

  /// The word right before the one at the cursor, with nothing but spaces between them.
  private func previousWord(in context: String) -> String? {
    let near = context.suffix(256)
    guard let last = near.lastIndex(where: { !$0.isWhitespace }), near[last].isLetter else { return nil }
    let space = near[..<last].lastIndex(where: \.isWhitespace)
    let word = near[(space.map { near.index(after: $0) } ?? near.startIndex)...last]
    let key = words.key(KeyboardRequest(String(word)).partial)
    return key.isEmpty ? nil : key
  }
}
