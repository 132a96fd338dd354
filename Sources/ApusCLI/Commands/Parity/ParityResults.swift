import Apus
import ApusGraph

/// What `apus parity` found on all data sets.
struct ParityResults {
  let model: String
  private var sets: [(name: String, report: ParityReport)] = []

  init(model: String) { self.model = model }

  mutating func add(_ report: ParityReport, named name: String) { sets.append((name, report)) }

  var isEqual: Bool { sets.allSatisfy { $0.report.isEqual } }
}

// MARK: - Text

extension ParityResults {
  /// For each data set a table, the first difference in detail and a summary by operator; then the verdict.
  func text(listsAll: Bool, limit: Int) -> String {
    let terminal = Terminal.output
    var lines: [String] = []
    for (index, set) in sets.enumerated() {
      if sets.count > 1 {
        lines.append(
          terminal.styled("data set \(index + 1) of \(sets.count), \(ErrorReport.oneLine(set.name))", .bold))
      }
      lines += ParityText(report: set.report).lines(listsAll: listsAll, limit: limit) + [""]
    }
    if sets.count > 1 {
      let different = sets.count { !$0.report.isEqual }
      lines.append(
        "\(terminal.mark(isEqual)) \(sets.count - different) of \(sets.count) data sets are equal")
    } else {
      lines.removeLast()
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

// MARK: - JSON

extension ParityResults: Encodable {
  enum CodingKeys: String, CodingKey {
    case model, equal
    case dataSets = "data_sets"
  }

  private struct DataSetKeys: Encodable {
    var name: String
    var report: ParityReport

    enum CodingKeys: String, CodingKey { case name }

    func encode(to encoder: any Encoder) throws {
      try report.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(model, forKey: .model)
    try container.encode(isEqual, forKey: .equal)
    try container.encode(sets.map { DataSetKeys(name: $0.name, report: $0.report) }, forKey: .dataSets)
  }
}
