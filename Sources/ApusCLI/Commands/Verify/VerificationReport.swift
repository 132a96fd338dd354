import Apus
import ApusNetworks

/// What `apus verify` says.
struct VerificationReport {
  let results: [Verification]
  let precision: Execution.Precision

  init(_ results: [Verification], precision: Execution.Precision = .exact) {
    self.results = results
    self.precision = precision
  }

  var isEqual: Bool { results.allSatisfy(\.isEqual) }

  /// A table, the worst sample of each output that differs, and the verdict.
  var text: String {
    let terminal = Terminal.output
    var lines = table + [""]
    for result in results where !result.isEqual {
      lines.append("  " + terminal.styled("\(result.model) \(result.output) \(result.dataType)", .bold))
      if let worst = result.summary.worst {
        lines.append("  worst in \(ErrorReport.oneLine(worst.name))")
        lines += worst.comparison.description.split(separator: "\n").map { "  " + $0 }
      }
      lines.append("")
    }
    let count = "\(results.filter(\.isEqual).count) of \(results.count)"
    let how = Self.kernels + (precision == .fast ? ", fast" : "")
    lines.append("\(terminal.mark(isEqual)) \(count) outputs agree with their golden values, on \(how)")
    return lines.map { $0 + "\n" }.joined()
  }

  private static var kernels: String { "\(Execution.current.variant.rawValue) kernels" }

  var table: [String] {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .left, .left, .left, .right, .right, .right, .right])
    table.add(
      ["", "model", "output", "type", "samples", "max error", "theirs", "beyond"].map { terminal.styled($0, .dim) })
    for result in results {
      table.add(
        terminal.mark(result.isEqual), result.model, result.output, "\(result.dataType)",
        "\(result.summary.sampleCount)", NumberText.short(result.summary.largestAbsolute?.value ?? 0),
        result.peerError.map { NumberText.short($0) } ?? terminal.styled("–", .dim),
        "\(result.summary.mismatchedCount)")
    }
    return table.lines.map { "  " + $0 }
  }
}

extension VerificationReport: Encodable {
  enum CodingKeys: String, CodingKey { case equal, results, kernels, precision }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isEqual, forKey: .equal)
    try container.encode(Execution.current.variant.rawValue, forKey: .kernels)
    try container.encode(precision.rawValue, forKey: .precision)
    try container.encode(results, forKey: .results)
  }
}
