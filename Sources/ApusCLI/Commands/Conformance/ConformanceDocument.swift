import Apus

/// The page that says which tests of the standard pass. It is the same wherever it is made.
struct ConformanceDocument {
  let report: ConformanceReport
  /// The version of the standard, when the suite says so.
  let standard: String?

  var text: String {
    let (rows, failures) = (report.rows, report.results.filter { !$0.outcome.isPassed })
    let random = report.names(.nondeterministic).count
    var lines = [
      "# Conformance", "",
      "Made by `apus conformance FOLDER --document docs/conformance.md`; not to be edited by hand.", "",
      "The tests are the node tests of the ONNX standard\(standard.map { ", version \($0)" } ?? ""), as "
        + "`Tests/Fixtures/generate/onnx_node_tests.py` writes them.",
      "Each holds a model of one operator, inputs, and the outputs that the standard asks for, with its tolerances.",
      "",
      "**\(report.passed) of \(report.results.count) tests pass.** Of these, \(random) depend on chance: types, shapes "
        + "and kinds of numbers are compared.", "",
      "A test named `…_expanded…`, in which others spell the operator, counts for the operator.", "",
      "| operator | tests | passed | unsupported | operator sets |", "|---|--:|--:|--:|---|",
    ]
    for row in rows {
      let opsets = row.opsets.sorted().map(String.init).joined(separator: ", ")
      lines.append(
        "| \(row.subject) | \(row.tests) | \(row.passed) | \(row.count(.unsupported)) | \(opsets) |")
    }
    lines += ["", "## Tests that do not pass", ""]
    if failures.isEmpty { lines.append("None.") }
    for result in failures {
      lines.append("- `\(result.name)`: \(result.outcome.rawValue); \(Self.reason(result))")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Why a test does not pass, without what differs from machine to machine: numbers and signals.
  private static func reason(_ result: ConformanceResult) -> String {
    switch result.outcome {
    case .crashed: "the process that ran it ended"
    case .wrong where result.reason.hasPrefix("data set"): "an output is not the one expected"
    default: ErrorReport.oneLine(result.reason.split(separator: "\n").first.map(String.init) ?? "")
    }
  }
}
