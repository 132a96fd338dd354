import Apus
import ApusMotion
import ArgumentParser

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List, show and compare the runs that were kept with --session.",
    discussion: """
      A session is a folder for one run: session.json with settings, hashes of the inputs and the numbers that matter \
      most, and the run's results beside it. FOLDER holds sessions; it is that of the variable \
      \(SessionOptions.variable) when it is not given.

      SESSION is the name of a session in FOLDER, the beginning of a name that no other session has, or a path.

      EXAMPLES
        apus barpath squat.y4m --session runs
        apus history runs --last 10
        apus history show 20261122T082103Z --folder runs
        apus history compare runs/monday runs/tuesday --json
        \(SessionOptions.variable)=runs apus history --command barpath --json | jq .summary
      """,
    subcommands: [HistoryListCommand.self, HistoryShowCommand.self, HistoryCompareCommand.self],
    defaultSubcommand: HistoryListCommand.self)
}

struct HistoryListCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the sessions of a folder, the newest last.",
    discussion: """
      What cannot be read as a session is named on standard error, with --json as {"name", "error"}, and changes no \
      exit status. --json prints a line for each session: its name, its path, and what its session.json says.
      """)

  @Argument(
    help: "The folder that holds sessions; $\(SessionOptions.variable) when absent.", completion: .directory)
  var folder: String?

  @Option(help: ArgumentHelp("Only runs of this command, such as barpath.", valueName: "name"))
  var command: String?

  @Option(help: ArgumentHelp("Only the newest.", valueName: "n"))
  var last: Int?

  @Flag(help: "Print JSON, a line for each session.")
  var json = false

  func validate() throws {
    if let last, last < 1 { throw ValidationError("--last \(last): a number above 0 was expected.") }
  }

  var files: FilePlan {
    var files = FilePlan()
    HistoryFolder.plan(folder, &files)
    return files
  }

  func run() throws {
    let folder = try HistoryFolder.named(folder)
    var contents = try folder.contents()
    if let command { contents.sessions.removeAll { $0.session.command != command } }
    if let last { contents.sessions = contents.sessions.suffix(last) }
    for (name, reason) in contents.skipped {
      if json {
        try Output.line(jsonText(["name": name, "error": reason]))
      } else {
        ErrorOutput.write("apus: skipped \(ErrorReport.oneLine("\(name): \(reason)"))\n")
      }
    }
    if json {
      for (name, session) in contents.sessions {
        try Output.line(session.jsonLine(name: name, path: "\(folder.path)/\(name)"))
      }
    } else if contents.sessions.isEmpty {
      let kind = command.map { " of \(ErrorReport.oneLine($0))" } ?? ""
      try Output.line("there are no sessions\(kind) in \(ErrorReport.oneLine(folder.path))")
    } else {
      for line in HistoryText.list(contents.sessions) { try Output.line(line) }
    }
  }
}

struct HistoryShowCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print one session whole: inputs, settings, results.")

  @Argument(help: "The session: its name, the beginning of it, or its path.", completion: .directory)
  var session: String

  @OptionGroup var place: HistoryFolder

  @Flag(help: "Print JSON, one object.")
  var json = false

  var files: FilePlan {
    var files = FilePlan()
    HistoryFolder.plan(session: session, &files)
    HistoryFolder.plan(place.folder, &files)
    return files
  }

  func run() throws {
    let found = try place.find(session)
    if json {
      return try Output.line(found.session.jsonLine(name: found.name, path: found.path))
    }
    for line in HistoryText.whole(found.session, path: found.path) { try Output.line(line) }
  }
}

struct HistoryCompareCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Tell what differs between two sessions: inputs, settings, results.",
    discussion: """
      Inputs are compared by their hashes. Numbers of the results are equal when every bit is; differences are given \
      as they are, and in relation to the old number. Machine and version of Apus are printed, and not compared.

      Ends with 0 when both are the same, with 1 when something is different.
      """)

  @Argument(help: "The session to start from.", completion: .directory)
  var old: String

  @Argument(help: "The session to hold against it.", completion: .directory)
  var new: String

  @OptionGroup var place: HistoryFolder

  @Flag(help: "Print JSON, one object.")
  var json = false

  var files: FilePlan {
    var files = FilePlan()
    for session in [old, new] { HistoryFolder.plan(session: session, &files) }
    HistoryFolder.plan(place.folder, &files)
    return files
  }

  func run() throws {
    let (a, b) = (try place.find(old), try place.find(new))
    let comparison = SessionComparison(old: a.session, new: b.session)
    if json {
      try Output.line(comparison.jsonLine(old: a.path, new: b.path))
    } else {
      for line in HistoryText.comparison(comparison, old: a.name, new: b.name) { try Output.line(line) }
    }
    if !comparison.isEqual { throw CommandStatus.different }
  }
}

/// Where sessions are looked for.
struct HistoryFolder: ParsableArguments {
  @Option(
    help: ArgumentHelp("The folder that holds sessions; $\(SessionOptions.variable) when absent.", valueName: "folder"),
    completion: .directory)
  var folder: String?

  /// Adds the records of a folder's sessions to a plan.
  static func plan(_ path: String?, _ files: inout FilePlan) {
    files.reads(path ?? SessionOptions.defaultFolder, as: "the sessions", endings: ["/session.json"], depth: 2)
  }

  /// Adds the record of a session that is named by its path.
  static func plan(session path: String, _ files: inout FilePlan) {
    files.reads(path, as: "the session", endings: ["/session.json"], depth: 1)
  }

  /// The folder that was given, or that of the environment.
  static func named(_ path: String?) throws -> SessionFolder {
    guard let path = path ?? SessionOptions.defaultFolder else {
      throw CommandFailure(
        .usage, "which folder holds the sessions? Name it, or set \(SessionOptions.variable)")
    }
    return SessionFolder(path: path)
  }

  /// The session of this name, from its beginning or its path.
  func find(_ name: String) throws -> (name: String, path: String, session: RunSession) {
    var path = name
    // A name means a session of the folder first; without a folder it can only be a path.
    if !name.contains("/"), folder != nil || SessionOptions.defaultFolder != nil || !isFolder(name) {
      do {
        path = try Self.named(folder).path(of: name)
      } catch let error as SessionError {
        guard case .notFound = error.reason, isFolder(name) else { throw error }
      }
    } else if !isFolder(name) {
      throw CommandFailure(.noInput, "\(name): no such folder")
    }
    let session = try SessionFolder.session(at: path)
    return (path.split(separator: "/").last.map(String.init) ?? path, path, session)
  }
}

extension RunSession {
  /// What `session.json` says, with where that is.
  fileprivate func jsonLine(name: String, path: String) -> String {
    var object = jsonObject
    object.add("name", name)
    object.add("path", path)
    return object.text
  }
}
