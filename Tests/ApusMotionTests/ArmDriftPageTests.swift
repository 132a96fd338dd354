import ApusMedia
import ApusMotion
import Foundation
import Testing

@Suite struct ArmDriftPageTests {
  /// Ten frames a second of two arms of 300 pixels, of which the right one sinks by `angle` degrees from 4 s to 8 s.
  private func recording(
    sinking angle: Double = 18, leftAngle: Double = 0, seconds: Int = 12, missing: ArmKeypoint? = nil,
    origin: Double = 0
  ) throws -> ArmRecording {
    try ArmRecording(
      frames: (0...seconds * 10).map { index in
        let time = Double(index) / 10
        func wrist(_ x: Double, _ side: Double, _ degrees: Double) -> PosePoint {
          let radians = degrees * .pi / 180
          return PosePoint(x: x + side * 300 * cos(radians), y: 400 + 300 * sin(radians))
        }
        var points: [ArmKeypoint: PosePoint] = [
          .leftShoulder: PosePoint(x: 600, y: 400), .rightShoulder: PosePoint(x: 400, y: 400),
          .leftWrist: wrist(600, 1, leftAngle), .rightWrist: wrist(400, -1, min(max((time - 4) / 4, 0), 1) * angle),
        ]
        if let missing { points[missing] = nil }
        return ArmFrame(timestamp: origin + time, width: 1000, height: 1000, space: .pixel, points: points)
      })
  }

  private func made(_ recording: ArmRecording) -> (outcome: ArmDriftResult, charts: ArmDriftCharts) {
    let samples = ArmSamples(recording)
    let outcome = ArmDriftAnalysis.analyze(recording, samples: samples)
    return (outcome, ArmDriftCharts(outcome, of: recording, samples: samples))
  }

  private func page(_ recording: ArmRecording, source: String = "arms.json") -> String {
    let made = made(recording)
    return ArmDriftPage(made.outcome, charts: made.charts, source: source).html
  }

  /// The frame of a chart 720 by 360 with a legend and bands goes from 47.44 (34 and two digits of 6.72) to 700 and
  /// from 75 to 314; its angles from 0, at the top, to 20.
  @Test func anglesAreDrawnToScale() throws {
    let charts = made(try recording()).charts
    let svg = charts.angles.figure().svg()
    #expect(svg.contains("points=\"47.44,75 "), "the left arm begins at 0°")
    #expect(svg.contains(" 700,75\""), "and ends there")
    #expect(svg.contains(" 700,290.1\""), "18° of 20: 75 + 0.9 · 239")
    #expect(svg.contains(">start of both, 0.0°<") && svg.contains(">10° below, 10.0°<"))
    // 10° are passed at 4 + 4 · 10 / 18 = 6.22 s; the first frame below is at 6.3 s, 6.3 / 12 of the way.
    #expect(svg.contains(">right drifts after 6.3 s<"))
    #expect(svg.contains("<circle cx=\"390.03\" cy=\"194.5\""))
  }

  @Test func armsThatStartApartHaveRulesOfTheirOwn() throws {
    let svg = made(try recording(leftAngle: 4)).charts.angles.figure().svg()
    for text in ["left: start, 4.0°", "left: 10° below, 14.0°", "right: start, 0.0°", "right: 10° below, 10.0°"] {
      #expect(svg.contains(">\(text)<"), "\(text)")
    }
  }

  @Test func theAsymmetryHasItsBoundaries() throws {
    let chart = made(try recording()).charts.asymmetry
    #expect(chart.rules.map(\.value) == [0.20, 0.35, 0.50, 0.70])
    #expect(chart.rules.map(\.name).first == "level 1 from 0.2")
    // sin 18°, as the arms are of one length.
    #expect(abs(try #require(chart.series[0].points.last?.y) - 0.309017) < 1e-6)
  }

  @Test func heightsArePercentOfThePicture() throws {
    let chart = made(try recording()).charts.wrists
    #expect(chart.series.map(\.name) == ["left wrist", "right wrist", "left shoulder", "right shoulder"])
    #expect(try abs(#require(chart.series[0].points.last?.y) - 60) < 1e-9)
    // 400 + 300 · sin 18° = 492.705 pixels from the top.
    #expect(try abs(#require(chart.series[1].points.last?.y) - 50.7295) < 1e-3)
  }

  @Test func aPageSaysWhatWasFound() throws {
    let html = page(try recording())
    #expect(html.contains("Not a medical device") && html.contains("role=\"note\""))
    #expect(html.contains("<dt>estimated level</dt><dd>1 of 4</dd>"))
    #expect(html.contains("<td>right</td><td>0.0°</td><td>18.0°</td><td>18.0°</td><td>6.3 s</td>"))
    #expect(html.contains("The right arm ends more than 10° below its start."))
    #expect(html.components(separatedBy: "<figure class=\"wide\">").count == 4)
    #expect(html.contains("How it was measured") && html.contains("robust-v1"))
  }

  @Test func tooLittleIsAPageWithoutAScore() throws {
    for recording in [try recording(seconds: 6), try recording(missing: .rightWrist)] {
      let html = page(recording)
      #expect(html.contains("Insufficient data") && html.contains("Not a medical device"))
      #expect(!html.contains("estimated level") && !html.contains("severity") && !html.contains(" of 4<"))
      #expect(html.components(separatedBy: "<figure class=\"wide\">").count == 4)
    }
    #expect(page(try recording(seconds: 6)).contains("6.1 s, expected 10 s or more"))
    #expect(page(try recording(missing: .rightWrist)).contains("right_wrist was found in 0"))
  }

  @Test func namesFromOutsideStayText() throws {
    let html = page(try recording(), source: "<script>alert('1')</script>&\"")
    #expect(html.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;") && !html.contains("<script"))
  }

  @Test func timesOfACalendarAreCountedFromTheFirst() throws {
    let charts = made(try recording(origin: 1_700_000_000)).charts
    #expect(charts.angles.x.title == "time since the first frame")
    #expect(charts.angles.series[0].points.first?.x == 0)
    #expect(try abs(#require(charts.angles.series[0].points.last?.x) - 12) < 1e-6)
  }

  @Test func armsAreDrawnWhereTheyAre() throws {
    let recording = try recording()
    var canvas = try Canvas(width: 500, height: 500, color: .black)
    canvas.drawArms(of: ArmSamples(recording), frame: 120, scale: 0.5)
    // Half way along each arm at half the size: blue for the left, orange for the right, white between the shoulders.
    #expect(Array(canvas.image[375, 200]) == [0x00, 0xC2, 0xFF])
    let (x, y) = (200 - 75 * cos(Double.pi / 10), 200 + 75 * sin(Double.pi / 10))
    #expect(Array(canvas.image[Int(x), Int(y)]) == [0xFF, 0x95, 0x00])
    #expect(Array(canvas.image[250, 200]) == [0xFF, 0xFF, 0xFF])
    let drawn = canvas
    canvas.drawArms(of: ArmSamples(recording), frame: 121)
    #expect(canvas.image == drawn.image, "there is no such frame")
  }
}
