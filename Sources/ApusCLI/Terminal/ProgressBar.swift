/// How far a long file has been read, on the last line of the terminal.
///
/// It appears after half a second, so that quick work stays quiet, and only when standard error is a terminal.
struct ProgressBar {
  private let total: Int
  private let started = ContinuousClock.now
  private var lastDrawn: ContinuousClock.Instant?
  private var isVisible = false

  private static let delay = Duration.milliseconds(500)
  private static let interval = Duration.milliseconds(100)

  /// - Returns: `nil` where there is no terminal, or no end to count towards.
  init?(total: Int?) {
    guard let total, total > 0, Terminal.error.isTerminal else { return nil }
    self.total = total
  }

  /// Draws the bar when it is time to.
  mutating func update(_ done: Int, note: String) {
    let now = ContinuousClock.now
    guard now - started >= Self.delay else { return }
    if let lastDrawn, now - lastDrawn < Self.interval { return }
    lastDrawn = now
    isVisible = true
    let fraction = min(1, Double(done) / Double(total))
    let percent = "\(Int(fraction * 100))"
    let label = String(repeating: " ", count: 3 - percent.count) + percent + " %  " + note
    let width = max(8, min(40, Terminal.error.width - label.count - 6))
    let filled = Int(fraction * Double(width))
    let bar =
      String(repeating: "━", count: filled)
      + Terminal.error.styled(String(repeating: "─", count: width - filled), .dim)
    ErrorOutput.write("\r  \(bar)  \(label)\u{1B}[K")
  }

  /// Takes the bar away, before something else is written.
  mutating func clear() {
    guard isVisible else { return }
    isVisible = false
    lastDrawn = nil
    ErrorOutput.write("\r\u{1B}[K")
  }
}
