import Apus

extension Chart {
  /// The chart, drawn, at least 160 × 120 and at most 8192 × 8192 large; a side that is NaN is the least.
  public func figure(width: Double = 720, height: Double = 360) -> Figure {
    ChartLayout(self, width: width, height: height).figure()
  }

  /// What it shows, in a sentence.
  var summary: String {
    let names = series.map(\.name).joined(separator: ", ")
    return "\(title): \(names.isEmpty ? "no data" : names); \(y.label) over \(x.label)"
      + (bands.isEmpty ? "" : "; \(bands.count) parts marked")
  }
}

/// Where the parts of a chart are.
struct ChartLayout {
  let chart: Chart
  private let width: Double
  private let height: Double
  private let xTicks: AxisTicks
  private let yTicks: AxisTicks
  let frame: (left: Double, top: Double, right: Double, bottom: Double)
  private let legendRows: [[Int]]

  private static let titleSize = 15.0
  private static let labelSize = 12.0
  private static let rowHeight = 18.0

  init(_ chart: Chart, width: Double, height: Double) {
    func side(_ value: Double, atLeast least: Double) -> Double { value > least ? min(value, 8192) : least }
    let (width, height) = (side(width, atLeast: 160), side(height, atLeast: 120))
    self.chart = chart
    self.width = width
    self.height = height
    var (xRange, yRange) = Self.ranges(of: chart)
    let rows = Self.legendRows(chart, width: width - 24)
    // A quarter of the figure at most; a last row says how many series have no place.
    let most = max(1, Int(height * 0.25 / Self.rowHeight))
    legendRows = rows.count <= most ? rows : rows.prefix(most - 1) + [[]]
    // The names of bands, or half the number at the top of the axis, are between the legend and the frame.
    let top =
      16 + Self.titleSize + 8 + Double(legendRows.count) * Self.rowHeight
      + (chart.bands.isEmpty ? 6 : Self.rowHeight)
    let bottom = height - 46
    let yCount = Int(max(2, (bottom - top) / 50))
    let probe = AxisTicks(showing: yRange, count: yCount)
    let longest = probe.values.map { probe.label($0).count }.max() ?? 1
    let left = 34 + Figure.width(of: String(repeating: "0", count: longest), size: Self.labelSize)
    frame = (left, top, width - 20, max(bottom, top + 20))
    if chart.keepsProportions {
      (xRange, yRange) = Self.proportional(xRange, yRange, frame.right - frame.left, frame.bottom - frame.top)
    }
    xTicks = AxisTicks(
      showing: xRange, count: Int(max(2, (frame.right - left) / 90)), roundsEnds: false)
    yTicks = AxisTicks(showing: yRange, count: yCount, roundsEnds: !chart.keepsProportions)
  }

