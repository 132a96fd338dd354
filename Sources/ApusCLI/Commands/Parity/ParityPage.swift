import Apus
import ApusGraph
import ApusMedia

/// What a parity found, as a page to show: the verdict, the way through the network, and every node to look up.
struct ParityPage {
  private let results: ParityResults

  init(_ results: ParityResults) { self.results = results }

  var html: String {
    var page = HTMLReport(
      title: results.title,
      subtitle: results.reference.map { "\(results.model) against \($0)" } ?? results.model)
    page.blocks = [.notice(verdict)]
    if results.sets.count > 1 { page.blocks += sets }
    if let comparison = results.comparison { page.blocks += common(comparison) }
    if let pictured = results.pictured {
      if results.sets.count > 1 { page.blocks.append(.heading("Data set \(pictured.index + 1): \(pictured.name)")) }
      page.blocks += facts(pictured.report) + way(pictured.report) + nodes(pictured.report)
    }
    return page.html
  }

  private var verdict: String {
    if let only = results.sets.first, results.sets.count == 1 { return ParityVerdict(only.report).sentence }
    let others = results.sets.filter { !$0.report.isEqual }
    guard let first = others.first else { return "equal on all \(results.sets.count) data sets" }
    return "not equal on \(others.count) of \(results.sets.count) data sets; on the first of them, \(first.name): "
      + ParityVerdict(first.report).sentence
  }

  private var sets: [HTMLReport.Block] {
    [
      .heading("Data sets"),
      .table(
        columns: ["data set", "verdict", "first at"],
        rows: results.sets.map { set in
          [set.name, ParityVerdict(set.report).word, set.report.verdict.first.map { set.report.nodes[$0].name } ?? ""]
        }),
    ]
  }

  // MARK: Two models

  private func common(_ report: ModelComparisonReport) -> [HTMLReport.Block] {
    var blocks: [HTMLReport.Block] = [
      .heading("Outputs over \(report.samples.count == 1 ? "1 sample" : "\(report.samples.count) samples")")
    ]
    func number(_ value: Double?) -> String { value.map { NumberText.short($0) } ?? "–" }
    func share(_ agreement: OutputStatistics.Agreement?) -> String {
      agreement.map { "\($0.agreeing) of \($0.count)" } ?? "–"
    }
    blocks.append(
      .table(
        columns: [
          "output", "least SNR (dB)", "median", "least cosine", "max error", "own error", "reference's", "top 1",
          "top 5",
        ],
        rows: report.outputs.map {
          [
            $0.name, number($0.signalToNoise.smallest), number($0.signalToNoise.median), number($0.cosine.smallest),
            number($0.largestError.largest), number($0.ownError.largest), number($0.referenceError.largest),
            share($0.firstRanks), share($0.fiveRanks),
          ]
        }))
    blocks.append(
      .paragraph(
        "Errors of the two sides are against themselves in DOUBLE. "
          + "\(report.pairing.values.count) of \(report.pairing.valueCount) values and \(report.weights.count) of "
          + "\(report.pairing.weightCount) weights have a counterpart in the reference."))
    let pairs = report.pairing.inputs + report.pairing.values
    blocks.append(
      .entries([
        HTMLReport.Entry(
          "Pairs of values", remark: "\(pairs.count)",
          blocks: [
            .table(
              columns: ["this file", "the reference", "by", "axes"],
              rows: pairs.map {
                [$0.name, $0.referenceName, $0.evidence.rawValue, Self.axes($0.order) + Self.shapes($0)]
              })
          ]),
        HTMLReport.Entry(
          "Weights", remark: "\(report.weights.count(where: \.isDifferent)) differ",
          blocks: [
            .table(
              columns: ["this file", "the reference", "max abs", "SNR (dB)", "axes"],
              rows: report.weights.map {
                [
                  $0.pair.name, $0.pair.referenceName, number($0.comparison.differences?.largestAbsolute?.value ?? 0),
                  number($0.comparison.differences?.signalToNoise), Self.axes($0.pair.order),
                ]
              })
          ]),
      ]))
    return blocks
  }

  private static func axes(_ order: AxisOrder) -> String {
    order.axes.map { $0.map(String.init).joined(separator: " ") } ?? ""
  }

  /// Both shapes of an input or an output where they differ.
  private static func shapes(_ pair: ModelPairing.Pair) -> String {
    guard let shape = pair.referenceShape else { return "" }
    return (pair.order.axes == nil ? "" : ", ") + "\(pair.order.shape) here and \(shape) there"
  }

  // MARK: The network

  private func facts(_ report: ParityReport) -> [HTMLReport.Block] {
    func count(_ status: (ParityReport.Status) -> Bool) -> String { "\(report.nodes.count { status($0.status) })" }
    return [
      .facts([
        .init("nodes", "\(report.nodes.count)"), .init("values checked", "\(report.checkedCount)"),
        .init("nodes that differ", count { $0 == .wrong }), .init("that inherit", count { $0 == .inherits }),
        .init("that drift by rounding", count { $0 == .drifts }),
        .init("unchecked", "\(report.uncheckedCount)"),
        .init("values that do not fit", "\(report.unfitNames.count)"),
      ])
    ]
  }

