import Apus
import ApusNetworks
import Foundation
import Testing

@testable import ApusText

/// A network whose words are as likely as a test says, and which counts how often it was asked.
private final class FakeNetwork: MaskedWordScoring {
  let vocabularySize: Int
  let positionCount = 64
  private let likely: [Int: Float]
  private let log = Locked<[[Int]]>([])

  init(_ tokenizer: WordPieceTokenizer, likely: [String] = [], extra: Int = 0) {
    vocabularySize = tokenizer.vocabulary.count + extra
    self.likely = Dictionary(
      uniqueKeysWithValues: likely.enumerated().compactMap { index, word in
        tokenizer.vocabulary.id(of: word).map { ($0, 10 - Float(index)) }
      })
  }

  var asked: [[Int]] { log.withLock { $0 } }

  func scores(ids: [Int], at position: Int) throws -> [Float] {
    log.withLock { $0.append(ids) }
    return (0..<vocabularySize).map { likely[$0] ?? 0 }
  }
}

private enum Small {
  static let lines = """
    [PAD] [UNK] [CLS] [SEP] [MASK] [unused5] . , ! ? ' " ##s ##ing 42 x a i s t m you they we the how are say is \
    hello help held there receive don not good morning cafe going it
    """
  static let vocabulary = lines.split(separator: " ").joined(separator: "\n")

  static func tokenizer() throws -> WordPieceTokenizer { try WordPieceTokenizer(WordPieceVocabulary(vocabulary)) }

  static func suggester(
    likely: [String] = [], count: Int = 3, style: SuggestionStyle = .stock
  ) throws -> (KeyboardSuggester, FakeNetwork) {
    let tokenizer = try tokenizer()
    let network = FakeNetwork(tokenizer, likely: likely)
    let options = KeyboardSuggester.Options(count: count, style: style)
    return (try KeyboardSuggester(network: network, tokenizer: tokenizer, options: options), network)
  }

  static func words(_ text: String, likely: [String] = [], count: Int = 3) throws -> [String] {
    try suggester(likely: likely, count: count).0.suggestions(for: KeyboardRequest(text)).suggestions.map(\.word)
  }
}

@Suite struct KeyboardRequestTests {
  /// To look whether such a word is one that is known would take minutes.
  @Test func marksBeyondThirtyAreNotKept() throws {
    let request = KeyboardRequest("say a" + String(repeating: "\u{301}\u{316}", count: 1 << 18))
    #expect(request.context == "say " && request.partial.unicodeScalars.count == 31)
    #expect(request.text.unicodeScalars.count == 35)
    #expect(Array(KeyboardRequest("cafe\u{301}").text.utf8) == Array("cafe\u{301}".utf8))
  }

  @Test(arguments: [
    ("how are ", "how are ", ""), ("hel", "", "hel"), ("say hel", "say ", "hel"), ("", "", ""), ("  ", "  ", ""),
    ("hello.", "hello.", ""), ("I don't", "I ", "don't"), ("say 'hel", "say '", "hel"), ("well-kno", "well-", "kno"),
    ("a\nb", "a\n", "b"), ("is it 42", "is it ", "42"), ("caf\u{e9}", "", "caf\u{e9}"), ("wait '", "wait '", ""),
    ("nai\u{308}v", "", "nai\u{308}v"), ("👍 go", "👍 ", "go"), ("[MASK]", "[MASK]", ""),
  ])
  func theWordAtTheCursorIsFound(text: String, context: String, partial: String) {
    let request = KeyboardRequest(text)
    #expect((request.context, request.partial) == (context, partial))
    #expect(request.mode == (partial.isEmpty ? .nextWord : .completion))
  }

  @Test(arguments: [
    ("say hel", "", "say hello "), ("say ", "", "say hello "), ("", "", "hello "), ("hel", " there", "hello"),
    ("hel", ", you", "hello"), ("hel", "there", "hello "), ("stop.", "", "stop. hello "), ("(", "", "(hello "),
    ("👍 hel", "", "👍 hello "),
  ])
  func aSuggestionTakesThePlaceOfThePartialWord(text: String, following: String, expected: String) {
    #expect(KeyboardRequest(text, following: following).committing("hello") == expected)
  }

