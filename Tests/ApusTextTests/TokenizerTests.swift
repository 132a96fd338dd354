import Apus
import ApusNetworks
import ApusTestSupport
import ApusText
import Foundation
import Testing

/// What Hugging Face's BertTokenizer makes of texts, with a small vocabulary: `generate/tokenizer.py`.
private struct TokenizerCases: Decodable {
  struct Encoded: Decodable {
    var lower: Bool
    var strip: Bool?
    var ideographs: Bool
    var text: String
    var ids: [Int]
    /// The same where special tokens are plain text.
    var plain: [Int]
    var offsets: [[Int]?]
  }

  struct Pair: Decodable {
    var first: String
    var second: String?
    var strategy: String
    var side: String
    var length: Int
    /// Nothing where that was refused.
    var ids: [Int]?
    var types: [Int]?
  }

  struct Decoded: Decodable {
    var ids: [Int]
    var text: String
    var skipped: String
    var cleaned: String
  }

  var encode: [Encoded]
  var pairs: [Pair]
  var decode: [Decoded]

  static func read() throws -> TokenizerCases {
    try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: fixture("tokenizer/cases.json"))))
  }
}

private func smallTokenizer(_ configuration: TokenizerConfiguration = .init()) throws -> WordPieceTokenizer {
  try WordPieceTokenizer(WordPieceVocabulary(path: fixture("tokenizer/vocab.txt")), configuration: configuration)
}

@Suite struct TokenizerTests {
  @Test func textsBecomeTheIdsAndOffsetsThatHuggingFaceGives() throws {
    let cases = try TokenizerCases.read().encode
    #expect(cases.count > 200)
    let vocabulary = try WordPieceVocabulary(path: fixture("tokenizer/vocab.txt"))
    for item in cases {
      var configuration = TokenizerConfiguration()
      configuration.words = BasicTokenizer(
        lowercases: item.lower, stripsAccents: item.strip, separatesIdeographs: item.ideographs)
      let tokenizer = try WordPieceTokenizer(vocabulary, configuration: configuration)
      let encoding = tokenizer.encode(item.text, specials: .recognized)
      #expect(encoding.ids == item.ids, "\(item)")
      #expect(encoding.ranges.map { $0.map { [$0.lowerBound, $0.upperBound] } } == item.offsets, "\(item)")
      #expect(encoding.tokenTypes.allSatisfy { $0 == 0 })
      #expect(tokenizer.encode(item.text).ids == item.plain, "\(item)")
    }
  }

  @Test func pairsAreShortenedAsHuggingFaceShortensThem() throws {
    let tokenizer = try smallTokenizer()
    for item in try TokenizerCases.read().pairs {
      let truncation = Truncation(
        to: item.length, side: try #require(TextSide(rawValue: item.side)),
        strategy: try #require(Truncation.Strategy(rawValue: item.strategy)))
      if let ids = item.ids {
        let encoding = try tokenizer.encode(item.first, pair: item.second, truncation: truncation)
        #expect(encoding.ids == ids, "\(item)")
        #expect(encoding.tokenTypes == item.types, "\(item)")
        #expect(encoding.ranges.count == ids.count)
      } else {
        #expect(throws: TokenizerError.self, "\(item)") {
          try tokenizer.encode(item.first, pair: item.second, truncation: truncation)
        }
      }
    }
  }

  @Test(arguments: [-5, 0, 1, .min]) func lengthsWithoutRoomForSpecialTokensAreRefused(length: Int) throws {
    #expect(throws: TokenizerError.tooShort(length: length, needed: 2)) {
      try smallTokenizer().encode("hello", truncation: Truncation(to: length))
    }
  }

  @Test func idsBecomeTheTextThatHuggingFaceGives() throws {
    let tokenizer = try smallTokenizer()
    for item in try TokenizerCases.read().decode {
      #expect(try tokenizer.decode(item.ids) == item.text)
      #expect(try tokenizer.decode(item.ids, leavingOutSpecials: true) == item.skipped)
      #expect(try tokenizer.decode(item.ids, cleansUpSpaces: true) == item.cleaned)
    }
    for id in [-1, tokenizer.vocabulary.count, .max, .min] {
      #expect(throws: TokenizerError.noSuchToken(id: id, count: tokenizer.vocabulary.count)) {
        try tokenizer.decode([id])
      }
    }
  }

  @Test func wordsKnowWhereTheyComeFrom() {
    let words = BasicTokenizer().words(in: "Éa, 日b")
    #expect(words.map(\.text) == ["ea", ",", "日", "b"])
    #expect(words.map(\.range) == [0..<3, 3..<4, 5..<8, 8..<9])
  }

  /// Hugging Face sorts marks and leaves their sources as they lay. U+1BAA and U+08DA come before other marks, and are none
  /// to the table of those that are taken away; the two parts of U+0344 have one source.
  @Test(arguments: [
    ("b\u{33F}\u{1BAA}", "b\u{1BAA}", 0..<3), ("\u{348}\u{8DA}", "\u{8DA}", 2..<5),
    ("a\u{344}\u{1BAA}", "a\u{1BAA}", 0..<3), ("\u{E9}\u{1BAA}", "e\u{1BAA}", 0..<5),
  ])
  func sortedMarksLeaveTheirSourcesWhereTheyLay(text: String, word: String, range: Range<Int>) {
    let words = BasicTokenizer().words(in: text)
    #expect(words.map(\.text) == [word])
    #expect(words.map(\.range) == [range])
  }

  /// Minutes where something is quadratic.
  @Test(arguments: ["a", "한", "日", ".", "e\u{301}", "[MASK", "\u{301}\u{316}\u{334}"])
  func aLongTextWithoutSpacesIsNoTrouble(unit: String) throws {
    let text = String(repeating: unit, count: (1 << 18) / unit.utf8.count)
    let encoding = try smallTokenizer().encode(text, specials: .recognized)
    #expect(encoding.ids.first == 4 && encoding.ids.last == 5)
    #expect(encoding.ids.dropFirst().dropLast().allSatisfy { $0 > 2 })
  }
}

