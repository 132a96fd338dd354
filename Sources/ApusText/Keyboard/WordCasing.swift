/// Capital letters for words of a model that knows none.
enum WordCasing {
  /// The word at the cursor.
  /// - Parameters:
  ///   - word: a suggestion in small letters.
  ///   - partial: the word at the cursor as it is typed, whose capitals are kept.
  static func restored(_ word: String, partial: String, isAtSentenceStart: Bool) -> String {
    if isShouted(partial) { return word.uppercased() }
    let isCapital = partial.first(where: \.isLetter).map(\.isUppercase) ?? isAtSentenceStart
    return isCapital || isPronoun(word) ? capitalized(word) : word
  }

  /// The word after the one at the cursor.
  static func restored(_ word: String, after previous: String) -> String {
    if isShouted(previous) { return word.uppercased() }
    return isPronoun(word) ? capitalized(word) : word
  }

  private static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  /// All in capitals, of which there are more than one.
  private static func isShouted(_ word: String) -> Bool {
    let letters = word.filter(\.isLetter)
    return letters.count > 1 && letters.allSatisfy(\.isUppercase)
  }

  /// I, and what is contracted with it: I'm, I'll.
  private static func isPronoun(_ word: String) -> Bool {
    word == "i" || word.hasPrefix("i'") || word.hasPrefix("i’")
  }
}
