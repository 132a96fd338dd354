import ApusTestSupport
import Foundation
import Testing

@testable import ApusMedia

/// What becomes of files that are written row by row and frame by frame when their command does not come to its end.
@Suite struct InterruptionTests {
  /// As many poses of a clip as a prediction needs, and some, in a picture that is quickly drawn.
  private func poses() throws -> String {
    let text = try String(contentsOfFile: shipped("behavior/samples/walking.jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").prefix(104).map { line in
      var frame = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let points = try #require(frame["keypoints"] as? [Any])
      frame["keypoints"] = points.map { ($0 as? [Double]).map { [$0[0] / 8, $0[1] / 8] } ?? NSNull() as Any }
      (frame["width"], frame["height"]) = (160, 90)
      return String(decoding: try JSONSerialization.data(withJSONObject: frame), as: UTF8.self) + "\n"
    }.joined()
  }

  /// Starts the process; it takes the signal even where this one was started with it ignored.
  private func start(_ process: Process, expecting number: Int32) throws {
    let former = signal(number, SIG_DFL)
    defer { signal(number, former) }
    try process.run()
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGQUIT])
  func aSignalLeavesFilesAsTheyWereAndKeepsWhatWasFinished(number: Int32) throws {
    try TemporaryFolder.with { folder in
      let (csv, overlay) = (folder.path("dog.csv"), folder.path("dog.y4m"))
      for path in [csv, overlay] { try Data("former".utf8).write(to: URL(filePath: path)) }
      let process = Command.process(["behavior", "-", "--json", "--csv", csv, "--overlay", overlay])
      let (input, output, errors) = (Pipe(), Pipe(), Pipe())
      (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
      try start(process, expecting: number)
      try input.fileHandleForWriting.write(contentsOf: Data(try poses().utf8))
      // A row on standard output is in the table too.
      #expect(!output.fileHandleForReading.availableData.isEmpty)
      kill(process.processIdentifier, number)
      // The input stays open: only the signal can end it.
      for _ in 0..<6000 where process.isRunning { usleep(10_000) }
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
      for path in [csv, overlay] {
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "former")
        #expect(message.contains("apus: \(path): is not complete") && message.contains("\(path).part\n"))
      }
      let rows = try String(contentsOfFile: csv + ".part", encoding: .utf8)
      #expect(rows.hasPrefix("t,frame,label,") && rows.hasSuffix("\n"))
      #expect(rows.split(separator: "\n").count > 1)
      #expect(try OverlayFixtures.frames(ofVideo: overlay + ".part").frames.count > 99)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).count == 4)
    }
  }

  @Test func anErrorLeavesAVideoAsItWasAndKeepsWhatWasFinished() throws {
    try TemporaryFolder.with { folder in
      let (arms, overlay) = (folder.path("arms.json"), folder.path("arms.y4m"))
      try Data(OverlayFixtures.arms().utf8).write(to: URL(filePath: arms))
      try Data("former".utf8).write(to: URL(filePath: overlay))
      // Pictures of five seconds, for arms of twelve.
      let pictures = try OverlayFixtures.video(10, rate: 2, in: folder)
      let result = try Command.run("arm-drift", arms, "--overlay", overlay, "--frames", pictures)
      #expect(result.status == 65)
      #expect(result.errors.contains("what was finished is in \(overlay).part\n"))
      #expect(try String(contentsOfFile: overlay, encoding: .utf8) == "former")
      #expect(try OverlayFixtures.frames(ofVideo: overlay + ".part").frames.count == 10)
    }
  }
}
