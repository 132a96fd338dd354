import ApusTestSupport
import Foundation
import Testing

@Suite struct HistoryCommandTests {
  /// A plate that stands still, and then goes down and up once by `depth` pixels, in three seconds.
  private static func detections(depth: Double = 160) -> String {
    (0..<150).map { frame in
      let phase = Double(min(max(0, frame - 30), 90))
      let y = 310 + depth * (1 - cos(2 * Double.pi * phase / 90)) / 2
      return #"{"t":\#(Double(frame) / 30),"width":640,"height":720,"#
        + #""detections":[{"x":230,"y":\#(y),"w":180,"h":180,"confidence":0.9}]}"# + "\n"
    }.joined()
  }

  /// A file of detections and a folder for sessions, which does not exist yet.
  private func with(_ body: (TemporaryFolder, _ file: String, _ runs: String) throws -> Void) throws {
    try TemporaryFolder.with { folder in
      try Data(Self.detections().utf8).write(to: folder.file("lift.jsonl"))
      try body(folder, folder.path("lift.jsonl"), folder.path("all/runs"))
    }
  }

  private func names(_ folder: String) throws -> [String] { try SessionFixtures.names(folder) }

  @Test func aSessionHoldsEverything() throws {
    try with { folder, file, runs in
      let result = try Command.run("barpath", "--detections", file, "--session", runs, "--gap", "3", "--json")
      #expect(result.status == 0)
      let name = try #require(names(runs).first)
      #expect(try names(runs).count == 1)
      #expect(name.wholeMatch(of: /\d{8}T\d{6}Z-barpath-[0-9a-f]{6}/) != nil)
      #expect(result.errors == "apus: session \(runs)/\(name)\n")
      #expect(
        try names("\(runs)/\(name)") == ["frames.csv", "frames.json", "report.html", "results.json", "session.json"])
      #expect(try String(contentsOfFile: "\(runs)/\(name)/results.json", encoding: .utf8) == result.output)

      let session = try #require(SessionFixtures.listing(runs).first)
      #expect(session["command"] as? String == "barpath")
      #expect(session["status"] as? String == "ok")
      let input = try #require((session["inputs"] as? [[String: Any]])?.first)
      #expect(input["path"] as? String == file)
      #expect(input["kind"] as? String == "file")
      #expect(try input["sha256"] as? String == SessionFixtures.systemHash(file))
      let settings = try #require(session["settings"] as? [String: Any])
      #expect(settings["gapFillFrames"] as? Int == 3)
      #expect(settings["smoothingType"] as? String == "ema")
      let summary = try #require(session["summary"] as? [String: Any])
      #expect(summary["rep_count"] as? Int == 1)
      #expect(try abs(#require(summary["avg_rom_cm"] as? Double) - 40) < 0.8)
    }
  }

  @Test func aPipeIsHashedAsItPasses() throws {
    try with { _, file, runs in
      let settings = ["--settings", shipped("README.md")]
      #expect(
        try Command.run(["barpath", "--detections", "-", "--session", runs] + settings, input: Self.detections()).status
          == 65)
      #expect(!FileManager.default.fileExists(atPath: runs))
      let result = try Command.run(
        "barpath", "--detections", "-", input: Self.detections(), environment: ["APUS_SESSIONS": runs])
      #expect(result.status == 0)
      let input = try #require((SessionFixtures.listing(runs).first?["inputs"] as? [[String: Any]])?.first)
      #expect(input["kind"] as? String == "stream")
      #expect(input["bytes"] as? Int == Self.detections().utf8.count)
      #expect(try input["sha256"] as? String == SessionFixtures.systemHash(file))
    }
  }

  @Test func aFolderOfPicturesAndItsNetworkAreHashed() throws {
    try TemporaryFolder.with { folder in
      let frames = folder.path("frames")
      try FileManager.default.createDirectory(atPath: frames, withIntermediateDirectories: true)
      for name in ["frame_2.ppm", "frame_10.ppm"] {
        let pixels = Data("P6 64 64 255\n".utf8) + Data(repeating: UInt8(name.utf8.count), count: 64 * 64 * 3)
        try pixels.write(to: folder.file("frames/\(name)"))
      }
      try Data("notes".utf8).write(to: folder.file("frames/notes.txt"))
      let lines = try ["frame_10.ppm", "frame_2.ppm"].map {
        try "\(SessionFixtures.systemHash("\(frames)/\($0)"))  \($0)\n"
      }
      let list = folder.path("list")
      try Data(lines.joined().utf8).write(to: URL(filePath: list))
      let runs = folder.path("runs")
      #expect(try Command.run("barpath", frames, "--fps", "30", "--size", "64", "--session", runs).status == 65)
      let session = try #require(SessionFixtures.listing(runs).first)
      let inputs = try #require(session["inputs"] as? [[String: Any]])
      #expect(inputs.map { $0["role"] as? String } == ["input", "model"])
      #expect(inputs[0]["kind"] as? String == "folder")
      #expect(inputs[0]["bytes"] as? Int == 2 * (13 + 64 * 64 * 3))
      #expect(try inputs[0]["sha256"] as? String == SessionFixtures.systemHash(list))
      #expect(
        try inputs[1]["sha256"] as? String == SessionFixtures.systemHash(shipped("detector/shipped/model.safetensors")))
      #expect((session["settings"] as? [String: Any])?["size"] as? String == "64x64")
    }
  }

  @Test func whatCameBeforeAnErrorIsKeptAsFailed() throws {
    try with { folder, _, runs in
      let file = folder.path("cut.jsonl")
      let text = String(Self.detections().prefix(8000))
      try Data(text.utf8).write(to: URL(filePath: file))
      let result = try Command.run("barpath", "--detections", file, "--session", runs)
      #expect(result.status == 65)
      let session = try #require(SessionFixtures.listing(runs).first)
      #expect(session["status"] as? String == "failed")
      #expect(try #require(session["error"] as? String).contains("line "))
      // The file is known by all of its bytes.
      let input = try #require((session["inputs"] as? [[String: Any]])?.first)
      #expect(input["bytes"] as? Int == 8000)
      #expect(try Command.run("history", runs).output.contains("✗"))
    }
  }

  @Test func namesThatAreTakenGetANumber() throws {
    try with { _, file, runs in
      // Within a second, or within two: names are taken in any case.
      for _ in 0..<4 { _ = try Command.run("barpath", "--detections", file, "--session", runs) }
      #expect(try names(runs).count == 4)
      let starts = try SessionFixtures.listing(runs).compactMap { $0["started"] as? String }
      #expect(starts == starts.sorted() && starts.count == 4)
      #expect(try SessionFixtures.listing(runs, "--last", "2").count == 2)
      #expect(try SessionFixtures.listing(runs, "--command", "behavior").isEmpty)
      #expect(try SessionFixtures.listing(runs, "--command", "barpath").count == 4)
      let none = try Command.run("history", runs, "--command", "behavior")
      #expect(none.status == 0 && none.output == "there are no sessions of behavior in \(runs)\n")
      #expect(try Command.run("history", runs, "--last", "0").status == 64)
    }
  }

  @Test func twoSessionsAreCompared() throws {
    try with { folder, file, runs in
      let other = folder.path("other.jsonl")
      try Data(Self.detections(depth: 176).utf8).write(to: URL(filePath: other))
      _ = try Command.run("barpath", "--detections", file, "--session", runs + "/a")
      _ = try Command.run("barpath", "--detections", file, "--session", runs + "/b", "--gap", "4")
      _ = try Command.run("barpath", "--detections", other, "--session", runs + "/c")
      let paths = try ["a", "b", "c"].map { try "\(runs)/\($0)/\(#require(names("\(runs)/\($0)").first))" }

      let same = try Command.run("history", "compare", paths[0], paths[0], "--json")
      #expect(same.status == 0)
      #expect(try same.object["equal"] as? Bool == true)

      let setting = try Command.run("history", "compare", paths[0], paths[1], "--json")
      #expect(setting.status == 1)
      let found = try setting.object
      #expect(found["inputs_equal"] as? Bool == true)
      let changed = try #require(found["settings"] as? [[String: Any]])
      #expect(changed.count == 1 && changed[0]["old"] as? Int == 8 && changed[0]["new"] as? Int == 4)
      #expect((found["summary"] as? [Any])?.isEmpty == true)

      let input = try Command.run("history", "compare", paths[0], paths[2], "--json")
      #expect(input.status == 1)
      #expect(try input.object["inputs_equal"] as? Bool == false)
      let numbers = try #require(input.object["summary"] as? [[String: Any]])
      let rom = try #require(numbers.first { $0["key"] as? String == "avg_rom_cm" })
      #expect(try abs(#require(rom["relative"] as? Double) - 0.1) < 1e-3)
      #expect(try Command.run("history", "compare", paths[0], paths[2]).output.contains("+10 %"))
    }
  }

  @Test func sessionsAreFoundByNamePrefixAndPath() throws {
    try with { _, file, runs in
      _ = try Command.run("barpath", "--detections", file, "--session", runs)
      let name = try #require(names(runs).first)
      try FileManager.default.copyItem(atPath: "\(runs)/\(name)", toPath: "\(runs)/other")
      for session in [name, String(name.prefix(6)), "\(runs)/\(name)"] {
        let result = try Command.run("history", "show", session, "--folder", runs)
        #expect(result.status == 0)
        #expect(result.output.contains("gapFillFrames") && result.output.contains("lift.jsonl"))
      }
      let shown = try Command.run("history", "show", "oth", "--json", environment: ["APUS_SESSIONS": runs])
      #expect(try shown.object["name"] as? String == "other")
      try FileManager.default.copyItem(atPath: "\(runs)/\(name)", toPath: "\(runs)/otter")
      let several = try Command.run("history", "show", "ot", "--folder", runs)
      #expect(several.status == 66 && several.errors.contains("2 sessions: other, otter"))
      #expect(try Command.run("history", "show", "nothing", "--folder", runs).status == 66)
      #expect(try Command.run("history", "show", "", "--folder", runs).status == 66)
      #expect(try Command.run("history", "show", "..", "--folder", runs).status == 66)
      #expect(try Command.run("history", "show", "\(runs)/nothing").status == 66)
      #expect(try Command.run("history", "\(runs)/nothing").status == 66)
      #expect(try Command.run("history").status == 64)
    }
  }

  @Test func hostileSessionsAreNamedAndSkipped() throws {
    try with { _, file, runs in
      _ = try Command.run("barpath", "--detections", file, "--session", runs)
      let name = try #require(names(runs).first)
      let sound = try String(contentsOfFile: "\(runs)/\(name)/session.json", encoding: .utf8)
      let hostile: [(String, String)] = [
        ("empty", ""), ("cut", String(sound.prefix(300))), ("foreign", #"{"name":"something else"}"#),
        ("nan", sound.replacing("\"seconds\":", with: "\"seconds\":NaN,\"was\":")),
        ("deep", "{\"x\":" + String(repeating: "[", count: 500_000)),
        ("huge", String(repeating: " ", count: 2 << 20) + sound),
        ("types", sound.replacing("\"threads\":", with: "\"threads\":{},\"was\":")),
      ]
      for (name, text) in hostile {
        try FileManager.default.createDirectory(atPath: "\(runs)/\(name)", withIntermediateDirectories: false)
        try Data(text.utf8).write(to: URL(filePath: "\(runs)/\(name)/session.json"))
      }
      try FileManager.default.createDirectory(atPath: "\(runs)/no\u{1B}[2Jne", withIntermediateDirectories: false)
      try FileManager.default.createDirectory(
        atPath: "\(runs)/folder/session.json", withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        atPath: "\(runs)/.\(name)-2.partial", withIntermediateDirectories: false)
      try Data("a".utf8).write(to: URL(filePath: "\(runs)/file"))

      let list = try Command.run("history", runs)
      #expect(list.status == 0)
      #expect(list.lines.count == 2)
      #expect(!list.errors.contains("\u{1B}"))
      for (name, _) in hostile {
        #expect(list.errors.contains("skipped \(name): "))
        #expect(try Command.run("history", "show", name, "--folder", runs).status == 65)
        #expect(try Command.run("history", "compare", name, name, "--folder", runs).status == 65)
      }
      #expect(list.errors.contains("left behind"))
      let lines = try SessionFixtures.listing(runs)
      #expect(lines.count { $0["error"] != nil } == hostile.count + 4)
      #expect(lines.count { $0["command"] != nil } == 1)
    }
  }

  @Test func controlCharactersOfAFileReachNoTerminal() throws {
    try with { _, file, runs in
      _ = try Command.run("barpath", "--detections", file, "--session", runs)
      let path = try "\(runs)/\(#require(names(runs).first))/session.json"
      var sound = try String(contentsOfFile: path, encoding: .utf8)
      for text in [
        "\"barpath", "\"ema", "\"1 rep", "lift.jsonl", "\"gapFillFrames", "\"role\":\"", "\"rep_count",
        "\"machine\":\"",
      ] {
        try #require(sound.contains(text))
        sound = sound.replacing(text, with: text + "\\u001b[2J\\u009b")
      }
      try Data(sound.utf8).write(to: URL(filePath: path))
      for arguments in [["history", runs], ["history", "show", "2", "--folder", runs]] {
        let result = try Command.run(arguments)
        #expect(result.status == 0)
        #expect(!result.output.isEmpty)
        #expect(!result.output.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x9B })
      }
    }
  }

  @Test func analysisIsPrintedWhereNothingCanBeKept() throws {
    try with { folder, file, _ in
      let blocked = folder.path("blocked")
      try Data("a".utf8).write(to: URL(filePath: blocked))
      for runs in [blocked, blocked + "/inside", "/proc/apus"] {
        let result = try Command.run("barpath", "--detections", file, "--session", runs)
        #expect(result.status == 74)
        #expect(result.output.contains("1 repetition"))
        #expect(result.errors.contains("the session is not kept"))
      }
      #expect(try Command.run("barpath", "--detections", file, "--session", "").status == 64)
    }
  }
}
