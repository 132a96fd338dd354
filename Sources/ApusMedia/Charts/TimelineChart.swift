import Apus

/// What was when: a row a label, a bar a stretch of time.
public struct TimelineChart: Sendable, Hashable {
  /// A stretch of time that has a label.
  public struct Segment: Sendable, Hashable {
    /// Which of ``TimelineChart/labels``.
    public var label: Int
    /// In seconds.
    public var range: ClosedRange<Double>

    /// - Parameters:
    ///   - label: an index of ``TimelineChart/labels``; a segment with another is not drawn.
    ///   - range: from when to when, in seconds.
    public init(label: Int, _ range: ClosedRange<Double>) {
      self.label = label
      self.range = range
    }
  }

  /// What is written above the chart.
  public var title: String
  /// The axis of time.
  public var x: Chart.Axis
  /// A name for each row, from top to bottom.
  public var labels: [String]
  /// The bars, in any order; those of a label that overlap are drawn as one.
  public var segments: [Segment]

  /// A row for each of `labels`, those without segments included.
  public init(title: String, x: Chart.Axis, labels: [String], segments: [Segment]) {
    self.title = title
    self.x = x
    self.labels = labels
    self.segments = segments
  }

  /// The chart, drawn; as high as its rows need.
  public func figure(width: Double = 720) -> Figure {
    let width = min(max(width, 160), 8192)
    let (rowHeight, top) = (26.0, 44.0)
    let bottom = top + Double(max(labels.count, 1)) * rowHeight
    let left = 24 + (labels.map { Figure.width(of: $0, size: 12) }.max() ?? 0)
    let right = width - 20
    let ends =
      segments.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
      + (x.range.map { [$0.lowerBound, $0.upperBound] } ?? [])
    let finite = ends.filter { $0.magnitude < 1e150 }
    let ticks = AxisTicks(
      showing: (finite.min() ?? 0)...(finite.max() ?? 1), count: Int(max(2, (right - left) / 90)), roundsEnds: false)
    func place(_ value: Double) -> Double {
      let part = (value - ticks.range.lowerBound) / (ticks.range.upperBound - ticks.range.lowerBound)
      return left + part * (right - left)
    }
    var figure = Figure(
      width: width, height: bottom + 46,
      summary: "\(title): \(segments.count) stretches of \(labels.joined(separator: ", "))")
    figure.add(.text(.init(title, at: .init(12, 27), size: 15, isBold: true)))
    for (index, label) in labels.enumerated() {
      let middle = top + (Double(index) + 0.5) * rowHeight
      figure.add(.line([.init(left, middle), .init(right, middle)], .init(.grid)))
      figure.add(.text(.init(label, at: .init(left - 8, middle + 4), anchor: .end, size: 12)))
    }
    for (label, bars) in bars(place).enumerated() {
      for bar in bars {
        figure.addRectangle(
          x: bar.start, y: top + Double(label) * rowHeight + 4, width: bar.end - bar.start, height: rowHeight - 8,
          .series(label))
      }
    }
    if segments.isEmpty {
      let middle = Figure.Point((left + right) / 2, top + rowHeight / 2 + 4)
      figure.add(.text(.init("no data", at: middle, anchor: .middle, size: 12, ink: .secondary)))
    }
    for value in ticks.values where ticks.range.contains(value) {
      let tick = place(value)
      figure.add(.line([.init(tick, bottom), .init(tick, bottom + 5)], .init(.secondary)))
      figure.add(
        .text(.init(ticks.label(value), at: .init(tick, bottom + 18), anchor: .middle, size: 12, ink: .secondary)))
    }
    figure.add(.line([.init(left, bottom), .init(right, bottom)], .init(.secondary)))
    figure.add(.text(.init(x.label, at: .init((left + right) / 2, bottom + 36), anchor: .middle, size: 12)))
    return figure
  }

  /// For each label where its bars start and end, a pixel wide or more. What comes less than a quarter of a pixel after
  /// another joins it, so that any number of segments makes a drawing of some size.
  private func bars(_ place: (Double) -> Double) -> [[(start: Double, end: Double)]] {
    var bars = [[(start: Double, end: Double)]](repeating: [], count: labels.count)
    for segment in segments.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
    where labels.indices.contains(segment.label) {
      let start = place(segment.range.lowerBound)
      let end = max(place(segment.range.upperBound), start + 1)
      if let last = bars[segment.label].last, start - last.end < 0.25 {
        bars[segment.label][bars[segment.label].count - 1].end = max(last.end, end)
      } else {
        bars[segment.label].append((start, end))
      }
    }
    return bars
  }
}
