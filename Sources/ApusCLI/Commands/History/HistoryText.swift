import Apus
import ApusMotion

/// Sessions for people. Everything that comes from a file is written without control characters.
enum HistoryText {
  private static var terminal: Terminal { Terminal.output }

  // MARK: - List

  static func list(_ sessions: [(name: String, session: RunSession)]) -> [String] {
    var table = TextTable()
    table.add(["", "started", "command", "input", "results", "session"].map { terminal.styled($0, .dim) })
    for (name, session) in sessions {
      table.add(
        terminal.mark(session.failure == nil), time(session.started), short(session.command, 16),
        short(inputName(session), 28), (session.failure == nil ? "" : "failed; ") + short(session.headline, 48),
        terminal.styled(ErrorReport.oneLine(name), .dim))
    }
    return table.lines
  }

  /// `2026-11-22 08:21:03`.
  private static func time(_ started: String) -> String {
    String(started.map { $0 == "T" ? " " : $0 }.filter { $0 != "Z" })
  }

  /// The last part of the path of what was analysed.
  private static func inputName(_ session: RunSession) -> String {
    guard let path = session.inputs.first(where: { $0.role == "input" })?.path else { return "–" }
    return path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
  }

  /// At most so many characters, the last of them dots where there were more.
  private static func short(_ text: String, _ count: Int) -> String {
    let text = ErrorReport.oneLine(text)
    return text.count > count ? text.prefix(count - 1) + "…" : text
  }

  // MARK: - One session

  static func whole(_ session: RunSession, path: String) -> [String] {
    var lines = [terminal.styled(ErrorReport.oneLine(path), .bold), ""]
    var facts = TextTable(separator: "   ")
    func add(_ label: String, _ text: String) { facts.add("  " + label, ErrorReport.oneLine(text)) }
    add("command", session.command)
    add("started", time(session.started) + " UTC, took \(NumberText.short(session.seconds)) s")
    add("status", session.failure == nil ? "ok" : "failed")
    if let failure = session.failure { add("error", failure) }
    add("results", session.headline)
    add("apus", session.apusVersion)
    let threads = CountText.counted(session.machine.threads, "thread")
    add("machine", "\(session.machine.processor); \(session.machine.variant) kernels, \(threads)")
    lines += facts.lines + section("inputs", inputs(session.inputs))
    lines += section("settings", entries(session.settings)) + section("summary", entries(session.summary))
    return lines
  }

  private static func section(_ title: String, _ lines: [String]) -> [String] {
    ["", terminal.styled(title, .bold)] + (lines.isEmpty ? ["  none"] : lines.map { "  " + $0 })
  }

  private static func inputs(_ inputs: [SessionInput]) -> [String] {
    var table = TextTable(alignments: [.left, .left, .right])
    for input in inputs {
      table.add(
        ErrorReport.oneLine(input.role), input.kind.rawValue, ByteText.size(input.byteCount),
        ErrorReport.oneLine(input.path))
      table.add("", "", "", terminal.styled("sha256 " + input.sha256, .dim))
    }
    return table.lines
  }

  private static func entries(_ entries: [SessionEntry]) -> [String] {
    var table = TextTable(separator: "   ")
    for entry in entries { table.add(ErrorReport.oneLine(entry.key), text(entry.value)) }
    return table.lines
  }

  // MARK: - Comparison

  static func comparison(_ comparison: SessionComparison, old: String, new: String) -> [String] {
    var lines = [terminal.styled("\(ErrorReport.oneLine(old)) → \(ErrorReport.oneLine(new))", .bold)]
    lines += section("inputs", inputs(comparison.inputs))
    if !comparison.conduct.isEmpty { lines += section("conduct", changes(comparison.conduct)) }
    if !comparison.settings.isEmpty { lines += section("settings", changes(comparison.settings, inNumbers: false)) }
    if !comparison.summary.isEmpty { lines += section("summary", changes(comparison.summary)) }
    if !comparison.surroundings.isEmpty {
      lines += section("surroundings, which do not count", changes(comparison.surroundings))
    }
    let parts = [
      comparison.hasEqualInputs ? "the same inputs" : "different inputs",
      CountText.counted(comparison.settings.count, "setting") + " and "
        + CountText.counted(comparison.summary.count, "number") + " changed",
    ]
    let verdict = terminal.styled(comparison.isEqual ? "equal" : "different", .bold)
    return lines + ["", "\(terminal.mark(comparison.isEqual)) \(verdict): " + parts.joined(separator: ", ")]
  }

  private static func inputs(_ inputs: [SessionComparison.Input]) -> [String] {
    var table = TextTable()
    for input in inputs {
      let paths = [input.old?.path, input.new?.path].map { $0.map { ErrorReport.oneLine($0) } ?? "–" }
      table.add(
        terminal.mark(input.isEqual), ErrorReport.oneLine(input.role),
        paths[0] == paths[1] ? paths[0] : paths.joined(separator: " → "),
        [input.old, input.new].map { $0.map { String($0.sha256.prefix(12)) } ?? "–" }.joined(separator: " → "))
    }
    return table.lines
  }

  private static func changes(
    _ differences: [SessionComparison.Difference], inNumbers: Bool = true
  ) -> [String] {
    var table = TextTable(alignments: [.left, .left, .right, .right])
    for difference in differences {
      let (old, new) = (difference.old.map(text) ?? "–", difference.new.map(text) ?? "–")
      var cells = [ErrorReport.oneLine(difference.key), "\(old) → \(new)"]
      if inNumbers, let absolute = difference.absolute {
        cells += [signed(absolute), difference.relative.map { signed($0 * 100) + " %" } ?? ""]
      }
      table.add(cells)
    }
    return table.lines
  }

  private static func signed(_ value: Double) -> String { (value > 0 ? "+" : "") + NumberText.short(value) }

  private static func text(_ value: SessionValue) -> String { ErrorReport.oneLine("\(value)") }
}
