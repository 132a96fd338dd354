import Apus
import ApusGraph
import ApusMedia

/// What a comparison of two files found, as a page to show: the verdict, and every tensor to look up.
struct ComparisonPage {
  private let report: ComparisonReport
  /// How the errors of the tensors are spread, by their names, of those that differ at all.
  private let profiles: [String: ErrorProfile]

  init(_ report: ComparisonReport, profiles: [String: ErrorProfile]) {
    self.report = report
    self.profiles = profiles
  }

  var html: String {
    var page = HTMLReport(
      title: "Comparison of \(report.actual.split(separator: "/").last ?? "")",
      subtitle: "\(report.actual) against \(report.expected)")
    page.blocks = [.notice(report.verdictText), facts] + way
    if !absent.isEmpty {
      page.blocks += [.heading("In one file alone"), .table(columns: ["tensor", ""], rows: absent)]
    }
    page.blocks += [
      .heading("Tensors"),
      .paragraph(
        "In the order of \(report.expected). The square is what a tensor differs by: green to red from 140 dB to 20 dB."
      ),
      .entries(report.rows.map(entry)),
    ]
    return page.html
  }

  private var facts: HTMLReport.Block {
    .facts([
      .init("tensors", "\(report.rows.count)"), .init("that differ", "\(report.summary.differentCount)"),
      .init("missing", "\(report.missing.count)"), .init("not expected", "\(report.unexpected.count)"),
    ])
  }

  private var absent: [[String]] {
    report.missing.map { [$0, "missing"] } + report.unexpected.map { [$0, "not expected"] }
  }

  private var way: [HTMLReport.Block] {
    let points = report.rows.enumerated().compactMap { index, row in
      row.comparison.differences.map { Chart.Sample(Double(index), DifferenceBlocks.signalToNoise($0)) }
    }
    return DifferenceBlocks.chart(
      "Signal to noise, tensor by tensor", "tensor", [Chart.Series("tensors", style: .line, points: points)])
  }

  private func entry(_ row: (name: String, comparison: Comparison)) -> HTMLReport.Entry {
    let ratio = row.comparison.differences.map(DifferenceBlocks.signalToNoise)
    let verdict = row.comparison.isEqual ? nil : row.comparison.hasEqualShapes ? "differs" : "another shape"
    return HTMLReport.Entry(
      row.name.isEmpty ? "the tensor" : row.name,
      remark: [verdict, ratio.flatMap(DifferenceBlocks.remark)].compactMap { $0 }.joined(separator: " · "),
      heat: [("difference", ratio.map(DifferenceBlocks.heat) ?? 1)], blocks: details(row))
  }

  private func details(_ row: (name: String, comparison: Comparison)) -> [HTMLReport.Block] {
    let (actual, expected) = (row.comparison.actual, row.comparison.expected)
    func side(_ name: String, _ side: Comparison.Side) -> [String] {
      [name, "\(side.dataType)", "\(side.shape)", "\(side.nanCount)", "\(side.infinityCount)"]
    }
    let tolerance = row.comparison.tolerance
    var blocks: [HTMLReport.Block] = [
      .table(
        columns: ["", "type", "shape", "NaN", "infinite"],
        rows: [side(report.actual, actual), side(report.expected, expected)])
    ]
    guard let differences = row.comparison.differences else { return blocks }
    blocks.append(
      .table(
        columns: DifferenceBlocks.columns(
          "rtol \(NumberText.short(tolerance.relative)), atol \(NumberText.short(tolerance.absolute))"),
        rows: [DifferenceBlocks.row("all elements", differences)]))
    return blocks + DifferenceBlocks.profile(profiles[row.name], (report.actual, report.expected))
  }
}
