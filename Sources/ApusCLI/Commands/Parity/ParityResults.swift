import Apus
import ApusGraph

/// What `apus parity` found on all data sets.
struct ParityResults {
  /// The file that was judged, and the model that it was judged by where that was not a file of values.
  let model: String
  var reference: String?
  private(set) var sets: [(name: String, report: ParityReport)] = []
  private(set) var comparison: ModelComparisonReport?

  init(model: String) { self.model = model }

  init(model: String, reference: String, comparison: ModelComparisonReport) {
    self.model = model
    self.reference = reference
    self.comparison = comparison
    sets = comparison.samples.map { ($0.name, $0.parity) }
  }

  mutating func add(_ report: ParityReport, named name: String) { sets.append((name, report)) }

  var isEqual: Bool { comparison?.isEqual ?? sets.allSatisfy { $0.report.isEqual } }

  /// The sets that are worth a table of nodes: all, but of those that two models were run on the first that differs.
  var shown: [(index: Int, name: String, report: ParityReport)] {
    let all = sets.enumerated().map { (index: $0, name: $1.name, report: $1.report) }
    return comparison == nil ? all : [all.first { !$0.report.isEqual } ?? all.first].compactMap { $0 }
  }

  /// The set that a page or a drawing is about: the first that differs, or the first.
  var pictured: (index: Int, name: String, report: ParityReport)? {
    shown.first { !$0.report.isEqual } ?? shown.first
  }

  /// What pages and drawings are called.
  var title: String { "Parity of \(model.split(separator: "/").last.map(String.init) ?? model)" }
}

// MARK: - Text

extension ParityResults {
  /// For each data set a table, the first difference in detail and a summary by operator; then the verdict.
  func text(listsAll: Bool, limit: Int) -> String {
    let terminal = Terminal.output
    var lines: [String] = []
    if let comparison, let reference {
      lines.append(
        terminal.styled("\(ErrorReport.oneLine(model)) against \(ErrorReport.oneLine(reference))", .bold)
          + (comparison.isReferenceInFloat64 ? ", which is computed in DOUBLE" : ", in its own numbers"))
      lines += ModelComparisonText(report: comparison).lines(listsAll: listsAll, limit: limit)
    }
    for set in shown {
      if sets.count > 1 {
        lines.append(
          terminal.styled("data set \(set.index + 1) of \(sets.count), \(ErrorReport.oneLine(set.name))", .bold))
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
    case model, reference, equal, pairing, weights, outputs
    case isReferenceInFloat64 = "reference_in_float64"
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
    try container.encodeIfPresent(reference, forKey: .reference)
    try container.encode(isEqual, forKey: .equal)
    if let comparison {
      try container.encode(comparison.isReferenceInFloat64, forKey: .isReferenceInFloat64)
      try container.encode(comparison.pairing, forKey: .pairing)
      try container.encode(comparison.weights, forKey: .weights)
      try container.encode(comparison.outputs, forKey: .outputs)
    }
    try container.encode(sets.map { DataSetKeys(name: $0.name, report: $0.report) }, forKey: .dataSets)
  }
}
