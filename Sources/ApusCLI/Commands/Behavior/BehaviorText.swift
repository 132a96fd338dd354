import Apus
import ApusMotion

/// Predictions as rows for people.
struct BehaviorText {
  private let info: BehaviorModelInfo
  private let labelWidth: Int
  private var counts: [String: Int] = [:]
  private var hasHeader = false
  /// The shortest and the longest window.
  private var windowSeconds: ClosedRange<Double>?

  init(info: BehaviorModelInfo) {
    self.info = info
    labelWidth = (info.labels + [BehaviorPrediction.uncertain]).map(\.count).max() ?? 0
  }

  private func header(_ columns: String) -> [String] {
    let terminal = Terminal.output
    var facts = ["\(info.labels.count) labels, \(info.trainedClasses.count) of them trained"]
    if let data = info.trainingData { facts.append("learned from \(data)") }
    return [
      terminal.styled(info.name, .bold) + terminal.styled("  " + facts.joined(separator: "; "), .dim), "",
      terminal.styled(columns + "  " + padded("behaviour", labelWidth) + "  confidence", .dim),
    ]
  }

  /// The header before the first of them.
  mutating func rows(for event: BehaviorEvent) -> [String] {
    defer { hasHeader = true }
    return (hasHeader ? [] : header("      time")) + [row(for: event)]
  }

  /// The header before the first of them.
  mutating func rows(for segment: BehaviorSegment) -> [String] {
    defer { hasHeader = true }
    let confidence = NumberText.fixed(segment.meanConfidence, decimals: 2)
    let row =
      [segment.start, segment.end, segment.seconds].map(seconds).joined()
      + Terminal.output.styled(padded(segment.label, labelWidth), .bold) + "  \(confidence)  "
      + bar(segment.meanConfidence, isGood: true)
    return (hasHeader ? [] : header("      from          to       lasts")) + [row]
  }

  /// `123.4 s`, right aligned, and two blanks.
  private func seconds(_ value: Double) -> String {
    let text = NumberText.fixed(value, decimals: 1)
    return String(repeating: " ", count: max(0, 8 - text.count)) + text + " s  "
  }

  func footer(_ totals: [BehaviorTotal]) -> [String] {
    if totals.isEmpty { return ["no behaviour was sure enough, for long enough, to be a segment"] }
    var table = TextTable(alignments: [.left, .right, .right, .right])
    table.add("total", "segments", "seconds", "longest")
    for total in totals {
      table.add(
        total.label, "\(total.segments)", NumberText.fixed(total.seconds, decimals: 1),
        NumberText.fixed(total.longest, decimals: 1))
    }
    return [""] + table.lines
  }

  private mutating func row(for event: BehaviorEvent) -> String {
    switch event {
    case .prediction(let prediction):
      counts[prediction.label, default: 0] += 1
      let (least, most) = (windowSeconds?.lowerBound ?? .infinity, windowSeconds?.upperBound ?? 0)
      windowSeconds = min(least, prediction.windowSeconds)...max(most, prediction.windowSeconds)
      return row(prediction)
    case .gap(let gap):
      let seconds = NumberText.fixed(gap.seconds, decimals: 1)
      let text = "a pause of \(seconds) s before frame \(gap.frameIndex): the window starts again"
      return Terminal.output.styled("            " + text, .dim)
    case .insufficientFrames(let outcome):
      return "\(outcome)"
    }
  }

  func footer(_ summary: BehaviorStreamSummary) -> [String] {
    let ranked = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let shares = ranked.map { label, count in
      "\(label) \(NumberText.fixed(Double(count) / Double(summary.predictions) * 100, decimals: 0)) %"
    }
    let windows =
      CountText.counted(summary.predictions, "window") + (windowSeconds.map { " of \(Self.span($0))" } ?? "")
    return [
      "", Terminal.output.styled("\(summary.frames) frames, \(windows): ", .dim) + shares.joined(separator: ", "),
    ]
  }

  /// `9.9 s`, or `9.9 to 10.4 s`.
  private static func span(_ range: ClosedRange<Double>) -> String {
    let (least, most) = (
      NumberText.fixed(range.lowerBound, decimals: 1), NumberText.fixed(range.upperBound, decimals: 1)
    )
    return least == most ? "\(least) s" : "\(least) to \(most) s"
  }

  private func row(_ prediction: BehaviorPrediction) -> String {
    let terminal = Terminal.output
    let isUncertain = prediction.label == BehaviorPrediction.uncertain
    let confidence = NumberText.fixed(Double(prediction.confidence), decimals: 2)
    var line = seconds(prediction.timestamp)
    line += terminal.styled(padded(prediction.label, labelWidth), isUncertain ? .dim : .bold) + "  \(confidence)  "
    line += bar(Double(prediction.confidence), isGood: !isUncertain)
    if prediction.isAbstention {
      let points = prediction.lackingPoints
      let named = points.prefix(4).map(\.name).joined(separator: ", ") + (points.count > 4 ? ", …" : "")
      return line + terminal.styled("  \(named) never seen", .dim)
    }
    if isUncertain {
      let guesses = prediction.ranked.prefix(2).map {
        "\($0.label) \(NumberText.fixed(Double($0.probability), decimals: 2))"
      }
      line += terminal.styled("  " + guesses.joined(separator: ", "), .dim)
    }
    if prediction.missingFraction > 0 {
      let percent = NumberText.fixed(prediction.missingFraction * 100, decimals: 0)
      line += terminal.styled("  \(percent) % of points missing", .dim)
    }
    return line
  }

  private func bar(_ fraction: Double, isGood: Bool) -> String {
    let filled = Int((min(max(fraction, 0), 1) * 20).rounded())
    return Terminal.output.styled(String(repeating: "━", count: filled), isGood ? .green : .yellow)
      + Terminal.output.styled(String(repeating: "─", count: 20 - filled), .dim)
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
