import Apus

/// What of a source was no picture, and what could not be read.
struct UnreadPictures {
  /// Files that are no pictures.
  fileprivate(set) var skipped = 0
  /// Pictures that could not be read.
  fileprivate(set) var failed = 0

  /// Ends the command with what damaged pictures end it with, after all the others.
  func check() throws {
    if failed > 0 { throw CommandStatus.badData }
  }
}

extension PictureSource {
  /// The next picture; nil at the end, and when nobody reads the output any more. What comes before it and is none is said
  /// on standard error, and counted.
  mutating func nextPicture(
    _ unread: inout UnreadPictures, clearing progress: inout ProgressBar?
  ) throws -> SourcePicture? {
    while !Output.isClosed, let event = try nextEvent() {
      switch event {
      case .skipped(let name, let reason):
        unread.skipped += 1
        progress?.clear()
        ErrorOutput.write("apus: skipped \(ErrorReport.oneLine("\(name): \(reason)"))\n")
      case .failed(let error):
        unread.failed += 1
        progress?.clear()
        _ = ErrorReport(error).write()
      case .remark(let text):
        progress?.clear()
        ErrorOutput.warning(text)
      case .picture(let picture): return picture
      }
    }
    return nil
  }
}
