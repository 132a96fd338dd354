import Apus
import ApusPlatform
import ArgumentParser

@main
enum EntryPoint {
  static func main() {
    // Before anything else is opened.
    StandardDescriptors.open()
    // A reader that goes away must not kill the process: `Output` notices and drops what is not read.
    signal(SIGPIPE, SIG_IGN)
    // Nor must a limit on the size of files (`ulimit -f`): writing fails, and says why.
    signal(SIGXFSZ, SIG_IGN)
    // Files that others cut short are errors, not the end of the process.
    ShrinkingFiles.watch()
    Interruption.watch()
    Terminal.forgetNarrowWidth()
    let arguments = processArguments()?.map { String(systemBytes: $0) } ?? CommandLine.arguments
    exit(run(Array(arguments.dropFirst())).rawValue)
  }

  /// Runs one command line. Every way to end is here: nothing else calls `exit`.
  static func run(_ arguments: [String]) -> CommandStatus {
    do {
      var command = try parse(arguments)
      if isOurs(command) { try checkEnvironment() }
      let files = try (command as? any WritesFiles)?.files.checked() ?? CheckedFiles()
      try CheckedFiles.$current.withValue(files) { try command.run() }
      try ShrinkingFiles.check()
      try Output.flush()
      return .success
    } catch {
      // What was said before things went wrong comes before what went wrong.
      var failure = error
      do { try Output.flush() } catch let writing { failure = writing }
      // Help that was asked for: the parser runs it like a command.
      let isHelp = ApusCommand.exitCode(for: failure).isSuccess
      return ErrorReport(isHelp ? ParsingOutcome(failure, of: ApusCommand.self) : failure).write()
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
    // The parser compares them all.
    guard !arguments.contains(where: MarkRun.isTooLong) else {
      throw CommandFailure(.usage, "An argument has \(MarkRun.message).")
    }
    // The parser gives the general help for a command that there is not.
    if arguments.first == "help", let failure = unknownCommand(in: Array(arguments.dropFirst())) { throw failure }
    do {
      return try ApusCommand.parseAsRoot(CommandLineText.joiningNegativeNumbers(arguments))
    } catch {
      throw unknownCommand(in: arguments) ?? ParsingOutcome(error, of: ApusCommand.self)
    }
  }

  /// What to say of a command that there is not; nil where there is one, or none is named.
  private static func unknownCommand(in arguments: [String]) -> CommandFailure? {
    guard let name = arguments.first, !name.hasPrefix("-") else { return nil }
    let names = ApusCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    guard !names.contains(name) else { return nil }
    let nearest = nearestName(to: name, in: names).map { "; did you mean '\($0)'?" } ?? "."
    return CommandFailure(.usage, "There is no command '\(name)'\(nearest) See 'apus --help'.")
  }
}
