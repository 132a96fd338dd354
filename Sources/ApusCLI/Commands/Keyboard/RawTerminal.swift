import ApusPlatform
import Synchronization

/// A terminal that gives every key at once and echoes none, until ``restore()`` is called or a signal ends the process.
struct RawTerminal {
  private let original: termios

  /// - Throws: ``CommandFailure`` where the terminal cannot be set up.
  init() throws {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw CommandFailure(.inputOutput, "the terminal cannot be set up: \(systemMessage(errno))")
    }
    original = settings
    let kept = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    kept.initialize(to: settings)
    terminalToRestore = kept
    // The parent process may have blocked them.
    var handled = sigset_t()
    sigemptyset(&handled)
    for number in Self.signals {
      signal(number, restoreTerminalAndEnd)
      sigaddset(&handled, number)
    }
    sigprocmask(SIG_UNBLOCK, &handled, nil)
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
    guard tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) == 0 else {
      throw CommandFailure(.inputOutput, "the terminal cannot be set up: \(systemMessage(errno))")
    }
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT]

  /// The terminal as it was.
  func restore() {
    var settings = original
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    for number in Self.signals { signal(number, SIG_DFL) }
  }

  /// What was typed, waiting for the first key; `nil` at the end.
  func read() throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1024)
    while true {
      let count = bytes.withUnsafeMutableBytes { readBytes(STDIN_FILENO, $0) }
      if count > 0 { return Array(bytes[..<count]) }
      // A terminal that is gone gives an error.
      if count == 0 || errno == EIO { return nil }
      guard errno == EINTR || errno == EAGAIN else {
        throw CommandFailure(.inputOutput, "the terminal cannot be read: \(systemMessage(errno))")
      }
    }
  }
}

private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, bytes.baseAddress, bytes.count)
}

/// What a signal's handler restores. Set before there is a handler, and neither changed nor given back afterwards: another thread
/// may be in the handler. Where it lies is kept, because the compiler gives a global structure less room than one with gaps
/// between its fields takes.
private nonisolated(unsafe) var terminalToRestore: UnsafeMutablePointer<termios>?

/// Ends the process as the signal would have. Only functions that handlers may call are called.
private func restoreTerminalAndEnd(_ number: Int32) {
  if let terminalToRestore { tcsetattr(STDIN_FILENO, TCSANOW, terminalToRestore) }
  signal(number, SIG_DFL)
  raise(number)
}
