import FoundationXML
import Foundation
import Testing

@testable import ApusMedia

@Suite struct ChartTests {
  /// Elements by name, of a text that must be well-formed.
  final class Elements: NSObject, XMLParserDelegate {
    var counts: [String: Int] = [:]
    var text = ""

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) { counts[name, default: 0] += 1 }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
  }

  private func elements(_ svg: String) throws -> Elements {
    let parser = XMLParser(data: Data(svg.utf8))
    let elements = Elements()
    parser.delegate = elements
    try #require(parser.parse(), "\(String(describing: parser.parserError))")
    return elements
  }

  private func chart(_ samples: [Chart.Sample]) -> Chart {
    var chart = Chart(title: "Height <of> \"bars\" & more", x: .init("time", unit: "s"), y: .init("height", unit: "cm"))
    chart.series = [.init("raw", style: .dots, points: samples), .init("smoothed", points: samples)]
    return chart
  }

  @Test func aChartHasTitleAxesWithUnitsAndALegend() throws {
    let found = try elements(chart([.init(0, 1), .init(1, 3), .init(2, nil), .init(3, 2)]).figure().svg())
    for text in ["Height <of> \"bars\" & more", "time (s)", "height (cm)", "raw", "smoothed"] {
      #expect(found.text.contains(text))
    }
    // Three dots and the one in the legend; the point after the gap, alone, is a dot of the line.
    #expect(found.counts["circle"] == 5)
  }

  @Test func coloursHaveTheContrastThatTextNeeds() {
    func luminance(_ color: PixelColor) -> Double {
      func linear(_ value: UInt8) -> Double {
        let part = Double(value) / 255
        return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
    }
    func contrast(_ a: PixelColor, _ b: PixelColor) -> Double {
      let (high, low) = (max(luminance(a), luminance(b)), min(luminance(a), luminance(b)))
      return (high + 0.05) / (low + 0.05)
    }
    for theme in Theme.all {
      for ground in [theme.background, theme.band] {
        for ink in [theme.foreground, theme.secondary] + theme.series {
          #expect(contrast(ink, ground) >= 4.5, "\(theme.name) \(ink.hexText) on \(ground.hexText)")
        }
      }
    }
  }

  @Test(arguments: [
    [], [Chart.Sample(0, nil)], [.init(0, .nan), .init(.nan, 1)], [.init(.infinity, 1), .init(1, -.infinity)],
    [.init(1e300, 1e300), .init(-1e300, -1e300)], [.init(5, 5)], [.init(1e9, 1e-9), .init(1e9 + 1e-9, 1e-9)],
    [.init(-1e149, 1e149), .init(1e149, -1e149)],
  ])
  func numbersOfAnyKindMakeASoundChart(samples: [Chart.Sample]) throws {
    for keepsProportions in [false, true] {
      var chart = chart(samples)
      chart.keepsProportions = keepsProportions
      let svg = chart.figure().svg()
      _ = try elements(svg)
      #expect(!svg.contains("nan") && !svg.contains("inf"))
    }
  }

  @Test(arguments: [(Double.nan, 160.0, 120.0), (-.infinity, 160, 120), (0, 160, 120), (.infinity, 8192, 8192)])
  func sidesOfAnyKindMakeASoundChart(side: Double, width: Double, height: Double) throws {
    let figure = chart([.init(0, 1), .init(1, 3)]).figure(width: side, height: side)
    #expect(figure.width == width && figure.height == height)
    let svg = figure.svg()
    _ = try elements(svg)
    #expect(!svg.contains("nan") && !svg.contains("inf"))
  }

  @Test func aLegendOfManySeriesLeavesRoomForThem() {
    var chart = Chart(title: "many", x: .init("time"), y: .init("height"))
    chart.series = (1...300).map { .init("series \($0)", points: [.init(0, 0), .init(1, Double($0))]) }
    for (width, height) in [(720.0, 360.0), (360, 288), (240, 200)] {
      let layout = ChartLayout(chart, width: width, height: height)
      #expect(layout.frame.bottom - layout.frame.top >= 0.3 * height, "\(width)")
      let named = layout.figure().items.count {
        if case .text(let text) = $0 { text.text.hasPrefix("series") } else { false }
      }
      let more = layout.figure().items.contains {
        if case .text(let text) = $0 { text.text == "and \(300 - named) more" } else { false }
      }
      #expect(more && named < 60)
    }
  }

  @Test func longSeriesStaySmall() throws {
    let samples = (0..<100_000).map { index in
      Chart.Sample(Double(index) / 30, sin(Double(index) / 500) + Double(index % 7) * 0.01)
    }
    var chart = Chart(title: "long", x: .init("time"), y: .init("height"))
    chart.series = [.init("line", points: samples)]
    #expect(chart.figure().svg().utf8.count < 200_000)
    chart.keepsProportions = true
    #expect(chart.figure().svg().utf8.count < 2_000_000)
  }

  @Test func longSeriesWithGapsAndDotsStaySmall() throws {
    let heights: [Double?] = (0..<100_000).map { $0 % 3 == 2 ? nil : sin(Double($0) / 500) }
    let samples = heights.enumerated().map { Chart.Sample(Double($0), $1) }
    for style in [Chart.Style.line, .dots] {
      var chart = Chart(title: "long", x: .init("time"), y: .init("height"))
      chart.series = [.init("series", style: style, points: samples)]
      #expect(chart.figure().svg().utf8.count < 500_000, "\(style)")
    }
  }

  @Test func peaksAndGapsOutliveThinning() {
    // 10,000 points over a hundred half pixels, one of them high, and a gap from 4000 on that is ten half pixels wide.
    var places = (0..<10_000).map { Figure.Point?.some(.init(Double($0) / 200, 0)) }
    places[1234] = .init(6.17, -50)
    for index in 4000..<5000 { places[index] = nil }
    let lines = ChartLayout.thinnedLines(places)
    #expect(lines.count == 2)
    #expect(lines[0].contains(.init(6.17, -50)))
    #expect(lines[0].first == .init(0, 0) && lines[0].last == .init(19.995, 0))
    #expect(lines[1].first == .init(25, 0) && lines[1].last == .init(49.995, 0))
    #expect(lines.joined().count <= 4 * 100)
    // Few points are drawn as they are.
    #expect(ChartLayout.thinnedLines(Array(places.prefix(4000))).joined().count == 4000)
  }

  @Test func namesOfRulesLieOnNothing() throws {
    var chart = Chart(title: "rules", x: .init("time"), y: .init("angle"))
    // A line along the top right, where names usually are.
    chart.series = [.init("line", points: [.init(0, 0), .init(50, 0), .init(51, 10.3), .init(100, 10.3)])]
    chart.rules = [.init("first rule", 10), .init("second rule", 9.9, color: 1), .init("third rule", 20)]
    var boxes: [(left: Double, right: Double, base: Double)] = []
    for case .text(let text) in chart.figure().items where text.text.hasSuffix("rule") {
      #expect(text.anchor == .end)
      boxes.append((text.position.x - Double(text.text.count) * 11 * 0.56, text.position.x, text.position.y))
      if text.text == "second rule" { #expect(text.ink == .series(1)) }
    }
    try #require(boxes.count == 3)
    for (index, box) in boxes.enumerated() {
      for other in boxes[..<index] {
        #expect(box.left >= other.right || other.left >= box.right || abs(box.base - other.base) >= 11)
      }
    }
    // The frame is 646 wide from 47.44 on; the line takes its right half.
    #expect(boxes[0].right < 380)
  }

  @Test(arguments: [
    (0.0, 10.0, 5, [0.0, 2, 4, 6, 8, 10]), (-3.2, 3.9, 4, [-4, -2, 0, 2, 4]),
    (0, 0.07, 4, [0, 0.02, 0.04, 0.06, 0.08]),
    (1200, 1900, 3, [1000, 1500, 2000]),
  ])
  func ticksAreRoundNumbers(low: Double, high: Double, count: Int, expected: [Double]) {
    let ticks = AxisTicks(showing: low...high, count: count)
    #expect(ticks.values.count == expected.count)
    for (value, expected) in zip(ticks.values, expected) { #expect(abs(value - expected) < 1e-12) }
    #expect(ticks.range == expected[0]...expected[expected.count - 1])
  }

  @Test func tickLabelsHaveTheDigitsThatTheirStepsNeed() {
    #expect(
      AxisTicks(showing: 0...0.3, count: 3).values.map(AxisTicks(showing: 0...0.3, count: 3).label) == [
        "0.0", "0.1", "0.2", "0.3",
      ])
    #expect(AxisTicks(showing: 0...30, count: 3).label(20) == "20")
  }

  @Test func aTimelineHasABarForEachSegment() throws {
    let chart = TimelineChart(
      title: "Behaviour", x: .init("time", unit: "s"), labels: ["sit", "walk"],
      segments: [.init(label: 0, 0...2), .init(label: 1, 2...5), .init(label: 7, 0...1), .init(label: 0, 5...5)])
    let found = try elements(chart.figure().svg())
    #expect(found.counts["polygon"] == 3)
    #expect(found.text.contains("walk"))
    let empty = try elements(TimelineChart(title: "", x: .init("t"), labels: [], segments: []).figure().svg())
    #expect(empty.text.contains("no data"))
  }

  @Test func manySegmentsStaySmall() throws {
    let segments = (0..<100_000).map { index in
      let start = Double(index) / 10
      let end = Double(index + 1) / 10
      return TimelineChart.Segment(label: index % 3, start...end)
    }
    let chart = TimelineChart(title: "long", x: .init("time"), labels: ["a", "b", "c"], segments: segments)
    #expect(try elements(chart.figure().svg()).counts["polygon"] == 3)
    // A pause of half the time stays to be seen.
    let paused = TimelineChart(
      title: "long", x: .init("time"), labels: ["a", "b", "c"],
      segments: segments.filter { !(2500...7500).contains($0.range.lowerBound) })
    #expect(try elements(paused.figure().svg()).counts["polygon"] == 6)
  }

  @Test func textFromOutsideStaysText() throws {
    var chart = chart([.init(0, 0), .init(1, 1)])
    chart.title = "</svg><script>alert('1')</script>\u{0}\u{1B}[31m\u{FFFE}"
    let svg = chart.figure().svg()
    #expect(!svg.contains("<script"))
    _ = try elements(svg)
  }

  @Test func coloursAreVariablesOrThoseOfATheme() throws {
    let figure = chart([.init(0, 0), .init(1, 1)]).figure()
    #expect(figure.svg(colors: .fixed(.dark)).contains(Theme.dark.series[1].hexText))
    #expect(!figure.svg(colors: .fixed(.dark)).contains("var("))
    #expect(figure.svg().contains("prefers-color-scheme"))
    #expect(!figure.svg(colors: .inherited).contains("<style>"))
  }
}
