import ApusText
import ArgumentParser

struct TokenizeCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "tokenize",
    abstract: "Turn text into the numbers that BERT reads.",
    discussion: """
      The pieces of every text, and their numbers in the vocabulary, as Hugging Face's BertTokenizer gives them: [CLS] \
      before, [SEP] after. [MASK] and the like in a text are the special tokens; --plain-text takes them for what \
      a user has typed.

      VOCABULARY is a vocab.txt, a piece a line. It is taken to be of small letters without accents, unless \
      --config, a tokenizer_config.json, says otherwise (do_lower_case, strip_accents, tokenize_chinese_chars, \
      names of special tokens).

      OUTPUT is two lines for each text. With --json it is one: ids, pieces, and offsets, the bytes of the text that \
      each piece stands for, null for those that stand for none.

      EXAMPLES
        apus tokenize --vocab vocab.txt "Hello, how are you"
        apus tokenize --vocab vocab.txt --json < lines.txt | jq -c .ids
      """)

  @Argument(help: "Texts; without any, or with -, each line of standard input is one.")
  var text: [String] = []

  @Option(help: ArgumentHelp("The vocabulary.", valueName: "file"), completion: .files(.texts))
  var vocab: String

  @Option(help: ArgumentHelp("A tokenizer_config.json.", valueName: "file"), completion: .file(extensions: ["json"]))
  var config: String?

  @Flag(help: "Special tokens in a text are plain text.")
  var plainText = false

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  var files: FilePlan {
    var files = FilePlan()
    if readsLines { files.reads("-", as: "the input") }
    files.reads(vocab, as: "--vocab")
    files.reads(config, as: "--config")
    return files
  }

  private var readsLines: Bool { text.isEmpty || text == ["-"] }

  func run() throws {
    let tokenizer = try WordPieceTokenizer(
      WordPieceVocabulary(path: vocab), configuration: config.map { try TokenizerConfiguration(path: $0) } ?? .init())
    guard readsLines else {
      for text in text { try write(text, tokenizer) }
      return
    }
    var lines = try TextLines(path: "-")
    while !Output.isClosed, let line = try lines.next() { try write(line, tokenizer) }
  }

  private func write(_ text: String, _ tokenizer: WordPieceTokenizer) throws {
    let encoding = tokenizer.encode(text, specials: plainText ? .plainText : .recognized)
    let vocabulary = tokenizer.vocabulary
    let pieces = encoding.ids.map { vocabulary.token(of: $0) ?? "" }
    guard json else {
      let ids = encoding.ids.map { String($0) }.joined(separator: " ")
      try Output.line(ErrorReport.oneLine(pieces.joined(separator: " ")))
      return try Output.line(Terminal.output.styled(ids, .dim))
    }
    let offsets = encoding.ranges.map { range in range.map { [$0.lowerBound, $0.upperBound] } }
    try Output.line(jsonText(TokenizedText(ids: encoding.ids, pieces: pieces, offsets: offsets)))
  }
}

private struct TokenizedText: Encodable {
  var ids: [Int]
  var pieces: [String]
  var offsets: [[Int]?]
}
