import Apus

extension Operators {
  static let tokenizers: [OperatorDefinition] = [
    OperatorDefinition(
      "Tokenizer", domain: "com.microsoft",
      .plain(.unknown("how many tokens there are at most depends on the texts")), Tokenizer)
  ]

  /// Texts cut into tokens, along a new last axis that is filled up with `pad_value`; with `mark` each list of tokens
  /// stands between U+0002 and U+0003. Tokens of fewer characters than `mincharnum` are dropped.
  static func Tokenizer(_ node: NodeDescription) throws -> PreparedOperator {
    let isMarked = try node.flag("mark")
    guard let padding = try node.optionalString("pad_value") else {
      throw OperatorError("attribute 'pad_value' is missing")
    }
    let cutting = try TokenCutting(node)
    return { arguments in
      let x = try arguments.strings(0)
      guard 1...2 ~= x.shape.count else {
        throw OperatorError("input 0 has shape \(x.shape); [C] or [N, C] is needed")
      }
      // Of no texts ONNX Runtime makes no new axis.
      if x.elements.isEmpty { return [.strings(x)] }
      var cutter = TokenCutter(cutting)
      var count = 0
      var rows = try x.elements.map { text in
        let tokens = try cutter.tokens(of: text) { try arguments.context.checkCancellation() }
        count += tokens.count
        try Shape.checkMemory([count], of: String.self, operation: "Tokenizer")
        return tokens
      }
      if isMarked, count > 0 { rows = rows.map { ["\u{2}"] + $0 + ["\u{3}"] } }
      return [.strings(try StringTensor(rows, shape: x.shape, padding: padding, operation: "Tokenizer"))]
    }
  }
}

/// Where texts are cut.
private struct TokenCutting: Sendable {
  enum Rule: Sendable {
    /// After every character, line breaks among them.
    case characters
    /// At what matches one of these, which is dropped; one after the other, each in the pieces that those before it left.
    case separators([RegularExpression])
    /// What matches is a token.
    case tokens(RegularExpression)
  }

  let rule: Rule
  /// The characters that a token has at least.
  let least: Int

  init(_ node: NodeDescription) throws {
    least = try node.int("mincharnum", default: 0)
    guard least > 0 else { throw OperatorError("attribute 'mincharnum' is \(least); 1 or more is needed") }
    let separators = try node.optionalStrings("separators") ?? []
    let pattern = try node.optionalString("tokenexp") ?? ""
    if separators == [""] || (separators.isEmpty && pattern == ".") {
      guard least == 1 else {
        throw OperatorError("attribute 'mincharnum' is \(least); tokens of one character are wanted")
      }
      rule = .characters
    } else if !separators.isEmpty {
      rule = .separators(try separators.map { try RegularExpression($0) })
    } else if !pattern.isEmpty {
      rule = .tokens(try RegularExpression(pattern))
    } else {
      throw OperatorError("attributes 'separators' and 'tokenexp' are missing; one of them is needed")
    }
  }
}

/// Cuts texts, one after the other.
private struct TokenCutter {
  private let cutting: TokenCutting
  private var searches: [RegularExpression.Search]

  init(_ cutting: TokenCutting) {
    self.cutting = cutting
    switch cutting.rule {
    case .characters: searches = []
    case .separators(let expressions): searches = expressions.map { RegularExpression.Search(of: $0) }
    case .tokens(let expression): searches = [RegularExpression.Search(of: expression)]
    }
  }

  /// - Parameter check: called now and then; what it throws ends the search.
  mutating func tokens(of text: String, check: () throws -> Void) throws -> [String] {
    let scalars = text.unicodeScalars.map(\.value)
    switch cutting.rule {
    case .characters: return text.unicodeScalars.map { String($0) }
    case .tokens: return try Self.text(matches(in: scalars, check))
    case .separators:
      var pieces = [scalars]
      for index in searches.indices {
        pieces = try pieces.flatMap { try self.pieces(of: $0, betweenMatchesOf: index, check) }
      }
      return Self.text(pieces)
    }
  }

  /// What matches and is long enough. Where it is not, the search goes on a character further.
  private mutating func matches(in scalars: [UInt32], _ check: () throws -> Void) throws -> [[UInt32]] {
    var tokens: [[UInt32]] = []
    var start = 0
    while start < scalars.count,
      let match = try searches[0].longestMatch(in: scalars, from: start, check: check)
    {
      let isToken = match.count >= cutting.least
      if isToken { tokens.append(Array(scalars[match])) }
      start = isToken ? match.upperBound : match.lowerBound + 1
    }
    return tokens
  }

  /// What lies between matches and is long enough. An empty match takes the character after it.
  private mutating func pieces(
    of scalars: [UInt32], betweenMatchesOf index: Int, _ check: () throws -> Void
  ) throws -> [[UInt32]] {
    var pieces: [[UInt32]] = []
    var start = 0
    func add(_ piece: Range<Int>) { if piece.count >= cutting.least { pieces.append(Array(scalars[piece])) } }
    while start < scalars.count, let match = try searches[index].longestMatch(in: scalars, from: start, check: check) {
      add(start..<match.lowerBound)
      start = match.isEmpty ? match.upperBound + 1 : match.upperBound
    }
    if start < scalars.count { add(start..<scalars.count) }
    return pieces
  }

  private static func text(_ tokens: [[UInt32]]) -> [String] {
    tokens.map { String(String.UnicodeScalarView($0.compactMap(Unicode.Scalar.init))) }
  }
}
