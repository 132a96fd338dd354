import Apus
import ApusNetworks

/// BERT's tokenizer, with the numbers that Hugging Face's `BertTokenizer` gives.
///
///     text → words (``BasicTokenizer``) → of each word the longest piece that the vocabulary has, then of the rest
///     the longest one with ## before it, and so on; [UNK] for a word that cannot be written so, or is longer than
///     100 characters
///
/// ```swift
/// let tokenizer = try WordPieceTokenizer(folder: "mobilebert-uncased")
/// tokenizer.encode("how are you").ids   // [101, 2129, 2024, 2017, 102]
/// ```
///
/// Time is linear in the length of the text.
public struct WordPieceTokenizer: Sendable {
  /// Longer words are unknown, whatever they are.
  public static let wordLimit = 100

  /// What is made of a special token's name, such as `[MASK]`, in a text.
  public enum SpecialTokensInText: Sendable, Hashable {
    /// Brackets and a word: as a user types them.
    case plainText
    /// The special token, as `BertTokenizer` has it.
    case recognized
  }

  /// Everything, in one place: tokenizers are passed about, and nothing in them changes.
  private final class Parts: Sendable {
    let vocabulary: WordPieceVocabulary
    let configuration: TokenizerConfiguration
    let unknownID, classID, separatorID, paddingID, maskID: Int
    /// What is recognised in texts, the longest first.
    let specials: [(text: [UInt8], id: Int)]

    init(_ vocabulary: WordPieceVocabulary, _ configuration: TokenizerConfiguration) throws {
      func id(_ token: String) throws -> Int {
        guard let id = vocabulary.id(of: token) else {
          throw VocabularyError(source: vocabulary.source, reason: .missing(token: token))
        }
        return id
      }
      self.vocabulary = vocabulary
      self.configuration = configuration
      unknownID = try id(configuration.unknownToken)
      classID = try id(configuration.classToken)
      separatorID = try id(configuration.separatorToken)
      paddingID = try id(configuration.paddingToken)
      maskID = try id(configuration.maskToken)
      let names = configuration.specialTokens
      for (number, token) in configuration.addedTokens.sorted(by: { $0.key < $1.key }) {
        guard names.contains(token), vocabulary.id(of: token) == number else {
          throw ModelConfigurationError(
            source: vocabulary.source, name: "added_tokens_decoder",
            reason: "adds \"\(token)\" as number \(number); only the special tokens are supported, on their lines")
        }
      }
      specials = try names.map { (Array($0.utf8), try id($0)) }.sorted { $0.text.count > $1.text.count }
    }
  }

  private let parts: Parts

  /// The pieces and their numbers.
  public var vocabulary: WordPieceVocabulary { parts.vocabulary }
  /// The settings, special tokens included.
  public var configuration: TokenizerConfiguration { parts.configuration }
  /// The number of ``TokenizerConfiguration/unknownToken``.
  public var unknownID: Int { parts.unknownID }
  /// The number of ``TokenizerConfiguration/classToken``.
  public var classID: Int { parts.classID }
  /// The number of ``TokenizerConfiguration/separatorToken``.
  public var separatorID: Int { parts.separatorID }
  /// The number of ``TokenizerConfiguration/paddingToken``.
  public var paddingID: Int { parts.paddingID }
  /// The number of ``TokenizerConfiguration/maskToken``.
  public var maskID: Int { parts.maskID }

  /// - Throws: ``VocabularyError/Reason/missing(token:)``; ``ModelConfigurationError`` for an added token that the
  ///   vocabulary does not have.
  public init(_ vocabulary: WordPieceVocabulary, configuration: TokenizerConfiguration = .init()) throws {
    parts = try Parts(vocabulary, configuration)
  }

  /// Reads `vocab.txt` and, where there is one, `tokenizer_config.json` from a folder, as Hugging Face writes them.
  /// - Throws: ``FileError``, ``VocabularyError``, ``ModelConfigurationError``.
  public init(folder: String) throws {
    var configuration = TokenizerConfiguration()
    do {
      configuration = try TokenizerConfiguration(path: "\(folder)/tokenizer_config.json")
    } catch FileError.notFound {}
    try self.init(WordPieceVocabulary(path: "\(folder)/vocab.txt"), configuration: configuration)
  }

  /// The numbers of special tokens, which no text is made of.
  public func isSpecial(_ id: Int) -> Bool { parts.specials.contains { $0.id == id } }
}

// MARK: - Encoding

extension WordPieceTokenizer {
  /// A text or two, with the special tokens that BERT has seen around them.
  ///
  ///     [CLS] text [SEP]          token types 0
  ///     [CLS] text [SEP] pair [SEP]           1 for the pair and the separator after it
  ///
  /// - Throws: ``TokenizerError/tooShort(length:needed:)``.
  public func encode(
    _ text: String, pair: String? = nil, truncation: Truncation, specials: SpecialTokensInText = .plainText
  ) throws -> TokenEncoding {
    var first = pieces(of: text, specials: specials)
    var second = pair.map { pieces(of: $0, specials: specials) } ?? TokenEncoding()
    let surroundings = pair == nil ? 2 : 3
    let limit = truncation.length.subtractingReportingOverflow(surroundings)
    var needed = surroundings
    if pair != nil, truncation.strategy == .onlyFirst { needed += second.count + 1 }
    if pair != nil, truncation.strategy == .onlySecond { needed += first.count + 1 }
    guard !limit.overflow, limit.partialValue >= 0, truncation.apply(to: &first, &second, limit: limit.partialValue)
    else { throw TokenizerError.tooShort(length: truncation.length, needed: needed) }
    return surrounded(first, pair == nil ? nil : second)
  }

