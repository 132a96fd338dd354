import Apus
import ApusGraph

/// A ``ParityReport`` as people read it.
struct ParityText {
  let report: ParityReport
  private let terminal = Terminal.output

  init(report: ParityReport) { self.report = report }

  func lines(listsAll: Bool, limit: Int) -> [String] {
    var lines = [overview, ""]
    let listed = listed(listsAll: listsAll, limit: limit)
    if !listed.isEmpty { lines += table(listed) }
    let left = report.nodes.count { isNoteworthy($0) && !listed.contains($0.index) }
    if left > 0 { lines.append("     … \(left) more beyond tolerance (--all lists every node)") }
    if !listed.isEmpty { lines.append("") }
    if let first = report.verdict.first { lines += details(report.nodes[first]) + [""] }
    lines += unfit(limit: limit)
    lines += operators + [""]
    return lines + verdict
  }

  private var overview: String {
    func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
    var parts = [counted(report.nodes.count, "node"), counted(report.checkedCount, "value") + " checked"]
    if report.uncheckedCount > 0 { parts.append(counted(report.uncheckedCount, "node") + " unchecked") }
    let constant = report.nodes.count { $0.isConstant && $0.outputs.isEmpty }
    if constant > 0 { parts.append("\(constant) constant and not looked at") }
    if report.bodyNodeCount > 0 { parts.append("\(report.bodyNodeCount) in bodies and not looked into") }
    if !report.unknownNames.isEmpty, !report.isReferenceModel {
      let names = Self.list(report.unknownNames)
      parts.append("\(report.unknownNames.count) of the file's names not in the model (\(names))")
    }
    let empty = report.namesWithoutNumbers
    if !empty.isEmpty {
      parts.append("\(empty.count) NaN or infinite everywhere or without elements (\(Self.list(empty)))")
    }
    return parts.joined(separator: ", ")
  }

  // MARK: The table

  private func isNoteworthy(_ node: ParityReport.NodeReport) -> Bool {
    switch node.status {
    case .equal, .unchecked, .random: false
    case .offByOneLevel, .wrong, .unfit, .inherits, .drifts, .failed, .notComputed: true
    }
  }

  /// The positions to show: all, or the noteworthy with their neighbours.
  private func listed(listsAll: Bool, limit: Int) -> [Int] {
    if listsAll {
      return report.nodes.filter { !$0.isConstant || isNoteworthy($0) }.map(\.index)
    }
    var wanted: Set<Int> = []
    for index in report.nodes.indices where isNoteworthy(report.nodes[index]) {
      if wanted.count >= limit { break }
      wanted.formUnion([index - 1, index, index + 1].filter(report.nodes.indices.contains))
    }
    return Array(wanted.sorted().prefix(limit))
  }

  private func table(_ indices: [Int]) -> [String] {
    var table = TextTable(alignments: [.left, .left, .left, .left, .right, .right, .right, .right, .left])
    table.add(
      ["", "node", "operator", "output", "isolated", "SNR dB", "cumulative", "SNR dB", ""]
        .map { terminal.styled($0, .dim) })
    for index in indices {
      let node = report.nodes[index]
      let output = Self.worstOutput(node)
      let (isolated, cumulative) = (numbers(output?.isolated), numbers(output?.cumulative))
      table.add([
        mark(node), shortened(node.name, 44), "\(node.operatorName)", output?.type.map { "\($0)" } ?? "",
        isolated.error, isolated.snr, cumulative.error, cumulative.snr, remark(node),
      ])
    }
    return table.lines.map { "  " + $0 }
  }

  /// The output that says most of a node: one that differs by itself, one that differs at all, the first.
  static func worstOutput(_ node: ParityReport.NodeReport) -> ParityReport.Output? {
    node.outputs.first { $0.isolated?.isAcceptable == false }
      ?? node.outputs.first { $0.cumulative?.isAcceptable == false } ?? node.outputs.first
  }

  private func mark(_ node: ParityReport.NodeReport) -> String {
    switch node.status {
    case .equal: terminal.mark(true)
    case .wrong, .failed: terminal.mark(false)
    case .inherits, .drifts, .unfit, .offByOneLevel, .notComputed: terminal.styled("~", .yellow)
    case .unchecked, .random: terminal.styled("·", .dim)
    }
  }

  private func remark(_ node: ParityReport.NodeReport) -> String {
    let remark = Self.remark(node.status)
    return switch node.status {
    case .wrong, .failed: terminal.styled(remark, .red)
    case .unfit, .inherits: terminal.styled(remark, .yellow)
    case .unchecked, .random: terminal.styled(remark, .dim)
    case .equal, .offByOneLevel, .drifts, .notComputed: remark
    }
  }

  /// What is to be said of a node in a word or a few; nothing of one that is equal.
  static func remark(_ status: ParityReport.Status) -> String {
    switch status {
    case .equal: ""
    case .wrong: "differs"
    case .unfit: "the reference does not fit"
    case .inherits: "inherits"
    case .drifts: "drifts by rounding"
    case .offByOneLevel: "levels off by one"
    case .unchecked: "unchecked"
    case .random: "random, taken over"
    case .failed: "cannot be run"
    case .notComputed: "not computed"
    }
  }

  private func numbers(_ difference: ValueDifference?) -> (error: String, snr: String) {
    guard let difference else { return ("–", "–") }
    guard let comparison = difference.comparison else { return (difference.reason == nil ? "0" : "≠", "") }
    guard let differences = comparison.differences else { return ("shape", "") }
    if differences.nonFiniteMismatchCount > 0 { return ("nan, inf", "") }
    let error = NumberText.short(differences.largestAbsolute?.value ?? 0)
    return (error, NumberText.fixed(differences.signalToNoise, decimals: 1))
  }

