/// Two words of English in one, with an apostrophe for what is left out: *don't*, *I'm*.
struct Contraction: Sendable, Hashable {
  /// What stands before the apostrophe.
  var stem: String
  /// What stands after it.
  var ending: String

  /// As it is written.
  var word: String { "\(stem)'\(ending)" }
}

extension Contraction {
  /// The contractions, of one stem those that are written more often first.
  static let all: [Contraction] = table.split(separator: "\n").flatMap { line in
    let parts = line.split(separator: " ").map(String.init)
    return parts.dropFirst().map { Contraction(stem: parts[0], ending: $0) }
  }

  private static let table = """
    i m ll ve d
    you re ll ve d
    he s ll d
    she s ll d
    it s ll d
    we re ll ve d
    they re ll ve d
    that s ll d
    there s ll d
    here s
    what s
    who s ll d
    where s
    when s
    how s
    why s
    let s
    can t
    won t
    don t
    didn t
    doesn t
    isn t
    aren t
    wasn t
    weren t
    hasn t
    haven t
    hadn t
    couldn t
    wouldn t
    shouldn t
    mustn t
    needn t
    mightn t
    ain t
    could ve
    would ve
    should ve
    might ve
    must ve
    y all
    ma am
    o clock
    """

  /// The whole words of pieces that are no words themselves: of `don` *don't*.
  static let ofPieces: [String: String] = Dictionary(
    uniqueKeysWithValues: all.filter { $0.ending == "t" && $0.stem.hasSuffix("n") && !words.contains($0.stem) }
      .map { ($0.stem, $0.word) })

  /// Endings of more than a letter that are no words themselves.
  static let fragments: Set<String> = ["ll", "re", "ve"]

  /// The contractions that go on from what is typed: of a whole stem the most usual one, of a stem with its apostrophe
  /// all of them.
  static func completions(of typed: String) -> [Contraction] {
    let begun = all.filter { $0.word.hasPrefix(typed) && $0.word != typed && $0.stem.utf8.count <= typed.utf8.count }
    return begun.first?.stem == typed ? Array(begun.prefix(1)) : begun
  }

  /// Whether a word is a contraction as it is written.
  static func contains(_ word: String) -> Bool { written.contains(word) }

  private static let written = Set(all.map(\.word))

  /// What a word means that was written without its apostrophe; nil for one that means itself.
  static func missingApostrophe(in word: String) -> String? { withoutApostrophe[word] }

  private static let withoutApostrophe: [String: String] = Dictionary(
    uniqueKeysWithValues: all.map { ($0.stem + $0.ending, $0.word) }.filter { !words.contains($0.0) })

  /// Words of their own: *were* is not *we're*, and *its* is left alone. Nobody who writes *cant* and *wont* means
  /// the nouns.
  private static let words: Set<String> = [
    "can", "won", "its", "were", "well", "wed", "ill", "id", "hell", "shell", "shed", "lets", "whys",
  ]
}
