import Apus

extension Chart {
  /// The chart, drawn.
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
  private let chart: Chart
  private let width: Double
  private let height: Double
  private let xTicks: AxisTicks
  private let yTicks: AxisTicks
  private let frame: (left: Double, top: Double, right: Double, bottom: Double)
  private let legendRows: [[Int]]

  private static let titleSize = 15.0
  private static let labelSize = 12.0
  private static let rowHeight = 18.0

  init(_ chart: Chart, width: Double, height: Double) {
    let (width, height) = (min(max(width, 160), 8192), min(max(height, 120), 8192))
    self.chart = chart
    self.width = width
    self.height = height
    let samples = chart.series.flatMap { $0.points }
    var xRange = Self.range(samples.map(\.x) + chart.bands.flatMap { [$0.range.lowerBound, $0.range.upperBound] }, chart.x.range)
    var yRange = Self.range(samples.compactMap(\.y) + chart.rules.map(\.value), chart.y.range)
    legendRows = Self.legendRows(chart, width: width - 24)
    let top = 16 + Self.titleSize + 8 + Double(legendRows.count) * Self.rowHeight
      + (chart.bands.isEmpty ? 0 : Self.rowHeight)
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
    for index in chart.series.indices { addSeries(index, &figure) }
    addRules(&figure)
    if chart.series.allSatisfy({ $0.points.allSatisfy { $0.y == nil } }) {
      let middle = Figure.Point((frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2)
      figure.add(.text(.init("no data", at: middle, anchor: .middle, size: Self.labelSize, ink: .secondary)))
    }
    return figure
  }

  // MARK: - Scales

  /// What all finite numbers and the axis ask for; 0 to 1 without any.
  private static func range(_ values: [Double], _ least: ClosedRange<Double>?) -> ClosedRange<Double> {
    // Differences of larger numbers could overflow.
    let all = (values + (least.map { [$0.lowerBound, $0.upperBound] } ?? [])).filter { $0.magnitude < 1e150 }
    guard let low = all.min(), let high = all.max() else { return 0...1 }
    return low...high
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

  private func placeY(_ y: Double) -> Double {
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
        addSample(of: series.style, index, from: .init(x, y - 4), to: .init(x + 22, y - 4), &figure)
        figure.add(.text(.init(series.name, at: .init(x + 28, y), size: Self.labelSize)))
        x += 44 + Figure.width(of: series.name, size: Self.labelSize)
      }
      y += Self.rowHeight
    }
  }

  private func addSample(
    of style: Chart.Style, _ index: Int, from: Figure.Point, to: Figure.Point, _ figure: inout Figure
  ) {
    switch style {
    case .line: figure.add(.line([from, to], .init(.series(index), width: 2)))
    case .dashes: figure.add(.line([from, to], .init(.series(index), width: 2, dashes: [5, 4])))
    case .dots: figure.add(.disc(center: .init((from.x + to.x) / 2, from.y), radius: 3.5, .series(index)))
    }
  }

  private func addBands(_ figure: inout Figure) {
    var free = -Double.infinity
    for band in chart.bands {
      let (low, high) = (max(placeX(band.range.lowerBound), frame.left), min(placeX(band.range.upperBound), frame.right))
      guard low <= high else { continue }
      figure.addRectangle(x: low, y: frame.top, width: max(high - low, 1), height: frame.bottom - frame.top, .band)
      // A name that would touch the last one is left out.
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
            yTicks.label(value), at: .init(frame.left - 7, y + 4), anchor: .end, size: Self.labelSize, ink: .secondary)))
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
      .line([.init(frame.left, frame.top), .init(frame.left, frame.bottom), .init(frame.right, frame.bottom)],
        .init(.secondary)))
    figure.add(
      .text(
        .init(
          chart.x.label, at: .init((frame.left + frame.right) / 2, height - 10), anchor: .middle, size: Self.labelSize)))
    figure.add(
      .text(
        .init(
          chart.y.label, at: .init(17, (frame.top + frame.bottom) / 2), anchor: .middle, size: Self.labelSize,
          isVertical: true)))
  }

  private func addSeries(_ index: Int, _ figure: inout Figure) {
    let series = chart.series[index]
    let places = series.points.map { sample in sample.y.map { place(sample.x, $0) } }
    if series.style == .dots {
      for place in places.compactMap({ $0 }) { figure.add(.disc(center: place, radius: 3.5, .series(index))) }
      return
    }
    let dashes: [Double] = series.style == .dashes ? [5, 4] : []
    for run in places.split(whereSeparator: { $0 == nil }) {
      let points = run.compactMap { $0 }
      let line = chart.keepsProportions ? Self.thinnedPath(points) : Self.thinned(points)
      if line.count == 1 { figure.add(.disc(center: line[0], radius: 1.5, .series(index))) }
      figure.add(.line(line, .init(.series(index), width: 1.8, dashes: dashes)))
    }
  }

  private func addRules(_ figure: inout Figure) {
    for rule in chart.rules {
      let y = placeY(rule.value)
      figure.add(.line([.init(frame.left, y), .init(frame.right, y)], .init(.secondary, width: 1, dashes: [2, 3])))
      figure.add(
        .text(.init(rule.name, at: .init(frame.right - 4, y - 4), anchor: .end, size: 11, ink: .secondary)))
    }
  }

  /// Of all points in the same half pixel along x the first, lowest, highest and last: a line of any length looks the
  /// same.
  private static func thinned(_ points: [Figure.Point]) -> [Figure.Point] {
    guard points.count > 4000 else { return points }
    var result: [Figure.Point] = []
    var start = 0
    while start < points.count {
      let column = (points[start].x * 2).rounded(.down)
      var end = start
      var (low, high) = (start, start)
      while end < points.count, (points[end].x * 2).rounded(.down) == column {
        if points[end].y < points[low].y { low = end }
        if points[end].y > points[high].y { high = end }
        end += 1
      }
      // Where x is not finite nothing is equal to it.
      end = max(end, start + 1)
      for index in Set([start, low, high, end - 1]).sorted() { result.append(points[index]) }
      start = end
    }
    return result
  }

  /// A path without the points that are hardly away from the last one that is kept.
  private static func thinnedPath(_ points: [Figure.Point]) -> [Figure.Point] {
    guard points.count > 4000, var kept = points.first else { return points }
    var result = [kept]
    for point in points where abs(point.x - kept.x) + abs(point.y - kept.y) >= 0.5 {
      result.append(point)
      kept = point
    }
    return result
  }
}
