import ApusText

/// A `vocab.txt`, and a tokenizer that uses it.
struct VocabularyTarget: FuzzTarget {
  let name = "vocabulary"
  let summary = "vocab.txt, and texts tokenized with it"
  let dictionary = [
    "[PAD]\n", "[UNK]\n", "[CLS]\n", "[SEP]\n", "[MASK]\n", "\r\n", "\n\n", "##", "##s\n", "\u{2028}", "\u{FEFF}",
    "a\n",
    "\u{301}", "日\n",
  ]

  private static let specials = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"

  func seeds() -> [[UInt8]] {
    [
      Self.specials + "the\nhow\nare\n##s\n##ing\nyou\n.\n",
      Self.specials + "\r\na\r\n##\n日\n\u{301}\n#\n[\nmask\n]",
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: VocabularyError.self) {
      let vocabulary = try WordPieceVocabulary(input, source: "input")
      for id in 0..<min(vocabulary.count, 1000) {
        guard let token = vocabulary.token(of: id) else { continue }
        guard vocabulary.id(of: token) == id else { throw FuzzFinding(message: "piece \(id) is found elsewhere") }
      }
      let tokenizer = try WordPieceTokenizer(vocabulary)
      let text = "How are you? " + (vocabulary.token(of: vocabulary.count / 2) ?? "") + "s日[MASK]"
      let encoding = tokenizer.encode(text, specials: .recognized)
      guard encoding.ids.allSatisfy({ vocabulary.token(of: $0) != nil }) else {
        throw FuzzFinding(message: "an id without a piece")
      }
      _ = try tokenizer.decode(encoding.ids)
      _ = WordIndex(tokenizer).completions(of: "h", limit: 3)
    }
  }
}
