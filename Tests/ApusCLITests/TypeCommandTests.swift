import ApusPlatform
import Foundation
import Testing

/// A terminal that a test types on.
private final class PseudoTerminal {
  private let master: Int32
  let slave: FileHandle

  /// - Parameter columns: its width; that of a new terminal, which has none, when nil.
  init(columns: UInt16? = nil) throws {
    #if os(Linux)
      master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var (isLocked, number): (Int32, UInt32) = (0, 0)
      // TIOCSPTLCK and TIOCGPTN, which Swift does not import.
      try #require(master >= 0 && ioctl(master, 0x4004_5431, &isLocked) == 0)
      try #require(ioctl(master, 0x8004_5430, &number) == 0)
      let name = "/dev/pts/\(number)"
    #else
      master = posix_openpt(O_RDWR | O_NOCTTY)
      try #require(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
      let name = try #require(ptsname(master).map { String(cString: $0) })
    #endif
    slave = try #require(FileHandle(forUpdatingAtPath: name))
    guard let columns else { return }
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(master, UInt(TIOCSWINSZ), &size) == 0)
  }

  deinit { close(master) }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(write(master, bytes, bytes.count) == bytes.count)
  }

  /// What is shown, from now until `text` is.
  func output(until text: String) throws -> String {
    var shown: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      try #require(poll(&request, 1, 60_000) > 0, "\(String(decoding: shown, as: UTF8.self))")
      let count = read(master, &bytes, bytes.count)
      try #require(count > 0, "\(String(decoding: shown, as: UTF8.self))")
      shown += bytes[..<count]
      let string = String(decoding: shown, as: UTF8.self)
      if string.contains(text) { return string }
    }
  }

  /// Whether keys are echoed, and lines edited, by the terminal itself.
  var isCooked: Bool {
    var settings = termios()
    tcgetattr(slave.fileDescriptor, &settings)
    return settings.c_lflag & tcflag_t(ICANON) != 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }
}

@Suite struct TypeCommandTests {
  private func withTyping(columns: UInt16? = nil, _ body: (PseudoTerminal, Process) throws -> Void) throws {
    try KeyboardFolder.with { _, model in
      let terminal = try PseudoTerminal(columns: columns)
      let process = Command.process(["type", "--model", model], environment: ["NO_COLOR": "1"])
      (process.standardInput, process.standardOutput) = (terminal.slave, terminal.slave)
      try process.run()
      _ = try terminal.output(until: columns == nil ? "type something" : "…")
      #expect(!terminal.isCooked)
      try body(terminal, process)
      #expect(terminal.isCooked)
    }
  }

  /// Waits for the end, which comes within a minute.
  private func end(_ process: Process) throws {
    for _ in 0..<6000 where process.isRunning { usleep(10_000) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// A line that wraps would stay on the screen: only the one before the cursor's is erased.
  @Test func linesAreNoWiderThanTheTerminal() throws {
    try withTyping(columns: 12) { terminal, process in
      terminal.type("say hel")
      let shown = try terminal.output(until: "› say hel")
      for line in shown.split(whereSeparator: { $0 == "\r\n" || $0 == "\r" }) {
        #expect(line.replacing("\u{1B}[1A", with: "").replacing("\u{1B}[J", with: "").count <= 12, "\(line)")
      }
      terminal.type("\u{4}")
      try end(process)
    }
  }

  @Test func suggestionsFollowWhatIsTyped() throws {
    try withTyping { terminal, process in
      terminal.type("say hel")
      _ = try terminal.output(until: "1 hello\r\n› say hel")
      terminal.type("1")
      _ = try terminal.output(until: "› say hello ")
      terminal.type("\u{7F}\u{7F}\u{7F}\u{1B}[D")
      _ = try terminal.output(until: "› say hel")
      terminal.type("\t9")
      _ = try terminal.output(until: "› say hello 9")
      terminal.type("\u{17}caf\u{e9}\r")
      _ = try terminal.output(until: "› say hello caf\u{e9}\r\n")
      terminal.type("\u{4}")
      try end(process)
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }
  }

  @Test(arguments: [SIGTERM, SIGHUP]) func aSignalLeavesTheTerminalAsItWas(signal: Int32) throws {
    try withTyping { _, process in
      kill(process.processIdentifier, signal)
      try end(process)
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == signal)
    }
  }

  @Test func withoutATerminalItDeclines() throws {
    let result = try Command.run("type", input: "hello\n")
    #expect(result.status == 64)
    #expect(result.errors.contains("needs a terminal"))
    #expect(result.output.isEmpty)
  }
}