  private func shortened(_ text: String, _ limit: Int) -> String {
    let text = ErrorReport.oneLine(text)
    return text.count <= limit ? text : "…" + text.suffix(limit - 1)
  }

  // MARK: One node

  private func details(_ node: ParityReport.NodeReport) -> [String] {
    var table = TextTable()
    table.add("  node", terminal.styled(ErrorReport.oneLine(node.name), .bold))
    table.add("  operator", "\(node.operatorName), version \(node.opset)")
    for attribute in node.attributes {
      table.add("  attribute", ErrorReport.oneLine("\(attribute.name) = \(attribute.value)"))
    }
    for input in node.inputs {
      let origin =
        switch input.source {
        case .constant: "constant"
        case .input: "input of the model"
        case .reference: "from the reference"
        case .computed: "computed; the reference does not have it"
        }
      table.add("  input", ErrorReport.oneLine("'\(input.name)'  \(input.type.map { "\($0)" } ?? "?")  \(origin)"))
    }
    for output in node.outputs {
      table.add("  output", ErrorReport.oneLine("'\(output.name)'  \(output.type.map { "\($0)" } ?? "?")"))
    }
    var lines = table.lines
    if case .failed(let reason) = node.status { lines.append("  " + ErrorReport.oneLine(reason)) }
    if let output = Self.worstOutput(node) {
      lines += block("on the reference's inputs", output.isolated) + block("in Apus' own run", output.cumulative)
      lines += truth(output.truth)
    }
    if !node.patterns.isEmpty {
      lines.append("  " + terminal.styled("what the difference is made of", .bold))
      lines += node.patterns.map { "    " + ErrorReport.oneLine("\($0)") }
    }
    if node.terms > 1 { lines.append("  an element adds up \(node.terms) terms") }
    return lines
  }

  private func block(_ title: String, _ difference: ValueDifference?) -> [String] {
    guard let difference else { return [] }
    return ["  " + terminal.styled(title, .bold)] + difference.text.split(separator: "\n").map { "    " + $0 }
  }

  /// Which side is closer to the node computed in DOUBLE: to what the model's file says, which may not be what was
  /// meant.
  private func truth(_ truth: ParityReport.Truth?) -> [String] {
    guard let truth else { return [] }
    var lines: [String] = []
    func add(_ title: String, _ reference: ValueDifference?, _ actual: ValueDifference?) {
      guard let reference = reference?.comparison?.differences, let actual = actual?.comparison?.differences else {
        return
      }
      let (r, a) = (reference.largestAbsolute?.value ?? 0, actual.largestAbsolute?.value ?? 0)
      lines.append(
        "    \(title): the reference is off by \(NumberText.short(r)), Apus by \(NumberText.short(a)): "
          + Self.judgement(reference.rootMeanSquare, actual.rootMeanSquare))
    }
    add("on the reference's inputs", truth.isolatedReference, truth.isolatedActual)
    add("the whole model", truth.cumulativeReference, truth.cumulativeActual)
    if lines.isEmpty { return [] }
    return ["  " + terminal.styled("against what this file says, computed in DOUBLE", .bold)] + lines
  }

  /// - Parameters: root mean squares of the errors.
  private static func judgement(_ reference: Double, _ actual: Double) -> String {
    if reference <= 2 * actual, actual <= 2 * reference { return "both are about as close" }
    return reference > actual ? "it is the reference that is off" : "it is Apus that is off"
  }

  // MARK: Summary

  /// A sentence for each value of the reference that does not fit.
  private func unfit(limit: Int) -> [String] {
    let nodes = report.nodes.filter { $0.unfitReference != nil }
    var lines = nodes.prefix(limit).compactMap { node in
      node.unfitReference.map { "  \(mark(node)) \(Self.described(node)): " + ErrorReport.oneLine("\($0)") }
    }
    if nodes.count > limit { lines.append("    … and so of \(nodes.count - limit) more nodes") }
    return lines.isEmpty ? [] : lines + [""]
  }

  private var operators: [String] {
    var table = TextTable(alignments: [.left, .left, .right, .right, .right, .right, .right, .left])
    table.add(
      ["", "operator", "nodes", "checked", "differ", "inherit", "worst RMS", "node"].map { terminal.styled($0, .dim) })
    for summary in report.operators where summary.checked + summary.failed > 0 {
      table.add([
        terminal.mark(summary.wrong + summary.failed == 0), summary.name, "\(summary.nodes)", "\(summary.checked)",
        "\(summary.wrong)", "\(summary.inherits)", NumberText.short(summary.largestError),
        shortened(summary.worstNode ?? "", 40),
      ])
    }
    return table.lines.map { "  " + $0 }
  }

  private var verdict: [String] {
    let verdict = ParityVerdict(report)
    return ["\(terminal.mark(report.isEqual)) " + terminal.styled(verdict.word, .bold) + verdict.rest]
  }

  /// The first three of some names, and how many there are besides.
  static func list(_ names: [String]) -> String {
    names.prefix(3).map { "'\(ErrorReport.oneLine($0))'" }.joined(separator: ", ")
      + (names.count > 3 ? " and \(names.count - 3) more" : "")
  }

  /// A node as sentences have it.
  static func described(_ node: ParityReport.NodeReport) -> String {
    "'\(ErrorReport.oneLine(node.name))' (\(node.operatorName))"
  }
}

extension ValueDifference {
  /// The verdict and the measures, a line each.
  var text: String {
    if let comparison {
      return isOffByOneLevel ? "quantised levels are off by one\n\(comparison)" : "\(comparison)"
    }
    return reason ?? "equal"
  }
}
