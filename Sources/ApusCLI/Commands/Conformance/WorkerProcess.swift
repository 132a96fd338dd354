import ApusPlatform
import FoundationEssentials

/// Another process of this program that takes commands a line at a time and answers in lines.
///
/// What it does may end it, or take for ever; this process sees that and goes on.
final class WorkerProcess {
  /// What came of waiting for a line.
  enum Answer: Equatable {
    case line(String)
    /// The worker has ended; how, in words.
    case ended(String)
    case tooLate
  }

  private let process: pid_t
  private let input: Int32
  private let output: Int32
  private var pending: [UInt8] = []
  private var hasEnded = false

  /// Starts this program with other arguments. What the worker says on standard error is dropped.
  init(arguments: [String]) throws {
    let (toWorker, fromWorker) = (try Self.pipe(), try Self.pipe())
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      let program = CommandLine.arguments[0]
    #else
      var actions = posix_spawn_file_actions_t()
      let program = "/proc/self/exe"
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toWorker.read, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromWorker.write, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    // A backtrace takes seconds, and would not be read.
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    var worker = pid_t()
    let status = Self.withCStrings([program] + arguments) { arguments in
      Self.withCStrings(environment.map { "\($0)=\($1)" }) { environment in
        posix_spawnp(&worker, program, &actions, nil, arguments, environment)
      }
    }
    close(toWorker.read)
    close(fromWorker.write)
    (process, input, output) = (worker, toWorker.write, fromWorker.read)
    guard status == 0 else {
      hasEnded = true
      throw CommandFailure(.inputOutput, "another process could not be started: \(systemMessage(status))")
    }
  }

  deinit {
    if !hasEnded { end() }
    close(input)
    close(output)
  }

  /// Tells the worker something. One that has ended is found out by ``receive(within:)``.
  func send(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count > 0 { written += count } else if errno != EINTR { return }
    }
  }

  /// Waits for a line.
  func receive(within limit: Duration) -> Answer {
    let deadline = ContinuousClock.now + limit
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeSubrange(...end)
        return .line(line)
      }
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return .tooLate }
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
      var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let ready = poll(&descriptor, 1, Int32(clamping: milliseconds + 1))
      if ready < 0, errno != EINTR { return .ended("cannot be waited for: \(systemMessage(errno))") }
      guard ready > 0 else { continue }
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      let count = chunk.withUnsafeMutableBytes { read(output, $0.baseAddress, $0.count) }
      if count > 0 { pending += chunk[..<count] }
      if count == 0 { return .ended(wait()) }
      if count < 0, errno != EINTR { return .ended("cannot be read from: \(systemMessage(errno))") }
    }
  }

  /// Ends the worker, whatever it does.
  func end() {
    kill(process, SIGKILL)
    _ = wait()
  }

  /// How the worker has ended.
  private func wait() -> String {
    guard !hasEnded else { return "ended" }
    hasEnded = true
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { if errno != EINTR { return "ended" } }
    // The macros of C for this are not there in Swift.
    let signal = status & 0x7F
    if signal == 0 { return "ended with status \((status >> 8) & 0xFF)" }
    return "ended by signal \(signal)" + (strsignal(signal).map { " (\(String(cString: $0)))" } ?? "")
  }

  /// A pipe that children do not inherit.
  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    #if canImport(Glibc)
      let status = Glibc.pipe(&ends)
    #elseif canImport(Musl)
      let status = Musl.pipe(&ends)
    #else
      let status = Darwin.pipe(&ends)
    #endif
    guard status == 0 else { throw CommandFailure(.inputOutput, "no pipe can be made: \(systemMessage(errno))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// In the worker: ends it with the process that started it, however that ends. Work that takes for ever would go on
  /// otherwise, as nothing is read meanwhile.
  static func endWithParent() {
    _ = startDetachedThread { _ in
      // Nothing is asked for: what is told is the end of all who write to the pipe. A file has no such end.
      var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
      while true {
        if poll(&input, 1, -1) < 0, errno != EINTR { return nil }
        if Int32(input.revents) & POLLNVAL != 0 { return nil }
        if Int32(input.revents) & (POLLHUP | POLLERR) != 0 { _exit(CommandStatus.inputOutput.rawValue) }
      }
    }
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0.systemBytes) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { buffer in
      // Never empty: it ends with a null pointer.
      withExtendedLifetime(buffer) { body(buffer.baseAddress.unsafelyUnwrapped) }
    }
  }
}
