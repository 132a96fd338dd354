import FoundationEssentials

extension URL {
  /// The path to give to the system.
  /// - Throws: ``FileError/notAFileURL(url:)``.
  package var systemPath: String {
    get throws {
      guard isFileURL else { throw FileError.notAFileURL(url: absoluteString) }
      return path(percentEncoded: false)
    }
  }
}
