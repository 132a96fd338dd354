/// A parser of one kind of JSON document: what it knows, and the scanner it asks.
package protocol JSONGrammar {
  var scanner: JSONScanner { get set }

  /// A failure that says the key occurs twice.
  mutating func duplicate(_ key: String) -> JSONScanner.Failure
}

extension JSONGrammar {
  /// An object: calls `member` with each key, to take or skip the value that follows. No key may come twice.
  @inlinable
  package mutating func members(
    _ member: (inout Self, String) throws(JSONScanner.Failure) -> Void
  ) throws(JSONScanner.Failure) {
    try scanner.expect(UInt8(ascii: "{"), "'{'")
    if scanner.take(UInt8(ascii: "}")) { return }
    var seen: Set<String> = []
    repeat {
      let key = try scanner.string("a key in quotes")
      try scanner.expect(UInt8(ascii: ":"), "':' after a key")
      // No key that means something is longer.
      guard key.utf8.count > 64 || seen.insert(key).inserted else { throw duplicate(key) }
      try member(&self, key)
    } while scanner.take(UInt8(ascii: ","))
    try scanner.expect(UInt8(ascii: "}"), "',' or '}'")
  }

  /// An array: calls `element` for each value, to take or skip it.
  @inlinable
  package mutating func list(
    _ name: @autoclosure () -> String, _ element: (inout Self) throws(JSONScanner.Failure) -> Void
  ) throws(JSONScanner.Failure) {
    try scanner.expect(UInt8(ascii: "["), "\(name()) to be an array")
    if scanner.take(UInt8(ascii: "]")) { return }
    repeat { try element(&self) } while scanner.take(UInt8(ascii: ","))
    try scanner.expect(UInt8(ascii: "]"), "',' or ']'")
  }
}
