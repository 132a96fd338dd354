import ApusTestSupport
import Foundation
import Testing

@testable import ApusMedia

@Suite struct BarPathCommandTests {
  /// Three squats of 40 cm at 4 px/cm: half waves, 1.5 s down and 1.5 s up.
  private static func detections() -> String {
    var lines = ""
    for frame in 0..<390 {
      let phase = Double(max(0, frame - 30) % 120)
      let wave = frame < 30 || phase > 90 ? 0 : (1 - cos(2 * Double.pi * phase / 90)) / 2
      let y = 400 + 160 * wave - 90
      lines += #"{"t":\#(Double(frame) / 30),"width":640,"height":720,"#
      lines += #""detections":[{"x":230,"y":\#(y),"w":180,"h":180,"confidence":0.9}]}"# + "\n"
    }
    return lines
  }

  private func with<Result>(_ body: (TemporaryFolder, String) throws -> Result) throws -> Result {
    try TemporaryFolder.with { folder in
      let file = folder.file("detections.jsonl")
      try Data(Self.detections().utf8).write(to: file)
      return try body(folder, file.path(percentEncoded: false))
    }
  }

  @Test func severalLiftsAreListedBeforeAnythingIsMeasured() throws {
    try TemporaryFolder.with { folder in
      var text = "lift,frame,x_px,y_px\n"
      for lift in ["warm-up", "first", "second"] {
        for frame in 0..<60 { text += "\(lift),\(frame),100,\(200 + frame)\n" }
      }
      try Data(text.utf8).write(to: folder.file("lifts.csv"))
      let arguments = ["barpath", "--detections", folder.path("lifts.csv"), "--fps", "30"]
      let result = try Command.run(arguments)
      #expect(result.status == 65 && result.output.isEmpty)
      #expect(result.errors.contains("has 3 lifts (warm-up, first, second)") && result.errors.contains("--lift-name"))
      #expect(try Command.run(arguments + ["--lift-name", "first"]).status == 0)
    }
  }

  @Test func repetitionsAreCountedAndMeasured() throws {
    try with { _, file in
      let result = try Command.run("barpath", "--detections", file, "--json")
      #expect(result.status == 0)
      let report = try result.object
      let reps = try #require(report["reps"] as? [[String: Any]])
      #expect(reps.count == 3)
      for rep in reps {
        let rom = try #require(rep["rom_cm"] as? Double)
        #expect(abs(rom - 40) < 0.8)
      }
      let text = try Command.run("barpath", "--detections", file)
      #expect(text.output.contains("3 repetitions"))
      #expect(try Command.run("barpath", "--detections", file, "--units", "imperial").output.contains(" in"))
    }
  }

  @Test func everyResultIsWritten() throws {
    try with { folder, file in
      func path(_ name: String) -> String { folder.file(name).path(percentEncoded: false) }
      let result = try Command.run(
        "barpath", "--detections", file, "--csv", path("out.csv"), "--report", path("out.html"), "--charts",
        path("charts"))
      #expect(result.status == 0)
      let csv = try String(contentsOf: folder.file("out.csv"), encoding: .utf8)
      #expect(csv.hasPrefix("frame,timestamp_ms,bar_x,bar_y,bar_vy,rep_id,"))
      #expect(csv.split(separator: "\n").count == 391)
      let sidecar = try String(contentsOf: folder.file("out.json"), encoding: .utf8)
      #expect(sidecar.contains(#""pixels_per_cm":4"#))
      let html = try String(contentsOf: folder.file("out.html"), encoding: .utf8)
      #expect(html.contains("Velocity of the bar") && html.contains("<td>3</td>"))
      for name in ["path", "height", "velocity"] {
        #expect(FileManager.default.fileExists(atPath: path("charts/\(name).svg")))
        #expect(FileManager.default.fileExists(atPath: path("charts/\(name).png")))
      }
    }
  }

