import Apus
import ApusCoreML
import ApusFormats
import ApusGraph

/// The page that says which tests of a suite pass. It is the same wherever it is made.
struct ConformanceDocument {
  let report: ConformanceReport
  let suite: ConformanceSuite
  /// Why tests do not pass, by name, where somebody has said so.
  let reasons: [String: String]

  var text: String {
    let failures = report.results.filter { !$0.outcome.isPassed }
    var lines = suite.cases.first is CoreMLConformanceCase ? coreML : standard
    lines += ["", "## Tests that do not pass", ""]
    if failures.isEmpty { lines.append("None.") }
    for result in failures {
      lines.append("- `\(result.name)`: \(result.outcome.rawValue); \(reasons[result.name] ?? Self.reason(result))")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// How many pass, in bold.
  private var counts: String {
    let random = report.names(.nondeterministic).count
    return "**\(report.passed) of \(report.results.count) tests pass.** Of these, \(random) depend on chance: types, "
      + "shapes and kinds of numbers are compared."
  }

  private var standard: [String] {
    var lines = [
      "# Conformance", "",
      "Made by `apus conformance FOLDER --document docs/conformance.md`; not to be edited by hand.", "",
      "The tests are the node tests of the ONNX standard\(suite.standard.map { ", version \($0)" } ?? ""), as "
        + "`Tests/Fixtures/generate/onnx_node_tests.py` writes them.",
      "Each holds a model of one operator, inputs, and the outputs that the standard asks for, with its tolerances.",
      "", counts, "", "A test named `…_expanded…`, in which others spell the operator, counts for the operator.", "",
      "| operator | tests | passed | unsupported | operator sets |", "|---|--:|--:|--:|---|",
    ]
    for row in report.rows {
      let opsets = row.opsets.sorted().map(String.init).joined(separator: ", ")
      lines.append(
        "| \(row.subject) | \(row.tests) | \(row.passed) | \(row.count(.unsupported)) | \(opsets) |")
    }
    return lines
  }

  private var coreML: [String] {
    let numbers = Dictionary(
      suite.cases.compactMap { test in
        (test as? CoreMLConformanceCase).map { ($0.name, (try? $0.numbers()) ?? .float32) }
      }, uniquingKeysWith: { first, _ in first })
    var lines = [
      "# Conformance of Core ML", "",
      "Made by `apus conformance FOLDER --expected-failures LIST --document docs/conformance-coreml.md`; not to be "
        + "edited by hand.",
      "",
      "A test is a model with inputs and the right outputs, as [Core ML models](coreml.md) describes it; everything is "
        + "computed in float32.", "", counts, "",
      "| numbers | may be off by | tests | passed |", "|---|--:|--:|--:|",
    ]
    for kind in CoreMLConformanceCase.Numbers.allCases {
      let most =
        switch kind {
        case .float32: "1e-4"
        case .roundedWeights: "1e-4 to 3e-2"
        case .float16: "3e-2"
        }
      let results = report.results.filter { numbers[$0.name] == kind }
      lines.append("| \(kind.rawValue) | \(most) | \(results.count) | \(results.count { $0.outcome.isPassed }) |")
    }
    lines += [
      "",
      "Numbers are off by so much of themselves, and by so much in all. Where weights have sixteen bits or fewer, the answer may be",
      "that of the weights before they were rounded: what the test itself grants counts, from 1e-4 to 3e-2. A test of several",
      "operations counts for the first.", "",
      "| operation or layer | tests | passed | unsupported |", "|---|--:|--:|--:|",
    ]
    for row in report.rows {
      let name = row.subject.hasPrefix("coreml.") ? String(row.subject.dropFirst("coreml.".count)) : row.subject
      lines.append("| \(name) | \(row.tests) | \(row.passed) | \(row.count(.unsupported)) |")
    }
    return lines
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
