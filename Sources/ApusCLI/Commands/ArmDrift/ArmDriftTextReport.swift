import Apus
import ApusMotion

/// A report on two arms for people.
struct ArmDriftTextReport {
  let report: ArmDriftReport

  init(_ report: ArmDriftReport) { self.report = report }

  var lines: [String] {
    let terminal = Terminal.output
    let color: Terminal.Color = report.estimatedMotorLevel == 0 ? .green : .yellow
    var lines = [
      terminal.styled("Arm drift", .bold)
        + terminal.styled("  profile \(report.profile.rawValue), mode \(report.mode.rawValue)", .dim), "",
      terminal.styled("estimated level \(report.estimatedMotorLevel) of 4", color)
        + terminal.styled("  \(report.severity)", .dim),
    ]
    lines += wrapped(report.interpretation, width: 100) + [""] + arms + [""] + facts + [""] + notes
    lines += wrapped(ArmDriftText.disclaimer, width: 100).map { terminal.styled($0, .dim) }
    return lines
  }

  private var arms: [String] {
    var table = TextTable(separator: "   ", alignments: [.left, .right, .right, .right, .right])
    table.add("  arm", "start", "end", "sank by", "drifts after")
    for (name, hold) in [("left", report.left), ("right", report.right)] {
      table.add(
        "  " + name, degrees(hold.startAngle), degrees(hold.endAngle), degrees(hold.drift),
        hold.timeToDrift.map { NumberText.fixed($0, decimals: 1) + " s" } ?? "–")
    }
    return table.lines + [Terminal.output.styled("  degrees below the horizontal", .dim)]
  }

  private var facts: [String] {
    let (course, coverage) = (report.asymmetry, report.coverage)
    var table = TextTable(separator: "   ")
    func add(_ label: String, _ text: String) { table.add("  " + label, text) }
    add("asymmetry", "\(number(course.mean)) on average, \(number(course.minimum)) to \(number(course.maximum))")
    add("trend", "\(number(course.trend)) a second")
    add("stability", course.stability.map(number) ?? "fewer than ten samples")
    add("lower arm", report.lowerSide.rawValue)
    add("quality", "\(report.quality.rawValue): \(report.qualityReason)")
    add(
      "frames",
      "\(coverage.validFrames) of \(coverage.frames) usable, \(coverage.interpolatedFrames) of them filled in; "
        + "\(NumberText.fixed(coverage.seconds, decimals: 1)) s")
    return table.lines
  }

  /// What should not be overlooked.
  private var notes: [String] {
    let mark = Terminal.output.styled("!", .yellow)
    return report.notes.isEmpty ? [] : report.notes.map { "\(mark) \($0)" } + [""]
  }

  private func degrees(_ value: Double) -> String { NumberText.fixed(value, decimals: 1) + "°" }

  private func number(_ value: Double) -> String { NumberText.short(value) }

  private func wrapped(_ text: String, width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines.count - 1
      if lines[last].isEmpty {
        lines[last] = String(word)
      } else if lines[last].count + 1 + word.count <= width {
        lines[last] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
