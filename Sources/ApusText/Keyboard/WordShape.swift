/// What a word looks like, when no dictionary has it.
enum WordShape {
  private static let vowels = Set("aeiouy")

  /// Whether a run of letters looks like no word of English: shorter than two characters, hardly any letters, too few
  /// or too many vowels, a character four times in a row, or five consonants in a row.
  static func isGibberish(_ word: String) -> Bool {
    let characters = word.lowercased().prefix(64).map { $0 }
    let letters = characters.filter(\.isLetter)
    guard characters.count >= 2, letters.count * 2 >= characters.count else { return true }
    let vowelCount = letters.count { vowels.contains($0) }
    // Outside 0.2 to 0.6, in integers.
    if vowelCount * 5 < letters.count || vowelCount * 5 > letters.count * 3 { return true }
    var (same, consonants) = (0, 0)
    var last: Character?
    for character in characters {
      same = character == last ? same + 1 : 1
      consonants = character.isLetter && !vowels.contains(character) ? consonants + 1 : 0
      if same >= 4 || consonants > 4 { return true }
      last = character
    }
    return false
  }
}