@Suite struct VocabularyTests {
  private static let specials = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"

  private func reason(_ text: String) throws -> VocabularyError.Reason {
    try #require(throws: VocabularyError.self) { try WordPieceTokenizer(WordPieceVocabulary(text)) }.reason
  }

  @Test func aLineIsANumberAndOnlyALineFeedEndsOne() throws {
    let vocabulary = try WordPieceVocabulary("a\r\n\nb\u{2028}c\n\nd\re\n##f")
    #expect((0..<7).map(vocabulary.token) == ["a", nil, "b\u{2028}c", nil, "d\re", "##f", nil])
    #expect(["a", "b\u{2028}c", "d\re", "##f", "f", "", "e"].map(vocabulary.id) == [0, 2, 4, 5, nil, nil, nil])
    #expect(vocabulary.count == 6)
    #expect(vocabulary.token(of: -1) == nil)
    #expect(try WordPieceVocabulary("").count == 0)
  }

  @Test func carriageReturnsBeforeLineFeedsChangeNoNumber() throws {
    let text = try String(contentsOf: URL(filePath: fixture("tokenizer/vocab.txt")), encoding: .utf8)
    let returned = try WordPieceTokenizer(WordPieceVocabulary(text.replacingOccurrences(of: "\n", with: "\r\n")))
    let ids = try smallTokenizer().encode("unaffable walks, Café").ids
    #expect(returned.encode("unaffable walks, Café").ids == ids)
  }

  @Test(arguments: ["[MASK]", "[UNK]", "[CLS]", "[SEP]", "[PAD]"])
  func everySpecialTokenIsNeeded(token: String) throws {
    #expect(try reason(Self.specials.replacingOccurrences(of: token, with: "x")) == .missing(token: token))
    #expect(try reason("") == .missing(token: "[UNK]"))
  }

  @Test func linesThatCannotBeAreRefused() throws {
    #expect(try reason(Self.specials + "a\nb\na\n") == .duplicate(token: "a", first: 6, second: 8))
    let bytes = Array(Self.specials.utf8) + [0x61, 0x0A, 0xC3, 0x28, 0x0A]
    let error = try #require(throws: VocabularyError.self) {
      try bytes.withUnsafeBytes { try WordPieceVocabulary($0, source: "v") }
    }
    #expect(error == VocabularyError(source: "v", reason: .notUTF8(line: 7)))
    #expect("\(error)" == "v: line 7: is not UTF-8")
    let large = String(repeating: "\n", count: WordPieceVocabulary.tokenLimit + 1)
    #expect(try reason(large) == .tooManyTokens(limit: WordPieceVocabulary.tokenLimit))
    let larger = String(repeating: "a", count: WordPieceVocabulary.byteLimit + 1)
    #expect(
      try reason(larger)
        == .tooManyBytes(count: WordPieceVocabulary.byteLimit + 1, limit: WordPieceVocabulary.byteLimit))
  }

  @Test func aFolderHasAVocabularyAndPerhapsAConfiguration() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path(percentEncoded: false)
    #expect(throws: FileError.self) { try WordPieceTokenizer(folder: path) }
    try (Self.specials + "A\na\n").write(to: folder.appending(path: "vocab.txt"), atomically: true, encoding: .utf8)
    #expect(try WordPieceTokenizer(folder: path).encode("A").ids == [2, 6, 3])
    try #"{"do_lower_case": false}"#.write(
      to: folder.appending(path: "tokenizer_config.json"), atomically: true, encoding: .utf8)
    #expect(try WordPieceTokenizer(folder: path).encode("A").ids == [2, 5, 3])
  }
}

