import ApusGraph

/// A parity's verdict as a sentence: the word that counts, and the rest.
struct ParityVerdict {
  let word: String
  let rest: String

  init(_ report: ParityReport) {
    func described(_ position: Int) -> String { ParityText.described(report.nodes[position]) }
    let inherit = report.nodes.count { $0.status == .inherits }
    switch report.verdict {
    case .nothingChecked: (word, rest) = ("nothing was checked", "")
    case .equal:
      let drifting = report.nodes.count { $0.status == .drifts }
      let values = drifting == 0 ? "all \(report.checkedCount) values are" : "every node is"
      (word, rest) = ("equal", ": \(values) within tolerance" + Self.note(report))
    case .wrong(let first, let count):
      var sentence = ": this file and the reference part at \(described(first))"
      let suspects = report.nodes[first].suspects
      if !suspects.isEmpty {
        // Nodes of a second model have a counterpart up to the one that is wrong; values in a file may lack any.
        let named = report.isReferenceModel ? suspects.prefix(4) : suspects.suffix(4)
        let others = named.map { "'\(ErrorReport.oneLine($0))'" }.joined(separator: ", ")
        sentence += ", or at a node before it that the reference does not have: \(others)"
        if suspects.count > 4 { sentence += " and \(suspects.count - 4) more" }
      }
      if count > 1 { sentence += "; \(count - 1) more \(count == 2 ? "differs" : "differ")" }
      if inherit > 0 { sentence += "; \(inherit) \(inherit == 1 ? "inherits" : "inherit") an error" }
      let failed = report.operators.reduce(0) { $0 + $1.failed }
      if failed > 0 { sentence += "; \(failed) cannot be run" }
      (word, rest) = ("different", sentence + Self.note(report))
    case .accumulated(let first):
      (word, rest) = (
        "different",
        ": no node differs by itself; rounding adds up beyond tolerance first at \(described(first)), \(inherit) nodes in "
          + "all" + Self.note(report)
      )
    case .incomplete(let first): (word, rest) = ("incomplete", ": \(described(first)) cannot be run")
    case .inconclusive(.outputs):
      (word, rest) = (
        "incomplete", ": all \(report.checkedCount) values that were compared are within tolerance" + Self.note(report)
      )
    case .inconclusive(.sameness):
      let dropping = report.droppingNodes
      (word, rest) = (
        "incomplete",
        ": all \(report.checkedCount) values that were compared are within tolerance, but "
          + dropping.prefix(3).map(described).joined(separator: ", ")
          + (dropping.count > 3 ? " and \(dropping.count - 3) more leave" : dropping.count > 1 ? " leave" : " leaves")
          + " elements out by chance: export the model in evaluation mode" + Self.note(report)
      )
    case .inconclusive(.numbers):
      (word, rest) = (
        "incomplete",
        ": every output is NaN or infinite everywhere, or has no elements, on both sides, which says nothing of what leads "
          + "to it"
          + Self.note(report)
      )
    }
  }

  /// The whole sentence.
  var sentence: String { word + rest }

  /// What is not counted.
  private static func note(_ report: ParityReport) -> String {
    let levels = report.nodes.count { $0.status == .offByOneLevel }
    let unfit = report.unfitNames.count
    let empty = report.namesWithoutNumbers
    let others = report.nodes.flatMap(\.outputs).filter(\.isOfOtherIntegers).map(\.name)
    let alone = report.uncomparedOutputs
    let isForeign = !report.unknownNames.isEmpty && (report.isReferenceModel || !alone.isEmpty)
    var parts: [String] = []
    if levels > 0 { parts.append("\(levels) with quantised levels off by one") }
    let drifting = report.nodes.count { $0.status == .drifts }
    if drifting > 0 {
      parts.append(
        "at \(drifting) rounding has added up to more, no further than the model parts from itself in DOUBLE")
    }
    if unfit > 0 {
      parts.append(
        "\(unfit) of the reference's values \(unfit == 1 ? "does" : "do") not fit this file and "
          + "\(unfit == 1 ? "is" : "are") not counted")
    }
    if !empty.isEmpty, report.verdict != .inconclusive(.numbers) {
      parts.append("NaN or infinite everywhere, or without elements, on both sides: \(ParityText.list(empty))")
    }
    if !others.isEmpty { parts.append("integers of another type than the reference's: \(ParityText.list(others))") }
    if !alone.isEmpty {
      let lack = report.isReferenceModel ? "the reference does not have" : "had nothing to be compared with"
      parts.append("outputs that \(lack): \(ParityText.list(alone))")
    }
    if !report.impliedOutputs.isEmpty {
      parts.append("outputs that follow from what was compared: \(ParityText.list(report.impliedOutputs))")
    }
    if !report.isReferenceModel {
      let differing = [("constants", report.differingConstants), ("inputs", report.differingInputs)]
      for (kind, names) in differing where !names.isEmpty {
        parts.append("\(kind) of this file that the reference has others of: \(ParityText.list(names))")
      }
    }
    if isForeign {
      let names = report.isReferenceModel ? "outputs" : "names"
      parts.append("\(names) of the reference that this file does not have: \(ParityText.list(report.unknownNames))")
    }
    return parts.map { "; " + $0 }.joined()
  }
}
