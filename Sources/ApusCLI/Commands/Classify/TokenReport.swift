import Apus

/// What a classifier of tokens says of a text.
struct TokenReport: AnswerReport {
  /// A piece of the vocabulary, and the bytes of the text that it stands for.
  struct Token: Encodable {
    var piece: String
    var start: Int
    var end: Int
    var name: String
    var index: Int
    var probability: Double

    enum CodingKeys: String, CodingKey {
      case piece, start, end, probability
      case name = "class"
      case index = "class_id"
    }
  }

  /// Tokens of one class that follow each other.
  struct Entity: Encodable {
    var name: String
    var text: String
    var start: Int
    var end: Int
    /// The mean of its tokens'.
    var probability: Double

    enum CodingKeys: String, CodingKey {
      case text, start, end, probability
      case name = "class"
    }
  }

  let text: String
  let entities: [Entity]
  let tokens: [Token]
  let note: String?

  init(text: String, tokens: [Token], note: String?) {
    (self.text, self.tokens, self.note) = (text, tokens, note)
    entities = Self.groups(tokens).compactMap { name, tokens in
      guard name != "O", let first = tokens.first, let last = tokens.last else { return nil }
      let utf8 = text.utf8
      let start = utf8.index(utf8.startIndex, offsetBy: first.start)
      let end = utf8.index(utf8.startIndex, offsetBy: last.end)
      return Entity(
        name: name, text: String(text[start..<end]), start: first.start, end: last.end,
        probability: tokens.reduce(0) { $0 + $1.probability } / Double(tokens.count))
    }
  }

  /// As the scheme of B- (the beginning of an entity) and I- (what goes on with it) has it.
  private static func groups(_ tokens: [Token]) -> [(name: String, tokens: [Token])] {
    var groups: [(name: String, tokens: [Token])] = []
    for token in tokens {
      let begins = token.name.hasPrefix("B-")
      let name = begins || token.name.hasPrefix("I-") ? String(token.name.dropFirst(2)) : token.name
      if !begins, groups.last?.name == name {
        groups[groups.count - 1].tokens.append(token)
      } else {
        groups.append((name, [token]))
      }
    }
    return groups
  }

  /// A row for each entity.
  var rows: [String] {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .right, .left])
    for entity in entities {
      table.add(
        ErrorReport.oneLine(entity.name), NumberText.fixed(entity.probability * 100, decimals: 1) + " %",
        ErrorReport.oneLine(entity.text))
    }
    let title = terminal.styled(ErrorReport.oneLine(text), .bold) + (entities.isEmpty ? "  nothing found" : "")
    return [title] + table.lines.map { "  " + $0 } + (note.map { ["  " + $0] } ?? [])
  }

  /// All of it in a line, for one text of many.
  var line: String {
    let found = entities.map { "\(ErrorReport.oneLine($0.text)) (\(ErrorReport.oneLine($0.name)))" }
    return "\(ErrorReport.oneLine(text))  \(found.isEmpty ? "nothing" : found.joined(separator: ", "))"
      + (note.map { "  (\($0))" } ?? "")
  }
}
