import ApusBase
import ApusMedia

/// A dog's behaviour over time as charts: its segments, how sure each prediction was, and how probable the labels were.
public struct BehaviorCharts: Sendable {
  private let result: BehaviorResult
  private let clock: ChartClock

  /// The most lines whose colours can be distinguished.
  static let mostLines = 8

  /// The charts of a result.
  public init(_ result: BehaviorResult) {
    self.result = result
    clock = ChartClock(first: result.times.first ?? 0, last: result.times.last ?? 0)
  }

  /// Every chart, with the name of its file.
  public var all: [ReportFigure] {
    [
      ReportFigure("timeline", timeline), ReportFigure("confidence", confidence),
      ReportFigure("probabilities", probabilities),
    ]
  }

  /// The segments, a row a label, the label with the most seconds first.
  public var timeline: TimelineChart {
    let labels = result.totals.map(\.label)
    let rows = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    var chart = TimelineChart(
      title: "Behaviour", x: clock.axis, labels: labels,
      segments: result.segments.compactMap { segment in
        rows[segment.label].map { .init(label: $0, clock.range(segment.start, segment.end)) }
      })
    chart.x.range = clock.range(result.times.first ?? 0, result.times.last ?? 1)
    return chart
  }

  /// The probability of the most probable label, whatever it is.
  public var confidence: Chart {
    var chart = Chart(
      title: "Confidence", x: clock.axis, y: .init("highest probability", range: 0...1))
    chart.series = [.init("confidence", points: points { result.confidence(at: $0) })]
    chart.rules = [
      .init("uncertain below \(NumberText.short(Double(result.settings.threshold)))", Double(result.settings.threshold))
    ]
    return chart
  }

  /// The probabilities of the labels that were ever the most probable, the eight most frequent of them.
  public var probabilities: Chart {
    let labels = result.leadingLabels
    let title =
      labels.count > Self.mostLines
      ? "Probabilities, of the \(Self.mostLines) labels that lead most often"
      : "Probabilities of the labels that ever lead"
    var chart = Chart(title: title, x: clock.axis, y: .init("probability", range: 0...1))
    chart.series = labels.prefix(Self.mostLines).map { label in
      .init(result.info.labels[label], points: points { result.probability(ofLabel: label, at: $0) })
    }
    return chart
  }

  /// A value for each prediction, and a gap where the stream had one.
  private func points(_ value: (Int) -> Float?) -> [Chart.Sample] {
    var points: [Chart.Sample] = []
    points.reserveCapacity(result.count + result.firstsAfterGap.count)
    for (index, time) in result.times.enumerated() {
      let x = clock.place(time)
      if result.firstsAfterGap.contains(index) { points.append(.init(x, nil)) }
      points.append(.init(x, value(index).map(Double.init)))
    }
    return points
  }
}
