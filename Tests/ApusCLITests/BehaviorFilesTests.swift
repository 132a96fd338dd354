import ApusTestSupport
import Foundation
import Testing

@testable import ApusCLI
@testable import ApusMedia

@Suite struct BehaviorFilesTests {
  /// The first frames of a clip, in a picture a quarter as large, so that it is drawn quickly.
  private func frames(_ count: Int = 110, of name: String = "walking") throws -> String {
    let text = try String(contentsOfFile: shipped("behavior/samples/\(name).jsonl"), encoding: .utf8)
    var lines = ""
    for line in text.split(separator: "\n").prefix(count) {
      var frame = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let points = try #require(frame["keypoints"] as? [Any])
      frame["keypoints"] = points.map { ($0 as? [Double]).map { [$0[0] / 4, $0[1] / 4] } ?? NSNull() as Any }
      (frame["width"], frame["height"]) = (320, 180)
      lines += String(decoding: try JSONSerialization.data(withJSONObject: frame), as: UTF8.self) + "\n"
    }
    return lines
  }

  private func run(_ arguments: String..., input: String) throws -> CommandResult {
    try Command.run(["behavior", "-"] + arguments, input: input)
  }

  @Test func reportChartsAndTableAreWritten() throws {
    try TemporaryFolder.with { folder in
      let input = try frames(160, of: "trotting-then-down")
      let plain = try run("--json", input: input)
      let result = try run(
        "--json", "--report", folder.path("dog.html"), "--charts", folder.path("charts"), "--csv",
        folder.path("dog.csv"),
        input: input)
      #expect(result.status == 0 && result.output == plain.output)
      let html = try String(contentsOfFile: folder.path("dog.html"), encoding: .utf8)
      #expect(html.contains("<td>trotting</td>") && html.contains("<td>down</td>"))
      #expect(html.contains("synthetic motion") && html.contains("standard input"))
      #expect(html.components(separatedBy: "data:image/jpeg").count == 3, "a picture of each behaviour")
      for name in ["timeline", "confidence", "probabilities"] {
        #expect(try String(contentsOfFile: folder.path("charts/\(name).svg"), encoding: .utf8).contains("</svg>"))
        #expect(try ImageFile.read(path: folder.path("charts/\(name).png")).width == 1440)
      }
      let rows = try String(contentsOfFile: folder.path("dog.csv"), encoding: .utf8).split(separator: "\n")
      #expect(rows.count == plain.lines.count + 1)
      #expect(rows[0].hasPrefix("t,frame,label,raw_label,confidence,missing_fraction,window_seconds,p_sit,p_down,"))
      #expect(rows[1].hasPrefix("9.9,99,trotting,trotting,") && rows[1].split(separator: ",").count == 28)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).sorted() == [
          "charts", "dog.csv", "dog.html",
        ])
    }
  }

  @Test func tableOfSegments() throws {
    try TemporaryFolder.with { folder in
      let csv = folder.path("segments.csv")
      #expect(try run("--segments", "--csv", csv, input: try frames(160, of: "trotting-then-down")).status == 0)
      let rows = try String(contentsOfFile: csv, encoding: .utf8).split(separator: "\n")
      #expect(rows.first == "label,start,end,seconds,mean_confidence,predictions")
      #expect(rows.dropFirst().compactMap { $0.split(separator: ",").first } == ["trotting", "down"])
    }
  }

  @Test func everyFrameIsDrawn() throws {
    try TemporaryFolder.with { folder in
      let input = try frames(103)
      #expect(try run("--overlay", folder.path("dog.y4m"), input: input).status == 0)
      let video = try OverlayFixtures.frames(ofVideo: folder.path("dog.y4m"))
      #expect(video.frames.count == 103 && video.header.contains("W320 H180 F10:1"))
      #expect(video.frames.first?.samples != video.frames.last?.samples)
      #expect(try run("--overlay", folder.path("frames"), input: input).status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("frames")).count == 103)
    }
  }

  /// Of times in seconds the rate as ffmpeg has it; the first step alone may be a pause, or none.
  @Test(
    arguments: [
      (nil, 1001.0 / 30000, 20, "F30000:1001"), (nil, 1001.0 / 24000, 20, "F24000:1001"),
      (nil, 1 / 29.7, 20, "F29700:1000"),
      (-0.9, 1.0 / 30, 20, "F30:1"), (-0.001, 0.04, 20, "F25:1"), (nil, 0.08, 5, "F12500:1000"), (nil, 1, 1, "F30:1"),
    ] as [(Double?, Double, Int, String)])
  func overlaysHaveTheRateOfTheirFrames(first: Double?, step: Double, count: Int, rate: String) throws {
    let times = (first.map { [$0] } ?? []) + (0..<count).map { Double($0) * step }
    try TemporaryFolder.with { folder in
      let image = try Image<UInt8>(width: 16, height: 16, color: .rgb, filledWith: [9, 9, 9])
      var sink = try OverlaySink(path: folder.path("out.y4m"))
      for (index, time) in times.enumerated() { try sink.write(image, name: nil, index: index, time: time) }
      try sink.close()
      let video = try OverlayFixtures.frames(ofVideo: folder.path("out.y4m"))
      #expect(video.header.contains(" \(rate) ") && video.frames.count == times.count)
    }
  }

  @Test func framesAreTheGround() throws {
    try TemporaryFolder.with { folder in
      let input = try frames(101)
      let pictures = try OverlayFixtures.pictures(102, height: 180, in: folder)
      let result = try run("--overlay", folder.path("out"), "--frames", pictures, input: input)
      #expect(result.status == 0 && result.errors.contains("102 pictures for 101 frames"))
      #expect(Array(try ImageFile.read(path: folder.path("out/picture-1100.png"))[319, 179]) == [200, 200, 200])
      let few = try run(
        "--overlay", folder.path("few"), "--frames", try OverlayFixtures.pictures(50, height: 180, in: folder),
        input: input)
      #expect(few.status == 65 && few.errors.contains("50 pictures for 51 frames"))
      let square = try run(
        "--overlay", folder.path("square"), "--frames", try OverlayFixtures.pictures(101, height: 320, in: folder),
        input: input)
      #expect(square.status == 65 && square.errors.contains("320 × 320"))
    }
  }

  @Test func whatCameBeforeAnErrorIsKept() throws {
    try TemporaryFolder.with { folder in
      let broken = try frames(110) + "{\"t\": 11.0, \"width\": 320, \"height\": 180, \"keypoints\": [[1, 2]]}\n"
      let result = try run(
        "--csv", folder.path("dog.csv"), "--report", folder.path("dog.html"), input: broken)
      #expect(result.status == 65 && result.errors.contains("line 111 (frame 110)"))
      #expect(try String(contentsOfFile: folder.path("dog.csv"), encoding: .utf8).split(separator: "\n").count == 12)
      #expect(try String(contentsOfFile: folder.path("dog.html"), encoding: .utf8).contains("<dd>11</dd>"))
      // Too few for a window: nothing is written, not even in parts.
      let few = try run("--csv", folder.path("few.csv"), "--report", folder.path("few.html"), input: try frames(50))
      #expect(few.status == 65)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).sorted() == ["dog.csv", "dog.html"])
    }
  }

  @Test func mistakesAreRefused() throws {
    let input = try frames(101)
    #expect(try run("--frames", "/nowhere", input: input).status == 64)
    #expect(try run("--theme", "blue", input: input).status == 64)
    #expect(try run("--overlay", "-", input: input).status == 64)
    #expect(try run("--report", "/nowhere/dog.html", input: input).status == 74)
    #expect(try run("--csv", "/nowhere/dog.csv", input: input).status == 74)
    #expect(try Command.run("behavior", "--sensitivity", "--csv", "/nowhere/never.csv").status == 64)
  }
}
