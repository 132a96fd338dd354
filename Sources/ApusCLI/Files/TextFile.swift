import Apus

/// Texts as files.
enum TextFile {
  /// Writes `text` at `path`, whole or not at all.
  static func write(_ text: String, to path: String) throws {
    try AtomicFile.create(at: path) { file in
      try Array(text.utf8).withUnsafeBytes { try file.append($0) }
    }
  }
}
