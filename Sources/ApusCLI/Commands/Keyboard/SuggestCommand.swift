import Apus
import ApusText
import ArgumentParser

struct SuggestCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "suggest",
    abstract: "Suggest the next word, or the rest of one, as a keyboard does.",
    discussion: """
      TEXT is what stands before the cursor. After a space the next word is suggested; otherwise the last word is \
      completed, and followed where it is complete as it stands ("… you"), or, where it is misspelt, corrected: what \
      was typed comes first then. Probabilities are those among all words of the model's vocabulary.

      The model that ships is small, and learned from made-up messages alone (Weights/keyboard).

      With - each line of standard input is a text, and each line of output has its suggestions, with tabs between \
      them. With --json it is an object: text, mode (next_word or completion), partial (the word at the cursor), \
      suggestions (word, probability, source: model, correction or literal, next: whether it follows the word at the \
      cursor), uncertain (no word has a probability of 10 %), gibberish (the word at the cursor looks like none).

      EXAMPLES
        apus suggest "how are"
        apus suggest "see you tom" -k 5
        apus suggest --model mobilebert-uncased --json - < lines.txt
      """)

  @Argument(help: "The text before the cursor, or - for lines of standard input.")
  var text: String

  @Option(
    help: ArgumentHelp(
      "The text after the cursor; only a model that is asked in the stock style reads it.", valueName: "text"))
  var following = ""

  @OptionGroup var model: LanguageModelOptions

  @OptionGroup var suggestions: SuggestionOptions

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  var files: FilePlan {
    var files = FilePlan()
    if text == "-" { files.reads("-", as: "the input") }
    model.plan(&files)
    return files
  }

  func run() throws {
    let network = try model.open()
    defer { model.cache.warn(network.cacheUse) }
    let suggester = try suggestions.suggester(network)
    let style = suggester.options.style
    guard following.isEmpty || style.readsFollowing else {
      throw CommandFailure(
        .usage, "--following: in the \(style.rawValue) style nothing after the cursor is read; --style stock reads it")
    }
    var cache = KeyboardCache()
    func suggest(_ text: String) throws -> KeyboardSuggestions {
      try suggester.suggestions(for: KeyboardRequest(text, following: following), cache: &cache)
    }
    guard text == "-" else {
      let found = try suggest(text)
      if json { return try Output.line(jsonText(SuggestionReport(text: text, found))) }
      for line in SuggestionReport(text: text, found).rows { try Output.line(line) }
      return
    }
    var lines = try TextLines(path: "-")
    while !Output.isClosed, let line = try lines.next() {
      let report = SuggestionReport(text: line, try suggest(line))
      try Output.line(json ? jsonText(report) : ErrorReport.oneLine(report.line, keepingTabs: true))
    }
  }
}

/// What `apus suggest` says of a text.
struct SuggestionReport: Encodable {
  struct Word: Encodable {
    var word: String
    var probability: Double
    var source: String
    var next: Bool
  }

  let text: String
  let mode: String
  let partial: String
  let suggestions: [Word]
  let uncertain: Bool
  let gibberish: Bool

  init(text: String, _ found: KeyboardSuggestions) {
    self.text = text
    mode = found.mode.rawValue
    partial = found.partial
    suggestions = found.suggestions.map {
      Word(word: $0.word, probability: $0.probability, source: $0.source.rawValue, next: $0.isNext)
    }
    uncertain = found.isUncertain
    gibberish = found.isGibberish
  }

  /// The words alone.
  var line: String { suggestions.map(\.word).joined(separator: "\t") }

  /// A row for each word.
  var rows: [String] {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .right])
    for suggestion in suggestions {
      let source = KeyboardSuggestion.Source(rawValue: suggestion.source)
      table.add(
        (suggestion.next ? terminal.styled("… ", .dim) : "")
          + terminal.styled(ErrorReport.oneLine(suggestion.word), source == .literal ? .dim : .bold),
        source == .literal
          ? terminal.styled("as typed", .dim)
          // The network does not know every word that a correction may be.
          : source == .correction && suggestion.probability == 0
            ? terminal.styled("correction", .dim)
            : NumberText.fixed(suggestion.probability * 100, decimals: 1) + " %")
    }
    return table.lines.map { "  " + $0 }
  }
}
