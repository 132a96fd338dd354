import ApusPlatform
import FoundationEssentials

/// Where text goes to: a terminal, which has a width and perhaps colours, or something else.
struct Terminal: Sendable {
  enum Color: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  let isTerminal: Bool
  /// Whether colours are wanted: on a terminal that knows them, unless `NO_COLOR` is set (no-color.org).
  let hasColors: Bool
  private let descriptor: Int32

  static let input = Terminal(STDIN_FILENO)
  static let output = Terminal(STDOUT_FILENO)
  static let error = Terminal(STDERR_FILENO)

  private init(_ descriptor: Int32) {
    let environment = ProcessInfo.processInfo.environment
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    hasColors = isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  /// The columns of the terminal; 80 where that cannot be known.
  var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Help has two columns, and in less than this there is no room for the second one: the parser would leave it out.
  private static let leastHelpWidth = 40

  /// Takes a `COLUMNS` that is too small for help, or no number, out of the environment, before any thread looks at it.
  static func forgetNarrowWidth() {
    guard let columns = ProcessInfo.processInfo.environment["COLUMNS"] else { return }
    if Int(columns).map({ $0 < leastHelpWidth }) ?? true { unsetenv("COLUMNS") }
  }

  func styled(_ text: String, _ color: Color) -> String {
    hasColors && !text.isEmpty ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// A tick or a cross.
  func mark(_ isGood: Bool) -> String {
    isGood ? styled("✓", .green) : styled("✗", .red)
  }
}
