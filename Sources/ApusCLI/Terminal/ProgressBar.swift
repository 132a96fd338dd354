/// How far a long piece of work is: on the last line of the terminal, or, where standard error is none, as a line of its
/// own every quarter of a minute.
///
/// It appears after half a second, and in a file or a pipe after a quarter of a minute, so that quick work stays quiet.
struct ProgressBar {
  /// How much there is to do; nil where the end is not in sight.
  private let total: Int?
  private let started = ContinuousClock.now
  private var lastDrawn: ContinuousClock.Instant?
  private var isVisible = false
  private let isTerminal = Terminal.error.isTerminal

  /// - Returns: `nil` where there is nothing to do.
  init?(total: Int?) {
    if let total, total <= 0 { return nil }
    self.total = total
  }

  private var delay: Duration { isTerminal ? .milliseconds(500) : .seconds(15) }
  private var interval: Duration { isTerminal ? .milliseconds(100) : .seconds(15) }

  /// Says it when it is time to.
  mutating func update(_ done: Int, note: String) {
    let now = ContinuousClock.now
    guard now - started >= delay else { return }
    if let lastDrawn, now - lastDrawn < interval { return }
    lastDrawn = now
    let fraction = total.map { min(1, Double(done) / Double($0)) }
    let percent = fraction.map { "\(Int($0 * 100)) %  " } ?? ""
    guard isTerminal else { return ErrorOutput.write("apus: \(percent)\(note)\n") }
    isVisible = true
    guard let fraction else { return ErrorOutput.write("\r  \(note)\u{1B}[K") }
    let label = String(repeating: " ", count: max(0, 7 - percent.count)) + percent + note
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
