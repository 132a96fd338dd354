import Apus
import ApusGraph
import ApusMedia
import ArgumentParser

/// Files that a parity is written to besides its text.
struct ParityFiles: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A page for a browser: the verdict, and every node to look up. A name that ends in .svg or .png gets the network as a "
        + "drawing. May be repeated.", valueName: "file"),
    completion: .file(extensions: ["html", "svg", "png"]))
  var report: [String] = []

  @Option(
    help: ArgumentHelp("A table with a row for each node of each data set.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var csv: String?

  @Option(
    help: ArgumentHelp("The same as test cases, for continuous integration: JUnit's XML.", valueName: "file"),
    completion: .file(extensions: ["xml"]))
  var junit: String?

  /// Adds what is written to a plan.
  func plan(_ files: inout FilePlan) {
    for path in report {
      files.writes(path, as: "--report", endings: FileKind.pages.extensions + Self.drawings)
    }
    files.writes(csv, as: "--csv")
    files.writes(junit, as: "--junit")
  }

  /// Whether nothing is written.
  var isPlain: Bool { report.isEmpty && csv == nil && junit == nil }

  /// Whether a page is written, which shows how errors are spread.
  var hasPage: Bool { report.contains { !Self.isDrawing($0) } }

  private static let drawings = ["svg", "png"]

  private static func isDrawing(_ path: String) -> Bool {
    drawings.contains(FileKind.fileExtension(path))
  }

  /// Writes what was asked for.
  func write(_ results: ParityResults) throws {
    for path in report {
      guard Self.isDrawing(path) else {
        try TextFile.write(ParityPage(results).html, to: path)
        continue
      }
      guard let pictured = results.pictured else { continue }
      let figure = ParityDrawing(pictured.report, title: results.title).figure
      if FileKind.fileExtension(path) == "svg" {
        try TextFile.write(figure.svg(), to: path)
      } else {
        try ImageFile.write(figure.image(), to: path)
      }
    }
    if let csv { try TextFile.write(results.csv, to: csv) }
    if let junit { try TextFile.write(results.junit, to: junit) }
  }
}

extension ParityResults {
  /// A header and a row for each node; numbers as programs read them, empty where there are none.
  fileprivate var csv: String {
    var text = CSVRow.text([
      "data_set", "index", "node", "operator", "status", "output", "isolated_max_abs", "isolated_snr_db",
      "isolated_cosine",
      "cumulative_max_abs", "cumulative_snr_db", "cumulative_cosine",
    ])
    for set in sets {
      for node in set.report.nodes {
        let output = ParityText.worstOutput(node)
        text += CSVRow.text(
          [set.name, "\(node.index)", node.name, "\(node.operatorName)", node.status.name, output?.name ?? ""]
            + Self.numbers(output?.isolated) + Self.numbers(output?.cumulative))
      }
    }
    return text
  }

  private static func numbers(_ difference: ValueDifference?) -> [String] {
    guard let differences = difference?.comparison?.differences else { return ["", "", ""] }
    let largest = differences.nonFiniteMismatchCount > 0 ? Double.nan : differences.largestAbsolute?.value ?? 0
    return ["\(largest)", "\(differences.signalToNoise)", differences.cosine.map { "\($0)" } ?? ""]
  }

  /// A suite for each data set, a case for each node; one that differs or cannot be run fails, one that the reference
  /// does not have, or has a value that does not fit for, is skipped. Where the verdict is about no node and yet not
  /// *equal*, a case of its own fails.
  fileprivate var junit: String {
    var text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"\(Self.escaped("parity of \(model)"))\">\n"
    for set in sets {
      let nodes = set.report.nodes.filter { !$0.isConstant || !$0.outputs.isEmpty }
      var cases = nodes.map { (name: $0.name, kind: "\($0.operatorName)", outcome: Self.outcome($0)) }
      if !set.report.isEqual, set.report.verdict.first == nil {
        cases.append(("verdict", "parity", .failure(ParityVerdict(set.report).sentence, details: "")))
      }
      let failures = cases.count { if case .failure = $0.outcome { true } else { false } }
      let skipped = cases.count { if case .skipped = $0.outcome { true } else { false } }
      text +=
        "<testsuite name=\"\(Self.escaped(set.name))\" tests=\"\(cases.count)\" failures=\"\(failures)\" "
        + "errors=\"0\" skipped=\"\(skipped)\">\n"
      for (name, kind, outcome) in cases {
        let head = "<testcase name=\"\(Self.escaped(name))\" classname=\"\(Self.escaped(kind))\""
        switch outcome {
        case .success: text += head + "/>\n"
        case .skipped(let reason): text += head + "><skipped message=\"\(Self.escaped(reason))\"/></testcase>\n"
        case .failure(let reason, let details):
          text += head + "><failure message=\"\(Self.escaped(reason))\">\(Self.escaped(details))</failure></testcase>\n"
        }
      }
      text += "</testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  private enum Outcome {
    case success
    case skipped(String)
    case failure(String, details: String)
  }

  private static func outcome(_ node: ParityReport.NodeReport) -> Outcome {
    let output = ParityText.worstOutput(node)
    return switch node.status {
    case .equal, .offByOneLevel, .drifts: .success
    case .unchecked, .random: .skipped(ParityText.remark(node.status))
    case .unfit(let reason): .skipped("\(reason)")
    case .wrong: .failure("this file and the reference part here", details: output?.isolated?.text ?? "")
    case .inherits: .failure("inherits an error", details: output?.cumulative?.text ?? "")
    case .failed(let reason): .failure("cannot be run", details: reason)
    case .notComputed(let name): .failure("cannot be run", details: "'\(name)' has no value")
    }
  }

  private static func escaped(_ text: String) -> String { MarkupText.escaped(text) }
}
