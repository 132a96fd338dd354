import Apus
import ApusMotion

/// What `apus barpath` says, for people.
struct BarPathText {
  private let result: BarPathResult

  init(_ result: BarPathResult) { self.result = result }

  var lines: [String] {
    let terminal = Terminal.output
    var lines: [String] = []
    var table = TextTable(alignments: [.right, .right, .right, .right, .right, .right, .right])
    if !result.reps.isEmpty {
      table.add(
        ["rep", "start", "range", "mean up", "highest up", "down", "sideways"].map { terminal.styled($0, .dim) })
    }
    for rep in result.reps {
      table.add(
        "\(rep.id + 1)", NumberText.fixed(rep.startTime, decimals: 2) + " s", result.lengthText(rep.rom),
        result.velocityText(rep.meanConcentricVelocity), result.velocityText(rep.peakConcentricVelocity),
        rep.eccentricDuration.map { NumberText.fixed($0, decimals: 2) + " s" } ?? "–",
        result.lengthText(rep.xDeviation))
    }
    lines += table.lines.map { "  " + $0 }
    for rep in result.reps where result.settings.liftType != .squat && result.settings.liftType != .bench {
      lines += phases(of: rep)
    }
    let summary = result.summary
    var line =
      "\(summary.repCount) \(summary.repCount == 1 ? "repetition" : "repetitions") in \(result.samples.count) frames"
    if summary.repCount > 0 {
      line +=
        "; mean range \(result.lengthText(summary.averageRom)), mean concentric velocity "
        + result.velocityText(summary.averageMeanConcentricVelocity)
      if let best = summary.bestRep, summary.repCount > 1 { line += ", fastest rep \(best + 1)" }
    }
    if result.askedLift == .auto, let guess = result.guess, guess.isSure { line += "; looks like \(guess)" }
    lines += (lines.isEmpty ? [] : [""]) + [line]
    lines += result.warnings.map { terminal.styled("! ", .yellow) + "\($0)" }
    return lines
  }
}

extension BarPathText {
  /// A table of a repetition's phases, under a line that says whose they are.
  private func phases(of rep: BarRep) -> [String] {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .right, .right, .right, .right, .right, .right])
    table.add(["phase", "start", "time", "from", "to", "mean", "highest"].map { terminal.styled($0, .dim) })
    for phase in rep.phases {
      table.add(
        phase.kind.rawValue, NumberText.fixed(phase.startTime, decimals: 2) + " s",
        NumberText.fixed(phase.duration, decimals: 2) + " s", result.lengthText(phase.startHeight),
        result.lengthText(phase.endHeight), result.velocityText(phase.meanVelocity),
        result.velocityText(phase.peakVelocity))
    }
    let name = "\(result.settings.liftType.name), rep \(rep.id + 1)"
    return ["", "  " + terminal.styled(name, .bold)] + table.lines.map { "  " + $0 }
  }
}

extension BarPathUpdate {
  /// One line for people: time, place, speed, and whether the bar moves.
  func line(units: BarUnits) -> String {
    let time = NumberText.fixed(timestamp, decimals: 2) + " s"
    guard let bar else { return "\(time)  –" }
    let place = "\(NumberText.fixed(bar.x, decimals: 1)), \(NumberText.fixed(bar.y, decimals: 1)) px"
    return ([time, place, speedText(units: units) ?? "–"] + (isMoving ? ["moving"] : [])).joined(separator: "  ")
  }

  /// The speed upwards, in pixels where there is no scale; nil where there is none.
  func speedText(units: BarUnits) -> String? {
    velocity.map(units.velocityText) ?? pixelVelocity.map { NumberText.fixed($0, decimals: 0) + " px/s" }
  }
}
