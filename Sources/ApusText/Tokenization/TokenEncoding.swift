import Apus

/// A text as a model reads it: numbers of pieces, and where in the text each comes from.
public struct TokenEncoding: Sendable, Hashable {
  /// The number of each piece in the vocabulary.
  public var ids: [Int] = []
  /// The segment of each piece: 0, and 1 for the second text of a pair with the separator after it.
  public var tokenTypes: [Int] = []
  /// The bytes of the text, as UTF-8, that each piece stands for; `nil` for tokens that no text has.
  public var ranges: [Range<Int>?] = []

  /// The number of pieces, special tokens included.
  public var count: Int { ids.count }

  /// No pieces.
  public init() {}

  mutating func append(_ id: Int, type: Int = 0, range: Range<Int>?) {
    ids.append(id)
    tokenTypes.append(type)
    ranges.append(range)
  }

  mutating func append(_ other: TokenEncoding, type: Int) {
    ids += other.ids
    tokenTypes += repeatElement(type, count: other.count)
    ranges += other.ranges
  }

  /// Keeps `count` pieces.
  mutating func truncate(to count: Int, side: TextSide) {
    let surplus = max(0, self.count - max(0, count))
    switch side {
    case .right:
      ids.removeLast(surplus)
      tokenTypes.removeLast(surplus)
      ranges.removeLast(surplus)
    case .left:
      ids.removeFirst(surplus)
      tokenTypes.removeFirst(surplus)
      ranges.removeFirst(surplus)
    }
  }
}

/// An end of a text.
public enum TextSide: String, Sendable, Hashable {
  /// The beginning, or the end.
  case left, right
}

/// How a text that is too long is shortened.
public struct Truncation: Sendable, Hashable {
  /// Which text of a pair loses pieces.
  public enum Strategy: String, Sendable, Hashable {
    /// The longer one, until both are equally long; then both.
    case longestFirst = "longest_first"
    /// The first text alone.
    case onlyFirst = "only_first"
    /// The second text alone.
    case onlySecond = "only_second"
  }

  /// The most pieces, special tokens among them.
  public var length: Int
  /// Where pieces are taken away.
  public var side: TextSide
  /// Which text of a pair loses pieces.
  public var strategy: Strategy

  /// - Parameters:
  ///   - length: the most pieces, special tokens included.
  ///   - side: where pieces are taken away.
  ///   - strategy: which text of a pair loses them.
  public init(to length: Int, side: TextSide = .right, strategy: Strategy = .longestFirst) {
    self.length = length
    self.side = side
    self.strategy = strategy
  }

  /// Shortens two texts to `limit` pieces together, dividing them as Hugging Face's tokenizers do.
  /// - Returns: whether that was possible: one that alone is to be shortened keeps a piece, unless none may be left.
  func apply(to first: inout TokenEncoding, _ second: inout TokenEncoding, limit: Int) -> Bool {
    let surplus = first.count + second.count - limit
    if surplus <= 0 { return true }
    if limit == 0 {
      first.truncate(to: 0, side: side)
      second.truncate(to: 0, side: side)
      return true
    }
    switch strategy {
    case .onlyFirst:
      if first.count <= surplus { return false }
      first.truncate(to: first.count - surplus, side: side)
    case .onlySecond:
      if second.count <= surplus { return false }
      second.truncate(to: second.count - surplus, side: side)
    case .longestFirst:
      let isSwapped = first.count > second.count
      var short = min(first.count, second.count)
      var long = max(short, limit - short)
      if short + long > limit { (short, long) = (limit / 2, limit / 2 + limit % 2) }
      first.truncate(to: isSwapped ? long : short, side: side)
      second.truncate(to: isSwapped ? short : long, side: side)
    }
    return true
  }
}

/// A text that cannot be encoded as it is asked for.
public enum TokenizerError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The special tokens alone, or the text that may not be shortened, are longer than the limit.
  case tooShort(length: Int, needed: Int)
  /// No token has this number.
  case noSuchToken(id: Int, count: Int)

  /// What was asked for, and what is needed.
  public var description: String {
    switch self {
    case .tooShort(let length, let needed):
      "a length of \(length) tokens was asked for; what cannot be omitted takes \(needed)"
    case .noSuchToken(let id, let count): "no token has the number \(id): the vocabulary has \(count) lines"
    }
  }
}

extension TokenizerError {
  /// ``Fault/data``: the text or the number of a token.
  public var fault: Fault { .data }
}
