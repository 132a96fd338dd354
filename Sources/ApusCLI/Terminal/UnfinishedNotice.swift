/// Says on standard error where what was finished of a file is, and that the file itself is as it was.
struct UnfinishedNotice {
  /// Where the file would be.
  let path: String
  /// Where what was finished is.
  let part: String

  /// Says it.
  func write() {
    let text = ErrorReport.oneLine("\(path): is not complete and was not written; what was finished is in \(part)")
    ErrorOutput.write("apus: \(text)\n")
  }
}
