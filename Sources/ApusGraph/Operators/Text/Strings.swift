import Apus

// Strings joined, cut and cleaned. Nothing depends on a locale.

extension Operators {
  static let strings: [OperatorDefinition] = [
    OperatorDefinition("StringConcat", .plain(.stringConcat), StringConcat),
    OperatorDefinition("StringSplit", .plain(.stringSplit), StringSplit),
    OperatorDefinition("StringNormalizer", .plain(.stringNormalizer), StringNormalizer),
    OperatorDefinition("RegexFullMatch", .plain(.boolLikeInput), RegexFullMatch),
  ]

  /// Each string of input 0 followed by that of input 1, the shapes stretched over each other as NumPy does.
  static func StringConcat(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let (first, second) = try (arguments.strings(0), arguments.strings(1))
      let shape = try Shape.broadcast(first.shape, second.shape, operation: "StringConcat")
      func stretched(_ tensor: StringTensor) throws -> [String] {
        try Arguments([Expansion(shape: shape).run(.strings(tensor))], context: arguments.context).strings(0).elements
      }
      let (a, b) = try (stretched(first), stretched(second))
      // What joins a string with itself again and again would soon fill any memory.
      let memory = try arguments.context.growing {
        let memory = try MemoryReservation(shape, of: String.self, operation: "StringConcat")
        for (a, b) in zip(a, b) { try memory.grow(by: StringTensor.textByteCount(a.utf8.count + b.utf8.count)) }
        return memory
      }
      let joined = try zip(a, b).map { a, b in
        try arguments.context.checkCancellation()
        return a + b
      }
      return [.strings(try StringTensor(joined, shape: shape, memory: memory))]
    }
  }

  /// The parts of each string between delimiters, along a new last axis that is filled up with empty strings; and the
  /// number of each one's parts. Without a delimiter, parts are what stands between white space. After `maxsplit` cuts
  /// what is left is one part.
  static func StringSplit(_ node: NodeDescription) throws -> PreparedOperator {
    let delimiter = Array(try node.string("delimiter", default: "").utf8)
    let cuts = try node.optionalInt("maxsplit") ?? -1
    let limit = cuts < 0 ? Int.max : cuts
    return { arguments in
      let x = try arguments.strings(0)
      let parts = try x.elements.map { text in
        try arguments.context.checkCancellation()
        return delimiter.isEmpty ? words(text, cuts: limit) : pieces(Array(text.utf8), between: delimiter, cuts: limit)
      }
      return try [
        .strings(StringTensor(parts, shape: x.shape, padding: "", operation: "StringSplit")),
        GraphValue(Tensor(parts.map { Int64($0.count) }, shape: x.shape)),
      ]
    }
  }

  private static func pieces(_ text: [UInt8], between delimiter: [UInt8], cuts: Int) -> [String] {
    var pieces: [String] = []
    var (start, place) = (0, 0)
    while pieces.count < cuts, place + delimiter.count <= text.count {
      if text[place] == delimiter[0], text[place..<(place + delimiter.count)].elementsEqual(delimiter) {
        pieces.append(String(decoding: text[start..<place], as: UTF8.self))
        place += delimiter.count
        start = place
      } else {
        place += 1
      }
    }
    return pieces + [String(decoding: text[start...], as: UTF8.self)]
  }

  private static func words(_ text: String, cuts: Int) -> [String] {
    var words: [String] = []
    var rest = Substring(text).unicodeScalars
    while true {
      rest = rest.drop { $0.properties.isWhitespace }
      if rest.isEmpty { return words }
      let end = words.count < cuts ? rest.firstIndex { $0.properties.isWhitespace } : nil
      guard let end else {
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        return words + [String(rest)]
      }
      words.append(String(rest[..<end]))
      rest = rest[end...]
    }
  }

  /// Without the strings that are stop words, and in lower or upper case as `case_change_action` says. When nothing is
  /// left there is one empty string.
  static func StringNormalizer(_ node: NodeDescription) throws -> PreparedOperator {
    let action = try node.string("case_change_action", default: "NONE")
    let isCaseSensitive = try node.flag("is_case_sensitive")
    guard ["NONE", "LOWER", "UPPER"].contains(action) else {
      throw OperatorError("case_change_action '\(action)' is not known; it is NONE, LOWER or UPPER")
    }
    @Sendable func compared(_ text: String) -> UTF8Key {
      UTF8Key(isCaseSensitive ? text : action == "UPPER" ? text.uppercased() : text.lowercased())
    }
    let stopWords = Set(try node.optionalStrings("stopwords")?.map(compared) ?? [])
    return { arguments in
      let x = try arguments.strings(0)
      guard x.shape.count == 1 || (x.shape.count == 2 && x.shape[0] == 1) else {
        throw OperatorError("input 0 has shape \(x.shape); [C] or [1, C] is needed")
      }
      let kept = stopWords.isEmpty ? x.elements : x.elements.filter { !stopWords.contains(compared($0)) }
      let changed =
        switch action {
        case "LOWER": kept.map { $0.lowercased() }
        case "UPPER": kept.map { $0.uppercased() }
        default: kept
        }
      let result = changed.isEmpty ? [""] : changed
      return [.strings(try StringTensor(result, shape: x.shape.dropLast() + [result.count]))]
    }
  }

  /// Whether each whole string matches `pattern`, a regular expression of RE2.
  static func RegexFullMatch(_ node: NodeDescription) throws -> PreparedOperator {
    guard let pattern = try node.optionalString("pattern") else {
      throw OperatorError("attribute 'pattern' is missing")
    }
    let expression = try RegularExpression(pattern)
    return { arguments in
      let x = try arguments.strings(0)
      let matches = try x.elements.map { text in
        try expression.matches(text) { try arguments.context.checkCancellation() }
      }
      return [GraphValue(try Tensor(matches, shape: x.shape))]
    }
  }
}

extension StringTensor {
  /// Lists of texts along a new last axis, filled up to the length of the longest.
  init(_ lists: [[String]], shape: [Int], padding: String, operation: String) throws {
    let width = lists.map(\.count).max() ?? 0
    try Shape.checkMemory(shape + [width], of: String.self, operation: operation)
    let filled = lists.flatMap { $0 + [String](repeating: padding, count: width - $0.count) }
    try self.init(filled, shape: shape + [width])
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let stringConcat = ShapeRule.rule { facts in
    [InferredType(.string, try Shape.broadcast(facts.shape(0), facts.shape(1), operation: "broadcast"))]
  }

  /// How many parts there are at most depends on the strings.
  static let stringSplit = ShapeRule.rule { [nil, InferredType(.int64, try $0.shape(0))] }

  static let stringNormalizer = ShapeRule.rule { facts in
    let shape = try facts.shape(0)
    guard try facts.node.optionalStrings("stopwords")?.isEmpty ?? true, let count = shape.last else {
      throw ShapeFacts.Unknown()
    }
    return [InferredType(.string, shape.dropLast() + [max(1, count)])]
  }
}
