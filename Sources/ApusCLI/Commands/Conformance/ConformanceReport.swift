import Apus

/// What `apus conformance` says of all tests together.
struct ConformanceReport {
  let results: [ConformanceResult]
  /// What contradicts the list of expected failures; nil when there is no list.
  var contradictions: [String]?

  init(_ results: [ConformanceResult], contradictions: [String]? = nil) {
    self.results = results
    self.contradictions = contradictions
  }

  /// The tests of one operator.
  struct Row {
    var subject: String
    var opsets: Set<Int> = []
    var counts: [ConformanceResult.Outcome: Int] = [:]

    var tests: Int { counts.values.reduce(0, +) }
    var passed: Int { count(.passed) + count(.nondeterministic) }

    func count(_ outcome: ConformanceResult.Outcome) -> Int { counts[outcome] ?? 0 }
  }

  /// A row for each operator, in alphabetical order.
  var rows: [Row] {
    var rows: [String: Row] = [:]
    for result in results {
      var row = rows[result.subject] ?? Row(subject: result.subject)
      if result.opset > 0 { row.opsets.insert(result.opset) }
      row.counts[result.outcome, default: 0] += 1
      rows[result.subject] = row
    }
    return rows.values.sorted { $0.subject < $1.subject }
  }

  func names(_ outcome: ConformanceResult.Outcome) -> [String] {
    results.filter { $0.outcome == outcome }.map(\.name)
  }

  var passed: Int { results.count { $0.outcome.isPassed } }

  /// Whether everything is as it should be: nothing wrong and nothing crashed; or, where failures are expected, exactly
  /// these.
  var isGood: Bool {
    contradictions?.isEmpty ?? !results.contains { $0.outcome == .wrong || $0.outcome == .crashed }
  }

  // MARK: - Text

  /// Up to this many tests that do not pass are listed with their reasons.
  private static let listLimit = 200

  func text() -> String {
    let terminal = Terminal.output
    var lines: [String] = []
    var table = TextTable(alignments: [.left, .left, .right, .right, .right, .right, .right])
    table.add(
      ["", "operator", "tests", "passed", "wrong", "unsupported", "crashed"].map { terminal.styled($0, .dim) })
    for row in rows {
      let others = [ConformanceResult.Outcome.wrong, .unsupported, .crashed].map { row.count($0) }
      table.add(
        [terminal.mark(row.passed == row.tests), ErrorReport.oneLine(row.subject), "\(row.tests)", "\(row.passed)"]
          + others.map { $0 == 0 ? terminal.styled("–", .dim) : "\($0)" })
    }
    lines += table.lines.map { "  " + $0 } + [""]
    let failures = results.filter { !$0.outcome.isPassed }
    for result in failures.prefix(Self.listLimit) {
      let reason = result.reason.split(separator: "\n").first.map(String.init) ?? ""
      lines.append("  \(result.outcome.rawValue) " + ErrorReport.oneLine("\(result.name): \(reason)"))
    }
    if failures.count > Self.listLimit {
      lines.append("  and \(failures.count - Self.listLimit) more; --json names all of them")
    }
    if !failures.isEmpty { lines.append("") }
    if let contradictions {
      lines += contradictions.map { "  " + ErrorReport.oneLine($0) } + (contradictions.isEmpty ? [] : [""])
    }
    let parts = [ConformanceResult.Outcome.wrong, .unsupported, .crashed].compactMap { outcome -> String? in
      let count = names(outcome).count
      return count == 0 ? nil : "\(count) \(outcome.rawValue)"
    }
    let random = names(.nondeterministic).count
    lines.append(
      "\(terminal.mark(isGood)) \(passed) of \(results.count) tests pass"
        + (parts.isEmpty ? "" : "; " + parts.joined(separator: ", "))
        + (random == 0 ? "" : "; of \(random) that depend on chance, types, shapes and kinds of numbers are right"))
    return lines.map { $0 + "\n" }.joined()
  }
}

// MARK: - JSON

extension ConformanceReport: Encodable {
  enum CodingKeys: String, CodingKey {
    case passed, wrong, unsupported, crashed, nondeterministic, total, reasons, operators, unexpected
  }

  private struct Operator: Encodable {
    var name: String
    var tests: Int
    var passed: Int
    var opsets: [Int]
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(names(.passed), forKey: .passed)
    try container.encode(names(.wrong), forKey: .wrong)
    try container.encode(names(.unsupported), forKey: .unsupported)
    try container.encode(names(.crashed), forKey: .crashed)
    try container.encode(names(.nondeterministic), forKey: .nondeterministic)
    try container.encode(results.count, forKey: .total)
    let reasons = results.filter { !$0.outcome.isPassed }.map { ($0.name, $0.reason) }
    try container.encode(Dictionary(reasons, uniquingKeysWith: { first, _ in first }), forKey: .reasons)
    let operators = rows.map {
      Operator(name: $0.subject, tests: $0.tests, passed: $0.passed, opsets: $0.opsets.sorted())
    }
    try container.encode(operators, forKey: .operators)
    try container.encodeIfPresent(contradictions, forKey: .unexpected)
  }
}
