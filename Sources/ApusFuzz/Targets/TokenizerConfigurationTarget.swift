import Apus
import ApusNetworks
import ApusText

/// A `tokenizer_config.json`, and a tokenizer that is configured by it.
struct TokenizerConfigurationTarget: JSONFuzzTarget {
  let name = "tokenizer-config"
  let summary = "tokenizer_config.json, and texts tokenized as it says"
  let dictionary = [
    "\"do_lower_case\"", "\"strip_accents\"", "\"tokenize_chinese_chars\"", "\"model_max_length\"", "\"mask_token\"",
    "\"unk_token\"", "\"content\"", "\"added_tokens_decoder\"", "\"clean_up_tokenization_spaces\"", "\"[MASK]\"",
    "\"[UNK]\"", "\"4\"", "true", "false", "null", "1e30", "-1", "9223372036854775807", "{", "}", ":", ",",
  ]

  private static let vocabulary = try? WordPieceVocabulary(
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhow\nHow\n##s\ne\né\n日\n")

  func seeds() -> [[UInt8]] {
    [
      "{}", #"{"do_lower_case":false,"strip_accents":null,"model_max_length":512,"mask_token":{"content":"[MASK]"}}"#,
      #"{"added_tokens_decoder":{"0":{"content":"[PAD]","special":true},"4":{"content":"[MASK]"}},"unk_token":"how"}"#,
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    guard let vocabulary = Self.vocabulary else { throw FuzzFinding(message: "the vocabulary is refused") }
    return try outcome(allowing: JSONError.self, ModelConfigurationError.self, VocabularyError.self) {
      let configuration = try TokenizerConfiguration(json: input, source: "input")
      let tokenizer = try WordPieceTokenizer(vocabulary, configuration: configuration)
      let encoding = tokenizer.encode("Hows é 日[MASK] how", specials: .recognized)
      guard encoding.ids.allSatisfy({ (0..<vocabulary.count).contains($0) }) else {
        throw FuzzFinding(message: "an id outside the vocabulary")
      }
      _ = try tokenizer.decode(encoding.ids, leavingOutSpecials: true)
    }
  }
}
