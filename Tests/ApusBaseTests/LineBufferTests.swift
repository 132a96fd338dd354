import Testing

@testable import ApusBase

@Suite struct LineBufferTests {
  private func lines(_ pieces: [String], limit: Int = 8) -> [String?] {
    var buffer = LineBuffer(limit: limit)
    var lines: [String?] = []
    func take() {
      while let line = buffer.next() {
        guard case .bytes(let bytes) = line else {
          lines.append(nil)
          continue
        }
        lines.append(String(decoding: bytes, as: UTF8.self))
      }
    }
    for piece in pieces {
      buffer.append(piece.utf8)
      take()
    }
    buffer.end()
    take()
    #expect(buffer.lineNumber == lines.count)
    return lines
  }

  /// A line end may come in another piece than its line, and the two bytes of one in two pieces.
  @Test(arguments: [["a\nb\r\n\nc"], ["a", "\nb", "\r", "\n", "\nc"], ["a\nb\r\n", "\n", "c"]])
  func linesAreTheSameInAnyPieces(pieces: [String]) {
    #expect(lines(pieces) == ["a", "b", "", "c"])
  }

  @Test func aLineThatIsTooLongIsSaidOnce() {
    #expect(lines(["12345678\r\n123456789\nx\n"]) == ["12345678", nil, "x"])
    #expect(lines(["123456789", "0", "1\n", "x"]) == [nil, "x"])
  }

  @Test func aLastLineWithoutAnEndCounts() {
    #expect(lines(["a\n"]) == ["a"])
    #expect(lines([]) == [])
  }
}
