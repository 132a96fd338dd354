import ApusTestSupport
import Foundation
import Testing

@Suite struct BehaviorCommandTests {
  private let walking = shipped("behavior/samples/walking.jsonl")

  private func frames(_ count: Int, of name: String = "walking") throws -> String {
    let text = try String(contentsOfFile: shipped("behavior/samples/\(name).jsonl"), encoding: .utf8)
    return text.split(separator: "\n").prefix(count).joined(separator: "\n") + "\n"
  }

  private func objects(_ result: CommandResult) throws -> [[String: Any]] {
    try result.lines.map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  private struct Samples: Decodable {
    struct Clip: Decodable {
      var file: String
      var label: String
      var then: String?
    }
    var clips: [Clip]
  }

  @Test func aTableOfLabelsIsNoRecording() throws {
    try TemporaryFolder.with { folder in
      var text = "scorer,me,me,me,me\nbodyparts,nose,nose,tailstart,tailstart\ncoords,x,y,x,y\n"
      for number in 1...20 { text += "labeled-data/dog/img\(number * 50).png,1\(number),2,30,4\n" }
      try Data(text.utf8).write(to: folder.file("CollectedData.csv"))
      let result = try Command.run("behavior", folder.path("CollectedData.csv"))
      #expect(result.status == 65)
      #expect(result.errors.contains("20 labelled stills; 100 consecutive poses are needed"))
      // With a rate the pictures are taken for frames, and are too few.
      let frames = try Command.run(
        "behavior", folder.path("CollectedData.csv"), "--input-fps", "25", "--width", "640", "--height", "480")
      #expect(frames.status == 65 && frames.errors.contains("/100"))
    }
  }

  @Test func everySampleClipGivesItsLabel() throws {
    let data = try Data(contentsOf: URL(filePath: shipped("behavior/samples/samples.json")))
    let clips = try JSONDecoder().decode(Samples.self, from: data).clips
    #expect(clips.count >= 17)
    for clip in clips {
      let result = try Command.run("behavior", shipped("behavior/samples/\(clip.file)"), "--json", "--stride", "10")
      #expect(result.status == 0)
      let labels = try objects(result).compactMap { $0["label"] as? String }
      #expect(labels.first == clip.label, "\(clip.file)")
      #expect(labels.last == clip.then ?? clip.label, "\(clip.file)")
    }
  }

  @Test func jsonLinesHaveTheDocumentedKeys() throws {
    let result = try Command.run("behavior", walking, "--json")
    let objects = try objects(result)
    #expect(objects.count == 21)
    let first = try #require(objects.first)
    #expect(
      Set(first.keys) == [
        "t", "frame", "label", "raw_label", "confidence", "probabilities", "missing_fraction", "window_seconds",
      ])
    #expect(first["frame"] as? Int == 99)
    #expect((first["probabilities"] as? [String: Double])?.count == 21)
    #expect(try Command.run("behavior", walking, "--json").output == result.output)
  }

  @Test func standardInputIsReadLikeAFile() throws {
    let file = try Command.run("behavior", walking, "--json")
    let input = try Command.run("behavior", "-", "--json", input: String(contentsOfFile: walking, encoding: .utf8))
    #expect(input.status == 0)
    #expect(input.output == file.output)
  }

  @Test func rowsAreForPeople() throws {
    let result = try Command.run("behavior", walking, "--stride", "10")
    #expect(result.status == 0)
    #expect(result.output.contains("synthetic motion"))
    #expect(result.lines.filter { $0.contains(" s  walking") }.count == 3)
    #expect(result.output.contains("120 frames, 3 windows of 9.9 s: walking 100 %"))
    #expect(!result.output.contains("\u{1B}"))
    #expect(result.errors.isEmpty)
    let strict = try Command.run("behavior", walking, "--threshold", "1")
    #expect(strict.output.contains("uncertain"))
  }

