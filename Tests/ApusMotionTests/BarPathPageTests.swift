import Foundation
import Testing

@testable import ApusMedia
@testable import ApusMotion

@Suite struct BarPathPageTests {
  /// Squats of 40 cm at 4 px/cm, each two seconds down and up after a second of rest.
  private func squats(_ count: Int, _ settings: BarPathSettings = BarPathSettings()) throws -> BarPathResult {
    let frames = (0..<(count + 1) * 90).map { index -> BarFrame in
      let time = Double(index) / 30
      let phase = time.truncatingRemainder(dividingBy: 3) - 1
      let depth = phase < 0 || time > Double(count) * 3 ? 0 : (1 - cos(.pi * phase)) / 2
      let box = BarDetection(x: 550, y: 210 + 160 * depth, width: 180, height: 180, confidence: 0.9)
      return BarFrame(timestamp: time, width: 1280, height: 720, observation: .detections([box]))
    }
    return try BarPathAnalysis.analyze(frames, settings: settings)
  }

  @Test func aPageSaysWhatWasFound() throws {
    let result = try squats(3)
    #expect(result.reps.count == 3)
    let html = BarPathPage(result, source: "squat <1>").html
    #expect(html.contains("<title>Squat: bar path</title>") && html.contains("squat &lt;1&gt;"))
    #expect(html.contains("<dt>repetitions</dt><dd>3</dd>") && html.contains("<dd>360 at 30 fps</dd>"))
    #expect(html.contains("<dd>40.0 cm</dd>"))
    #expect(html.components(separatedBy: "<figure class=\"wide\">").count == 4)
  }

  @Test func aPageSaysWhereTheScaleComesFrom() throws {
    func method(_ change: (inout BarPathSettings) -> Void) throws -> String {
      BarPathPage(try squats(1, BarPathSettings().with(change)), source: "squat").html
    }
    #expect(try method { _ in }.contains("The scale rests on plates of 45 cm, as 180 frames show them."))
    let given = try method { $0.pixelsPerCm = 4 }
    #expect(given.contains("The scale was given.") && !given.contains("plates of 45 cm"))
    let plate = try method { $0.plateDiameterPx = 180 }
    #expect(plate.contains("The scale rests on a plate of 45 cm whose diameter in the picture was given."))
  }

  @Test func repetitionsHaveColoursWhileTheyCanBeToldApart() throws {
    #expect(BarPathCharts(try squats(3)).path.series.map(\.name) == ["rep 1", "rep 2", "rep 3"])
    let many = BarPathCharts(try squats(12)).path.series
    #expect(many.count == 1)
    // No line leads from one repetition to the next.
    #expect(many[0].points.count { $0.y == nil } == 11)
  }
}