  func figure() -> Figure {
    var figure = Figure(width: width, height: height, summary: chart.summary)
    figure.add(
      .text(.init(chart.title, at: .init(12, 12 + Self.titleSize), size: Self.titleSize, isBold: true)))
    addLegend(&figure)
    addBands(&figure)
    addAxes(&figure)
    var lines: [[Figure.Point]] = []
    for index in chart.series.indices { lines += addSeries(index, &figure) }
    addRules(&figure, over: lines)
    if chart.series.allSatisfy({ $0.points.allSatisfy { $0.y == nil } }) {
      let middle = Figure.Point((frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2)
      figure.add(.text(.init("no data", at: middle, anchor: .middle, size: Self.labelSize, ink: .secondary)))
    }
    return figure
  }

  // MARK: - Scales

  /// What all finite numbers and the axes ask for; 0 to 1 without any.
  private static func ranges(of chart: Chart) -> (x: ClosedRange<Double>, y: ClosedRange<Double>) {
    var (x, y) = (Extent(chart.x.range), Extent(chart.y.range))
    for series in chart.series {
      for sample in series.points {
        x.include(sample.x)
        if let value = sample.y { y.include(value) }
      }
    }
    for band in chart.bands {
      x.include(band.range.lowerBound)
      x.include(band.range.upperBound)
    }
    for rule in chart.rules { y.include(rule.value) }
    return (x.range, y.range)
  }

  /// The least and the greatest of some numbers.
  private struct Extent {
    private var (low, high) = (Double.infinity, -Double.infinity)

    init(_ least: ClosedRange<Double>?) {
      if let least {
        include(least.lowerBound)
        include(least.upperBound)
      }
    }

    /// Larger numbers are not drawn: their differences could overflow.
    mutating func include(_ value: Double) {
      guard value.magnitude < 1e150 else { return }
      (low, high) = (min(low, value), max(high, value))
    }

    var range: ClosedRange<Double> { low <= high ? low...high : 0...1 }
  }

  /// Both ranges widened about their middles until a unit is as long on one axis as on the other.
  private static func proportional(
    _ x: ClosedRange<Double>, _ y: ClosedRange<Double>, _ width: Double, _ height: Double
  ) -> (ClosedRange<Double>, ClosedRange<Double>) {
    func widened(_ range: ClosedRange<Double>, _ length: Double) -> ClosedRange<Double> {
      let middle = (range.lowerBound + range.upperBound) / 2
      return middle - length / 2...middle + length / 2
    }
    let unit = max((x.upperBound - x.lowerBound) / width, (y.upperBound - y.lowerBound) / height, 1e-9) * 1.06
    return (widened(x, unit * width), widened(y, unit * height))
  }

  private func place(_ x: Double, _ y: Double) -> Figure.Point {
    .init(placeX(x), placeY(y))
  }

  private func placeX(_ x: Double) -> Double {
    let range = xTicks.range
    return frame.left + (x - range.lowerBound) / (range.upperBound - range.lowerBound) * (frame.right - frame.left)
  }

  func placeY(_ y: Double) -> Double {
    let range = yTicks.range
    let part = (y - range.lowerBound) / (range.upperBound - range.lowerBound)
    let share = chart.isUpsideDown ? part : 1 - part
    return frame.top + share * (frame.bottom - frame.top)
  }

  // MARK: - Parts

  private static func legendRows(_ chart: Chart, width: Double) -> [[Int]] {
    guard chart.series.count > 1 else { return [] }
    var (rows, used): ([[Int]], Double) = ([[]], 0)
    for (index, series) in chart.series.enumerated() {
      let needed = 44 + Figure.width(of: series.name, size: labelSize)
      if used > 0, used + needed > width {
        rows.append([])
        used = 0
      }
      rows[rows.count - 1].append(index)
      used += needed
    }
    return rows
  }

  private func addLegend(_ figure: inout Figure) {
    var y = 16 + Self.titleSize + 18
    for row in legendRows {
      var x = 12.0
      for index in row {
        let series = chart.series[index]
        addSample(of: series, at: index, from: .init(x, y - 4), to: .init(x + 22, y - 4), &figure)
        figure.add(.text(.init(series.name, at: .init(x + 28, y), size: Self.labelSize)))
        x += 44 + Figure.width(of: series.name, size: Self.labelSize)
      }
      if row.isEmpty {
        let shown = legendRows.reduce(0) { $0 + $1.count }
        figure.add(.text(.init("and \(chart.series.count - shown) more", at: .init(x, y), size: Self.labelSize)))
      }
      y += Self.rowHeight
    }
  }

  private func addSample(
    of series: Chart.Series, at index: Int, from: Figure.Point, to: Figure.Point, _ figure: inout Figure
  ) {
    let ink = Ink.series(series.color ?? index)
    switch series.style {
    case .line: figure.add(.line([from, to], .init(ink, width: 2)))
    case .dashes: figure.add(.line([from, to], .init(ink, width: 2, dashes: [5, 4])))
    case .dots: figure.add(.disc(center: .init((from.x + to.x) / 2, from.y), radius: 3.5, ink))
    }
  }

  private func addBands(_ figure: inout Figure) {
    var free = -Double.infinity
    for band in chart.bands {
      let (low, high) = (
        max(placeX(band.range.lowerBound), frame.left), min(placeX(band.range.upperBound), frame.right)
      )
      guard low <= high else { continue }
      figure.addRectangle(x: low, y: frame.top, width: max(high - low, 1), height: frame.bottom - frame.top, .band)
      // A name that would touch the last one is omitted.
      let half = Figure.width(of: band.name, size: 11) / 2
      let middle = (low + high) / 2
      if middle - half > free {
        figure.add(
          .text(.init(band.name, at: .init(middle, frame.top - 6), anchor: .middle, size: 11, ink: .secondary)))
        free = middle + half + 4
      }
    }
  }

  private func addAxes(_ figure: inout Figure) {
    for value in yTicks.values where yTicks.range.contains(value) {
      let y = placeY(value)
      figure.add(.line([.init(frame.left, y), .init(frame.right, y)], .init(.grid)))
      figure.add(
        .text(
          .init(
            yTicks.label(value), at: .init(frame.left - 7, y + 4), anchor: .end, size: Self.labelSize, ink: .secondary))
      )
    }
    for value in xTicks.values where xTicks.range.contains(value) {
      let x = placeX(value)
      figure.add(.line([.init(x, frame.bottom), .init(x, frame.bottom + 5)], .init(.secondary)))
      figure.add(
        .text(
          .init(
            xTicks.label(value), at: .init(x, frame.bottom + 18), anchor: .middle, size: Self.labelSize,
            ink: .secondary)))
    }
    figure.add(
      .line(
        [.init(frame.left, frame.top), .init(frame.left, frame.bottom), .init(frame.right, frame.bottom)],
        .init(.secondary)))
    figure.add(
      .text(
        .init(
          chart.x.label, at: .init((frame.left + frame.right) / 2, height - 10), anchor: .middle, size: Self.labelSize))
    )
    // Smaller where it is longer than the axis.
    let part = (height - 8) / max(1, Figure.width(of: chart.y.label, size: Self.labelSize))
    let middle = max((frame.top + frame.bottom) / 2, min(height / 2, frame.bottom))
    figure.add(
      .text(
        .init(
          chart.y.label, at: .init(17, middle), anchor: .middle, size: Self.labelSize * min(1, part),
          isVertical: true)))
  }

  /// - Returns: the lines that it drew.
  private func addSeries(_ index: Int, _ figure: inout Figure) -> [[Figure.Point]] {
    let series = chart.series[index]
    let ink = Ink.series(series.color ?? index)
    let places = series.points.map { sample in sample.y.map { place(sample.x, $0) } }
    if series.style == .dots {
      let dots = Self.thinnedDots(places)
      for place in dots { figure.add(.disc(center: place, radius: 3.5, ink)) }
      return dots.map { [$0] }
    }
    let dashes: [Double] = series.style == .dashes ? [5, 4] : []
    let lines = chart.keepsProportions ? Self.thinnedPaths(places) : Self.thinnedLines(places)
    for line in lines {
      if line.count == 1 { figure.add(.disc(center: line[0], radius: 1.5, ink)) }
      figure.add(.line(line, .init(ink, width: 1.8, dashes: dashes)))
    }
    return lines
  }
}
