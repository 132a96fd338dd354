import Apus
import ApusNetworks

/// How text becomes tokens: what Hugging Face's `tokenizer_config.json` says beside a vocabulary, with its defaults.
public struct TokenizerConfiguration: Sendable, Hashable {
  /// How text is cut into words before those become pieces.
  public var words = BasicTokenizer()
  /// Stands for a word that no pieces make up (`unk_token`).
  public var unknownToken = "[UNK]"
  /// Begins every text (`cls_token`).
  public var classToken = "[CLS]"
  /// Ends every text (`sep_token`).
  public var separatorToken = "[SEP]"
  /// Fills up shorter texts of a batch (`pad_token`).
  public var paddingToken = "[PAD]"
  /// Stands where a word is to be predicted (`mask_token`).
  public var maskToken = "[MASK]"
  /// The longest text the model takes, in tokens; `nil` when nothing is said (`model_max_length`).
  public var lengthLimit: Int?
  /// Whether decoding also joins the parts of contractions (`clean_up_tokenization_spaces`).
  public var cleansUpSpaces = false
  /// The tokens that must be in the vocabulary at a certain number (`added_tokens_decoder`).
  public var addedTokens: [Int: String] = [:]

  /// An uncased BERT's settings.
  public init() {}

  /// Reads the text of a `tokenizer_config.json`.
  /// - Parameter source: what messages call the text.
  /// - Throws: ``ModelConfigurationError`` naming the key; ``JSONError``.
  public init(json: String, source: String = "tokenizer_config.json") throws {
    var text = json
    self = try text.withUTF8 { try TokenizerConfiguration(json: UnsafeRawBufferPointer($0), source: source) }
  }

  /// Reads a `tokenizer_config.json`.
  /// - Throws: ``FileError``; ``ModelConfigurationError`` naming the file and the key, also for text that is no JSON
  ///   object.
  public init(path: String) throws {
    let file = try MappedFile(path: path, access: .mapped)
    do {
      self = try file.withUnsafeBytes { try TokenizerConfiguration(json: $0, source: path) }
    } catch let error as JSONError {
      throw ModelConfigurationError(source: path, name: nil, reason: "is not JSON: \(error)")
    }
  }

  /// - Parameter source: what messages call the text.
  /// - Throws: ``ModelConfigurationError`` naming the key; ``JSONError``.
  public init(json: UnsafeRawBufferPointer, source: String) throws {
    let fields = try ConfigurationFields(json, source: source)
    words.lowercases = try fields.truth("do_lower_case", default: true)
    if fields.isGiven("strip_accents") { words.stripsAccents = try fields.truth("strip_accents", default: true) }
    words.separatesIdeographs = try fields.truth("tokenize_chinese_chars", default: true)
    cleansUpSpaces = try fields.truth("clean_up_tokenization_spaces", default: false)
    try fields.require("do_basic_tokenize", toBe: true)
    // A number without a limit is written as 1e30.
    let length = try fields.number("model_max_length", default: 1e30, in: 1...1e308)
    lengthLimit = length < 0x1p31 ? Int(length) : nil
    let tokens = try TokenFields(json, source: source)
    unknownToken = tokens.named["unk_token"] ?? unknownToken
    classToken = tokens.named["cls_token"] ?? classToken
    separatorToken = tokens.named["sep_token"] ?? separatorToken
    paddingToken = tokens.named["pad_token"] ?? paddingToken
    maskToken = tokens.named["mask_token"] ?? maskToken
    addedTokens = tokens.added
  }

  /// The special tokens, none of them twice.
  var specialTokens: [String] {
    var seen: Set<String> = []
    return [unknownToken, classToken, separatorToken, paddingToken, maskToken].filter { seen.insert($0).inserted }
  }
}

/// The tokens in a `tokenizer_config.json`: texts, or objects with the text as `content`.
private struct TokenFields {
  /// No model has nearly as many.
  static let limit = 1 << 14

  var named: [String: String] = [:]
  var added: [Int: String] = [:]

  init(_ bytes: UnsafeRawBufferPointer, source: String) throws {
    func invalid(_ name: String, _ reason: String) -> ModelConfigurationError {
      ModelConfigurationError(source: source, name: name, reason: reason)
    }
    var (named, added): ([String: String], [Int: String]) = ([:], [:])
    var reader = JSONReader(bytes)
    try reader.object { reader, key in
      switch key {
      case "unk_token", "cls_token", "sep_token", "pad_token", "mask_token":
        if try reader.kind() == .null { return try reader.skip() }
        guard let token = try Self.content(&reader), !token.isEmpty else {
          throw invalid(key, "is not a token; expected a text, or an object with one as \"content\"")
        }
        named[key] = token
      case "added_tokens_decoder" where try reader.kind() == .object:
        try reader.object { reader, number in
          guard let id = Int(number), id >= 0, let token = try Self.content(&reader), !token.isEmpty else {
            throw invalid(key, "\"\(number)\" is not the number of a token, or has no \"content\"")
          }
          guard added.count < Self.limit else { throw invalid(key, "has more than \(Self.limit) tokens") }
          added[id] = token
        }
      default: try reader.skip()
      }
    }
    (self.named, self.added) = (named, added)
  }

  private static func content(_ reader: inout JSONReader) throws -> String? {
    switch try reader.kind() {
    case .string: return try reader.string(limit: JSONReader.keyLimit)
    case .object:
      var content: String?
      try reader.object { reader, key in
        if key == "content", try reader.kind() == .string {
          content = try reader.string(limit: JSONReader.keyLimit)
        } else {
          try reader.skip()
        }
      }
      return content
    default:
      try reader.skip()
      return nil
    }
  }
}
