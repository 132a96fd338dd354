import Apus
import ApusMotion

/// What `apus arm-drift` says, for people.
struct ArmDriftText {
  let measurement: ArmDriftMeasurement

  init(_ measurement: ArmDriftMeasurement) { self.measurement = measurement }

  var lines: [String] {
    let terminal = Terminal.output
    let color: Terminal.Color = measurement.estimatedMotorLevel == 0 ? .green : .yellow
    var lines = [
      terminal.styled("Arm drift", .bold)
        + terminal.styled(
          "  profile \(measurement.settings.profile.rawValue), mode \(measurement.settings.mode.rawValue)", .dim), "",
      terminal.styled("estimated level \(measurement.estimatedMotorLevel) of 4", color)
        + terminal.styled("  \(measurement.severity)", .dim),
    ]
    for part in [wrapped(measurement.interpretation, width: 100), arms, facts] { lines += part + [""] }
    lines += notes
    lines += wrapped(ArmDriftNotice.disclaimer, width: 100).map { terminal.styled($0, .dim) }
    return lines
  }

  private var arms: [String] {
    var table = TextTable(separator: "   ", alignments: [.left, .right, .right, .right, .right])
    table.add("  arm", "start", "end", "sank by", "drifts after")
    for (name, hold) in [("left", measurement.left), ("right", measurement.right)] {
      table.add(
        "  " + name, degrees(hold.startAngle), degrees(hold.endAngle), degrees(hold.drift),
        hold.timeToDrift.map { NumberText.fixed($0, decimals: 1) + " s" } ?? "–")
    }
    return table.lines + [Terminal.output.styled("  degrees below the horizontal", .dim)]
  }

  private var facts: [String] {
    let (course, coverage) = (measurement.asymmetry, measurement.coverage)
    var table = TextTable(separator: "   ")
    func add(_ label: String, _ text: String) { table.add("  " + label, text) }
    add("asymmetry", "\(number(course.mean)) on average, \(number(course.minimum)) to \(number(course.maximum))")
    add("trend", "\(number(course.shownTrend)) a second")
    add("stability", course.stability.map(number) ?? "fewer than ten samples")
    add("lower arm", measurement.lowerSide.rawValue)
    add("quality", "\(measurement.quality.rawValue): \(measurement.qualityReason)")
    add(
      "frames",
      "\(coverage.validFrames) of \(coverage.frames) usable, \(coverage.interpolatedFrames) of them filled in; "
        + "\(NumberText.fixed(coverage.seconds, decimals: 1)) s")
    return table.lines
  }

  /// What should not be overlooked.
  private var notes: [String] {
    let mark = Terminal.output.styled("!", .yellow)
    return measurement.notes.isEmpty ? [] : measurement.notes.map { "\(mark) \($0)" } + [""]
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
