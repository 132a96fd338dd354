import ApusBase
import Testing

@testable import ApusMotion

@Suite struct BarPathOutputTests {
  @Test("AT4.11: rows of the table")
  func rows() {
    let row = BarPathCSV.row(
      frame: 1, timestamp: 0.033333, bar: BarPoint(x: 124.1, y: 455.2), velocity: 12.5, repID: 0,
      leftWrist: BarPoint(x: 110.2, y: 469.8), rightWrist: BarPoint(x: 135.4, y: 471.2))
    #expect(row == "1,33.33,124.10,455.20,12.50,0,110.20,469.80,135.40,471.20")
    let empty = BarPathCSV.row(
      frame: 0, timestamp: 0, bar: nil, velocity: nil, repID: nil, leftWrist: nil, rightWrist: nil)
    #expect(empty == "0,0.00,,,,,,,,")
    #expect(BarPathCSV.header == "frame,timestamp_ms,bar_x,bar_y,bar_vy,rep_id,wrist_l_x,wrist_l_y,wrist_r_x,wrist_r_y")
  }

  @Test(arguments: [
    (0.005, "0.01"), (-0.004, "0.00"), (-0.006, "-0.01"), (1.115, "1.12"), (99.994999, "99.99"), (-99.996, "-100.00"),
    (1e13, "10000000000000.00"), (123_456_789.125, "123456789.13"), (0.1 + 0.2, "0.30"), (1e-300, "0.00"),
  ])
  func twoDecimals(value: Double, text: String) {
    let row = BarPathCSV.row(
      frame: 0, timestamp: 0, bar: nil, velocity: value, repID: nil, leftWrist: nil, rightWrist: nil)
    #expect(row == "0,0.00,,,\(text),,,,,")
  }

  private func result(_ change: (inout BarPathSettings) -> Void = { _ in }) throws -> BarPathResult {
    let lift = SyntheticLift(reps: 2)
    let frames = lift.frames(times: times(Int(lift.duration * 30)), dropped: 0.1) { _ in
      []
    } pose: { t in
      BarPose(leftWrist: PosePoint(x: 600, y: lift.y(t)), rightWrist: PosePoint(x: 680, y: lift.y(t), confidence: 0.1))
    }
    return try BarPathAnalysis.analyze(frames, settings: BarPathSettings().with(change))
  }