  @Test func aLiveStreamIsALineAFrame() throws {
    try with { folder, file in
      let run = try Command.run("barpath", "--detections", file, "--live", "--json", "--plate-px", "180")
      #expect(run.status == 0 && run.lines.count == 390)
      for (index, line) in run.lines.enumerated() {
        let update = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let phase = Double(max(0, index - 30) % 120)
        let wave = index < 30 || phase > 90 ? 0 : (1 - cos(2 * Double.pi * phase / 90)) / 2
        #expect(abs((update["bar_y"] as? Double ?? 0) - (400 + 160 * wave)) < 1e-9)
        // At 4 px/cm; the middle of the way up, where the average lags a frame or two behind.
        if index > 30, phase == 67 { #expect(abs((update["velocity"] as? Double ?? 0) - 41.9) < 3) }
        if index > 30, phase == 110 { #expect(update["moving"] as? Bool == false) }
      }
      let text = try Command.run(
        "barpath", "--detections", "-", "--live", input: String(contentsOfFile: file, encoding: .utf8))
      #expect(text.lines.count == 390 && text.lines[0] == "0.00 s  320.0, 400.0 px  –")
      #expect(text.output.contains("  moving"))
      for option in ["--csv", "--report", "--charts", "--session"] {
        let path = folder.path("never")
        #expect(try Command.run("barpath", "--detections", file, "--live", option, path).status == 64)
        #expect(!FileManager.default.fileExists(atPath: path))
      }
    }
  }

  @Test func anOverlayIsAsLargeAsTheSettingsHaveIt() throws {
    try TemporaryFolder.with { folder in
      let pictures = try OverlayFixtures.pictures(3, width: 1440, height: 900, in: folder)
      func side(_ arguments: String...) throws -> [Int] {
        let out = folder.path("out" + arguments.joined())
        let run = ["barpath", pictures, "--fps", "30", "--size", "64", "--overlay", out] + arguments
        // No bar is in them.
        let result = try Command.run(run)
        #expect(result.status == 65 && result.errors.contains("no frame shows a bar"), "\(result.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: out)
        #expect(names.count == 3)
        let image = try ImageFile.read(path: "\(out)/\(try #require(names.first))")
        return [image.width, image.height]
      }
      #expect(try side() == [1440, 900])
      #expect(try side("--video-quality", "720p") == [1152, 720])
    }
  }

  @Test func whatIsDrawnOnAnOverlayGrows() throws {
    try TemporaryFolder.with { folder in
      let frames = try OverlayFixtures.sampleFrames(2, in: folder)
      func changed(_ size: String) throws -> Int {
        let out = folder.path(size)
        let run = try Command.run(
          "barpath", frames, "--fps", "30", "--size", "320", "--overlay", out, "--overlay-size", size)
        #expect(run.status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: out).sorted()
        let drawn = try ImageFile.read(path: "\(out)/\(try #require(names.last))").samples
        let plain = try ImageFile.read(path: "\(frames)/2.jpg").samples
        return zip(drawn, plain).count { $0 != $1 }
      }
      let (small, large) = (try changed("small"), try changed("large"))
      #expect(small > 100 && Double(large) > 1.5 * Double(small))
    }
  }

  @Test func whatCameBeforeAnErrorIsKept() throws {
    try TemporaryFolder.with { folder in
      let file = folder.file("cut.jsonl")
      let whole = Self.detections()
      try Data(whole.prefix(whole.count / 2).utf8).write(to: file)
      let csv = folder.file("out.csv")
      let result = try Command.run(
        "barpath", "--detections", file.path(percentEncoded: false), "--csv", csv.path(percentEncoded: false))
      #expect(result.status == 65)
      #expect(result.errors.contains("line 195") || result.errors.contains("line 196"))
      #expect(try String(contentsOf: csv, encoding: .utf8).split(separator: "\n").count > 190)
    }
  }

  @Test func aClipIsFollowedFromItsPixels() throws {
    let clip = shipped("detector/samples/squat.zip")
    let truth = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: shipped("detector/samples/squat.json"))))
        as? [String: Any])
    let expected = try #require(truth["reps"] as? [[String: Any]])
    let result = try Command.run("barpath", clip, "--fps", "30", "--size", "320", "--json")
    #expect(result.status == 0)
    let reps = try #require(result.object["reps"] as? [[String: Any]])
    try #require(reps.count == expected.count)
    for (rep, expected) in zip(reps, expected) {
      let (rom, theirs) = (try #require(rep["rom_cm"] as? Double), try #require(expected["rom_cm"] as? Double))
      #expect(abs(rom / theirs - 1) < 0.02, "\(rom) cm, rendered \(theirs)")
      let velocity = try #require(rep["mean_concentric_velocity"] as? Double)
      let rendered = try #require(expected["mean_concentric_velocity_cm_s"] as? Double)
      #expect(abs(velocity / rendered - 1) < 0.03, "\(velocity) cm/s, rendered \(rendered)")
    }
  }

  @Test func mistakesEndWithTheirStatus() throws {
    try with { folder, file in
      #expect(try Command.run("barpath").status == 64)
      #expect(try Command.run("barpath", "/nowhere", "--fps", "30").status == 66)
      #expect(try Command.run("barpath", "--detections", file, "--set", "smoothingAlpha=7").status == 64)
      #expect(try Command.run("barpath", "--detections", file, "--set", "nothing=7").status == 64)
      #expect(try Command.run("barpath", "--detections", file, "--overlay", "x").status == 64)
      for options in [
        ["--model", "x.onnx"], ["--size", "320"], ["--max-pixels", "9"], ["--timestamps", "t.txt"], ["--no-outline"],
      ] {
        let result = try Command.run(["barpath", "--detections", file] + options)
        #expect(result.status == 64 && result.errors.contains("\(options[0]) is for pictures"), "\(result.errors)")
      }
      #expect(try Command.run("barpath", "--detections", file, "--theme", "dark").status == 64)
      #expect(try Command.run("barpath", "--detections", "-", input: "").status == 65)
      let settings = folder.file("settings.json")
      try Data(#"{"units": "furlongs"}"#.utf8).write(to: settings)
      let result = try Command.run(
        "barpath", "--detections", file, "--settings", settings.path(percentEncoded: false))
      #expect(result.status == 65)
      #expect(try Command.run("barpath", "--list-settings").output.contains("smoothingAlpha"))
      let list = try #require(
        Command.run("barpath", "--list-settings", "--json").object["settings"] as? [[String: Any]])
      let alpha = try #require(list.first { $0["name"] as? String == "smoothingAlpha" })
      #expect(alpha["default"] as? Double == 0.25 && alpha["option"] as? String == "--alpha")
    }
  }
}