  @Test func csvSaysTheSameAsJSONLines() throws {
    var rows: [String] = []
    for line in try frames(120).split(separator: "\n") {
      let frame = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let points = try #require(frame["keypoints"] as? [Any])
      let fields = points.map { ($0 as? [Double]).map { "\($0[0]),\($0[1])" } ?? "," }
      rows.append(fields.joined(separator: ","))
    }
    let names = [
      "nose", "left_eye", "right_eye", "left_ear", "right_ear", "throat", "withers", "left_front_shoulder",
      "left_front_elbow", "left_front_paw", "right_front_shoulder", "right_front_elbow", "right_front_paw", "center",
      "left_hip", "left_knee", "left_back_paw", "right_hip", "right_knee", "right_back_paw", "tail_base", "tail_mid_1",
      "tail_mid_2", "tail_tip",
    ]
    let header = names.map { "\($0)_x,\($0)_y" }.joined(separator: ",")
    let csv = header + "\n" + rows.joined(separator: "\n") + "\n"
    let result = try Command.run(
      "behavior", "-", "--input-fps", "10", "--width", "1280", "--height", "720", "--json", input: csv)
    #expect(result.status == 0)
    let labels = try objects(result).compactMap { $0["label"] as? String }
    #expect(labels == Array(repeating: "walking", count: 21))
  }

  @Test func tooFewFramesAreAnError() throws {
    let result = try Command.run("behavior", "-", input: frames(99))
    #expect(result.status == 65)
    #expect(result.output.isEmpty)
    #expect(result.errors == "apus: standard input: insufficient_frames: 99/100\n")
    let json = try Command.run("behavior", "-", "--json", input: frames(37))
    #expect(json.status == 65)
    #expect(try json.object["insufficient_frames"] as? String == "37/100")
    #expect(try Command.run("behavior", "-", input: frames(100)).status == 0)
    #expect(try Command.run("behavior", "-", input: "").status == 65)
    // Half the frames are skipped: the message says why so few are left.
    let throttled = try Command.run("behavior", "-", "--fps", "5", input: frames(120))
    #expect(throttled.status == 65)
    #expect(throttled.errors.contains("60/100") && throttled.errors.contains("120 were read"))
  }

  /// The shipped model learned ten frames a second; at other rates the same motion gets other labels.
  @Test func posesAtAnotherRateAreAWarning() throws {
    let given = try frames(120).split(separator: "\n").map(String.init)
    let lines: [String] = try given.enumerated().map { index, line in
      let comma = try #require(line.firstIndex(of: ","))
      return "{\"t\":\(Double(index) / 5)" + line[comma...]
    }
    let slow = lines.joined(separator: "\n") + "\n"
    let text = try Command.run("behavior", "-", input: slow)
    #expect(text.status == 0 && text.output.contains("21 windows of 19.8 s"))
    // 99 steps of 0.2 s, where 99 of 0.1 s were learned; said once.
    let said = "windows last 19.8 s (5 frames a second); the model learned from 9.9 s (10 a second)"
    #expect(text.errors.contains(said) && text.errors.contains("--fps 10"))
    #expect(text.errors.split(separator: "\n").count == 1)
    let first = try #require(objects(Command.run("behavior", "-", "--json", input: slow)).first)
    #expect((first["warning"] as? String)?.hasPrefix(said) == true)
  }

  @Test func aBadLineIsNamedAfterWhatCameBeforeIt() throws {
    let input = try frames(110) + "{\"t\": 11.0, \"width\": 1280, \"height\": 720, \"keypoints\": [[1, 2]]}\n"
    let result = try Command.run("behavior", "-", "--json", input: input)
    #expect(result.status == 65)
    #expect(result.lines.count == 11)
    #expect(result.errors.contains("line 111 (frame 110)"))
    #expect(result.errors.contains("1 keypoints, expected 24"))
  }

