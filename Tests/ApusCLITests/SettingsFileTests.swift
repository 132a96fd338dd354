import ApusTestSupport
import Foundation
import Testing

@Suite struct SettingsFileTests {
  private static let poses = shipped("behavior/samples/trotting-then-down.jsonl")

  private func withSettings<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
    try TemporaryFolder.with { folder in
      try Data(text.utf8).write(to: folder.file("settings.json"))
      return try body(folder.path("settings.json"))
    }
  }

  @Test func settingsAreOptions() throws {
    let plain = try Command.run(
      "behavior", Self.poses, "--json", "--stride", "10", "--threshold", "0.9", "--missing", "hold:3")
    #expect(plain.status == 0 && plain.lines.count < 10)
    let text = #"{"stride": 10, "threshold": 0.9, "missing": "hold:3", "minConfidence": null}"#
    try withSettings(text) { settings in
      let read = try Command.run("behavior", Self.poses, "--json", "--settings", settings)
      #expect(read.status == 0 && read.output == plain.output)
      #expect(try Command.run("behavior", "--settings=\(settings)", Self.poses, "--json").output == plain.output)
    }
  }

  @Test func optionsGoBeforeTheFile() throws {
    try withSettings(#"{"stride": 10}"#) { settings in
      let many = try Command.run("behavior", Self.poses, "--json", "--stride", "5", "--settings", settings)
      #expect(many.output == (try Command.run("behavior", Self.poses, "--json", "--stride", "5")).output)
    }
  }

  @Test func armsHaveSettingsToo() throws {
    let recording = shipped("arms/samples/recording.jsonl")
    try withSettings(#"{"profile": "calibrated", "mode": "legacy"}"#) { settings in
      let read = try Command.run("arm-drift", recording, "--json", "--settings", settings)
      let options = try Command.run("arm-drift", recording, "--json", "--profile", "calibrated", "--mode", "legacy")
      #expect(read.status == 0 && read.output == options.output)
      #expect(read.output != (try Command.run("arm-drift", recording, "--json")).output)
    }
  }

  @Test(arguments: [
    (#"{"strid": 10}"#, "did you mean 'stride'"), (#"{"report": "x.html"}"#, "no setting \"report\""),
    (#"{"stride": 10, "stride": 5}"#, "stride"), (#"{"missing": "never"}"#, "never"),
    (#"{"stride": {"a": 1}}"#, "a number, a string"), (#"{"stride": true}"#, "an integer, 1 or more"),
    (#"{"stride": 10"#, "settings.json"), ("[]", "object"), ("", "settings.json"),
  ])
  func whatIsWrongIsNamed(text: String, complaint: String) throws {
    try withSettings(text) { settings in
      let result = try Command.run("behavior", Self.poses, "--settings", settings)
      #expect(result.status == 65 && result.output.isEmpty)
      #expect(result.errors.contains("settings.json") && result.errors.contains(complaint), "\(result.errors)")
    }
  }

  @Test func aFileThatIsNotThere() throws {
    #expect(try Command.run("behavior", Self.poses, "--settings", "/nowhere.json").status == 66)
    #expect(try Command.run("behavior", Self.poses, "--settings").status == 64)
    #expect(try Command.run("behavior", "--settings", "/nowhere.json", "--help").status == 0)
  }
}
