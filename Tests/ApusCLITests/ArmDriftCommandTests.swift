import Foundation
import Testing

@Suite struct ArmDriftCommandTests {
  /// Twelve seconds of two arms held out, of which the right one sinks by `angle` degrees from 4 s to 8 s.
  private func recording(sinking angle: Double = 20, seconds: Double = 12, missing: String? = nil) -> String {
    let frames = (0..<Int(seconds * 30)).map { index in
      let time = Double(index) / 30
      let radians = min(max((time - 4) / 4, 0), 1) * angle * .pi / 180
      var points = [
        "left_shoulder": (0.6, 0.4), "right_shoulder": (0.4, 0.4), "left_wrist": (0.9, 0.4),
        "right_wrist": (0.4 - 0.3 * cos(radians), 0.4 + 0.3 * sin(radians)),
      ]
      if let missing { points[missing] = nil }
      let text = points.sorted { $0.key < $1.key }.map { "\"\($0.key)\":{\"x\":\($0.value.0),\"y\":\($0.value.1)}" }
      return "{\"t\":\(time),\"keypoints\":{\(text.joined(separator: ","))}}"
    }
    return #"{"fps":30,"width":1000,"height":1000,"coordinate_space":"normalized_topleft","frames":["#
      + frames.joined(separator: ",") + "]}"
  }

  private let disclaimer = "not a medical device"

  @Test func aReportIsForPeople() throws {
    let result = try Command.run("arm-drift", "-", input: recording())
    #expect(result.status == 0)
    #expect(result.output.contains("estimated level 1 of 4  mild"))
    #expect(result.lines.contains { $0.hasPrefix("  right") && $0.contains("20.0°") && $0.hasSuffix(" s") })
    #expect(result.output.contains("! the right arm ends more than 10° below its start"))
    #expect(result.output.lowercased().contains(disclaimer))
    #expect(!result.output.contains("\u{1B}"))
    #expect(result.errors.isEmpty)
  }

  @Test func jsonIsOneObjectAndTheSameEveryTime() throws {
    let result = try Command.run("arm-drift", "-", "--json", input: recording())
    #expect(result.status == 0)
    let object = try result.object
    #expect(object["status"] as? String == "ok")
    #expect(object["nihss_motor_score"] as? Int == 1)
    #expect(object["drift_side"] as? String == "right")
    #expect((object["disclaimer"] as? String)?.lowercased().contains(disclaimer) == true)
    let right = try #require(object["right"] as? [String: Double])
    #expect(abs(try #require(right["drift_deg"]) - 20) < 1e-6)
    #expect(try Command.run("arm-drift", "-", "--json", input: recording()).output == result.output)
  }

  @Test func profilesAndModesAreChosen() throws {
    func level(_ arguments: String...) throws -> Int? {
      let result = try Command.run(["arm-drift", "-", "--json"] + arguments, input: recording())
      return try result.object["nihss_motor_score"] as? Int
    }
    // The mean asymmetry is 0.17: below 0.20; above 0.15, 0.05 twice and all four of the finest.
    #expect(try level("--profile", "real-world") == 2)
    #expect(try level("--profile", "nihss-compliant") == 3)
    #expect(try level("--profile", "image-bytes") == 4)
    #expect(try level("--mode", "legacy") == 2)
    #expect(try Command.run("arm-drift", "-", "--profile", "none").status == 64)
    #expect(try Command.run("arm-drift", "-", "--fps", "0").status == 64)
  }

  @Test func tooLittleIsNoLevel() throws {
    for input in [recording(seconds: 5), recording(missing: "right_wrist")] {
      let text = try Command.run("arm-drift", "-", input: input)
      #expect(text.status == 65)
      #expect(text.output.isEmpty)
      #expect(text.errors.contains("insufficient_data"))
      let json = try Command.run("arm-drift", "-", "--json", input: input)
      #expect(json.status == 65)
      let object = try json.object
      #expect(object["status"] as? String == "insufficient_data")
      #expect(object.keys.allSatisfy { !$0.hasPrefix("nihss") && !$0.contains("severity") && $0 != "drift_detected" })
      #expect((object["disclaimer"] as? String)?.lowercased().contains(disclaimer) == true)
    }
  }

  @Test func badInputIsNamed() throws {
    let bad = recording().replacing("\"x\":0.9", with: "\"x\":NaN")
    let result = try Command.run("arm-drift", "-", "--json", input: bad)
    #expect(result.status == 65)
    #expect(result.errors.contains("frame 0") && result.errors.contains("left_wrist x is nan"))
    #expect(try result.object["status"] as? String == "invalid")
    #expect(try Command.run("arm-drift", "/nowhere/x.json").status == 66)
    #expect(try Command.run("arm-drift", "-", input: "").status == 65)
  }

  @Test func whatAFileLeavesOutComesFromOptions() throws {
    let bare = recording().replacing(
      #""fps":30,"width":1000,"height":1000,"coordinate_space":"normalized_topleft","#, with: "")
    let failed = try Command.run("arm-drift", "-", input: bare)
    #expect(failed.status == 65 && failed.errors.contains("width is missing"))
    let result = try Command.run(
      "arm-drift", "-", "--json", "--width", "1000", "--height", "1000", "--space", "normalized_topleft", input: bare)
    #expect(try result.output == Command.run("arm-drift", "-", "--json", input: recording()).output)
  }

  @Test func anglesAreWritten() throws {
    try TemporaryFolder.with { folder in
      let path = folder.path("angles.csv")
      #expect(try Command.run("arm-drift", "-", "--csv", path, input: recording()).status == 0)
      let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      #expect(rows.count == 361)
      #expect(rows[0] == "t,left_angle_deg,right_angle_deg,asymmetry,vertical_difference,interpolated")
      let last = rows[360].split(separator: ",").compactMap { Double($0) }
      #expect(abs(last[2] - 20) < 1e-6)
      // A recording without a level has its own table, and not that of the one before.
      #expect(try Command.run("arm-drift", "-", "--csv", path, input: recording(seconds: 5)).status == 65)
      #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == 151)
    }
  }
}