  @Test(arguments: [
    ("", true), ("hel", true), ("say ", false), ("yes. ", true), ("yes! \"", true), ("what? n", true), ("a, ", false),
    ("line\n", true), ("dr. \u{201c}he", true),
  ])
  func sentencesBeginWhereTheLastOneEnds(text: String, isStart: Bool) {
    #expect(KeyboardRequest(text).isAtSentenceStart == isStart)
  }
}

@Suite struct KeyboardInputTests {
  private func input(
    _ text: String, _ style: SuggestionStyle, following: String = "", length: Int = 32
  ) throws -> KeyboardInput {
    try KeyboardInput(
      KeyboardRequest(text, following: following), tokenizer: Small.tokenizer(), style: style, length: length)
  }

  private func ids(_ tokens: String) throws -> [Int] {
    let vocabulary = try Small.tokenizer().vocabulary
    return try tokens.split(separator: " ").map { try #require(vocabulary.id(of: String($0))) }
  }

  @Test func theMaskStandsWhereTheWordIsWanted() throws {
    let stock = try input("how are ", .stock)
    #expect(try stock.ids == ids("[CLS] how are [MASK] . [SEP]"))
    #expect(stock.maskPosition == 3)
    let finetuned = try input("how are ", .finetuned)
    #expect(try finetuned.ids == ids("[CLS] how are [MASK] [SEP]"))
    #expect(finetuned.maskPosition == 3)
    #expect(try input("how hel", .stock).ids == ids("[CLS] how [MASK] . [SEP]"))
    #expect(try input("how hello", .finetuned).ids == ids("[CLS] how hello [MASK] [SEP]"))
    #expect(try input("how ", .stock, following: "you?").ids == ids("[CLS] how [MASK] you ? [SEP]"))
    let padded = finetuned.padded(to: 7, with: 0)
    #expect(padded.ids == finetuned.ids + [0, 0])
    #expect(padded.attentionMask == [1, 1, 1, 1, 1, 0, 0])
  }

  @Test func theEndOfALongContextIsKept() throws {
    let text = "how are " + String(repeating: "the ", count: 40)
    let the = try ids("the")[0]
    let finetuned = try input(text, .finetuned)
    #expect(finetuned.ids == [2] + [Int](repeating: the, count: 29) + [4, 3])
    #expect(finetuned.maskPosition == 30)
    let stock = try input(text, .stock)
    #expect(stock.ids.count == 32 && stock.maskPosition == 29)
    #expect(try input(text, .stock, length: 3).ids == [2, 4, 3])
    #expect(throws: TokenizerError.tooShort(length: 2, needed: 3)) { try input(text, .stock, length: 2) }
    #expect(throws: TokenizerError.self) { try input(text, .stock, length: .min) }
  }

  /// What is read of the end gives the pieces that the whole gives.
  @Test(arguments: ["hello you", "xxxxxxxxxx", "the, how", "\u{301}\u{316}", "[MASK]", "日本", "\u{0} \u{200b}"])
  func aMegabyteIsReadFromItsEnd(unit: String) throws {
    let text = String(repeating: unit + " ", count: 20_000)
    let tokenizer = try Small.tokenizer()
    #expect(tokenizer.lastPieces(of: text, count: 29) == Array(tokenizer.pieces(of: text).ids.suffix(29)))
  }

  @Test func aMaskThatIsTypedIsText() throws {
    let found = try input("the [MASK] ", .stock)
    #expect(found.ids.count { $0 == 4 } == 1)
    #expect(found.ids[found.maskPosition] == 4)
  }
}

@Suite struct KeyboardSuggesterTests {
  /// A mark without a letter has nothing to look for once accents are taken away.
  @Test(arguments: ["\u{941}", "\u{941}\u{942}"]) func aLoneMarkBeginsNoWord(text: String) throws {
    var learned = LearnedWords()
    learned.learn("once", day: 0)
    for style in SuggestionStyle.allCases {
      let request = KeyboardRequest(text)
      #expect(request.partial == text)
      let found = try Small.suggester(likely: ["you"], style: style).0.suggestions(for: request, learned: learned)
      #expect(found.suggestions.isEmpty, "\(style)")
    }
  }

