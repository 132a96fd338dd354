/// Which tensor of one file is held against which of another.
struct TensorPairing: Equatable {
  struct Pair: Equatable {
    var name: String
    var actual: String
    var expected: String
  }

  var pairs: [Pair] = []
  /// Expected, but not there.
  var missing: [String] = []
  /// There, but not expected.
  var unexpected: [String] = []
  /// Patterns that match nothing in either file.
  var unmatched: [String] = []

  /// Pairs tensors of the same name, in the order of `expected`. Two files of one tensor each need no names in common.
  ///
  /// - Parameter patterns: which names to look at, all of them when empty; `*` stands for any characters, and
  ///   `a=b` holds `a` against the expected `b`.
  init(actual: [String], expected: [String], patterns: [String] = []) {
    if patterns.isEmpty, actual.count == 1, expected.count == 1 {
      let name = expected[0].isEmpty ? actual[0] : expected[0]
      pairs = [Pair(name: name, actual: actual[0], expected: expected[0])]
      return
    }
    let (isActual, isExpected) = (Set(actual), Set(expected))
    var plain: [String] = []
    for pattern in patterns {
      if !isActual.contains(pattern), !isExpected.contains(pattern), let equals = pattern.firstIndex(of: "=") {
        let (ours, theirs) = (String(pattern[..<equals]), String(pattern[pattern.index(after: equals)...]))
        switch (isActual.contains(ours), isExpected.contains(theirs)) {
        case (true, true): pairs.append(Pair(name: pattern, actual: ours, expected: theirs))
        case (false, true): missing.append(ours)
        case (true, false): unexpected.append(ours)
        case (false, false): unmatched.append(pattern)
        }
      } else {
        plain.append(pattern)
        if !(expected + actual).contains(where: { Self.matches($0, pattern) }) { unmatched.append(pattern) }
      }
    }
    guard patterns.isEmpty || !plain.isEmpty else { return }
    func isWanted(_ name: String) -> Bool {
      plain.isEmpty || plain.contains { Self.matches(name, $0) }
    }
    for name in expected where isWanted(name) {
      if isActual.contains(name) {
        pairs.append(Pair(name: name, actual: name, expected: name))
      } else {
        missing.append(name)
      }
    }
    unexpected += actual.filter { !isExpected.contains($0) && isWanted($0) }
  }

  /// Whether `name` is `pattern`, where `*` stands for any characters.
  static func matches(_ name: String, _ pattern: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, parts.count > 1 else { return name == pattern }
    guard name.utf8.count >= first.utf8.count + last.utf8.count, name.hasPrefix(first), name.hasSuffix(last) else {
      return false
    }
    var rest = Array(name.utf8.dropFirst(first.utf8.count).dropLast(last.utf8.count))[...]
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let end = Self.end(of: Array(part.utf8), in: rest) else { return false }
      rest = rest[end...]
    }
    return true
  }

  /// Where the first occurrence of `part` in `bytes` ends.
  private static func end(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= part.count else { return nil }
    for start in bytes.startIndex...(bytes.endIndex - part.count)
    where bytes[start..<start + part.count].elementsEqual(part) {
      return start + part.count
    }
    return nil
  }
}
