import Apus

/// The words of a vocabulary that can be suggested, the most frequent first, as vocabularies are ordered.
///
/// Suggested are pieces that are words of letters: no special or unused tokens, no inner pieces, no punctuation, no
/// numbers, and no single letters but `a` and `i`. Pieces of one word in small and in capital letters are one word.
/// What BERT cuts at its apostrophe, such as `don ' t`, is found by its first piece, and suggested whole; what it leaves
/// behind an apostrophe is not suggested.
package final class WordIndex: Sendable {
  struct Entry: Sendable {
    /// In small letters, and without accents where the tokenizer takes them away.
    var key: String
    /// As it is suggested.
    var word: String
    /// Its number in the vocabulary.
    var id: Int
  }

  let entries: [Entry]
  /// The numbers of other pieces that are the same word.
  private let others: [Int: [Int]]
  private let words: BasicTokenizer
  /// Whether the words are English: *the* is among the most frequent.
  let isEnglish: Bool

  /// The index of all words of the tokenizer's vocabulary, without regard to case and accents.
  package init(_ tokenizer: WordPieceTokenizer) {
    var words = tokenizer.configuration.words
    words.stripsAccents = words.stripsAccents ?? words.lowercases
    words.lowercases = true
    self.words = words
    let isCased = !tokenizer.configuration.words.lowercases
    let pieces = (0..<tokenizer.vocabulary.count).compactMap { id -> (token: String, isPlain: Bool, id: Int)? in
      let bytes = tokenizer.vocabulary.utf8(of: id)
      let isPlain = bytes.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
      guard !bytes.isEmpty, isPlain || bytes.contains(where: { $0 >= 0x80 }) || isCased else { return nil }
      let token = String(decoding: bytes, as: UTF8.self)
      guard isPlain || token.allSatisfy(\.isLetter), token.count > 1 || ["a", "i", "A", "I"].contains(token),
        !tokenizer.isSpecial(id)
      else { return nil }
      return (token, isPlain, id)
    }
    isEnglish = pieces.prefix(200).contains { $0.token == "the" }
    var entries: [Entry] = []
    var others: [Int: [Int]] = [:]
    var places: [String: Int] = [:]
    for (token, isPlain, id) in pieces where !(isEnglish && Contraction.fragments.contains(token)) {
      let whole = Contraction.ofPieces[token] ?? token
      let key = isPlain ? whole : Self.key(whole, words)
      if isCased {
        if let first = places[key] {
          others[first, default: []].append(id)
          continue
        }
        places[key] = entries.count
      }
      entries.append(Entry(key: key, word: whole, id: id))
    }
    self.entries = entries
    self.others = others
  }

  /// The words, the most frequent first.
  package var count: Int { entries.count }

  /// A word as it is looked for.
  func key(_ word: String) -> String { Self.key(word, words) }

  private static func key(_ word: String, _ words: BasicTokenizer) -> String {
    words.words(in: word).map { $0.text == "’" ? "'" : $0.text }.joined()
  }

  /// How likely a word is; of a word with several pieces the likeliest.
  func probability(of index: Int, in probabilities: WordProbabilities) -> Double {
    let first = probabilities[entries[index].id]
    return others[index]?.reduce(first) { max($0, probabilities[$1]) } ?? first
  }

  func contains(_ key: String) -> Bool { place(of: key) != nil }

  /// The place of a word among ``entries``.
  func place(of key: String) -> Int? { entries.firstIndex { $0.key == key } }

  /// Whether a word is complete as it stands: one of the vocabulary, a contraction, or one of the vocabulary of which
  /// something is said to be owned.
  func isWhole(_ key: String) -> Bool {
    contains(key)
      || isEnglish && (Contraction.contains(key) || key.hasSuffix("'s") && contains(String(key.dropLast(2))))
  }

  /// What is certainly meant by a word that is written without its apostrophe, or misspelt as many people do.
  func spelling(of key: String) -> String? {
    guard isEnglish else { return nil }
    return Contraction.missingApostrophe(in: key) ?? (contains(key) ? nil : Misspelling.correction(of: key))
  }

  /// The places of the words that begin with `key`; itself is not among them.
  func completions(of key: String) -> [Int] {
    let prefix = Array(key.utf8)
    return entries.indices.filter {
      entries[$0].key.utf8.count > prefix.count && entries[$0].key.utf8.starts(with: prefix)
    }
  }

  /// Words that begin with what is typed, judged without a network: at once, while one is still computing.
  package func completions(of partial: String, limit: Int) -> [String] {
    let key = key(partial)
    guard !key.isEmpty, limit > 0 else { return [] }
    var best = HighestScores<Int>(limit: limit)
    for (rank, index) in completions(of: key).enumerated() {
      best.add(index, score: WordTier(index: index).completionScore(rank: rank, index: index))
    }
    return best.sorted.map { entries[$0].word }
  }
}

// MARK: - Corrections

extension WordIndex {
  /// A word that may have been meant.
  struct Correction: Sendable, Hashable {
    var index: Int
    var distance: Int
  }

  /// Whether a word is likely to be misspelt: no word, nor the beginning of one, with some word close by.
  /// - Returns: the words close by, by their distance, then by how common they are, then by how likely they are here.
  func corrections(of key: String, probabilities: WordProbabilities) -> [Correction] {
    let typed = Array(key.unicodeScalars)
    guard typed.count > 1, typed.allSatisfy({ $0.properties.isAlphabetic || $0 == "'" }),
      !entries.contains(where: { $0.key.utf8.starts(with: key.utf8) })
    else { return [] }
    // Two changes of two or three letters leave nothing of a word.
    let limit = typed.count < 4 ? 1 : 2
    var found: [Correction] = []
    for (index, entry) in entries.enumerated() where abs(entry.key.utf8.count - key.utf8.count) <= 4 * limit {
      let word = Array(entry.key.unicodeScalars)
      guard let distance = editDistance(typed, word, transpositions: true, limit: limit) else { continue }
      found.append(Correction(index: index, distance: distance))
    }
    return found.map { ($0, WordTier(index: $0.index), probability(of: $0.index, in: probabilities)) }
      .sorted { a, b in
        (a.0.distance, a.1, -a.2, a.0.index) < (b.0.distance, b.1, -b.2, b.0.index)
      }
      .map(\.0)
  }
}
