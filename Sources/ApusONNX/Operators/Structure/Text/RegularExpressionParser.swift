import Apus

/// Reads a regular expression of RE2 and writes the program that matches it.
///
/// All of RE2 but what it refuses itself, named scripts (`\p{Greek}`) and single bytes (`\C`). Limits are RE2's: 1,000
/// repetitions, also within each other, 1,000 groups within each other being fewer here.
struct RegularExpressionParser {
  private let pattern: [Character]
  private var place = 0
  private var flags = Flags()
  private var depth = 0
  private var instructions: [RegularExpression.Instruction] = []
  private var sets: [ScalarSet] = []

  private struct Flags {
    var ignoresCase = false
    var linesCount = false
    var dotIsAnything = false
  }

  private static let deepest = 200
  private static let mostRepetitions = 1_000
  private static let mostInstructions = 100_000

  private indirect enum Expression {
    case nothing
    case set(ScalarSet)
    case assertion(RegularExpression.Position)
    case sequence([Expression])
    case alternatives([Expression])
    case repeated(Expression, least: Int, most: Int?)
  }

  init(_ pattern: String) {
    // A character a scalar: what looks like one to a reader may be several.
    self.pattern = pattern.unicodeScalars.map(Character.init)
  }

  /// - Throws: ``OperatorError``.
  mutating func program() throws -> ([RegularExpression.Instruction], [ScalarSet]) {
    let expression = try alternatives()
    guard next == nil else { throw failure("a closing parenthesis without an opening one") }
    try emit(expression)
    try append(.accept)
    return (instructions, sets)
  }

  private func failure(_ reason: String) -> OperatorError {
    OperatorError("the pattern '\(String(pattern))' is refused at position \(place): \(reason)")
  }
}

// MARK: - Reading

extension RegularExpressionParser {
  private var next: Character? { place < pattern.count ? pattern[place] : nil }

  private mutating func take() -> Character? {
    defer { if place < pattern.count { place += 1 } }
    return next
  }

  private mutating func take(_ text: String) -> Bool {
    guard pattern[place...].starts(with: text) else { return false }
    place += text.count
    return true
  }

  /// What stands between `|`, up to a closing parenthesis or the end.
  private mutating func alternatives() throws -> Expression {
    guard depth < Self.deepest else { throw failure("groups are nested deeper than \(Self.deepest)") }
    depth += 1
    defer { depth -= 1 }
    var all: [Expression] = []
    repeat { all.append(try sequence()) } while take("|")
    return all.count == 1 ? all[0] : .alternatives(all)
  }

