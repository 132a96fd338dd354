/// Cuts a stream of bytes into lines, holding no more than what has not been taken yet.
package struct LineBuffer: Sendable {
  /// What came of asking for a line.
  package enum Line: Equatable {
    /// A line without its line end (LF or CRLF).
    case bytes([UInt8])
    /// A line longer than the limit; its bytes are gone.
    case tooLong
  }

  package let limit: Int
  /// The number of the line taken last, from 1; 0 before the first.
  package private(set) var lineNumber = 0

  private var pending: [UInt8] = []
  /// Where the first line that was not taken begins, and how far it has been searched for its end.
  private var start = 0
  private var searched = 0
  private var ended = false
  /// The rest of a line that was too long is passed over up to its end.
  private var skipping = false

  package init(limit: Int) { self.limit = limit }

  package mutating func append(_ bytes: some Sequence<UInt8>) {
    if start > 0 {
      pending.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    pending.appendBytes(bytes)
  }

  /// No more bytes will come: what is left without a line end is the last line.
  package mutating func end() { ended = true }

  /// The next line, or nil until more bytes come.
  package mutating func next() -> Line? {
    while true {
      if let lineEnd = nextLineEnd() {
        let line = start..<lineEnd
        start = lineEnd + 1
        searched = start
        if skipping {
          skipping = false
          continue
        }
        lineNumber += 1
        return take(line)
      }
      searched = pending.count
      if skipping {
        start = pending.count
        return nil
      }
      // One byte more than the limit may be the CR of a CRLF that is still to come.
      if pending.count - start > limit + 1 {
        skipping = true
        start = pending.count
        lineNumber += 1
        return .tooLong
      }
      guard ended, start < pending.count else { return nil }
      let line = start..<pending.count
      start = pending.count
      lineNumber += 1
      return take(line)
    }
  }

  private func nextLineEnd() -> Int? {
    pending.withUnsafeBufferPointer { bytes in
      var index = searched
      while index < bytes.count {
        if bytes[index] == 0x0A { return index }
        index += 1
      }
      return nil
    }
  }

  private func take(_ line: Range<Int>) -> Line {
    var line = line
    if let last = pending[line].last, last == 0x0D { line = line.lowerBound..<line.upperBound - 1 }
    if line.count > limit { return .tooLong }
    return .bytes(Array(pending[line]))
  }
}