  @Test func debrisIsNoSuggestion() throws {
    let likely = [".", "##s", "[unused5]", "you", "x", "they", "we"]
    #expect(try Small.words("how are ", likely: likely) == ["you", "they", "we"])
    #expect(try Small.words("how are ", likely: ["[MASK]", "42", "s", "i", "a", "the"]) == ["I", "a", "the"])
  }

  @Test func probabilitiesAreThoseOfAllWords() throws {
    let (suggester, network) = try Small.suggester(likely: ["you", "they"])
    let found = try suggester.suggestions(for: KeyboardRequest("how are "))
    let sum = exp(10.0) + exp(9.0) + Double(network.vocabularySize - 2)
    #expect(abs(found.suggestions[0].probability - exp(10.0) / sum) < 1e-12)
    #expect(abs(found.suggestions[1].probability - exp(9.0) / sum) < 1e-12)
    #expect(!found.isUncertain)
    #expect(try Small.suggester().0.suggestions(for: KeyboardRequest("how are ")).isUncertain)
  }

  @Test func theWordJustTypedIsNotTheNext() throws {
    #expect(try Small.words("are you ", likely: ["you", "we", "they"]) == ["we", "they", "a"])
    #expect(try Small.words("are You ", likely: ["you", "we", "they"]).first == "we")
    #expect(try Small.words("are you. ", likely: ["you", "we", "they"]).first == "You")
  }

  @Test func aWordIsCompletedByThoseThatBeginSo() throws {
    #expect(try Small.words("say hel", likely: ["you", "help", "hello"]) == ["help", "hello", "held"])
    #expect(try Small.words("say HEL", likely: ["held"], count: 1) == ["HELD"])
    #expect(try Small.words("say Hel", likely: ["held"], count: 1) == ["Held"])
    #expect(try Small.words("I do", count: 1) == ["don't"])
  }

  @Test func aWholeWordIsFollowedByTheNext() throws {
    for style in SuggestionStyle.allCases {
      let (suggester, network) = try Small.suggester(likely: ["you", "they"], style: style)
      let request = KeyboardRequest("how are")
      let found = try suggester.suggestions(for: request)
      #expect(found.mode == .completion && found.partial == "are")
      #expect(found.suggestions.prefix(2).map(\.word) == ["you", "they"])
      #expect(found.suggestions.allSatisfy { $0.isNext && $0.source == .model })
      #expect(request.committing(found.suggestions[0]) == "how are you ")
      // The stock style hides the word at the cursor, so that what follows is another question.
      #expect(network.asked.count == (style == .stock ? 2 : 1))
    }
    #expect(try Small.words("HOW ARE", likely: ["you"]).first == "YOU")
    #expect(try Small.words("Are", likely: ["you"]).first == "you")
    #expect(try Small.words("Caf\u{e9}", likely: ["i"]).first == "I")
    #expect(
      KeyboardRequest("how are", following: "?").committing(
        .init(word: "you", probability: 1, source: .model, isNext: true)) == "how are you")
  }

  /// In the finetuned style one question covers both; in the stock style each answer has its share.
  @Test func aWholeWordMayGoOnAllTheSame() throws {
    for style in SuggestionStyle.allCases {
      let found = try Small.suggester(likely: ["there", "you"], style: style).0
        .suggestions(for: KeyboardRequest("say the")).suggestions
      #expect(found.first?.word == "there" && found.first?.isNext == false, "\(style)")
      #expect(found.dropFirst().contains { $0.word == "you" && $0.isNext }, "\(style)")
    }
  }

  @Test func contractionsAreWords() throws {
    let (suggester, _) = try Small.suggester(likely: ["t", "'", "you"], style: .finetuned)
    func found(_ text: String) throws -> [KeyboardSuggestion] {
      try suggester.suggestions(for: KeyboardRequest(text)).suggestions
    }
    #expect(try found("say it's").allSatisfy(\.isNext))
    #expect(try found("I don't").first?.word == "you")
    #expect(try found("the morning's").allSatisfy(\.isNext))
    // After its apostrophe a stem has all its endings; before it, the most usual one, as likely as the apostrophe.
    #expect(try found("say it'").map(\.word) == ["it's", "it'll", "it'd"])
    #expect(try found("say I").contains { $0.word == "I'm" && $0.probability > 0.1 })
    #expect(try found("say it").first?.word == "it's")
    #expect(try found("say it\u{2019}").first?.word == "it's")
  }

