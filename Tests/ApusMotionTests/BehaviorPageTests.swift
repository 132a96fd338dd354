import ApusMedia
import Testing

@testable import ApusMotion

@Suite struct BehaviorPageTests {
  private let labels = ["sit", "<b>walk</b>", "run"]

  /// A prediction that puts `confidence` on a label and the rest on the next one.
  private func event(_ label: Int, _ confidence: Float, at time: Double) -> BehaviorEvent {
    var probabilities: [Float] = [0, 0, 0]
    probabilities[label] = confidence
    probabilities[(label + 1) % 3] = 1 - confidence
    return .prediction(
      BehaviorPrediction(
        timestamp: time, frameIndex: 0, labels: labels, probabilities: probabilities, threshold: 0.7,
        missingFraction: 0.25, windowSeconds: 9.9))
  }

  private func course(_ events: [BehaviorEvent]) throws -> BehaviorResult {
    let info = try BehaviorModelInfo(
      name: "model", labels: labels, trainedClasses: ["sit", "<b>walk</b>"], windowLength: 100,
      trainingData: "synthetic motion")
    var course = try BehaviorResult(info: info)
    for event in events { course.push(event) }
    course.finish(
      BehaviorStreamSummary(frames: 200, accepted: 150, predictions: events.count, gaps: 1, insufficientFrames: nil))
    return course
  }

  /// Sitting for four seconds from 10 s on, walking for six.
  private func clip() throws -> BehaviorResult {
    try course((0..<10).map { event($0 < 4 ? 0 : 1, 0.9, at: 10 + Double($0)) })
  }

  @Test func segmentsAreKept() throws {
    let course = try clip()
    #expect(course.segments.map(\.label) == ["sit", "<b>walk</b>"])
    #expect(course.segments.map(\.start) == [10, 14] && course.segments.map(\.end) == [14, 19])
    #expect(course.leadingLabels == [1, 0])
    #expect(course.probability(ofLabel: 0, at: 0) == 0.9 && course.probability(ofLabel: 3, at: 0) == nil)
    #expect(course.confidence(at: 10) == nil && course.uncertainCount == 0 && course.missingFraction == 0.25)
  }

  /// The frame of a chart 720 by 360 without a legend goes from 54.16 (34 and three letters of 6.72) to 700 and from 45
  /// to 314.
  @Test func confidenceIsDrawnToScale() throws {
    let course = try course([event(0, 1, at: 10), event(0, 0.5, at: 20)])
    let svg = BehaviorCharts(course).confidence.figure().svg()
    #expect(svg.contains("points=\"54.16,45 700,179.5\""))
    #expect(svg.contains(">uncertain below 0.7<"))
  }

  @Test func onlyLabelsThatLeadHaveLines() throws {
    let chart = BehaviorCharts(try clip()).probabilities
    #expect(chart.series.map(\.name) == ["<b>walk</b>", "sit"])
    #expect(chart.y.range == 0...1)
  }

  @Test func aPauseIsAGap() throws {
    let gap = BehaviorEvent.gap(FrameGap(frameIndex: 5, seconds: 30, framesDiscarded: 100))
    let course = try course([gap, event(0, 1, at: 10), event(0, 1, at: 11), gap, event(0, 1, at: 50)])
    let points = BehaviorCharts(course).confidence.series[0].points
    #expect(points.map(\.y) == [1, 1, nil, 1] && points.map(\.x) == [10, 11, 50, 50])
  }

  @Test func longClipsAreInMinutes() throws {
    let course = try course((0...660).map { event(0, 1, at: Double($0)) })
    let charts = BehaviorCharts(course)
    #expect(charts.confidence.x.unit == "min")
    #expect(try abs(#require(charts.confidence.series[0].points.last?.x) - 11) < 1e-9)
    #expect(BehaviorPage(course, source: "x").html.contains("<td>0:00.0</td><td>11:00.0</td>"))
  }

  @Test func aPageHasTotalsAndSegments() throws {
    let html = BehaviorPage(try clip(), source: "dog & cat.jsonl").html
    #expect(html.contains("<td>sit</td><td>10.0 s</td><td>14.0 s</td><td>4.0 s</td><td>0.90</td>"))
    #expect(html.contains("<td>sit</td><td>1</td><td>4.0</td><td>4.0 s</td><td>44 %</td>"))
    #expect(html.contains("<dt>frames</dt><dd>200, 150 used</dd>"))
    #expect(html.contains("learned from synthetic motion") && html.contains("without meaning: run"))
    #expect(html.components(separatedBy: "<figure class=\"wide\">").count == 4)
    #expect(html.contains("dog &amp; cat.jsonl"))
    #expect(html.contains("&lt;b&gt;walk&lt;/b&gt;") && !html.contains("<b>walk"))
  }

  @Test func nothingSureIsSaid() throws {
    let html = BehaviorPage(try course((0..<5).map { event(0, 0.6, at: Double($0)) }), source: "x").html
    #expect(html.contains("No behaviour was sure enough") && html.contains("no data"))
    #expect(BehaviorPage(try course([]), source: "x").html.contains("<dt>predictions</dt><dd>0</dd>"))
  }

  /// An hour at thirty a second.
  @Test func anHourIsALightPage() throws {
    let events = (0..<108_000).map { index in
      let probability = 0.7 + Float(index % 29) / 100
      return event(index / 90 % 2, probability, at: Double(index) / 30)
    }
    let course = try course(events)
    #expect(course.segments.count == 1200)
    let html = BehaviorPage(course, source: "x").html
    #expect(html.contains("These are the first 1000 of 1200 segments."))
    #expect(html.utf8.count < 600_000)
  }

  @Test func aDogIsDrawnWithWhatWasFound() throws {
    var points = [PosePoint?](repeating: nil, count: 24)
    points[DogKeypoint.throat.rawValue] = PosePoint(x: 20, y: 100)
    points[DogKeypoint.tailBase.rawValue] = PosePoint(x: 180, y: 100)
    points[DogKeypoint.leftHip.rawValue] = PosePoint(x: 180, y: 180)
    var canvas = try Canvas(width: 100, height: 100, color: .black)
    canvas.drawDog(points, scale: 0.5)
    // The back goes on over what is missing; the leg has the colour of its side.
    #expect(Array(canvas.image[50, 50]) == [0xFF, 0xD6, 0x0A])
    #expect(Array(canvas.image[90, 70]) == [0x00, 0xC2, 0xFF])
    let before = canvas.image
    canvas.drawDog([nil])
    #expect(canvas.image == before)
  }
}
