/// Says on standard error where what was finished of a file is, and that the file itself is as it was.
struct UnfinishedNotice {
  let path: String
  let part: String

  func write() {
    let text = ErrorReport.oneLine("\(path): is not complete and was not written; what was finished is in \(part)")
    ErrorOutput.write("apus: \(text)\n")
  }
}