  @Test(arguments: [
    ("dont", "don't"), ("Dont", "Don't"), ("wont", "won't"), ("cant", "can't"), ("im", "I'm"), ("ive", "I've"),
    ("doesnt", "doesn't"), ("youre", "you're"), ("theyre", "they're"), ("oclock", "o'clock"), ("recieve", "receive"),
    ("recieving", "receiving"), ("recievi", "receiving"), ("seperate", "separate"), ("SEPERATELY", "SEPARATELY"),
    ("accomodate", "accommodate"), ("acommodation", "accommodation"), ("definately", "definitely"), ("alot", "a lot"),
    ("tommorow", "tomorrow"), ("did'nt", "didn't"), ("wierd", "weird"),
  ])
  func whatManyPeopleMisspellIsPutRight(typed: String, meant: String) throws {
    let found = try Small.suggester().0.suggestions(for: KeyboardRequest("say \(typed)")).suggestions
    #expect(found.prefix(2).map(\.word) == [typed, meant])
    #expect(found.prefix(2).map(\.source) == [.literal, .correction])
  }

  @Test(arguments: [
    "its", "it's", "were", "we're", "well", "ill", "hell", "id", "lets", "shell", "wed", "separate", "receive",
    "schedule", "success", "don't", "",
  ])
  func whatIsAWordAlreadyIsLeftAlone(word: String) throws {
    #expect(try Small.suggester().0.words.spelling(of: word) == nil)
  }