  @Test func theTableOfALift() throws {
    let result = try result()
    let lines = result.csv().split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == result.samples.count + 2)
    #expect(lines.last == "" && lines.first == Substring(BarPathCSV.header))
    for (sample, line) in zip(result.samples, lines.dropFirst()) {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      #expect(fields.count == 10)
      #expect(fields[0] == "\(sample.frame)")
      #expect(fields[5] == (sample.repID.map { "\($0)" } ?? ""))
      #expect(fields[6] == "600.00")
      #expect(fields[8] == "", "the right wrist is too faint")
    }
    #expect(Set(result.samples.compactMap(\.repID)) == [0, 1])
    #expect(result.samples[0].repID == nil)
  }

  @Test func theSameInputIsTheSameBytes() throws {
    let (a, b) = (try result(), try result())
    #expect(a == b && a.csv(includesMetadata: true) == b.csv(includesMetadata: true) && a.jsonLine == b.jsonLine)
  }

  @Test func imperialUnitsAreInches() throws {
    let (metric, imperial) = (try result(), try result { $0.units = .imperial })
    #expect(metric.csvVelocityUnit == "cm/s" && imperial.csvVelocityUnit == "in/s")
    func fastest(_ result: BarPathResult) -> Double {
      let rows = result.csv().split(separator: "\n").dropFirst()
      return rows.compactMap { Double($0.split(separator: ",", omittingEmptySubsequences: false)[4]) }.max() ?? 0
    }
    #expect(abs(fastest(metric) / fastest(imperial) - 2.54) < 0.01)
    #expect(metric.lengthText(40) == "40.0 cm" && imperial.lengthText(40) == "15.7 in")
    #expect(metric.velocityText(26.67) == "0.27 m/s" && imperial.velocityText(26.67) == "10.5 in/s")
  }

  @Test func metadataBesideTheTable() throws {
    let result = try result { $0.gravityAngle = 1.5 }
    #expect(result.csv(includesMetadata: true).hasPrefix("# \(result.metadataJSON)\n\(BarPathCSV.header)\n"))
    #expect(
      result.metadataJSON.contains(
        #""pixels_per_cm":4.0,"units":"metric","position_unit":"px","velocity_unit":"cm/s","lift_type":"squat","#))
    #expect(result.metadataJSON.hasPrefix(#"{"frames":270,"width":1280.0,"height":720.0,"fps":"#))
  }

  /// Every line is one JSON object, with the keys that it should have.
  @Test func resultsAreJSON() throws {
    let result = try result()
    for line in [result.jsonLine, result.metadataJSON, result.settings.jsonLine] {
      var scanner = JSONScanner(Array(line.utf8))
      try scanner.skipValue()
      try scanner.expectEnd()
    }
    for key in ["rom_cm", "avg_rom_cm", "avg_max_velocity", "mean_concentric_velocity", "depth_percent", "best_rep"] {
      #expect(result.jsonLine.contains("\"\(key)\":"), "\(key)")
    }
    #expect(!result.jsonLine.contains("interrupted"))
    for rep in result.reps {
      let start = result.samples[rep.startFrame]
      #expect(result.jsonLine.contains("{\"rep_id\":\(rep.id),\"start_frame\":\(start.frame),"))
      #expect(result.jsonLine.contains("\"start_t\":\(start.timestamp),\"end_t\":\(rep.endTime),\"rom_cm\":"))
    }
  }

  @Test func withoutAScaleEverythingIsPixels() throws {
    let ys: [Double] = (0..<120).map { 400 - 2.5 * Double(min($0, 119 - $0)) }
    let frames = ys.enumerated().map {
      BarFrame(timestamp: Double($0) / 30, width: nil, height: nil, observation: .center(BarPoint(x: 1, y: $1)))
    }
    let result = try BarPathAnalysis.analyze(frames, settings: BarPathSettings().with { $0.liftType = .deadlift })
    #expect(!result.isCalibrated && result.lengthUnit == "px" && result.velocityUnit == "px/s")
    #expect(result.warnings.contains(.notCalibrated))
    let rep = try #require(result.reps.first)
    #expect(result.reps.count == 1 && abs(rep.rom - 147.5) < 2 && rep.depthPercent == nil)
    #expect(result.jsonLine.contains("\"rom_px\":") && !result.jsonLine.contains("depth_percent"))
    #expect(!result.jsonLine.contains("calibration\":{"))
    #expect(result.lengthText(40) == "40.0 px")
  }

  @Test func aFrameAtATime() throws {
    let lift = SyntheticLift(reps: 1)
    var stream = try BarPathStream(settings: BarPathSettings().with { $0.pixelsPerCm = 4 })
    var updates: [BarPathUpdate] = []
    for frame in lift.frames(times: times(120)) { updates.append(try stream.push(frame)) }
    #expect(updates.map(\.frame) == Array(0..<120))
    // The bar falls at up to 41.9 cm/s; of a wave of 90 frames the average leaves 97.2 %.
    let fastest = try #require(updates.compactMap(\.velocity).min())
    #expect(abs(fastest - -40.7) < 0.2)
    #expect(!updates[20].isMoving && updates[60].isMoving)
    #expect(updates[0].velocity == nil && updates[1].velocity == 0)
    #expect(updates[1].jsonLine.hasPrefix(#"{"t":0.03333333333333333,"frame":1,"bar_x":640.0,"bar_y":400.0,"#))
    #expect(stream.finish().samples.count == 120)
  }
}
