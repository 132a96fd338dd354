import ApusTestSupport
import Foundation
import Testing

@testable import ApusMedia

/// What runs of `arm-drift` and `behavior` leave behind; those of `barpath` are in ``HistoryCommandTests``.
@Suite struct SessionCommandTests {
  private func text(_ session: String, _ name: String) throws -> String {
    try String(contentsOfFile: "\(session)/\(name)", encoding: .utf8)
  }

  // MARK: - Arm drift

  @Test func twoArmsAreKept() throws {
    try TemporaryFolder.with { folder in
      let (file, runs) = (folder.path("arms.json"), folder.path("runs"))
      try Data(OverlayFixtures.arms().utf8).write(to: URL(filePath: file))
      let pictures = try OverlayFixtures.video(25, rate: 2, in: folder)
      let result = try Command.run(
        "arm-drift", file, "--mode", "legacy", "--session", runs + "/", "--csv", folder.path("angles.csv"),
        "--frames", pictures, "--json")
      #expect(result.status == 0)
      let session = try SessionFixtures.only(runs)
      #expect(result.errors == "apus: session \(session)\n")
      #expect(try SessionFixtures.names(session) == ["angles.csv", "report.html", "results.json", "session.json"])
      #expect(try text(session, "results.json") == result.output)
      #expect(try text(session, "angles.csv") == String(contentsOfFile: folder.path("angles.csv"), encoding: .utf8))
      // The frames that a report shows.
      #expect(try text(session, "report.html").components(separatedBy: "data:image/jpeg").count == 5)

      let record = try #require(SessionFixtures.listing(runs).first)
      #expect(record["command"] as? String == "arm-drift" && record["status"] as? String == "ok")
      #expect(try #require(record["headline"] as? String).hasSuffix("of 4, the right arm drifts"))
      let inputs = try SessionFixtures.inputs(of: record)
      #expect(try inputs["input"]?["sha256"] as? String == SessionFixtures.systemHash(file))
      #expect(try inputs["frames"]?["sha256"] as? String == SessionFixtures.systemHash(pictures))
      let settings = try #require(record["settings"] as? [String: Any])
      #expect(settings["mode"] as? String == "legacy" && settings["profile"] as? String == "robust-v1")
      let summary = try #require(record["summary"] as? [String: Any])
      #expect(summary["status"] as? String == "ok" && summary["frames"] as? Int == 25)
      #expect(try abs(#require(summary["right_drift_deg"] as? Double) - 20) < 1e-6)
    }
  }

  /// A run is `ok` where it ends with 0.
  @Test func tooLittleIsKeptAsFailed() throws {
    try TemporaryFolder.with { folder in
      let runs = folder.path("runs")
      let result = try Command.run(
        "arm-drift", "-", "--json", input: OverlayFixtures.arms(seconds: 5), environment: ["APUS_SESSIONS": runs])
      #expect(result.status == 65)
      let session = try SessionFixtures.only(runs)
      #expect(try SessionFixtures.names(session) == ["report.html", "results.json", "session.json"])
      #expect(try text(session, "results.json") == result.output)
      let record = try #require(SessionFixtures.listing(runs).first)
      #expect(record["status"] as? String == "failed")
      #expect(try #require(record["error"] as? String).contains("expected 10 s or more"))
      #expect(record["headline"] as? String == "insufficient data, no level")
      let summary = try #require(record["summary"] as? [String: Any])
      #expect(summary["status"] as? String == "insufficient_data" && summary["estimated_level"] == nil)
    }
  }

  @Test func noRecordingIsNoSession() throws {
    try TemporaryFolder.with { folder in
      let runs = folder.path("runs")
      let result = try Command.run("arm-drift", "-", "--session", runs, input: "{")
      #expect(result.status == 65)
      #expect(!FileManager.default.fileExists(atPath: runs))
    }
  }

  // MARK: - Behaviour

