/// A set of Unicode scalars, as a regular expression describes one.
struct ScalarSet: Sendable {
  /// Numbers of scalars, in no order.
  var ranges: [ClosedRange<UInt32>] = []
  /// General categories that belong to the set, or all others do.
  var categories: [(names: Set<Unicode.GeneralCategory>, isNegated: Bool)] = []
  /// Whether everything else is meant.
  var isNegated = false
  /// Whether a scalar belongs to the set when its other cases do.
  private(set) var ignoresCase = false

  static let last: UInt32 = 0x10FFFF

  static func scalar(_ number: UInt32) -> ScalarSet { ScalarSet(ranges: [number...number]) }

  func contains(_ number: UInt32) -> Bool {
    var isInside = has(number)
    if !isInside, ignoresCase { isInside = Self.cases(number).contains(where: has) }
    return isInside != isNegated
  }

  private func has(_ number: UInt32) -> Bool {
    if ranges.contains(where: { $0.contains(number) }) { return true }
    guard !categories.isEmpty, let scalar = Unicode.Scalar(number) else { return false }
    let category = scalar.properties.generalCategory
    return categories.contains { $0.names.contains(category) != $0.isNegated }
  }

  /// Lets scalars belong to the set when their other cases do.
  mutating func ignoreCase() {
    ignoresCase = true
    // A letter's cases are looked up when it is met; here those that it has and does not lead to, as the long s has s.
    // In a set of thousands these are there anyway.
    guard ranges.reduce(0, { $0 + $1.count }) <= 1_000 else { return }
    let others = Set(ranges.joined().flatMap(Self.cases)).filter { !has($0) }
    ranges += others.map { $0...$0 }
  }

  /// The single scalars that differ from `number` in case only.
  static func cases(_ number: UInt32) -> [UInt32] {
    guard let scalar = Unicode.Scalar(number) else { return [] }
    func single(_ text: String) -> Unicode.Scalar? { text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil }
    let properties = scalar.properties
    let upper = single(properties.uppercaseMapping)
    // By way of the upper case: the long s and s are one letter.
    let lower = single((upper ?? scalar).properties.lowercaseMapping)
    return [upper, lower, single(properties.lowercaseMapping), single(properties.titlecaseMapping)]
      .compactMap { $0?.value }
  }
}

// MARK: - Classes with names

extension ScalarSet {
  /// `\d`, `\s` and `\w`, which are ASCII in RE2; in capitals all others.
  static func perl(_ name: Character) -> ScalarSet? {
    switch name {
    case "d", "D": ScalarSet(ranges: digits, isNegated: name == "D")
    case "s", "S": ScalarSet(ranges: [9...10, 12...13, 32...32], isNegated: name == "S")
    case "w", "W": ScalarSet(ranges: digits + letters + [95...95], isNegated: name == "W")
    default: nil
    }
  }

  private static let digits: [ClosedRange<UInt32>] = [48...57]
  private static let upper: [ClosedRange<UInt32>] = [65...90]
  private static let lower: [ClosedRange<UInt32>] = [97...122]
  private static var letters: [ClosedRange<UInt32>] { upper + lower }

  /// `[:alpha:]` and its like, by the name between the colons.
  static func posix(_ name: String) -> [ClosedRange<UInt32>]? {
    switch name {
    case "alnum": digits + letters
    case "alpha": letters
    case "ascii": [0...127]
    case "blank": [9...9, 32...32]
    case "cntrl": [0...31, 127...127]
    case "digit": digits
    case "graph": [33...126]
    case "lower": lower
    case "print": [32...126]
    case "punct": [33...47, 58...64, 91...96, 123...126]
    case "space": [9...13, 32...32]
    case "upper": upper
    case "word": digits + letters + [95...95]
    case "xdigit": digits + [65...70, 97...102]
    default: nil
    }
  }

  /// `\pL`, `\p{Lu}`: a general category of Unicode, or a group of them by its first letter.
  static func category(_ name: String) -> Set<Unicode.GeneralCategory>? {
    guard let group = name.first else { return nil }
    let members = generalCategories.filter { name.count == 1 ? $0.key.first == group : $0.key == name }
    return members.isEmpty ? nil : Set(members.values)
  }

  private static let generalCategories: [String: Unicode.GeneralCategory] = [
    "Lu": .uppercaseLetter, "Ll": .lowercaseLetter, "Lt": .titlecaseLetter, "Lm": .modifierLetter, "Lo": .otherLetter,
    "Mn": .nonspacingMark, "Mc": .spacingMark, "Me": .enclosingMark,
    "Nd": .decimalNumber, "Nl": .letterNumber, "No": .otherNumber,
    "Pc": .connectorPunctuation, "Pd": .dashPunctuation, "Ps": .openPunctuation, "Pe": .closePunctuation,
    "Pi": .initialPunctuation, "Pf": .finalPunctuation, "Po": .otherPunctuation,
    "Sm": .mathSymbol, "Sc": .currencySymbol, "Sk": .modifierSymbol, "So": .otherSymbol,
    "Zs": .spaceSeparator, "Zl": .lineSeparator, "Zp": .paragraphSeparator,
    "Cc": .control, "Cf": .format, "Cs": .surrogate, "Co": .privateUse, "Cn": .unassigned,
  ]
}
