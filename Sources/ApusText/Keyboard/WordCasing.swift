/// Capital letters for words of a model that knows none.
enum WordCasing {
  /// - Parameters:
  ///   - word: a suggestion in small letters.
  ///   - partial: the word at the cursor as it is typed, whose capitals are kept.
  static func restored(_ word: String, partial: String, isAtSentenceStart: Bool) -> String {
    let letters = partial.filter(\.isLetter)
    if letters.count > 1, letters.allSatisfy(\.isUppercase) { return word.uppercased() }
    let isCapital = letters.first.map(\.isUppercase) ?? isAtSentenceStart
    if isCapital || isPronoun(word) { return word.prefix(1).uppercased() + word.dropFirst() }
    return word
  }

  /// I, and what is contracted with it: I'm, I'll.
  private static func isPronoun(_ word: String) -> Bool {
    word == "i" || word.hasPrefix("i'") || word.hasPrefix("i’")
  }
}
