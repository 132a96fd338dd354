import Apus

/// What `apus compare` says about two files.
struct ComparisonReport {
  let actual: String
  let expected: String
  let missing: [String]
  let unexpected: [String]
  private(set) var rows: [(name: String, comparison: Comparison)] = []
  private(set) var summary = ComparisonSummary()

  init(actual: String, expected: String, missing: [String], unexpected: [String]) {
    self.actual = actual
    self.expected = expected
    self.missing = missing
    self.unexpected = unexpected
  }

  mutating func add(_ comparison: Comparison, named name: String) {
    rows.append((name, comparison))
    summary.add(comparison, named: name)
  }

  var isEqual: Bool { missing.isEmpty && unexpected.isEmpty && summary.differentCount == 0 }
}

// MARK: - Text

extension ComparisonReport {
  /// Up to this many tensors are all listed.
  private static let listLimit = 24

  /// A table, then the worst tensor in detail, then the verdict.
  func text(listsAll: Bool) -> String {
    var lines: [String] = []
    if rows.count == 1, missing.isEmpty, unexpected.isEmpty, let row = rows.first {
      lines = details(row.name, row.comparison)
    } else {
      lines += table(listsAll: listsAll)
      if let worst = summary.worst, summary.differentCount > 0 {
        lines += [""] + details(worst.name, worst.comparison)
      }
      lines += ["", verdict]
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func table(listsAll: Bool) -> [String] {
    let terminal = Terminal.output
    let listed = listsAll || rows.count <= Self.listLimit ? rows : rows.filter { !$0.comparison.isEqual }
    var table = TextTable(alignments: [.left, .left, .left, .left, .right, .right, .right, .right, .right])
    table.add(
      ["", "tensor", "type", "shape", "beyond", "max abs", "max rel", "max ULP", "SNR dB"]
        .map { terminal.styled($0, .dim) })
    for (name, comparison) in listed {
      var cells = [
        terminal.mark(comparison.isEqual), ErrorReport.oneLine(name), typeText(comparison), shapeText(comparison),
      ]
      if let differences = comparison.differences {
        let peaks = [differences.largestAbsolute, differences.largestRelative, differences.largestULP]
        cells.append("\(differences.mismatchedCount)")
        cells += peaks.map { NumberText.short($0?.value ?? 0) }
        cells.append(NumberText.fixed(differences.signalToNoise, decimals: 1))
      }
      table.add(cells)
    }
    for name in missing { table.add([terminal.mark(false), ErrorReport.oneLine(name), "missing"]) }
    for name in unexpected { table.add([terminal.mark(false), ErrorReport.oneLine(name), "not expected"]) }
    return table.lines.map { "  " + $0 }
  }

  private func typeText(_ comparison: Comparison) -> String {
    let (ours, theirs) = (comparison.actual.dataType, comparison.expected.dataType)
    return ours == theirs ? "\(ours)" : "\(ours) ≠ \(theirs)"
  }

  private func shapeText(_ comparison: Comparison) -> String {
    let (ours, theirs) = (comparison.actual.shape, comparison.expected.shape)
    return ours == theirs ? "\(ours)" : "\(ours) ≠ \(theirs)"
  }

  private func details(_ name: String, _ comparison: Comparison) -> [String] {
    let terminal = Terminal.output
    var lines = comparison.description.split(separator: "\n").map { "  " + $0 }
    lines[0] = "\(terminal.mark(comparison.isEqual)) " + comparison.verdict
    if !name.isEmpty { lines.insert("  " + terminal.styled(ErrorReport.oneLine(name), .bold), at: 0) }
    return lines
  }

  private var verdict: String {
    let terminal = Terminal.output
    return "\(terminal.mark(isEqual)) " + terminal.styled(word, .bold) + rest
  }

  /// The verdict as a sentence.
  var verdictText: String { word + rest }

  private var word: String { isEqual ? "equal" : "different" }

  private var rest: String {
    var parts = ["\(rows.count - summary.differentCount) of \(rows.count) tensors equal"]
    if !missing.isEmpty { parts.append("\(missing.count) missing") }
    if !unexpected.isEmpty { parts.append("\(unexpected.count) not expected") }
    return ": " + parts.joined(separator: ", ")
  }
}

// MARK: - JSON

extension ComparisonReport: Encodable {
  enum CodingKeys: String, CodingKey { case actual, expected, equal, missing, unexpected, tensors, summary }

  private struct Row: Encodable {
    var name: String
    var comparison: Comparison
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(actual, forKey: .actual)
    try container.encode(expected, forKey: .expected)
    try container.encode(isEqual, forKey: .equal)
    try container.encode(missing, forKey: .missing)
    try container.encode(unexpected, forKey: .unexpected)
    try container.encode(rows.map { Row(name: $0.name, comparison: $0.comparison) }, forKey: .tensors)
    try container.encode(summary, forKey: .summary)
  }
}
