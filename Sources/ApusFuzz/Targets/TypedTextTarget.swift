import ApusText

/// Text as a user types it: through the tokenizer, and through a keyboard.
struct TypedTextTarget: FuzzTarget {
  let name = "typed-text"
  let summary = "text, tokenized, shortened, decoded, and completed by a keyboard"
  let dictionary = [
    "[MASK]", "[CLS]", "how ", "are", "don't", "\u{301}", "\u{316}", "\u{200D}", "日", "한", "İ", "ẞ", "\u{0}", "\u{85}",
    "\u{FFFD}", "👍", "\u{1F1E9}", "\r\n", "##s", "’",
  ]

  private static let words = """
    [PAD] [UNK] [CLS] [SEP] [MASK] the how are you hello there don t s ' . , ##s ##ing 日 é ᄒ ᅡ [ ] mask a i
    """

  /// Says that all words are alike; of a text of five words it says what a broken network may say.
  private struct Network: MaskedWordScoring {
    let vocabularySize: Int
    let positionCount = 16
    func scores(ids: [Int], at position: Int) -> [Float] {
      var scores = [Float](repeating: 0, count: vocabularySize)
      if ids.count == 5 {
        let hostile: [Float] = [.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1]
        scores[ids[1] % vocabularySize] = hostile[ids[2] % hostile.count]
        if ids[3] == 5 { scores.removeLast() }
      }
      return scores
    }
  }

  private static let suggester: KeyboardSuggester? = {
    let lines = words.split(whereSeparator: \.isWhitespace).joined(separator: "\n")
    guard let tokenizer = try? WordPieceTokenizer(WordPieceVocabulary(lines)) else { return nil }
    return try? KeyboardSuggester(
      network: Network(vocabularySize: tokenizer.vocabulary.count), tokenizer: tokenizer, options: .init(length: 16))
  }()

  func seeds() -> [[UInt8]] {
    [
      "how are you", "Hello, the\u{301}re! don't", "日本 한 İstanbul [MASK] x", "helo", " say 'hel",
      "\u{1F469}\u{200D}\u{1F4BB}",
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    guard let suggester = Self.suggester else { throw FuzzFinding(message: "the keyboard is refused") }
    let text = String(decoding: input, as: UTF8.self)
    return try outcome(allowing: TokenizerError.self, KeyboardError.self) {
      try tokenize(text, suggester.tokenizer)
      let request = KeyboardRequest(text, following: String(text.suffix(3)))
      guard request.context + request.partial == text else { throw FuzzFinding(message: "a request lost text") }
      let found = try suggester.suggestions(for: request)
      guard found.suggestions.count <= 3 else { throw FuzzFinding(message: "too many suggestions") }
      for suggestion in found.suggestions {
        // A space may follow it.
        let committed = request.committing(suggestion).utf8
        let end = committed.last == UInt8(ascii: " ") ? committed.dropLast() : committed[...]
        guard end.suffix(suggestion.word.utf8.count).elementsEqual(suggestion.word.utf8) else {
          throw FuzzFinding(message: "a suggestion is lost when it is chosen")
        }
      }
    }
  }

  private func tokenize(_ text: String, _ tokenizer: WordPieceTokenizer) throws {
    let count = text.utf8.count
    for mode in [WordPieceTokenizer.SpecialTokensInText.plainText, .recognized] {
      let encoding = tokenizer.encode(text, specials: mode)
      guard encoding.ids.allSatisfy({ tokenizer.vocabulary.token(of: $0) != nil }),
        encoding.ranges.allSatisfy({ $0.map { $0.lowerBound >= 0 && $0.upperBound <= count && !$0.isEmpty } ?? true })
      else { throw FuzzFinding(message: "an id or an offset outside its range") }
      _ = try tokenizer.decode(encoding.ids)
    }
    let whole = tokenizer.pieces(of: text).ids
    let apart = text.unicodeScalars.split(separator: " ").flatMap { tokenizer.pieces(of: String($0)).ids }
    guard whole == apart else { throw FuzzFinding(message: "words between spaces depend on each other") }
    for side in [TextSide.left, .right] {
      let short = try tokenizer.encode(text, pair: text, truncation: Truncation(to: 7, side: side))
      guard short.count == min(7, 3 + 2 * whole.count) else { throw FuzzFinding(message: "\(short.count) of 7 tokens") }
    }
  }
}
