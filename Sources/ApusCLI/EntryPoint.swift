import Apus
import ApusPlatform
import ArgumentParser

@main
enum EntryPoint {
  static func main() {
    // Before anything else is opened.
    StandardDescriptors.open()
    // A reader that goes away must not kill the process: `Output` notices and drops what nobody reads.
    signal(SIGPIPE, SIG_IGN)
    Interruption.watch()
    exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  /// Runs one command line. Every way to end is here: nothing else calls `exit`.
  static func run(_ arguments: [String]) -> CommandStatus {
    do {
      var command = try parse(arguments)
      if isOurs(command) { try checkEnvironment() }
      let files = try (command as? any WritesFiles)?.files.checked() ?? CheckedFiles()
      try CheckedFiles.$current.withValue(files) { try command.run() }
      try Output.flush()
      return .success
    } catch {
      // What was said before things went wrong comes before what went wrong.
      var failure = error
      do { try Output.flush() } catch let writing { failure = writing }
      return ErrorReport(failure).write()
    }
  }

  /// Whether it is a command of Apus: the parser runs help that was asked for like one.
  private static func isOurs(_ command: any ParsableCommand) -> Bool {
    let commands = ApusCommand.configuration.subcommands
    return (commands + commands.flatMap { $0.configuration.subcommands }).contains { $0 == type(of: command) }
  }

  /// What makes no sense is an error; what is only not to be had here is said.
  private static func checkEnvironment() throws {
    try Execution.checkEnvironment()
    for text in Execution.shortcomings { ErrorOutput.warning(text) }
  }

  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    let arguments = try SettingsFile.expanded(arguments)
    do {
      return try ApusCommand.parseAsRoot(arguments)
    } catch {
      throw ParsingOutcome(error)
    }
  }
}

/// Parsing ended without a command to run: help was asked for, or the command line is wrong.
struct ParsingOutcome: Error {
  /// What to print on standard output, for help, version and completion scripts.
  var text: String?
  /// What is wrong with the command line, in one line.
  var complaint = ""

  init(_ error: any Error) {
    let message = ApusCommand.fullMessage(for: error)
    if ApusCommand.exitCode(for: error).isSuccess {
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
