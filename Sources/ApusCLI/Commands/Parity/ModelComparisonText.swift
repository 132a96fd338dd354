import Apus
import ApusGraph

/// What two models have in common, as people read it; the nodes are a ``ParityText``'s.
struct ModelComparisonText {
  let report: ModelComparisonReport
  private let terminal = Terminal.output

  init(report: ModelComparisonReport) { self.report = report }

  /// - Parameter listsAll: whether every pair is listed, or those alone that say something.
  func lines(listsAll: Bool, limit: Int) -> [String] {
    inputs + values(listsAll: listsAll) + weights(listsAll: listsAll, limit: limit) + outputs
  }

  private var inputs: [String] {
    report.pairing.inputs.map { "  input   " + described($0) }
  }

  /// `'a' ↔ 'b' by content, axes 0 3 1 2`.
  private func described(_ pair: ModelPairing.Pair) -> String {
    let names =
      "'\(ErrorReport.oneLine(pair.name))'"
      + (pair.name == pair.referenceName ? "" : " ↔ '\(ErrorReport.oneLine(pair.referenceName))'")
    return names + " by \(pair.evidence.rawValue)" + axes(pair) + shapes(pair)
  }

  /// Both shapes where more than an order of axes that is named leads from one to the other.
  private func shapes(_ pair: ModelPairing.Pair) -> String {
    guard let shape = pair.referenceShape, pair.order.axes == nil || shape.count != pair.order.shape.count else {
      return ""
    }
    return ", \(pair.order.shape) here and \(shape) in the reference"
  }

  private func axes(_ pair: ModelPairing.Pair) -> String {
    pair.order.axes.map { ", axes in the order " + $0.map(String.init).joined(separator: " ") } ?? ""
  }

  private func counts(_ pairs: [ModelPairing.Pair]) -> String {
    let kinds: [(ModelPairing.Evidence, String)] = [(.name, "by name"), (.place, "by place"), (.content, "by content")]
    var parts = kinds.compactMap { kind, text -> String? in
      let count = pairs.count { $0.evidence == kind }
      return count > 0 ? "\(count) \(text)" : nil
    }
    let turned = pairs.count { $0.order.axes != nil }
    if turned > 0 { parts.append("\(turned) with axes in another order") }
    return parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
  }

  private func values(listsAll: Bool) -> [String] {
    let pairing = report.pairing
    var lines = ["  values  \(pairing.values.count) of \(pairing.valueCount) paired" + counts(pairing.values)]
    if listsAll {
      lines += pairing.values.map { "          " + described($0) }
    } else {
      // An order of axes that is no difference is said all the same: whoever reads the outputs must know it.
      let names = Set(report.outputs.map(\.name))
      for pair in pairing.values where names.contains(pair.name) && (pair.order.axes ?? pair.referenceShape) != nil {
        lines.append("          output " + described(pair))
      }
    }
    let implied = Set(report.samples.first?.parity.impliedOutputs ?? [])
    for name in pairing.unpairedOutputs where !implied.contains(name) {
      lines.append(
        "  \(terminal.mark(false)) output '\(ErrorReport.oneLine(name))' has no counterpart in the reference")
    }
    let others = pairing.unpairedReferenceOutputs
    if !others.isEmpty {
      lines.append("          outputs of the reference without a counterpart: \(ParityText.list(others))")
    }
    return lines
  }

  private func weights(listsAll: Bool, limit: Int) -> [String] {
    guard report.pairing.weightCount > 0 else { return [""] }
    let different = report.weights.filter(\.isDifferent)
    let folded = report.weights.count(where: \.isFolded)
    var lines = [
      "  weights \(report.weights.count) of \(report.pairing.weightCount) paired"
        + counts(report.weights.map(\.pair))
        + (report.weights.isEmpty
          ? ""
          : "; \(different.isEmpty && folded == 0 ? "all" : "\(report.weights.count - different.count - folded)") equal in FLOAT")
        + (folded > 0 ? ", \(folded) with a scale folded in" : "")
    ]
    let alone = report.pairing.unpairedWeights
    if !alone.isEmpty {
      let names = alone.prefix(listsAll ? alone.count : 3).map { "'\(ErrorReport.oneLine($0))'" }
      let more = alone.count - names.count
      lines.append(
        "          no counterpart: " + names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : ""))
    }
    let listed = listsAll ? report.weights : Array(different.prefix(limit))
    guard !listed.isEmpty else { return lines + [""] }
    var table = TextTable(alignments: [.left, .left, .left, .right, .right, .left])
    table.add(["", "weight", "reference's", "max abs", "SNR dB", ""].map { terminal.styled($0, .dim) })
    for weight in listed {
      let differences = weight.comparison.differences
      let place = differences?.largestAbsolute.map { "at \($0.index)" } ?? ""
      table.add([
        weight.isFolded ? "~" : terminal.mark(weight.comparison.isEqual), ErrorReport.oneLine(weight.pair.name),
        ErrorReport.oneLine(weight.pair.referenceName) + axes(weight.pair),
        NumberText.short(differences?.largestAbsolute?.value ?? 0),
        NumberText.fixed(differences?.signalToNoise ?? .nan, decimals: 1),
        weight.isFolded ? "a scale is folded in" : place,
      ])
    }
    lines += table.lines.map { "    " + $0 }
    if !listsAll, different.count > limit { lines.append("      … \(different.count - limit) more") }
    return lines + [""]
  }

  private var outputs: [String] {
    guard !report.outputs.isEmpty else { return [] }
    var table = TextTable(alignments: [.left] + Array(repeating: .right, count: 8))
    table.add(
      ["output", "SNR dB least", "median", "cosine least", "max error", "own error", "reference's", "top 1", "top 5"]
        .map { terminal.styled($0, .dim) })
    for output in report.outputs {
      func number(_ value: Double?) -> String { value.map { NumberText.short($0) } ?? "–" }
      func decibels(_ value: Double?) -> String { value.map { NumberText.fixed($0, decimals: 1) } ?? "–" }
      func share(_ agreement: OutputStatistics.Agreement?) -> String {
        agreement.map { "\($0.agreeing)/\($0.count)" } ?? "–"
      }
      table.add([
        ErrorReport.oneLine(output.name), decibels(output.signalToNoise.smallest),
        decibels(output.signalToNoise.median), number(output.cosine.smallest), number(output.largestError.largest),
        number(output.ownError.largest), number(output.referenceError.largest), share(output.firstRanks),
        share(output.fiveRanks),
      ])
    }
    return table.lines.map { "  " + $0 } + [""]
  }
}
