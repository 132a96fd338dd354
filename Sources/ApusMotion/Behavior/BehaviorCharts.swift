import ApusBase
import ApusMedia

/// A dog's behaviour over time as charts: its segments, how sure each prediction was, and how probable the labels were.
public struct BehaviorCharts: Sendable {
  private let course: BehaviorCourse
  private let clock: ChartClock

  /// As many lines can be told apart by their colours.
  static let mostLines = 8

  public init(_ course: BehaviorCourse) {
    self.course = course
    clock = ChartClock(first: course.times.first ?? 0, last: course.times.last ?? 0)
  }

  public var all: [ReportFigure] {
    [
      ReportFigure("timeline", timeline), ReportFigure("confidence", confidence),
      ReportFigure("probabilities", probabilities),
    ]
  }

  /// The segments, a row a label, the label with the most seconds first.
  public var timeline: TimelineChart {
    let labels = course.totals.map(\.label)
    let rows = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    var chart = TimelineChart(
      title: "Behaviour", x: clock.axis, labels: labels,
      segments: course.segments.compactMap { segment in
        rows[segment.label].map { .init(label: $0, clock.range(segment.start, segment.end)) }
      })
    chart.x.range = clock.range(course.times.first ?? 0, course.times.last ?? 1)
    return chart
  }

  /// The probability of the most probable label, whatever it is.
  public var confidence: Chart {
    var chart = Chart(
      title: "Confidence", x: clock.axis, y: .init("highest probability", range: 0...1))
    chart.series = [.init("confidence", points: points { course.confidence(at: $0) })]
    chart.rules = [
      .init("uncertain below \(NumberText.short(Double(course.options.threshold)))", Double(course.options.threshold))
    ]
    return chart
  }

  /// The probabilities of the labels that were ever the most probable, the eight most frequent of them.
  public var probabilities: Chart {
    let labels = course.leadingLabels
    let title =
      labels.count > Self.mostLines
      ? "Probabilities, of the \(Self.mostLines) labels that lead most often"
      : "Probabilities of the labels that ever lead"
    var chart = Chart(title: title, x: clock.axis, y: .init("probability", range: 0...1))
    chart.series = labels.prefix(Self.mostLines).map { label in
      .init(course.info.labels[label], points: points { course.probability(ofLabel: label, at: $0) })
    }
    return chart
  }

  /// A value for each prediction, and a gap where the stream had one.
  private func points(_ value: (Int) -> Float?) -> [Chart.Sample] {
    var points: [Chart.Sample] = []
    points.reserveCapacity(course.count + course.firstsAfterGap.count)
    for (index, time) in course.times.enumerated() {
      let x = clock.place(time)
      if course.firstsAfterGap.contains(index) { points.append(.init(x, nil)) }
      points.append(.init(x, value(index).map(Double.init)))
    }
    return points
  }
}
