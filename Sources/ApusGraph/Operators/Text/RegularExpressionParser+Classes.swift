import Apus

// Escapes, and classes of scalars in brackets.

extension RegularExpressionParser {
  /// What follows a backslash outside brackets.
  mutating func escape() throws -> RegularExpressionTree {
    guard let character = next else { throw failure("a backslash ends the pattern") }
    switch character {
    case "A", "z", "b", "B":
      place += 1
      switch character {
      case "A": return .assertion(.startOfText)
      case "z": return .assertion(.endOfText)
      case "b": return .assertion(.wordBoundary)
      default: return .assertion(.noWordBoundary)
      }
    default:
      var set = try escapedSet()
      if flags.ignoresCase { set.ignoreCase() }
      return .set(set)
    }
  }

  /// What follows a backslash anywhere: a class or a single scalar.
  private mutating func escapedSet() throws -> ScalarSet {
    guard let character = take() else { throw failure("a backslash ends the pattern") }
    if let named = ScalarSet.perl(character) { return named }
    if character == "p" || character == "P" { return try property(isNegated: character == "P") }
    return .scalar(try escapedNumber(character))
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
    case _ where character.isASCII && !character.isLetter && !character.isNumber: return character.scalarNumber
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
      throw failure("'\(text)' is not a general category of Unicode; scripts are not supported")
    }
    return ScalarSet(categories: [(members, isNegated != isInverted)])
  }

  /// What follows an opening bracket.
  mutating func bracket() throws -> ScalarSet {
    var result = ScalarSet(isNegated: take("^"))
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
    if flags.ignoresCase { result.ignoreCase() }
    return result
  }

  private mutating func bracketItem() throws -> ScalarSet {
    guard let character = take() else { throw failure("a bracket is not closed") }
    return character == "\\" ? try escapedSet() : .scalar(character.scalarNumber)
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
    guard !isNegated, categories.isEmpty, ranges.count == 1, let range = ranges.first, range.count == 1 else {
      return nil
    }
    return range.lowerBound
  }
}

extension Character {
  /// The number of the only scalar.
  var scalarNumber: UInt32 { unicodeScalars.first?.value ?? 0 }
}