  @Test func aPauseStartsTheWindowAnew() throws {
    let lines = try frames(110).split(separator: "\n").map(String.init)
    let later = try frames(105).split(separator: "\n").map { line in
      let comma = try #require(line.firstIndex(of: ","))
      let time = try #require(Double(line[..<comma].drop { !$0.isNumber }))
      return "{\"t\":\(time + 20)" + line[comma...]
    }
    let input = (lines + later).joined(separator: "\n") + "\n"
    let objects = try objects(Command.run("behavior", "-", "--json", input: input))
    #expect(objects.count == 11 + 1 + 6)
    #expect(objects[11]["gap_seconds"] != nil)
    #expect(objects[11]["frame"] as? Int == 110)
    #expect(try Command.run("behavior", "-", input: input).output.contains("the window starts again"))
    #expect(try self.objects(Command.run("behavior", "-", "--json", "--max-gap", "0", input: input)).count == 116)
  }

  @Test func aPauseBeforeTooFewFramesIsSaid() throws {
    let frames = try frames(120).split(separator: "\n").map(String.init)
    let lines: [String] = try frames.enumerated().map { index, line in
      let comma = try #require(line.firstIndex(of: ","))
      return "{\"t\":\(Double(index) / 10 + (index < 60 ? 0 : 4))" + line[comma...]
    }
    let result = try Command.run("behavior", "-", input: lines.joined(separator: "\n") + "\n")
    #expect(result.status == 65 && result.errors.contains("insufficient_frames: 60/100"))
    #expect(result.errors.contains("a pause of 4.1 s before frame 60"))
  }

  @Test func optionsOutsideTheirRangeAreUsageErrors() throws {
    for arguments in [
      ["--stride", "0"], ["--threshold", "2"], ["--fps", "-1"], ["--fps=-1"], ["--missing", "hold"],
      ["--missing", "hold:-1"], ["--keypoint-order", "other"], ["--max-gap=-1"], ["--width", "0"],
      ["--input-fps", "nan"], ["--mean", walking],
      ["--format", "xml"], ["--space", "here"],
    ] {
      let process = Command.process(["behavior", walking] + arguments)
      let errors = Pipe()
      (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
      try process.run()
      let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 64, "\(arguments): \(message)")
      #expect(message.hasPrefix("apus: ") && message.split(separator: "\n").count == 1, "\(message)")
    }
    #expect(try Command.run("behavior").status == 64)
    #expect(try Command.run("behavior", walking, "--sensitivity").status == 64)
  }