  @Test func everyRowOfTheTableChangesTheWord() throws {
    let words = try Small.suggester().0.words
    for contraction in Contraction.all {
      let bare = contraction.stem + contraction.ending
      #expect(words.spelling(of: bare) == nil || words.spelling(of: bare) == contraction.word)
      #expect(words.isWhole(contraction.word))
    }
    #expect(
      Contraction.ofPieces["don"] == "don't" && Contraction.ofPieces["can"] == nil && Contraction.ofPieces["won"] == nil
    )
  }

  @Test func otherLanguagesAreNotReadAsEnglish() throws {
    let tokenizer = try WordPieceTokenizer(
      WordPieceVocabulary("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nder\nwir\nim\nhaus"))
    let suggester = try KeyboardSuggester(network: FakeNetwork(tokenizer), tokenizer: tokenizer)
    #expect(try suggester.suggestions(for: KeyboardRequest("wir im")).suggestions.allSatisfy { $0.source == .model })
    #expect(suggester.words.spelling(of: "dont") == nil)
  }

  @Test func anUnknownWordIsOfferedFirstAndCorrectedAfterwards() throws {
    let found = try Small.suggester(likely: ["help", "hello"]).0.suggestions(for: KeyboardRequest("say helo"))
    #expect(found.suggestions.map(\.word) == ["helo", "help", "hello"])
    #expect(found.suggestions.map(\.source) == [.literal, .correction, .correction])
    #expect(try Small.words("Recieve") == ["Recieve", "Receive"])
    #expect(try Small.words("yuo", count: 2) == ["yuo", "you"])
    #expect(try Small.words("thers") == ["thers", "there", "they"])
    #expect(try Small.words("thers", count: 1) == ["thers"])
  }

  @Test(arguments: ["xqzvk", "bcdfgh", "aaaaaa", "zzzz9999"]) func whatLooksLikeNoWordIsSaidTo(word: String) throws {
    let found = try Small.suggester().0.suggestions(for: KeyboardRequest(word))
    #expect(found.suggestions.isEmpty && found.isGibberish)
  }

  @Test(arguments: ["banana", "hello", "morning", "going"]) func wordsDoNotLookLikeNone(word: String) throws {
    #expect(try !Small.suggester().0.suggestions(for: KeyboardRequest(word)).isGibberish)
  }

  @Test func sentencesAndThePronounHaveCapitals() throws {
    #expect(try Small.words("", likely: ["you"]).isEmpty)
    #expect(try Small.words("Hello. ", likely: ["you"]).first == "You")
    #expect(try Small.words("then ", likely: ["i"]).first == "I")
  }

  @Test(arguments: ["", " ", "\n\t  "]) func noTextHasNoSuggestions(text: String) throws {
    let (suggester, network) = try Small.suggester()
    #expect(try suggester.suggestions(for: KeyboardRequest(text)).suggestions.isEmpty)
    #expect(network.asked.isEmpty)
  }

  @Test func pairsOfCapitalAndSmallPiecesAreOneWord() throws {
    var configuration = TokenizerConfiguration()
    configuration.words.lowercases = false
    let tokenizer = try WordPieceTokenizer(
      WordPieceVocabulary("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nThe\nLondon\nto"), configuration: configuration)
    let network = FakeNetwork(tokenizer, likely: ["The", "the", "London"])
    let suggester = try KeyboardSuggester(network: network, tokenizer: tokenizer)
    let found = try suggester.suggestions(for: KeyboardRequest("to ")).suggestions
    #expect(found.map(\.word) == ["the", "London"])
    #expect(found[0].probability > 2 * found[1].probability)
  }

  @Test func whatAnswersNoKeyboardCanUseIsRefused() throws {
    struct Broken: MaskedWordScoring {
      var vocabularySize: Int
      var positionCount = 8
      var scores: [Float]
      func scores(ids: [Int], at position: Int) -> [Float] { scores }
    }
    let tokenizer = try Small.tokenizer()
    let count = tokenizer.vocabulary.count
    func suggest(_ scores: [Float], size: Int, length: Int = 8, words: Int = 3) throws {
      let suggester = try KeyboardSuggester(
        network: Broken(vocabularySize: size, scores: scores), tokenizer: tokenizer,
        options: .init(count: words, length: length))
      _ = try suggester.suggestions(for: KeyboardRequest("a "))
    }
    #expect(throws: KeyboardError.vocabularyTooLarge(vocabulary: count, network: 9)) { try suggest([], size: 9) }
    #expect(throws: KeyboardError.wrongScoreCount(count: 2, expected: count)) { try suggest([1, 2], size: count) }
    var scores = [Float](repeating: 0, count: count)
    scores[7] = .nan
    #expect(throws: KeyboardError.notFinite(id: 7)) { try suggest(scores, size: count) }
    scores[7] = .infinity
    #expect(throws: KeyboardError.notFinite(id: 7)) { try suggest(scores, size: count) }
    scores[7] = -.greatestFiniteMagnitude
    try suggest(scores, size: count)
    for length in [-1, 2, 9, .max] {
      #expect(throws: KeyboardError.self) { try suggest(scores, size: count, length: length) }
    }
    for words in [0, -1, .max] {
      #expect(throws: KeyboardError.self) { try suggest(scores, size: count, words: words) }
    }
  }

  @Test func aNetworkMayKnowMoreWordsThanTheVocabularyHas() throws {
    let tokenizer = try Small.tokenizer()
    let network = FakeNetwork(tokenizer, likely: ["you"], extra: 6)
    let found = try KeyboardSuggester(network: network, tokenizer: tokenizer)
      .suggestions(for: KeyboardRequest("how are "))
    #expect(found.suggestions.first?.word == "you")
  }

  @Test(arguments: ["\u{0}", "a\u{301}", "\u{200d}", "日本", "x", "' ", "hello ", "\u{202e}", "🇩🇪"])
  func anyTextIsAnswered(unit: String) throws {
    let text = String(repeating: unit, count: 100_000)
    let found = try Small.suggester().0.suggestions(for: KeyboardRequest(text, following: text))
    #expect(found.suggestions.count <= 3)
  }

  @Test func aSmallNetworkOfHuggingFaceIsAKeyboard() throws {
    let folder = try TemporaryFolder(copying: "mobilebert")
    let size = try PretrainedFolder(path: folder.path).maskedLanguageModel().vocabularySize
    let words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "you", "how", "are", "hello"]
    let rest = (0..<size - words.count).map { "[unused\($0)]" }
    try folder.write("vocab.txt", (words + rest).joined(separator: "\n"))
    let suggester = try KeyboardSuggester(folder: folder.path)
    #expect(suggester.options.style == .stock)
    let found = try suggester.suggestions(for: KeyboardRequest("how are "))
    #expect(Set(found.suggestions.map(\.word)).isSubset(of: ["you", "how", "hello"]))
    #expect(found.suggestions.count == 3)
    try folder.edit("config.json", "{", "{\"suggestion_style\": \"finetuned\",")
    #expect(try KeyboardSuggester(folder: folder.path).options.style == .finetuned)
    try folder.edit("config.json", "finetuned", "magic")
    #expect(throws: ModelConfigurationError.self) { try KeyboardSuggester(folder: folder.path) }
    try folder.edit("config.json", "magic", "stock")
    try folder.write("vocab.txt", (words + rest + ["more"]).joined(separator: "\n"))
    #expect(throws: KeyboardError.vocabularyTooLarge(vocabulary: size + 1, network: size)) {
      try KeyboardSuggester(folder: folder.path)
    }
  }
}

