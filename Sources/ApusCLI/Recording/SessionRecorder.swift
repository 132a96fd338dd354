import Apus
import ApusMotion
import ApusPlatform
import ArgumentParser

/// Where a run is kept.
struct SessionOptions: ParsableArguments {
  /// The variable that names the folder where no option does.
  static let variable = "APUS_SESSIONS"

  @Option(
    help: ArgumentHelp(
      "Keep settings, hashes of the inputs and results in a new folder inside this one; $\(variable) when absent. "
        + "See 'apus history'.", valueName: "folder"),
    completion: .directory)
  var session: String?

  func validate() throws {
    if session == "" { throw ValidationError("--session: the name of a folder was expected.") }
  }

  private var folder: String? { session ?? Self.defaultFolder }

  /// Adds the folder to a plan.
  func plan(_ files: inout FilePlan) {
    files.writes(folder, as: session == nil ? Self.variable : "--session", .collection, isDispensable: true)
  }

  /// Whether the run is to be kept.
  var isWanted: Bool { folder != nil }

  /// Starts to keep a run; nil where it is not to be kept.
  func recorder(command: String) -> SessionRecorder? {
    folder.map { SessionRecorder(folder: SessionFolder(path: $0), command: command) }
  }

  /// The folder that the environment names.
  static var defaultFolder: String? {
    let folder = environment(variable) ?? ""
    return folder.isEmpty ? nil : folder
  }
}

/// A run that is kept: its inputs as they are read, and everything else at its end.
final class SessionRecorder {
  /// What a run came to.
  struct Outcome {
    var summary: [SessionEntry]
    var headline: String
    /// Files of results, by their name.
    var files: [(name: String, text: String)]
  }

  private let folder: SessionFolder
  private let command: String
  private let started: String
  private let start = ContinuousClock.now
  private var digests: [InputDigest] = []
  /// Every setting in effect.
  var settings: [SessionEntry] = []

  init(folder: SessionFolder, command: String) {
    (self.folder, self.command) = (folder, command)
    started = Self.timeText(time(nil))
  }

  /// An input that is going to be read; what reads it hands on the bytes. A file that is read in another way is read
  /// once more at the end.
  func digest(_ role: String, _ path: String) -> InputDigest {
    let digest = InputDigest(role: role, path: path)
    digests.append(digest)
    return digest
  }

  /// Writes the session, and says where on standard error.
  /// - Parameter failure: what ended the run early, if something did; it goes before an error in writing.
  func finish(_ outcome: Outcome, failure: (any Error)?) throws {
    do {
      let machine = Execution.current
      let taken = start.duration(to: .now) / .seconds(1)
      var session = RunSession(
        apusVersion: ApusVersion.current, command: command, started: started,
        seconds: (taken * 1000).rounded() / 1000,
        machine: RunSession.Machine(
          processor: Diagnosis().processor.name, variant: machine.variant.rawValue, threads: machine.threads))
      session.inputs = try digests.map { try $0.input() }
      (session.settings, session.summary, session.headline) = (settings, outcome.summary, outcome.headline)
      session.failure = failure.map { ErrorReport($0).message ?? "" }
      let name = try folder.add(session, files: outcome.files.map { ($0.name, Array($0.text.utf8)) })
      ErrorOutput.write("apus: session \(ErrorReport.oneLine("\(folder.path)/\(name)"))\n")
    } catch let error where failure != nil {
      _ = ErrorReport(Self.failure(error)).write()
    } catch {
      throw Self.failure(error)
    }
  }

  /// Whatever stops a session from being written is a failure to write.
  private static func failure(_ error: any Error) -> CommandFailure {
    CommandFailure(.inputOutput, "the session is not kept: \(ErrorReport(error).message ?? "\(error)")")
  }

  /// Seconds since 1970 as `2026-11-22T08:21:03Z`.
  private static func timeText(_ seconds: time_t) -> String {
    var (seconds, parts) = (seconds, tm())
    gmtime_r(&seconds, &parts)
    func text(_ number: Int32, _ count: Int = 2) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    let date = [text(parts.tm_year &+ 1900, 4), text(parts.tm_mon &+ 1), text(parts.tm_mday)]
    let time = [text(parts.tm_hour), text(parts.tm_min), text(parts.tm_sec)]
    return "\(date.joined(separator: "-"))T\(time.joined(separator: ":"))Z"
  }
}

/// Settings and numbers of a session, one after the other. What is nil, or not a number, is omitted.
extension [SessionEntry] {
  mutating func add(_ key: String, _ value: Double?) {
    if let value, value.isFinite { append(SessionEntry(key, .number(value))) }
  }

  mutating func add(_ key: String, _ value: Int?) { add(key, value.map { Double($0) }) }

  /// The number as it was written: 0.7, and not the nearest `Float` to it.
  mutating func add(_ key: String, _ value: Float) { add(key, Double(value.description)) }

  mutating func add(_ key: String, _ value: String?) {
    if let value { append(SessionEntry(key, .text(value))) }
  }

  mutating func add(_ key: String, _ value: Bool) { append(SessionEntry(key, .flag(value))) }
}
