import Apus

/// Reads a regular expression of RE2.
///
/// All of RE2 but what it refuses itself, named scripts (`\p{Greek}`) and single bytes (`\C`). Limits are RE2's: 1,000
/// repetitions, also within each other, though fewer than RE2's 1,000 groups within each other.
struct RegularExpressionParser {
  let pattern: [Character]
  var place = 0
  var flags = Flags()
  private var depth = 0

  struct Flags {
    var ignoresCase = false
    var linesCount = false
    var dotIsAnything = false
  }

  private static let deepest = 200
  private static let mostRepetitions = 1_000

  init(_ pattern: String) {
    // A character a scalar: what looks like one to a reader may be several.
    self.pattern = pattern.unicodeScalars.map(Character.init)
  }

  /// The whole pattern.
  /// - Throws: ``OperatorError``.
  mutating func tree() throws -> RegularExpressionTree {
    let tree = try alternatives()
    guard next == nil else { throw failure("a closing parenthesis without an opening one") }
    return tree
  }

  func failure(_ reason: String) -> OperatorError {
    OperatorError("the pattern '\(String(pattern.prefix(100)))' is refused at position \(place): \(reason)")
  }
}

// MARK: - Reading

extension RegularExpressionParser {
  var next: Character? { place < pattern.count ? pattern[place] : nil }

  mutating func take() -> Character? {
    defer { if place < pattern.count { place += 1 } }
    return next
  }

  mutating func take(_ text: String) -> Bool {
    guard pattern[place...].starts(with: text) else { return false }
    place += text.count
    return true
  }

  /// What stands between `|`, up to a closing parenthesis or the end.
  private mutating func alternatives() throws -> RegularExpressionTree {
    guard depth < Self.deepest else { throw failure("groups are nested deeper than \(Self.deepest)") }
    depth += 1
    defer { depth -= 1 }
    var all: [RegularExpressionTree] = []
    repeat { all.append(try sequence()) } while take("|")
    return all.count == 1 ? all[0] : .alternatives(all)
  }

  private mutating func sequence() throws -> RegularExpressionTree {
    var parts: [RegularExpressionTree] = []
    while let character = next, character != "|", character != ")" {
      if take("\\Q") {
        while place < pattern.count, !take("\\E") { if let literal = take() { parts.append(.set(set(literal))) } }
        continue
      }
      guard let atom = try atom() else { continue }
      parts.append(try repetitions(of: atom))
    }
    return parts.count == 1 ? parts[0] : parts.isEmpty ? .nothing : .sequence(parts)
  }

  /// `atom` with the `*`, `+`, `?` or `{…}` that follows it.
  private mutating func repetitions(of atom: RegularExpressionTree) throws -> RegularExpressionTree {
    var result = atom
    var hasOperator = false
    while let (least, most) = try bounds() {
      guard !hasOperator else { throw failure("one repetition follows another") }
      hasOperator = true
      // Whether few or many are tried first makes no difference to whether there is a match.
      _ = take("?")
      result = .repeated(result, least: least, most: most)
    }
    return result
  }

  private mutating func bounds() throws -> (least: Int, most: Int?)? {
    switch next {
    case "*":
      place += 1
      return (0, nil)
    case "+":
      place += 1
      return (1, nil)
    case "?":
      place += 1
      return (0, 1)
    case "{":
      // Braces that hold no numbers stand for themselves.
      let start = place
      place += 1
      guard let least = number() else {
        place = start
        return nil
      }
      var most: Int? = least
      if take(",") { most = number() }
      guard take("}") else {
        place = start
        return nil
      }
      guard least <= Self.mostRepetitions, most ?? 0 <= Self.mostRepetitions, most.map({ least <= $0 }) ?? true else {
        throw failure(
          "a repetition of \(least) to \(most.map(String.init) ?? "∞"); at most \(Self.mostRepetitions) work")
      }
      return (least, most)
    default: return nil
    }
  }

  /// A decimal number; one that is too large is larger than any allowed.
  private mutating func number() -> Int? {
    var value: Int?
    while let digit = next?.wholeNumberValue, next?.isASCII == true {
      value = min((value ?? 0) * 10 + digit, Self.mostRepetitions + 1)
      place += 1
    }
    return value
  }

  /// One piece that a repetition may follow; nil for a group that only sets flags.
  private mutating func atom() throws -> RegularExpressionTree? {
    guard let character = take() else { return nil }
    switch character {
    case ".":
      let excluded: [ClosedRange<UInt32>] = flags.dotIsAnything ? [] : [10...10]
      return .set(ScalarSet(ranges: excluded, isNegated: true))
    case "^": return .assertion(flags.linesCount ? .startOfLine : .startOfText)
    case "$": return .assertion(flags.linesCount ? .endOfLine : .endOfText)
    case "[": return .set(try bracket())
    case "(": return try group()
    case "\\": return try escape()
    case "*", "+", "?": throw failure("there is nothing to repeat")
    case "{" where isRepetition: throw failure("there is nothing to repeat")
    default: return .set(set(character))
    }
  }

  /// Whether the brace just taken begins a repetition.
  private var isRepetition: Bool {
    var copy = self
    copy.place -= 1
    return (try? copy.bounds()) != nil
  }

  private func set(_ literal: Character) -> ScalarSet {
    var set = ScalarSet.scalar(literal.scalarNumber)
    if flags.ignoresCase { set.ignoreCase() }
    return set
  }

  /// What follows an opening parenthesis.
  private mutating func group() throws -> RegularExpressionTree? {
    let outer = flags
    if take("?") {
      if take("P<") || take("<") {
        guard next != "=", next != "!" else { throw failure("RE2 has no look-behind") }
        guard let end = pattern[place...].firstIndex(of: ">"), end > place,
          pattern[place..<end].allSatisfy({ ScalarSet.perl("w")?.contains($0.scalarNumber) ?? false })
        else { throw failure("a group's name is missing or malformed") }
        place = end + 1
      } else if try !setFlags() {
        // (?i) holds to the end of the group around it.
        return nil
      }
    }
    let inner = try alternatives()
    guard take(")") else { throw failure("a closing parenthesis is missing") }
    flags = outer
    return inner
  }

  /// Flags up to a colon (true) or a closing parenthesis (false).
  private mutating func setFlags() throws -> Bool {
    var value = true
    while let flag = take() {
      switch flag {
      case ":": return true
      case ")": return false
      case "-" where value: value = false
      case "i": flags.ignoresCase = value
      case "m": flags.linesCount = value
      case "s": flags.dotIsAnything = value
      case "U": break
      default: throw failure("there is no group of the kind '(?\(flag)'")
      }
    }
    throw failure("a closing parenthesis is missing")
  }
}
