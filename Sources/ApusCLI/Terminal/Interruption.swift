import Apus
import ApusPlatform

/// Signals that ask the process to end. They do so at once, as ever, but leave no half of a file: what is worth nothing
/// unfinished is removed, and what is kept is named on standard error.
///
/// A thread waits for them, which may do what the handler of a signal may not: lock, and make texts.
enum Interruption {
  /// QUIT is among them for Swift's handler of crashes takes it otherwise, and the process goes on.
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Begins to wait. To be called before there are other threads: those that come later take no such signal.
  static func watch() {
    var watched = sigset_t()
    sigemptyset(&watched)
    for number in signals where !isIgnored(number) { sigaddset(&watched, number) }
    pthread_sigmask(SIG_BLOCK, &watched, nil)
    let isWatched = startDetachedThread { _ in
      Interruption.wait()
      return nil
    }
    // Without the thread nothing would take them: they end the process as if nothing had been asked for.
    if !isWatched { pthread_sigmask(SIG_UNBLOCK, &watched, nil) }
  }

  /// Whether the parent process wants the signal to do nothing, as `nohup` does. Blocked, it would arrive.
  private static func isIgnored(_ number: Int32) -> Bool {
    let former = signal(number, SIG_DFL)
    guard unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) else { return false }
    signal(number, SIG_IGN)
    return true
  }

  private static func wait() {
    var watched = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &watched)
    var number: Int32 = 0
    while sigwait(&watched, &number) != 0 {}
    UnfinishedFiles.end { streams in
      if !streams.isEmpty, Terminal.error.isTerminal { ErrorOutput.write("\r\u{1B}[K") }
      for file in streams { UnfinishedNotice(path: file.path, part: file.part).write() }
      endProcess(by: number)
    }
  }

  /// Ends the process as the signal does where it is not handled, so that a shell sees 128 and its number.
  private static func endProcess(by number: Int32) {
    signal(number, SIG_DFL)
    var ending = sigset_t()
    sigemptyset(&ending)
    sigaddset(&ending, number)
    pthread_sigmask(SIG_UNBLOCK, &ending, nil)
    raise(number)
  }
}
