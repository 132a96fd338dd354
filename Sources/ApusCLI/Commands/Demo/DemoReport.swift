import Apus

/// What `apus demo` says.
struct DemoReport: Encodable {
  let verification: VerificationReport
  let clips: [SampleClips.Result]
  let lifts: [SampleLift.Result]
  /// Nil where there is no recording.
  let arms: [SampleArms.Result]?
  let keyboard: [SuggestionReport]

  var isEqual: Bool {
    let hasArms = arms.map { !$0.isEmpty && $0.allSatisfy(\.isEqual) } ?? true
    return verification.isEqual && clips.allSatisfy(\.isEqual) && lifts.allSatisfy(\.isEqual) && hasArms
      && keyboard.allSatisfy { !$0.suggestions.isEmpty }
  }

  var text: String {
    let terminal = Terminal.output
    let machine = MachineText(Diagnosis()).line
    var lines = [terminal.styled("Apus \(ApusVersion.current)", .bold) + terminal.styled("  \(machine)", .dim), ""]
    lines += [terminal.styled("Models against their golden outputs", .bold)] + verification.table + [""]
    lines += [terminal.styled("Sample clips of synthetic motion", .bold)] + table + [""]
    if !lifts.isEmpty { lines += [terminal.styled("A rendered squat, from its pixels", .bold)] + squats + [""] }
    if let arms { lines += [terminal.styled("Two arms held out", .bold)] + drifts(arms) + [""] }
    if !keyboard.isEmpty { lines += [terminal.styled("A keyboard's suggestions", .bold)] + suggestions + [""] }
    let right = clips.filter(\.isEqual).count
    let outputs = verification.results.filter(\.isEqual).count
    lines.append(
      "\(terminal.mark(isEqual)) \(outputs) of \(verification.results.count) outputs agree with PyTorch's, "
        + "\(right) of \(clips.count) behaviours are recognised.")
    return lines.map { $0 + "\n" }.joined()
  }

  private var table: [String] {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .left, .left, .left, .right])
    table.add(["", "clip", "expected", "found", "confidence"].map { terminal.styled($0, .dim) })
    for clip in clips {
      table.add(
        terminal.mark(clip.isEqual), clip.clip, clip.expected, clip.found,
        NumberText.fixed(Double(clip.confidence), decimals: 3))
    }
    return table.lines.map { "  " + $0 }
  }

  private var squats: [String] {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .left, .right, .right, .right, .right])
    table.add(["", "repetition", "range", "rendered", "mean up", "rendered"].map { terminal.styled($0, .dim) })
    for lift in lifts {
      for (index, rep) in lift.reps.enumerated() {
        table.add(
          terminal.mark(rep.isEqual), "\(lift.clip) \(index + 1)", NumberText.fixed(rep.romCm, decimals: 1) + " cm",
          NumberText.fixed(rep.renderedRomCm, decimals: 1) + " cm",
          NumberText.fixed(rep.velocity / 100, decimals: 3) + " m/s",
          NumberText.fixed(rep.renderedVelocity / 100, decimals: 3) + " m/s")
      }
    }
    let errors = lifts.map { "\(NumberText.fixed($0.centerError, decimals: 2)) px" }.joined(separator: ", ")
    return table.lines.map { "  " + $0 } + ["  the plate is found \(errors) from where it was rendered (median)"]
  }

  private func drifts(_ arms: [SampleArms.Result]) -> [String] {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .left, .right, .right])
    table.add(["", "arm", "sank by", "made to"].map { terminal.styled($0, .dim) })
    for arm in arms {
      table.add(
        terminal.mark(arm.isEqual), arm.arm, NumberText.fixed(arm.drift, decimals: 1) + "°",
        NumberText.fixed(arm.madeDrift, decimals: 1) + "°")
    }
    return table.lines.map { "  " + $0 }
  }

  private var suggestions: [String] {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .left, .left])
    for report in keyboard {
      let words = report.suggestions.map(\.word).joined(separator: "  ")
      table.add(terminal.mark(!report.suggestions.isEmpty), report.text, words)
    }
    return table.lines.map { "  " + $0 }
  }

  enum CodingKeys: String, CodingKey { case equal, verification, clips, lifts, arms, keyboard }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isEqual, forKey: .equal)
    try container.encode(verification, forKey: .verification)
    try container.encode(clips, forKey: .clips)
    try container.encode(lifts, forKey: .lifts)
    try container.encodeIfPresent(arms, forKey: .arms)
    try container.encode(keyboard, forKey: .keyboard)
  }
}
