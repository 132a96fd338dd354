import Apus

extension DetectorLoadingOptions {
  private static let byteLimit = 1 << 22

  /// Reads what classes are called from a file: a name a line, or a list or a dictionary as JSON and Python write them.
  ///
  /// - Returns: the names, by index.
  /// - Throws: ``FileError``; ``DetectorError`` for a file of something else.
  public static func classNames(path: String) throws -> [String] {
    let file = try MappedFile(path: path, limit: byteLimit)
    guard let text = file.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
      throw DetectorError(.badMetadata("the labels are not UTF-8 text; a name a line was expected"), file: path)
    }
    do throws(LiteralError) {
      return try names(in: text)
    } catch {
      throw DetectorError(.badMetadata("the labels: \(error)"), file: path)
    }
  }

  private static func names(in text: String) throws(LiteralError) -> [String] {
    if let first = text.first(where: { !$0.isWhitespace }), "[{".contains(first) {
      var reader = LiteralReader(text)
      let names = try reader.names()
      try reader.end()
      return names
    }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { trimmed($0) }
    let names = lines.prefix((lines.lastIndex { !$0.isEmpty } ?? -1) + 1)
    guard !names.isEmpty else { throw LiteralError(offset: 0, expected: "a name a line, or a list of names,") }
    return Array(names)
  }
}
