import Apus

/// A table that is written row by row, whole or not at all, without being kept in memory. When a signal ends the
/// process, the rows that were handed on stay in `NAME.part`.
final class RowFile {
  private let file: AtomicFile
  private var pending: [UInt8] = []

  private static let limit = 1 << 16

  private init(_ file: AtomicFile) { self.file = file }

  /// Runs `body` with a table at `path`, or with none where there is no path. The file is there when `body` returns.
  static func create(at path: String?, _ body: (RowFile?) throws -> Void) throws {
    guard let path else { return try body(nil) }
    try AtomicFile.create(at: path, isStream: true) { file in
      let rows = RowFile(file)
      try body(rows)
      try rows.flush()
    }
  }

  func line(_ text: String) throws {
    pending += text.utf8
    pending.append(0x0A)
    if pending.count >= Self.limit { try flush() }
  }

  /// Hands every row so far to the system.
  func flush() throws {
    if pending.isEmpty { return }
    try pending.withUnsafeBytes { try file.append($0) }
    pending.removeAll(keepingCapacity: true)
  }
}
