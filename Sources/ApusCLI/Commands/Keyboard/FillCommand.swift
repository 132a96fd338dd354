import Apus
import ApusText
import ArgumentParser

struct FillCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "fill",
    abstract: "Say which words may stand at the [MASK] of a text.",
    discussion: """
      The pieces of the vocabulary that the model finds likeliest, unlike those of 'apus suggest' with punctuation and \
      inner pieces (##ing), and with the probabilities that Hugging Face's fill-mask gives. A text may have several \
      masks; each is judged with the others still in place.

      With --json one object: text, and masks, a list for each mask of piece, id, probability, and the text with the \
      piece in it and the other masks still there.

      EXAMPLES
        apus fill "see you [MASK] ."
        apus fill --model mobilebert-uncased -k 10 "Paris is the [MASK] of France."
      """)

  @Argument(help: "A text with [MASK] in it.")
  var text: String

  @OptionGroup var model: LanguageModelOptions

  @Option(
    name: [.customShort("k"), .customLong("count")],
    help: ArgumentHelp("How many pieces of each mask.", valueName: "n"))
  var count = 5

  @Flag(help: "Print one line of JSON.")
  var json = false

  func validate() throws {
    guard 1...1000 ~= count else { throw ValidationError("-k \(count): 1 to 1000 was expected.") }
  }

  var files: FilePlan {
    var files = FilePlan()
    model.plan(&files)
    return files
  }

  func run() throws {
    let cache = model.cache
    let model = try model.open()
    defer { cache.warn(model.cacheUse) }
    let (tokenizer, network) = (model.tokenizer, model.network)
    let encoding = tokenizer.encode(text, specials: .recognized)
    let places = encoding.ids.indices.filter { encoding.ids[$0] == tokenizer.maskID }
    guard !places.isEmpty else {
      throw CommandFailure(.badData, "the text has no \(tokenizer.configuration.maskToken)")
    }
    guard tokenizer.vocabulary.count <= network.vocabularySize else {
      throw KeyboardError.vocabularyTooLarge(vocabulary: tokenizer.vocabulary.count, network: network.vocabularySize)
    }
    guard encoding.count <= network.positionCount else {
      throw CommandFailure(
        .badData, "the text has \(encoding.count) tokens; the model reads \(network.positionCount) at most")
    }
    let masks = try places.map { place in
      try WordProbabilities(scores: network.scores(ids: encoding.ids, at: place))
        .likeliest(count, of: tokenizer.vocabulary.count)
        .map { id, probability in
          var ids = encoding.ids
          ids[place] = id
          // The other masks are part of the text; no other special token is.
          let shown = ids.indices.filter { $0 != place && places.contains($0) || !tokenizer.isSpecial(ids[$0]) }
          return FillReport.Word(
            piece: tokenizer.vocabulary.token(of: id) ?? "", id: id, probability: probability,
            text: try tokenizer.decode(shown.map { ids[$0] }))
        }
    }
    let report = FillReport(text: text, masks: masks)
    try Output.write(json ? jsonText(report) + "\n" : report.lines.map { $0 + "\n" }.joined())
  }
}

/// What `apus fill` says.
private struct FillReport: Encodable {
  struct Word: Encodable {
    var piece: String
    var id: Int
    var probability: Double
    var text: String
  }

  let text: String
  let masks: [[Word]]

  var lines: [String] {
    let terminal = Terminal.output
    return masks.enumerated().flatMap { index, words in
      var table = TextTable(alignments: [.left, .right, .left])
      for word in words {
        table.add(
          terminal.styled(ErrorReport.oneLine(word.piece), .bold),
          NumberText.fixed(word.probability * 100, decimals: 1) + " %",
          terminal.styled(ErrorReport.oneLine(word.text), .dim))
      }
      return (index == 0 ? [] : [""]) + table.lines.map { "  " + $0 }
    }
  }
}
