import ArgumentParser

/// Parsing ended without a command to run: help was asked for, or the command line is wrong.
struct ParsingOutcome: Error {
  /// What to print on standard output, for help, version and completion scripts.
  var text: String?
  /// What is wrong with the command line, in one line.
  var complaint = ""

  /// - Parameter command: the root of the commands that were parsed.
  init(_ error: any Error, of command: any ParsableCommand.Type) {
    let message = command.fullMessage(for: error)
    if command.exitCode(for: error).isSuccess {
      text = message
      return
    }
    let lines = message.split(separator: "\n").map(String.init)
    complaint = lines.first ?? "the command line is wrong"
    if complaint.hasPrefix("Error: ") { complaint.removeFirst("Error: ".count) }
    if let hint = lines.last(where: { $0.contains("--help'") }), let from = hint.firstIndex(of: "'") {
      let command = hint[hint.index(after: from)...].prefix { $0 != "'" }
      if let last = complaint.last, !".?!".contains(last) { complaint += "." }
      complaint += " See '\(command)'."
    }
  }
}
