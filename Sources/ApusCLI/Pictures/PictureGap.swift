import Apus

/// A hole in the numbers of pictures that follow each other, as a copy that broke off leaves it.
struct PictureGap {
  /// How many pictures are missing, in all holes.
  private(set) var missing = 0
  /// The names beside the first hole.
  private(set) var (before, after) = ("", "")

  /// - Parameter paths: of the pictures in order, whose names end in numbers that rise by as much each, as a rule.
  /// - Returns: nil where nothing is missing, or names have no such numbers.
  init?(_ paths: [String]) {
    let names = paths.map { path in path.split(separator: "/").last.map(String.init) ?? path }
    let numbers = names.map(Self.number)
    let steps = zip(numbers.dropFirst(), numbers).map { later, earlier -> Int? in
      guard let later, let earlier, later.stem == earlier.stem else { return nil }
      return later.value - earlier.value
    }
    let known = steps.compactMap(\.self).sorted()
    // Photographs with numbers of their own follow each other by any step.
    guard known.count >= 2, let usual = Optional(known[(known.count - 1) / 2]), usual > 0,
      known.count(where: { $0 == usual }) * 4 >= steps.count * 3
    else { return nil }
    for (index, step) in steps.enumerated() {
      guard let step, step > usual else { continue }
      if missing == 0 { (before, after) = (names[index], names[index + 1]) }
      missing += (step - 1) / usual
    }
    if missing == 0 { return nil }
  }

  /// The last number in a name without its ending, and what stands before it.
  private static func number(_ name: String) -> (stem: Substring, value: Int)? {
    let base = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    guard let end = base.lastIndex(where: \.isASCIIDigit) else { return nil }
    let digits = base[...end].reversed().prefix(while: \.isASCIIDigit)
    // Longer ones are no counters; 18 digits fit.
    guard digits.count <= 18, let value = Int(String(digits.reversed())) else { return nil }
    return (base[...end].dropLast(digits.count), value)
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}

extension PictureGap: CustomStringConvertible {
  /// What is missing, and where.
  var description: String {
    "\(CountText.counted(missing, "picture")) missing by the numbers in the names, first between \(before) and \(after); "
      + "those after them are taken for earlier frames than they are"
  }
}