  private static func signalToNoise(_ difference: ValueDifference?) -> Double? {
    guard let differences = difference?.comparison?.differences else { return difference == nil ? nil : 0 }
    return DifferenceBlocks.signalToNoise(differences)
  }

  /// How hot the square of a difference is; nil where the reference has no value.
  static func heat(_ difference: ValueDifference?) -> Double? {
    signalToNoise(difference).map(DifferenceBlocks.heat)
  }

  private func way(_ report: ParityReport) -> [HTMLReport.Block] {
    func series(_ name: String, _ style: Chart.Style, _ value: (ParityReport.Output) -> ValueDifference?)
      -> Chart.Series
    {
      Chart.Series(
        name, style: style,
        points: report.nodes.compactMap { node in
          ParityText.worstOutput(node).flatMap { Self.signalToNoise(value($0)) }.map { .init(Double(node.index), $0) }
        })
    }
    return DifferenceBlocks.chart(
      "Signal to noise, node by node", "node",
      [series("cumulative", .line, \.cumulative), series("isolated", .dots, \.isolated)])
  }

  private func nodes(_ report: ParityReport) -> [HTMLReport.Block] {
    let shown = report.nodes.filter { !$0.isConstant || !$0.outputs.isEmpty }
    return [
      .heading("Nodes"),
      .paragraph(
        "In the order in which they run. The first square is what a node itself differs by on the reference's values, the "
          + "second what this file's own run differs by there: green to red from 140 dB to 20 dB, empty where the reference "
          + "has no value."),
      .download(
        .init(
          "Save the network as a drawing (SVG)", fileName: "parity.svg", mediaType: "image/svg+xml",
          bytes: Array(ParityDrawing(report, title: results.title).figure.svg().utf8))),
      .entries(shown.map(entry)),
    ]
  }

  private func entry(_ node: ParityReport.NodeReport) -> HTMLReport.Entry {
    let output = ParityText.worstOutput(node)
    return HTMLReport.Entry(
      "\(node.name) · \(node.operatorName)", remark: Self.remark(node),
      heat: [("isolated", Self.heat(output?.isolated)), ("cumulative", Self.heat(output?.cumulative))],
      blocks: details(node))
  }

  /// What is to be said of a node at the end of its line.
  static func remark(_ node: ParityReport.NodeReport) -> String {
    let ratio = signalToNoise(ParityText.worstOutput(node)?.cumulative).flatMap(DifferenceBlocks.remark)
    return [ParityText.remark(node.status), ratio].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " · ")
  }

  private func details(_ node: ParityReport.NodeReport) -> [HTMLReport.Block] {
    var blocks: [HTMLReport.Block] = []
    switch node.status {
    case .unfit(let reason): blocks.append(.notice("\(reason)"))
    case .failed(let reason): blocks.append(.notice(reason))
    default: break
    }
    if !node.suspects.isEmpty {
      blocks.append(
        .paragraph(
          "Judged together with, for the reference has nothing in between: " + node.suspects.joined(separator: ", ")))
    }
    for pattern in node.patterns { blocks.append(.paragraph("What the difference is made of: \(pattern).")) }
    let attributes = node.attributes.map { [$0.name, $0.value, "attribute"] }
    let inputs = node.inputs.map { [$0.name, $0.type.map { "\($0)" } ?? "", Self.origin($0.source)] }
    if !(attributes + inputs).isEmpty {
      blocks.append(
        .table(columns: ["\(node.operatorName), version \(node.opset)", "", ""], rows: attributes + inputs))
    }
    for output in node.outputs { blocks += details(output) }
    return blocks
  }

  private static func origin(_ source: ParityReport.Input.Source) -> String {
    switch source {
    case .constant: "constant"
    case .input: "input of the model"
    case .reference: "from the reference"
    case .computed: "computed"
    }
  }

  private func details(_ output: ParityReport.Output) -> [HTMLReport.Block] {
    func row(_ name: String, _ difference: ValueDifference?) -> [String]? {
      guard let difference else { return nil }
      guard let differences = difference.comparison?.differences else {
        return [name, difference.reason ?? (difference.comparison == nil ? "equal" : "another shape"), "", "", ""]
      }
      return DifferenceBlocks.row(name, differences)
    }
    return [
      .table(
        columns: DifferenceBlocks.columns("\(output.name)  \(output.type.map { "\($0)" } ?? "")"),
        rows: [row("isolated", output.isolated), row("cumulative", output.cumulative)].compactMap { $0 })
    ] + DifferenceBlocks.profile(output.profile, ("this file", "the reference"))
  }
}