  private mutating func sequence() throws -> Expression {
    var parts: [Expression] = []
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
  private mutating func repetitions(of atom: Expression) throws -> Expression {
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
        throw failure("a repetition of \(least) to \(most.map(String.init) ?? "∞"); at most \(Self.mostRepetitions) work")
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
  private mutating func atom() throws -> Expression? {
    guard let character = take() else { return nil }
    switch character {
    case ".": return .set(flags.dotIsAnything ? ScalarSet(ranges: [0...ScalarSet.last]) : ScalarSet(ranges: [10...10], isNegated: true))
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
    var set = ScalarSet.scalar(literal.number)
    set.ignoresCase = flags.ignoresCase
    return set
  }

  /// What follows an opening parenthesis.
  private mutating func group() throws -> Expression? {
    let outer = flags
    if take("?") {
      if take("P<") || take("<") {
        guard next != "=", next != "!" else { throw failure("RE2 has no look-behind") }
        guard let end = pattern[place...].firstIndex(of: ">"), end > place,
          pattern[place..<end].allSatisfy({ ScalarSet.perl("w")?.contains($0.number) ?? false })
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

  /// What follows a backslash outside brackets.
  private mutating func escape() throws -> Expression {
    guard let character = next else { throw failure("a backslash ends the pattern") }
    switch character {
    case "A", "z", "b", "B":
      place += 1
      return .assertion(
        character == "A" ? .startOfText : character == "z" ? .endOfText : character == "b" ? .wordBoundary : .noWordBoundary)
    default: return .set(try escapedSet())
    }
  }

  /// What follows a backslash anywhere: a class or a single scalar.
  private mutating func escapedSet() throws -> ScalarSet {
    guard let character = take() else { throw failure("a backslash ends the pattern") }
    if let named = ScalarSet.perl(character) { return named }
    if character == "p" || character == "P" { return try property(isNegated: character == "P") }
    var set = ScalarSet.scalar(try escapedNumber(character))
    set.ignoresCase = flags.ignoresCase
    return set
  }

  /// The scalar that `character` after a backslash stands for.
  private mutating func escapedNumber(_ character: Character) throws -> UInt32 {
    switch character {
    case "a": return 7
    case "f": return 12
    case "t": return 9
    case "n": return 10
    case "r": return 13
    case "v": return 11
    case "x":
      let digits: [Character]
      if take("{") {
        guard let end = pattern[place...].firstIndex(of: "}") else { throw failure("a brace is not closed") }
        digits = Array(pattern[place..<end])
        place = end + 1
      } else {
        digits = Array(pattern[place...].prefix(2))
        place += digits.count
        guard digits.count == 2 else { throw failure("two hexadecimal digits are needed") }
      }
      guard let number = UInt32(String(digits), radix: 16), number <= ScalarSet.last, digits.first != "+" else {
        throw failure("a scalar's number is malformed or too large")
      }
      return number
    case "0"..."7":
      // Three octal digits, or fewer after a zero; a single digit would refer to a group.
      var digits = String(character)
      while digits.count < 3, let digit = next, ("0"..."7").contains(digit) {
        digits.append(digit)
        place += 1
      }
      guard character == "0" || digits.count == 3, let number = UInt32(digits, radix: 8) else {
        throw failure("RE2 has no references to groups")
      }
      return number
    case _ where character.isASCII && !character.isLetter && !character.isNumber: return character.number
    default: throw failure("there is no escape '\\\(character)'")
    }
  }

  /// What follows `\p`.
  private mutating func property(isNegated: Bool) throws -> ScalarSet {
    var name = [take()].compactMap { $0 }
    if name == ["{"] {
      guard let end = pattern[place...].firstIndex(of: "}") else { throw failure("a brace is not closed") }
      name = Array(pattern[place..<end])
      place = end + 1
    }
    let isInverted = name.first == "^"
    let text = String(name.drop { $0 == "^" })
    if text == "Any" { return ScalarSet(ranges: [0...ScalarSet.last], isNegated: isNegated != isInverted) }
    guard let members = ScalarSet.category(text) else {
      throw failure("'\(text)' is no general category of Unicode; scripts are not supported")
    }
    return ScalarSet(categories: [(members, isNegated != isInverted)])
  }

  /// What follows an opening bracket.
  private mutating func bracket() throws -> ScalarSet {
    var result = ScalarSet(isNegated: take("^"), ignoresCase: flags.ignoresCase)
    var isFirst = true
    while let character = next, character != "]" || isFirst {
      isFirst = false
      if take("[:") {
        let isInverted = take("^")
        guard let end = pattern[place...].firstIndex(of: ":"), end + 1 < pattern.count, pattern[end + 1] == "]",
          let ranges = ScalarSet.posix(String(pattern[place..<end]))
        else { throw failure("there is no class of this name") }
        place = end + 2
        result.ranges += isInverted ? complement(ranges) : ranges
        continue
      }
      let low = try bracketItem()
      guard let first = low.single, next == "-", place + 1 < pattern.count, pattern[place + 1] != "]" else {
        result.ranges += low.isNegated ? complement(low.ranges) : low.ranges
        result.categories += low.categories
        continue
      }
      place += 1
      guard let last = try bracketItem().single, first <= last else { throw failure("a range ends before it begins") }
      result.ranges.append(first...last)
    }
    guard take("]") else { throw failure("a bracket is not closed") }
    return result
  }

  private mutating func bracketItem() throws -> ScalarSet {
    guard let character = take() else { throw failure("a bracket is not closed") }
    return character == "\\" ? try escapedSet() : .scalar(character.number)
  }

  private func complement(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = []
    var free: UInt32 = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if free < range.lowerBound { result.append(free...(range.lowerBound - 1)) }
      free = max(free, range.upperBound + 1)
    }
    return free <= ScalarSet.last ? result + [free...ScalarSet.last] : result
  }
}

extension ScalarSet {
  /// The only scalar of a set that a literal made.
  fileprivate var single: UInt32? {
    guard !isNegated, categories.isEmpty, ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
    return range.lowerBound
  }
}

extension Character {
  /// The number of the only scalar.
  fileprivate var number: UInt32 { unicodeScalars.first?.value ?? 0 }
}

// MARK: - Writing

extension RegularExpressionParser {
  private mutating func append(_ instruction: RegularExpression.Instruction) throws {
    guard instructions.count < Self.mostInstructions else {
      throw failure("it needs more than \(Self.mostInstructions) steps")
    }
    instructions.append(instruction)
  }

  private mutating func emit(_ expression: Expression) throws {
    switch expression {
    case .nothing: break
    case .set(let set):
      sets.append(set)
      try append(.scalar(in: sets.count - 1))
    case .assertion(let position): try append(.assert(position))
    case .sequence(let parts): for part in parts { try emit(part) }
    case .alternatives(let all): try emit(alternatives: all)
    case .repeated(let inner, let least, let most): try emit(inner, least: least, most: most)
    }
  }

  private mutating func emit(alternatives: [Expression]) throws {
    var ends: [Int] = []
    for alternative in alternatives.dropLast() {
      let split = instructions.count
      try append(.split(split + 1, 0))
      try emit(alternative)
      ends.append(instructions.count)
      try append(.jump(0))
      instructions[split] = .split(split + 1, instructions.count)
    }
    if let last = alternatives.last { try emit(last) }
    for end in ends { instructions[end] = .jump(instructions.count) }
  }

  private mutating func emit(_ inner: Expression, least: Int, most: Int?) throws {
    for _ in 0..<least {
      let before = instructions.count
      try emit(inner)
      // What takes no step takes none a thousand times over.
      if instructions.count == before { return }
    }
    guard let most else {
      let split = instructions.count
      try append(.split(split + 1, 0))
      try emit(inner)
      try append(.jump(split))
      instructions[split] = .split(split + 1, instructions.count)
      return
    }
    // One inside the other: each may end all the rest.
    var splits: [Int] = []
    for _ in least..<most {
      splits.append(instructions.count)
      try append(.split(instructions.count + 1, 0))
      try emit(inner)
    }
    for split in splits { instructions[split] = .split(split + 1, instructions.count) }
  }
}
