import Apus
import ApusGraph
import ArgumentParser

/// `--cache`.
struct CacheOptions: ParsableArguments {
  @Option(
    name: .customLong("cache"),
    help: ArgumentHelp(
      "Keep the weights of a model that is a graph in this folder as they were laid out, and open it faster the next time; "
        + "results are the same.", valueName: "folder"),
    completion: .directory)
  var folder: String?

  func validate() throws {
    if folder?.isEmpty == true { throw ValidationError("--cache: a folder was expected.") }
  }

  /// Adds what is written to a plan.
  func plan(_ files: inout FilePlan) { files.writes(folder, as: "--cache", .folder, isDispensable: true) }

  /// Says that a session's weights could not be kept, which is no failure.
  func warn(_ use: InferenceSession.CacheUse?) {
    if let failure = use?.failure { ErrorOutput.warning("--cache: \(failure)") }
  }
}

extension InferenceSession.CacheUse {
  /// What came of it, in a line.
  var summary: String { "\(found) of \(CountText.counted(found + made, "packed weight")) from \(path)" }
}