@Suite struct TokenizerConfigurationTests {
  @Test func whatHuggingFaceWritesIsRead() throws {
    let configuration = try TokenizerConfiguration(
      json: """
        {"do_lower_case": false, "strip_accents": null, "tokenize_chinese_chars": false, "model_max_length": 512,
         "mask_token": {"content": "<mask>", "lstrip": false, "special": true}, "unk_token": "<unk>", "pad_token": null,
         "clean_up_tokenization_spaces": true, "tokenizer_class": "BertTokenizer", "never_split": [1, {}],
         "added_tokens_decoder": {"0": {"content": "[PAD]", "special": true}, "4": {"content": "<mask>"}}}
        """)
    #expect(configuration.words == BasicTokenizer(lowercases: false, separatesIdeographs: false))
    #expect(configuration.lengthLimit == 512 && configuration.cleansUpSpaces)
    #expect((configuration.maskToken, configuration.unknownToken) == ("<mask>", "<unk>"))
    #expect((configuration.paddingToken, configuration.classToken) == ("[PAD]", "[CLS]"))
    #expect(configuration.addedTokens == [0: "[PAD]", 4: "<mask>"])
    let defaults = try TokenizerConfiguration(json: #"{"model_max_length": 1000000000000000019884624838656}"#)
    #expect(defaults == TokenizerConfiguration())
    #expect(try TokenizerConfiguration(json: #"{"strip_accents": false}"#).words.stripsAccents == false)
  }

  @Test(arguments: [
    #"{"do_lower_case": 1}"#, #"{"strip_accents": "no"}"#, #"{"mask_token": 3}"#, #"{"unk_token": ""}"#,
    #"{"sep_token": {"lstrip": false}}"#, #"{"model_max_length": 0}"#, #"{"do_basic_tokenize": false}"#,
    #"{"added_tokens_decoder": {"x": {"content": "a"}}}"#, #"{"added_tokens_decoder": {"-1": {"content": "a"}}}"#,
    #"{"added_tokens_decoder": {"1": {}}}"#,
  ])
  func valuesThatCannotBeAreRefusedByName(json: String) throws {
    let key = try #require(json.split(separator: "\"").dropFirst().first)
    let error = try #require(throws: ModelConfigurationError.self) { try TokenizerConfiguration(json: json) }
    #expect(error.name == String(key))
  }

  @Test(arguments: [#"{"4": {"content": "[CLS]"}}"#, #"{"9": {"content": "<new>"}}"#])
  func addedTokensMustBeInTheVocabularyAndSpecial(added: String) throws {
    let configuration = try TokenizerConfiguration(json: #"{"added_tokens_decoder": \#(added)}"#)
    let vocabulary = try WordPieceVocabulary("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n")
    let error = try #require(throws: ModelConfigurationError.self) {
      try WordPieceTokenizer(vocabulary, configuration: configuration)
    }
    #expect(error.name == "added_tokens_decoder")
  }

  @Test(arguments: ["", "[]", "{", "{\"a\": 1} x"]) func whatIsNoObjectIsRefused(json: String) {
    #expect(throws: JSONError.self) { try TokenizerConfiguration(json: json) }
  }
}

/// The vocabulary of the uncased models of Google, where it is at hand.
private let originalVocabulary: String? = {
  let folder = ProcessInfo.processInfo.environment["APUS_EXTERNAL_MODELS"]
  return folder.map { "\($0)/bert_uncased_vocab.txt" }.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
}()

@Suite(.enabled(if: originalVocabulary != nil, "needs bert_uncased_vocab.txt in APUS_EXTERNAL_MODELS"))
struct OriginalVocabularyTests {
  private func tokenizer() throws -> WordPieceTokenizer {
    try WordPieceTokenizer(WordPieceVocabulary(path: #require(originalVocabulary)))
  }

  @Test func theVocabularyIsTheOneMeant() throws {
    let tokenizer = try tokenizer()
    #expect(tokenizer.vocabulary.count == 30_522)
    #expect((tokenizer.paddingID, tokenizer.unknownID, tokenizer.classID) == (0, 100, 101))
    #expect((tokenizer.separatorID, tokenizer.maskID) == (102, 103))
  }

  @Test(arguments: [
    ("Hello, how are you", [7592, 1010, 2129, 2024, 2017]), ("I'm going", [1045, 1005, 1049, 2183]),
    ("unaffable", [14477, 20961, 3468]), ("Café", [7668]), ("日本", [1864, 1876]),
    ("COVID-19", [2522, 17258, 1011, 2539]), ("Thers", [1996, 2869]), ("hello👍", [100]),
    (String(repeating: "b", count: 120), [100]),
  ])
  func textsHaveTheIdsTheyWereTrainedWith(text: String, ids: [Int]) throws {
    #expect(try tokenizer().encode(text).ids == [101] + ids + [102])
    #expect(try tokenizer().pieces(of: text).ids == ids)
  }
}
