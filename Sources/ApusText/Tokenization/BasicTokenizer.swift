/// BERT's first step: text into words, as Hugging Face's `BertNormalizer` and `BertPreTokenizer` make them.
///
///     control characters are removed, white space becomes spaces
///     Chinese ideographs are words of their own
///     canonical decomposition, without marks               É → E
///     small letters                                        E → e
///     split at spaces; every punctuation character is a word of its own
///
/// Time is linear in the length of the text, apart from sorting marks that follow each other.
public struct BasicTokenizer: Sendable, Hashable {
  /// `do_lower_case`.
  public var lowercases = true
  /// `strip_accents`; as ``lowercases`` says when absent.
  public var stripsAccents: Bool?
  /// `tokenize_chinese_chars`.
  public var separatesIdeographs = true

  /// The defaults are those of an uncased BERT.
  public init(lowercases: Bool = true, stripsAccents: Bool? = nil, separatesIdeographs: Bool = true) {
    self.lowercases = lowercases
    self.stripsAccents = stripsAccents
    self.separatesIdeographs = separatesIdeographs
  }

  /// A word, and where it comes from.
  public struct Word: Sendable, Hashable {
    /// The word, with case and accents removed as the settings say.
    public var text: String
    /// The bytes of the original text, as UTF-8, from the word's first character to its last.
    public var range: Range<Int>
  }

  /// The words of a text in order. Time grows linearly with the text.
  public func words(in text: String) -> [Word] {
    var words: [Word] = []
    forEachWord(in: text[...], at: 0, keeping: .max) {
      words.append(Word(text: String(decoding: $0.bytes, as: UTF8.self), range: $0.range))
    }
    return words
  }

  /// Calls `body` with each word.
  /// - Parameters:
  ///   - offset: where the text begins, in the text that ranges are of.
  ///   - limit: how many characters of a word are kept; further ones are counted.
  func forEachWord(in text: Substring, at offset: Int, keeping limit: Int, _ body: (WordBuffer) -> Void) {
    var splitter = WordSplitter(self, limit: limit)
    var start = offset
    for scalar in text.unicodeScalars {
      let end = start + UTF8.width(scalar)
      splitter.take(scalar.value, from: start..<end, body)
      start = end
    }
    splitter.endMarks(body)
    splitter.endWord(body)
  }
}

extension UTF8 {
  /// The bytes that a scalar takes.
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case ..<0x80: 1
    case ..<0x800: 2
    case ..<0x10000: 3
    default: 4
    }
  }
}

/// A word that is being collected.
struct WordBuffer {
  /// UTF-8.
  fileprivate(set) var bytes: [UInt8] = []
  /// Where each character kept ends in `bytes`.
  fileprivate(set) var ends: [Int] = []
  /// Where each character kept comes from.
  fileprivate(set) var sources: [Range<Int>] = []
  /// Characters, those not kept among them.
  fileprivate(set) var count = 0
  fileprivate(set) var range = 0..<0

  fileprivate mutating func append(_ scalar: UInt32, from source: Range<Int>, limit: Int) {
    range = count == 0 ? source : min(range.lowerBound, source.lowerBound)..<max(range.upperBound, source.upperBound)
    count += 1
    guard count <= limit else { return }
    if scalar < 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: scalar))
    } else {
      bytes += UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
    }
    ends.append(bytes.count)
    sources.append(source)
  }

  fileprivate mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    sources.removeAll(keepingCapacity: true)
    (count, range) = (0, 0..<0)
  }
}

/// Scalars one by one into words.
private struct WordSplitter {
  private let tables = UnicodeTables.shared
  private let lowercases: Bool
  private let stripsAccents: Bool
  private let separatesIdeographs: Bool
  private let limit: Int
  private var word = WordBuffer()
  /// Scalars of a combining class other than 0, which are sorted by it once the next of class 0 comes.
  private var marks: [Mark] = []

  private struct Mark {
    var order: UInt16
    var scalar: UInt32
    var source: Range<Int>
    /// Whether it is the first scalar that its source decomposes into.
    var isFirst: Bool
  }

  init(_ options: BasicTokenizer, limit: Int) {
    lowercases = options.lowercases
    stripsAccents = options.stripsAccents ?? options.lowercases
    separatesIdeographs = options.separatesIdeographs
    self.limit = limit
  }

  mutating func take(_ scalar: UInt32, from source: Range<Int>, _ body: (WordBuffer) -> Void) {
    let kind = tables.class(of: scalar)
    if kind.isRemoved { return }
    if kind.isSpace {
      endMarks(body)
      return endWord(body)
    }
    let stands = separatesIdeographs && kind.isIdeograph
    if stands {
      endMarks(body)
      endWord(body)
    }
    if stripsAccents, scalar >= 0x80 {
      var isFirst = true
      tables.decompose(scalar) { part in
        order(part, from: source, isFirst: isFirst, body)
        isFirst = false
      }
    } else {
      endMarks(body)
      fold(scalar, from: source, body)
    }
    if stands {
      endMarks(body)
      endWord(body)
    }
  }

  private mutating func order(
    _ scalar: UInt32, from source: Range<Int>, isFirst: Bool, _ body: (WordBuffer) -> Void
  ) {
    let kind = tables.class(of: scalar)
    if kind.order > 0 {
      return marks.append(Mark(order: kind.order, scalar: scalar, source: source, isFirst: isFirst))
    }
    endMarks(body)
    if !kind.isMark { fold(scalar, from: source, body) }
  }

  mutating func endMarks(_ body: (WordBuffer) -> Void) {
    guard var source = marks.first?.source else { return }
    // Those of one class keep their order.
    let sorted = marks.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }
    // Hugging Face gives sources out again in the order of the text, one to each mark that is its source's first.
    let sources = marks.filter(\.isFirst).map(\.source)
    marks.removeAll(keepingCapacity: true)
    var next = 0
    for (_, mark) in sorted {
      if mark.isFirst {
        source = sources[next]
        next += 1
      }
      if !tables.class(of: mark.scalar).isMark { fold(mark.scalar, from: source, body) }
    }
  }

  private mutating func fold(_ scalar: UInt32, from source: Range<Int>, _ body: (WordBuffer) -> Void) {
    guard lowercases else { return add(scalar, from: source, body) }
    tables.lower(scalar) { add($0, from: source, body) }
  }

  private mutating func add(_ scalar: UInt32, from source: Range<Int>, _ body: (WordBuffer) -> Void) {
    guard tables.class(of: scalar).isPunctuation else { return word.append(scalar, from: source, limit: limit) }
    endWord(body)
    word.append(scalar, from: source, limit: limit)
    endWord(body)
  }

  mutating func endWord(_ body: (WordBuffer) -> Void) {
    if word.count == 0 { return }
    body(word)
    word.clear()
  }
}
