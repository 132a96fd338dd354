import Apus

/// Lines of text from a file, or from standard input as they come.
///
/// A line ends with a line feed; a carriage return before it is dropped.
struct TextLines {
  /// The longest line, in bytes.
  static let limit = 1 << 26

  private let source: ByteInput
  private var bytes: [UInt8] = []
  /// Where the next line begins in `bytes`, and up to where no line feed was found.
  private var (start, searched) = (0, 0)
  private var isAtEnd = false
  private var number = 0

  /// - Parameter path: a path, or `-` for standard input.
  init(path: String) throws { source = try ByteInput(path: path) }

  /// The next line; `nil` at the end. What was written before is handed on before waiting for more.
  /// - Throws: ``CommandFailure`` for a line that is too long, or no UTF-8.
  mutating func next() throws -> String? {
    while true {
      if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { (start, searched) = (end + 1, end + 1) }
        return try text(bytes[start..<end])
      }
      searched = bytes.count
      if isAtEnd {
        defer { start = searched }
        return start < searched ? try text(bytes[start...]) : nil
      }
      bytes.removeFirst(start)
      (start, searched) = (0, bytes.count)
      guard bytes.count <= Self.limit else {
        throw CommandFailure(
          .badData, "\(source.name): line \(number + 1): is longer than \(ByteText.size(Self.limit))")
      }
      try Output.flush()
      if let chunk = try source.next() { bytes += chunk } else { isAtEnd = true }
    }
  }

  private mutating func text(_ line: ArraySlice<UInt8>) throws -> String {
    number += 1
    guard let text = String(validating: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self) else {
      throw CommandFailure(.badData, "\(source.name): line \(number): is not UTF-8")
    }
    return text
  }
}