  @Test func missingPointsAndOrdersAreOptions() throws {
    let gaps = shipped("behavior/samples/walking-missing-points.jsonl")
    let (zero, hold) = (
      try Command.run("behavior", gaps, "--json"), try Command.run("behavior", gaps, "--json", "--missing", "hold:5")
    )
    #expect(zero.status == 0 && hold.status == 0)
    #expect(zero.output != hold.output)
    let first = try #require(objects(zero).first)
    #expect(try #require(first["missing_fraction"] as? Double) > 0)
    #expect(try Command.run("behavior", gaps).output.contains("% of points missing"))
    // By position the same numbers go in; moved to the points of the same meaning, others do.
    #expect(
      try Command.run("behavior", walking, "--json", "--keypoint-order", "stanford-extra").output
        == Command.run("behavior", walking, "--json").output)
    #expect(
      try Command.run("behavior", walking, "--json", "--keypoint-order", "dog-pose-24").output
        != Command.run("behavior", walking, "--json").output)
    #expect(try Command.run("behavior", walking, "--keypoint-order", "vision-25").status == 65)
  }

  @Test func segmentsAreStretchesOfOneBehaviour() throws {
    let clip = shipped("behavior/samples/trotting-then-down.jsonl")
    let result = try Command.run("behavior", clip, "--segments", "--json")
    #expect(result.status == 0)
    let found = try objects(result)
    #expect(found.dropLast().compactMap { $0["label"] as? String } == ["trotting", "down"])
    for segment in found.dropLast() {
      #expect(
        Set(segment.keys) == ["label", "start", "end", "seconds", "mean_confidence", "predictions"])
      #expect(try #require(segment["mean_confidence"] as? Double) > 0.7)
    }
    #expect(try abs(#require(found[0]["start"] as? Double) - 9.9) < 1e-9)
    #expect(try abs(#require(found[1]["end"] as? Double) - 15.9) < 1e-9)
    let totals = try #require(found.last?["totals"] as? [String: [String: Any]])
    #expect(Set(totals.keys) == ["trotting", "down"])
    #expect(totals["down"]?["segments"] as? Int == 1)

    let text = try Command.run("behavior", clip, "--segments")
    #expect(text.lines.contains { $0.contains("down") && $0.contains("━") })
    #expect(text.lines.contains { $0.hasPrefix("total") })
    // Longer than the clip: nothing lasts.
    let none = try Command.run("behavior", clip, "--segments", "--min-duration", "60")
    #expect(none.status == 0 && none.output.contains("no behaviour"))
    #expect(try Command.run("behavior", clip, "--segments", "--leave", "0.9").status == 64)
    #expect(try Command.run("behavior", "--sensitivity", "--segments").status == 64)
  }

  @Test func filesOfDeepLabCutAreRead() throws {
    let names = ["nose", "leftear", "rightear", "tailstart", "tailend", "leftfrontpaw", "rightfrontpaw", "collar"]
    func row(_ start: String, _ fields: [String]) -> String { ([start] + fields).joined(separator: ",") }
    let coordinates = names.flatMap { _ in ["x", "y", "likelihood"] }
    let head = [
      row("scorer", coordinates.map { _ in "net" }), row("bodyparts", names.flatMap { [$0, $0, $0] }),
      row("coords", coordinates),
    ]
    let rows = (0..<120).map { frame in
      row("\(frame)", names.indices.flatMap { ["\($0 * 20 + frame)", "\($0 * 10)", "0.9"] })
    }
    let text = (head + rows).joined(separator: "\n")
    let size = ["--input-fps", "10", "--width", "640", "--height", "480"]
    let result = try Command.run(["behavior", "-", "--json"] + size, input: text)
    #expect(result.status == 0)
    #expect(result.lines.count == 21)
    // Seven of 24 points are there.
    #expect(try abs(#require(objects(result)[0]["missing_fraction"] as? Double) - 17.0 / 24) < 1e-9)
    #expect(result.errors == "apus: standard input: ignored: unknown keypoints collar (--map THEIRS=OURS)\n")
    let mapped = try Command.run(
      ["behavior", "-", "--json", "--format", "dlc", "--map", "collar=throat"] + size, input: text)
    #expect(mapped.errors.isEmpty)
    #expect(try abs(#require(objects(mapped)[0]["missing_fraction"] as? Double) - 16.0 / 24) < 1e-9)
    #expect(try Command.run(["behavior", "-", "--map", "collar"] + size, input: text).status == 64)
    #expect(try Command.run(["behavior", "-", "--map", "collar=neck"] + size, input: text).status == 64)
    #expect(try Command.run(["behavior", "-", "--individual", "rex", "--width", "1"], input: text).status == 65)
  }

  @Test func meansAndDeviationsAreFiles() throws {
    try TemporaryFolder.with { folder in
      let (zeros, ones) = (folder.path("mean"), folder.path("std"))
      try Data(Array(repeating: "0", count: 48).joined(separator: "\n").utf8).write(to: folder.file("mean"))
      try Data(Array(repeating: "1", count: 48).joined(separator: " ").utf8).write(to: folder.file("std"))
      let plain = try Command.run("behavior", walking, "--json")
      #expect(try Command.run("behavior", walking, "--json", "--mean", zeros, "--std", ones).output == plain.output)
      #expect(try Command.run("behavior", walking, "--mean", ones, "--std", zeros).status == 65)
      #expect(try Command.run("behavior", walking, "--mean", ones, "--std", folder.path("none")).status == 66)
    }
  }

  @Test func sensitivityIsMeasuredWithoutAFile() throws {
    let result = try Command.run("behavior", "--sensitivity", "--json")
    #expect(result.status == 0)
    let report = try result.object
    #expect(try #require(report["maximum_change"] as? Double) > 0.5)
    #expect(try #require(report["predicted_labels"] as? [String]).count > 1)
    #expect(try Command.run("behavior", "--sensitivity").output.contains("256 random poses"))
  }

  @Test func weightsAreChosenByOptionOrEnvironment() throws {
    let weights = shipped("behavior/shipped/behavior-classifier.safetensors")
    let plain = try Command.run("behavior", walking, "--json")
    #expect(try Command.run("behavior", walking, "--json", "--weights", weights).output == plain.output)
    let missing = try Command.run("behavior", walking, "--weights", "/nowhere/x.safetensors")
    #expect(missing.status == 66)
    #expect(missing.errors.contains("/nowhere/x.safetensors"))
    #expect(try Command.run("behavior", walking, environment: ["APUS_WEIGHTS": "/nowhere"]).status == 66)
    #expect(try Command.run("behavior", walking, "--weights", walking).status == 65)
  }

  @Test(.timeLimit(.minutes(5)))
  func aLivePipeIsFollowedRowByRow() throws {
    let process = Command.process(["behavior", "-", "--json"])
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let lines = try frames(103).split(separator: "\n").map { Data($0.utf8 + [0x0A]) }
    for line in lines[..<100] { try input.fileHandleForWriting.write(contentsOf: line) }
    // Each row must come while the input is still open.
    for line in lines[100...] {
      let row = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      #expect(row.contains("\"label\":\"walking\"") && row.hasSuffix("\n"))
      #expect(process.isRunning)
      try input.fileHandleForWriting.write(contentsOf: line)
    }
    try input.fileHandleForWriting.close()
    let rest = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(!rest.isEmpty)
    #expect(process.terminationStatus == 0)
  }

  @Test func whatATextLooksLikeIsSaid() throws {
    try TemporaryFolder.with { folder in
      func errors(_ bytes: [UInt8], _ name: String = "poses.csv") throws -> String {
        try Data(bytes).write(to: folder.file(name))
        let result = try Command.run("behavior", folder.path(name))
        #expect(result.status == 65)
        return result.errors
      }
      #expect(try errors([0xFF, 0xFE, 0x74, 0, 0x2C, 0, 0x0A, 0]).contains("text in UTF-16"))
      #expect(try errors(Array("t;width;height\n0;640;480\n".utf8)).contains("separated by semicolons"))
      let npy = try folder.npy("x", [1, 2] as [Float], shape: [2])
      #expect(try Command.run("behavior", npy).errors.contains("the file is a NumPy array"))
      // What DeepLabCut leaves out is named at once.
      let table = "scorer,me,me,me\nbodyparts,nose,nose,nose\ncoords,x,y,likelihood\n0,100,200,0.9\n"
      #expect(try errors(Array(table.utf8)).contains("--input-fps, --width and --height do"))
      let one = try Command.run("behavior", folder.path("poses.csv"), "--input-fps", "30", "--width", "640")
      #expect(one.status == 65 && one.errors.contains(": --height does"), "\(one.errors)")
      // And one who gives a table to barpath is told how.
      let lift = try Command.run("barpath", folder.path("poses.csv"))
      #expect(lift.status == 65 && lift.errors.contains("--detections="), "\(lift.errors)")
      let walking = try Command.run("behavior", shipped("behavior/samples/walking.jsonl"), "--map", "a=nose")
      #expect(walking.status == 0 && walking.errors.contains("--map has no effect"), "\(walking.errors)")
    }
  }
}