  /// A text or two, whole.
  public func encode(_ text: String, pair: String? = nil, specials: SpecialTokensInText = .plainText) -> TokenEncoding {
    surrounded(pieces(of: text, specials: specials), pair.map { pieces(of: $0, specials: specials) })
  }

  private func surrounded(_ first: TokenEncoding, _ second: TokenEncoding?) -> TokenEncoding {
    var encoding = TokenEncoding()
    encoding.append(classID, range: nil)
    encoding.append(first, type: 0)
    encoding.append(separatorID, range: nil)
    if let second {
      encoding.append(second, type: 1)
      encoding.append(separatorID, type: 1, range: nil)
    }
    return encoding
  }

  /// The pieces of a text, with nothing around them.
  public func pieces(of text: String, specials mode: SpecialTokensInText = .plainText) -> TokenEncoding {
    var encoding = TokenEncoding()
    guard mode == .recognized else {
      append(text[...], at: 0, to: &encoding)
      return encoding
    }
    var start = text.startIndex
    var offset = 0
    for (range, id) in specialTokens(in: text) {
      let from = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
      append(text[start..<from], at: offset, to: &encoding)
      encoding.append(id, range: range)
      start = text.utf8.index(from, offsetBy: range.count)
      offset = range.upperBound
    }
    append(text[start...], at: offset, to: &encoding)
    return encoding
  }

  /// Where special tokens stand in a text, and their numbers.
  private func specialTokens(in text: String) -> [(range: Range<Int>, id: Int)] {
    var found: [(Range<Int>, Int)] = []
    let specials = parts.specials
    let firsts = specials.compactMap { $0.text.first }
    let bytes = Array(text.utf8)
    var offset = 0
    while offset < bytes.count {
      if firsts.contains(bytes[offset]),
        let special = specials.first(where: { bytes[offset...].starts(with: $0.text) })
      {
        found.append((offset..<offset + special.text.count, special.id))
        offset += special.text.count
      } else {
        offset += 1
      }
    }
    return found
  }

  private func append(_ text: Substring, at offset: Int, to encoding: inout TokenEncoding) {
    let (vocabulary, unknownID) = (vocabulary, unknownID)
    parts.configuration.words.forEachWord(in: text, at: offset, keeping: Self.wordLimit) { word in
      Self.append(word, vocabulary, unknownID, to: &encoding)
    }
  }

  private static func append(
    _ word: WordBuffer, _ vocabulary: WordPieceVocabulary, _ unknownID: Int, to encoding: inout TokenEncoding
  ) {
    let before = encoding.count
    var first = 0
    while word.count <= wordLimit, first < word.count {
      guard let piece = vocabulary.longestPiece(of: word.bytes, from: first, ends: word.ends) else { break }
      let sources = word.sources[first..<piece.next]
      let range = sources.dropFirst().reduce(sources[first]) {
        min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound)
      }
      encoding.append(piece.id, range: range)
      first = piece.next
    }
    if first == word.count { return }
    // A word that cannot be written whole is unknown whole.
    encoding.truncate(to: before, side: .right)
    encoding.append(unknownID, range: word.range)
  }
}

// MARK: - Decoding

extension WordPieceTokenizer {
  /// The text that pieces stand for, as far as it can be known: in small letters, with single spaces.
  ///
  /// Spaces before `.`, `?`, `!`, `,` and the ends of contractions are dropped where a piece begins with them.
  /// - Parameters:
  ///   - leavingOutSpecials: whether `[CLS]` and the like are omitted.
  ///   - cleansUpSpaces: whether contractions that are three pieces, `don ' t`, are joined too; as the configuration
  ///     says when `nil`.
  /// - Throws: ``TokenizerError/noSuchToken(id:count:)``.
  public func decode(
    _ ids: some Sequence<Int>, leavingOutSpecials: Bool = false, cleansUpSpaces: Bool? = nil
  ) throws -> String {
    var text: [UInt8] = []
    var isFirst = true
    for id in ids {
      guard (0..<vocabulary.count).contains(id) else {
        throw TokenizerError.noSuchToken(id: id, count: vocabulary.count)
      }
      if leavingOutSpecials, isSpecial(id) { continue }
      let token = vocabulary.utf8(of: id)
      if isFirst {
        text += token
      } else if token.starts(with: "##".utf8) {
        text += token.dropFirst(2)
      } else {
        if !Self.closing.contains(where: { token.starts(with: $0.utf8) }) { text.append(UInt8(ascii: " ")) }
        text += token
      }
      isFirst = false
    }
    if cleansUpSpaces ?? configuration.cleansUpSpaces {
      for (from, to) in Self.replacements { text = text.replacingAll(Array(from.utf8), with: to.utf8) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// What no space comes before.
  private static let closing = [".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re"]

  /// What cleaning up replaces, one after the other.
  private static let replacements = [
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"), (" 's", "'s"),
    (" 've", "'ve"), (" 're", "'re"),
  ]
}

extension [UInt8] {
  fileprivate func replacingAll(_ text: [UInt8], with other: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var offset = 0
    while offset < count {
      if self[offset...].starts(with: text) {
        result += other
        offset += text.count
      } else {
        result.append(self[offset])
        offset += 1
      }
    }
    return result
  }
}
