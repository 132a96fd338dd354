import Apus

/// What the user has typed, as a keyboard sees it: what stands before the cursor, and what after it.
///
/// The word at the cursor is the run of letters, digits and apostrophes before it; it begins with a letter or a digit.
public struct KeyboardRequest: Sendable, Hashable {
  /// What is asked for at the cursor.
  public enum Mode: String, Sendable, Hashable {
    /// The text ends with a space or punctuation: the next word is wanted.
    case nextWord = "next_word"
    /// It ends inside a word, or right after one; if that is complete, next words are suggested as well.
    case completion
  }

  /// The text before the cursor.
  public let text: String
  /// The text after the cursor.
  public let following: String
  /// The text before the word at the cursor.
  public let context: String
  /// The word at the cursor, as far as it is typed; empty where the next one is wanted.
  public let partial: String

  /// The next word where nothing of one is typed, else the rest of the one that is begun.
  public var mode: Mode { partial.isEmpty ? .nextWord : .completion }

  /// Finds the word at the cursor.
  /// - Parameters:
  ///   - text: what stands before the cursor. Of more than 30 combining marks in a row, the first 30 are kept.
  ///   - following: what stands after it; its first character decides whether a chosen word gets a space.
  public init(_ text: String, following: String = "") {
    let (text, following) = (MarkRun.shortened(text), MarkRun.shortened(following))
    self.text = text
    self.following = following
    var start = text.endIndex
    while start > text.startIndex {
      let before = text.index(before: start)
      guard text[before].isPartOfWord else { break }
      start = before
    }
    // An apostrophe that opens a quotation is not part of the word.
    while start < text.endIndex, text[start].isApostrophe { start = text.index(after: start) }
    context = String(text[..<start])
    partial = String(text[start...])
  }

  /// Whether a sentence begins at the word at the cursor.
  public var isAtSentenceStart: Bool {
    let last = context.last { !($0.isWhitespace && !$0.isNewline) && !Self.opening.contains($0) }
    return last.map { $0.isNewline || ".!?…".contains($0) } ?? true
  }

  /// The text before the cursor after a suggestion was chosen: it takes the place of the word at the cursor, and a
  /// space follows unless the text goes on with a space or punctuation.
  public func committing(_ word: String) -> String {
    var result = context
    if partial.isEmpty, let last = context.last, ".,;:!?…)]}".contains(last) { result += " " }
    result += word
    if let next = following.first, next.isWhitespace || next.isPunctuation { return result }
    return result + " "
  }

  /// The text before the cursor after a suggestion was chosen, which replaces the word at the cursor or follows it.
  public func committing(_ suggestion: KeyboardSuggestion) -> String {
    suggestion.isNext
      ? KeyboardRequest(text + " ", following: following).committing(suggestion.word) : committing(suggestion.word)
  }

  private static let opening: Set<Character> = ["\"", "'", "(", "[", "{", "“", "‘", "«", "¿", "¡"]
}

extension Character {
  fileprivate var isApostrophe: Bool { self == "'" || self == "’" }

  fileprivate var isPartOfWord: Bool { isLetter || isNumber || isApostrophe }
}
