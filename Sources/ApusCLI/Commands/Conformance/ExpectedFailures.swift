/// The names of tests that are known not to pass: a list that may only become shorter.
struct ExpectedFailures {
  let path: String
  let names: Set<String>
  /// What follows a `#` behind a name: why the test does not pass.
  let reasons: [String: String]

  /// Reads a name per line; what follows a `#` is a comment.
  init(path: String) throws {
    self.path = path
    let bytes = try ByteInput(path: path).readAll(limit: 1 << 24)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    var reasons: [String: String] = [:]
    for line in lines {
      let name = String(line.prefix { $0 != "#" }.filter { !$0.isWhitespace })
      if !name.isEmpty { reasons[name] = String(line.drop { $0 != "#" }.dropFirst().drop(while: \.isWhitespace)) }
    }
    names = Set(reasons.keys)
    self.reasons = reasons.filter { !$0.value.isEmpty }
  }

  /// What contradicts the list, a sentence each.
  func contradictions(_ results: [ConformanceResult], all names: Set<String>) -> [String] {
    var sentences: [String] = []
    for result in results where result.outcome.isPassed == self.names.contains(result.name) {
      sentences.append(
        result.outcome.isPassed
          ? "\(result.name) passes: take it out of \(path)" : "\(result.name) does not pass and is not in \(path)")
    }
    for name in self.names.sorted() where !names.contains(name) {
      sentences.append("\(name) is not a test: take it out of \(path)")
    }
    return sentences
  }
}