@Suite struct KeyboardSessionTests {
  @Test func whileAWordIsTypedTheNetworkRunsOnce() async throws {
    let (suggester, network) = try Small.suggester(likely: ["hello", "help"])
    let session = KeyboardSession(suggester)
    var last: [String] = []
    for text in ["say ", "say h", "say he", "say hel", "say hell"] {
      last = try await session.suggestions(for: KeyboardRequest(text)).suggestions.map(\.word)
    }
    #expect(last == ["hello"])
    #expect(network.asked.count == 1)
    #expect(await session.runs == 1)
    _ = try await session.suggestions(for: KeyboardRequest("say hello "))
    _ = try await session.suggestions(for: KeyboardRequest("say "))
    #expect(await session.runs == 2)
  }

  @Test func ofRequestsThatWaitOnlyTheNewestIsAnswered() async throws {
    let (suggester, network) = try Small.suggester(likely: ["you"])
    let session = KeyboardSession(suggester)
    let numbers = (session.begin(), session.begin(), session.begin())
    for stale in [numbers.0, numbers.1] {
      await #expect(throws: CancellationError.self) {
        try await session.suggestions(for: KeyboardRequest("how "), number: stale)
      }
    }
    #expect(network.asked.isEmpty)
    let found = try await session.suggestions(for: KeyboardRequest("how are "), number: numbers.2)
    #expect(found.suggestions.first?.word == "you")
    #expect(network.asked.count == 1)
  }

  @Test func manyRequestsAtOnceAndACancelledOneDoNoHarm() async throws {
    let session = KeyboardSession(try Small.suggester(likely: ["you"]).0)
    let answered = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<200 {
        group.addTask {
          let text = String(repeating: "we ", count: index % 20 + 1)
          return (try? await session.suggestions(for: KeyboardRequest(text))) != nil
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect((1...200).contains(answered))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await session.suggestions(for: KeyboardRequest("how are "))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

@Suite struct KeyboardScoreTests {
  @Test(arguments: [
    ("helo", "hello", 1, 1), ("yuo", "you", 2, 1), ("thers", "there", 1, 1), ("recieve", "receive", 2, 1),
    ("", "abc", 3, 3), ("abc", "abc", 0, 0), ("ca", "abc", 3, 3), ("kitten", "sitting", 3, 3), ("ab", "ba", 2, 1),
  ])
  func distancesAreTheTextbooks(a: String, b: String, levenshtein: Int, alignment: Int) {
    #expect(editDistance(a, b, transpositions: false) == levenshtein)
    #expect(editDistance(b, a, transpositions: false) == levenshtein)
    #expect(editDistance(a, b) == alignment)
    #expect(editDistance(b, a) == alignment)
    for limit in 0...4 {
      #expect(editDistance(a, b, limit: limit) == (alignment <= limit ? alignment : nil))
      #expect(editDistance(a, b, transpositions: false, limit: limit) == (levenshtein <= limit ? levenshtein : nil))
    }
  }

  @Test func habitsCountAndFade() {
    #expect(LearnedWords.boost(count: 3, pairs: 2, age: 30) == 97.5)
    #expect(LearnedWords.boost(count: 3, pairs: 2, age: 0) == 130)
    #expect(LearnedWords.boost(count: 3, pairs: 2, age: -5) == 130)
    #expect(LearnedWords.boost(count: 0, pairs: 0, age: 1) == 0)
  }

  @Test func habitsDoNotGoByCase() {
    var words = LearnedWords()
    words.learn("In", day: 0)
    words.learn("Berlin", after: "In", day: 0)
    for (word, previous) in [("berlin", "in"), ("Berlin", "In"), ("BERLIN", "IN")] {
      #expect(words.boost(word, after: nil, day: 0) == 10)
      #expect(words.boost(word, after: previous, day: 0) == 60)
    }
  }

  @Test func completionsWithoutANetworkAreRankedByHowCommonTheyAre() throws {
    #expect(abs(WordTier.high.completionScore(rank: 3, index: 10) - 107.5909) < 1e-4)
    #expect(WordTier.medium.completionScore(rank: 0, index: 9999) == 50.01)
    #expect([0, 6999, 7000, 16_999, 17_000].map(WordTier.init) == [.high, .high, .medium, .medium, .low])
    #expect(try Small.suggester().0.words.completions(of: "He", limit: 2) == ["hello", "help"])
    #expect(try Small.suggester().0.words.completions(of: "", limit: 2).isEmpty)
  }

  @Test func theHighestScoresAreThoseOfASort() {
    var random = SplitMix64(seed: 7)
    for limit in [0, 1, 3, 10, 300] {
      var highest = HighestScores<Int>(limit: limit)
      var all: [(Double, Int)] = []
      for index in 0..<200 {
        let score = Double(Int.random(in: 0..<32, using: &random))
        highest.add(index, score: score)
        all.append((score, index))
      }
      let expected = all.sorted { ($1.0, $0.1) < ($0.0, $1.1) }.prefix(limit).map(\.1)
      #expect(highest.sorted == expected)
    }
  }

  @Test func whatIsWrittenOftenComesFirst() throws {
    var learned = LearnedWords()
    for day in 0..<5 {
      learned.learn("Anneliese", day: Double(day))
      learned.learn("there", after: "anneliese", day: Double(day))
    }
    let (suggester, _) = try Small.suggester(likely: ["you", "we"])
    func words(_ text: String) throws -> [String] {
      try suggester.suggestions(for: KeyboardRequest(text), learned: learned, day: 5).suggestions.map(\.word)
    }
    #expect(try words("say ann") == ["anneliese"])
    #expect(try words("anneliese ").first == "there")
    #expect(try suggester.suggestions(for: KeyboardRequest("anneliese")).suggestions.isEmpty)
    #expect(try words("anneliese").first == "there")
    learned.prune(day: 1000)
    #expect(learned.words == ["anneliese", "there"])
    learned = LearnedWords()
    learned.learn("once", day: 0)
    learned.learn("twice", after: "once", day: 0)
    learned.prune(day: 91)
    #expect(learned.count == 0)
    for index in 0...LearnedWords.limit { learned.learn("w\(index)", day: 1) }
    #expect(learned.count <= LearnedWords.limit)
  }
}

private let originalVocabulary: String? = {
  let folder = ProcessInfo.processInfo.environment["APUS_EXTERNAL_MODELS"]
  return folder.map { "\($0)/bert_uncased_vocab.txt" }.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
}()

@Suite(.enabled(if: originalVocabulary != nil, "needs bert_uncased_vocab.txt in APUS_EXTERNAL_MODELS"))
struct OriginalKeyboardInputTests {
  private func input(_ text: String, _ style: SuggestionStyle) throws -> KeyboardInput {
    let tokenizer = try WordPieceTokenizer(WordPieceVocabulary(path: #require(originalVocabulary)))
    return try KeyboardInput(KeyboardRequest(text), tokenizer: tokenizer, style: style, length: 32)
  }

  @Test func theNextWordIsAskedForAsTheModelWasTrained() throws {
    let finetuned = try input("how are ", .finetuned)
    let padded = finetuned.padded(to: 32, with: 0)
    #expect(padded.ids == [101, 2129, 2024, 103, 102] + [Int](repeating: 0, count: 27))
    #expect(padded.attentionMask == [1, 1, 1, 1, 1] + [Int](repeating: 0, count: 27))
    #expect(finetuned.maskPosition == 3)
    let stock = try input("how are ", .stock)
    #expect(stock.padded(to: 32, with: 0).ids == [101, 2129, 2024, 103, 1012, 102] + [Int](repeating: 0, count: 26))
    #expect(stock.maskPosition == 3)
  }

  @Test func aLongContextLosesItsBeginning() throws {
    let found = try input(String(repeating: "the ", count: 40), .finetuned)
    #expect(found.ids == [101] + [Int](repeating: 1996, count: 29) + [103, 102])
    #expect(found.maskPosition == 30)
  }
}
