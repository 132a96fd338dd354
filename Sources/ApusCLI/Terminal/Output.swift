import Apus
import ApusPlatform

/// Standard output, buffered.
///
/// When the reader at the other end of a pipe has gone, what is written from then on is dropped without a word: the
/// command goes on to its verdict and its exit status, or stops early where it asks ``isClosed``.
enum Output {
  private struct State {
    var pending: [UInt8] = []
    var isClosed = false
  }

  private static let state = Locked(State())
  private static let limit = 1 << 16

  /// Whether the reader has gone.
  static var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Writes a line.
  static func line(_ text: String = "") throws {
    try write(text + "\n")
  }

  static func write(_ text: String) throws {
    try state.withLock { state in
      guard !state.isClosed else { return }
      state.pending += text.utf8
      if state.pending.count >= limit { try flush(&state) }
    }
  }

  /// Hands everything written so far to the system.
  static func flush() throws {
    try state.withLock { try flush(&$0) }
  }

  private static func flush(_ state: inout State) throws {
    let bytes = state.pending
    state.pending.removeAll(keepingCapacity: true)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write_(STDOUT_FILENO, $0) }
      if count > 0 {
        written += count
      } else if errno == EPIPE {
        state.isClosed = true
        return
      } else if errno != EINTR {
        let reason = systemMessage(errno)
        state.isClosed = true
        throw CommandFailure(.inputOutput, "cannot write to standard output: \(reason)")
      }
    }
  }
}

/// Standard error, unbuffered. What cannot be said there cannot be said at all.
enum ErrorOutput {
  static func write(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write_(STDERR_FILENO, $0) }
  }

  /// Writes a line that says what is not as it should be and does not end the command.
  static func warning(_ text: String) {
    write(Terminal.error.styled("apus:", .yellow) + " " + ErrorReport.oneLine(text) + "\n")
  }
}

private func write_(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