  @Test func behaviourIsKept() throws {
    try TemporaryFolder.with { folder in
      let (file, runs) = (shipped("behavior/samples/trotting-then-down.jsonl"), folder.path("runs"))
      let (mean, deviation) = (folder.path("mean.txt"), folder.path("std.txt"))
      try Data(repeatElement("0", count: 48).joined(separator: " ").utf8).write(to: URL(filePath: mean))
      try Data(repeatElement("1", count: 48).joined(separator: " ").utf8).write(to: URL(filePath: deviation))
      let result = try Command.run(
        "behavior", file, "--session", runs, "--csv", folder.path("dog.csv"), "--stride", "2", "--mean", mean,
        "--std", deviation)
      #expect(result.status == 0)
      let session = try SessionFixtures.only(runs)
      #expect(
        try SessionFixtures.names(session) == [
          "predictions.csv", "report.html", "results.json", "segments.csv", "session.json",
        ])
      #expect(try text(session, "predictions.csv") == String(contentsOfFile: folder.path("dog.csv"), encoding: .utf8))
      #expect(try text(session, "report.html").contains("<td>trotting</td>"))

      let record = try #require(SessionFixtures.listing(runs).first)
      let inputs = try SessionFixtures.inputs(of: record)
      for (role, path) in [
        ("input", file), ("model", shipped("behavior/shipped/behavior-classifier.safetensors")), ("mean", mean),
        ("std", deviation),
      ] {
        #expect(try inputs[role]?["sha256"] as? String == SessionFixtures.systemHash(path), "\(role)")
      }
      #expect(inputs.count == 4)
      let settings = try #require(record["settings"] as? [String: Any])
      #expect(settings["threshold"] as? Double == 0.7 && settings["stride"] as? Int == 2)
      #expect(settings["missing"] as? String == "zero" && settings["enter"] as? Double == 0.7)

      // Totals are those that are printed for the same input.
      let printed = try Command.run(
        "behavior", file, "--stride", "2", "--segments", "--csv", folder.path("segments.csv"), "--json")
      #expect(
        try text(session, "segments.csv") == String(contentsOfFile: folder.path("segments.csv"), encoding: .utf8))
      let last = try #require(printed.lines.last)
      let kept = try text(session, "results.json")
      #expect(kept.contains(last.dropFirst().dropLast()))
      let document = try #require(JSONSerialization.jsonObject(with: Data(kept.utf8)) as? [String: Any])
      #expect(document["frames"] as? Int == 160 && document["predictions"] as? Int == 31)
      #expect(
        (document["segments"] as? [[String: Any]])?.compactMap { $0["label"] as? String } == ["trotting", "down"])
      let summary = try #require(record["summary"] as? [String: Any])
      let totals = try #require(document["totals"] as? [String: [String: Any]])
      #expect(totals.count == 2)
      for (label, total) in totals {
        #expect(summary["seconds.\(label)"] as? Double == total["seconds"] as? Double)
        #expect(summary["segments.\(label)"] as? Int == 1)
      }
    }
  }

  @Test func behaviourBeforeAnErrorIsKeptAsFailed() throws {
    try TemporaryFolder.with { folder in
      let lines = try String(contentsOfFile: shipped("behavior/samples/walking.jsonl"), encoding: .utf8).split(
        separator: "\n")
      let broken = lines.prefix(110).joined(separator: "\n") + "\n{\"t\": 11.0, \"keypoints\": [[1, 2]]}\n"
      let runs = folder.path("runs")
      let result = try Command.run("behavior", "-", "--session", runs, input: broken)
      #expect(result.status == 65)
      let record = try #require(SessionFixtures.listing(runs).first)
      #expect(record["status"] as? String == "failed")
      #expect(try #require(record["error"] as? String).contains("line 111"))
      let session = try SessionFixtures.only(runs)
      #expect(try text(session, "predictions.csv").split(separator: "\n").count == 12)
      #expect(try SessionFixtures.inputs(of: record)["input"]?["kind"] as? String == "stream")
      // Too few for a window: there is nothing to keep.
      let few = folder.path("few")
      #expect(
        try Command.run("behavior", "-", "--session", few, input: lines.prefix(50).joined(separator: "\n")).status == 65
      )
      #expect(!FileManager.default.fileExists(atPath: few))
    }
  }

  @Test func sensitivityIsNoRun() throws {
    try TemporaryFolder.with { folder in
      let runs = folder.path("runs")
      let named = try Command.run("behavior", "--sensitivity", "--session", runs)
      #expect(named.status == 64)
      let result = try Command.run("behavior", "--sensitivity", environment: ["APUS_SESSIONS": runs])
      #expect(result.status == 0)
      #expect(!FileManager.default.fileExists(atPath: runs))
    }
  }

  /// A pipe with a name must not be opened again: its writer has gone.
  @Test func aNamedPipeIsReadOnce() throws {
    try TemporaryFolder.with { folder in
      let (pipe, runs) = (folder.path("pipe"), folder.path("runs"))
      try #require(mkfifo(pipe, 0o600) == 0)
      let file = folder.path("arms.json")
      try Data(OverlayFixtures.arms().utf8).write(to: URL(filePath: file))
      let writer = Process()
      writer.executableURL = URL(filePath: "/bin/sh")
      writer.arguments = ["-c", "exec cat \"$1\" > \"$2\"", "sh", file, pipe]
      try writer.run()
      #expect(try Command.run("arm-drift", pipe, "--session", runs).status == 0)
      writer.waitUntilExit()
      let record = try #require(SessionFixtures.listing(runs).first)
      let input = try #require(SessionFixtures.inputs(of: record)["input"])
      #expect(input["kind"] as? String == "stream")
      #expect(try input["sha256"] as? String == SessionFixtures.systemHash(file))
    }
  }
}
