/// The names of tests that are known not to pass: a list that may only become shorter.
struct ExpectedFailures {
  let path: String
  let names: Set<String>

  /// Reads a name per line; what follows a `#` is a comment.
  init(path: String) throws {
    self.path = path
    let bytes = try ByteInput(path: path).readAll(limit: 1 << 24)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    names = Set(
      lines.map { line in
        let text = line.prefix { $0 != "#" }
        return String(text.filter { !$0.isWhitespace })
      }.filter { !$0.isEmpty })
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
