import ApusMotion
import ArgumentParser
import Foundation
import Testing

@testable import ApusCLI

/// What follows from the tables of settings: options, help, lists, documentation.
@Suite struct SettingsTableTests {
  @Test func everyBarPathOptionSetsItsSetting() throws {
    try check(BarPathCommandSettings.self, of: "barpath", with: ["x"]) { arguments in
      try BarPathCommand.parse(arguments).effectiveSettings()
    }
  }

  @Test func everyBehaviorOptionSetsItsSetting() throws {
    // What needs the other beside it, and what may come more than once, has tests of its own.
    try check(BehaviorCommandSettings.self, of: "behavior", with: ["x"], except: ["mean", "std", "map"]) { arguments in
      try BehaviorCommand.parse(arguments).settings.value(recorder: nil)
    }
  }

  @Test func everyArmDriftOptionSetsItsSetting() throws {
    try check(ArmDriftCommandSettings.self, of: "arm-drift", with: ["x"]) { arguments in
      try ArmDriftCommand.parse(arguments).settings.value(recorder: nil)
    }
  }

  private func check<Settings: AnalysisSettings>(
    _ type: Settings.Type, of command: String, with input: [String], except: Set<String> = [],
    parse: ([String]) throws -> Settings
  ) throws {
    let list = try Command.run(command, "--list-settings").output
    let help = try Command.run(command, "--help").output
    for field in Settings.fields {
      #expect(list.contains(field.name) && list.contains(field.meaning), "\(field.name)")
      guard let option = field.option else { continue }
      #expect(help.contains("--\(option)"), "\(option)")
      if except.contains(field.name) { continue }
      let standard = field.value(in: Settings())
      if field.isFlag {
        let changed = try parse(input + [standard == .flag(true) ? "--no-\(option)" : "--\(option)"])
        #expect(field.value(in: changed) != standard, "\(option)")
        continue
      }
      // The first of these that the setting can be and is not.
      let candidates = field.choices + ["3", "0.6", "0.4", "30", "hold:2", "a name"]
      let (text, expected) = try #require(
        candidates.lazy.compactMap { text -> (String, SettingValue?)? in
          var settings = Settings()
          guard (try? field.set(text: text, in: &settings)) != nil, field.value(in: settings) != standard else {
            return nil
          }
          return (text, field.value(in: settings))
        }.first, "\(field.name)")
      #expect(field.value(in: try parse(input + ["--\(option)", text])) == expected, "\(option)")
      #expect(field.value(in: try parse(input + ["--set", "\(field.name)=\(text)"])) == expected, "\(field.name)")
    }
  }

  /// A value that is wrong is named with its option and what was expected.
  @Test(arguments: [
    (["barpath", "x", "--gap", "17"], "an integer, 0 to 16"),
    (["barpath", "x", "--lift", "curl"], "one of auto, squat"),
    (["behavior", "x", "--threshold", "1.5"], "0 to 1"), (["behavior", "x", "--missing", "never"], "zero or hold:N"),
    (["arm-drift", "x", "--fps", "0"], "above 0"),
  ])
  func wrongOptionsSayWhatIsExpected(arguments: [String], expected: String) throws {
    let result = try Command.run(arguments)
    #expect(result.status == 64)
    #expect(result.errors.contains(arguments[2]) && result.errors.contains(arguments[3]))
    #expect(result.errors.contains(expected), "\(result.errors)")
  }

  /// In all three commands a file has settings by their names, `--set` goes before it, and an option before both.
  @Test func oneMeaningOfSettings() throws {
    try TemporaryFolder.with { folder in
      let path = folder.path("settings.json")
      try Data(#"{"gapFillFrames": 3, "gravity_angle": 2, "fps": 25, "jumpGate": 0.5}"#.utf8).write(
        to: folder.file("settings.json"))
      let bar = try BarPathCommand.parse(["x", "--settings", path, "--set", "jumpGate=1", "--gap", "5"])
        .effectiveSettings()
      #expect(bar.analysis.gapFillFrames == 5 && bar.analysis.gravityAngle == 2 && bar.analysis.jumpGate == 1)
      #expect(bar.reading.framesPerSecond == 25)
      try Data(#"{"width": 640, "fps": 0, "map": ["a=nose", "b=throat"]}"#.utf8).write(to: folder.file("settings.json"))
      let dog = try BehaviorCommand.parse(["x", "--settings", path, "--set", "width=320", "--min-confidence", "0.25"])
        .settings.value(recorder: nil)
      #expect(dog.reading.width == 320 && dog.analysis.framesPerSecond == nil && dog.analysis.minimumConfidence == 0.25)
      #expect(dog.reading.names == ["a": "nose", "b": "throat"])
      try Data(#"{"profile": "calibrated", "mode": "legacy"}"#.utf8).write(to: folder.file("settings.json"))
      let arms = try ArmDriftCommand.parse(["x", "--settings", path, "--mode", "recommended"]).settings.value(
        recorder: nil)
      #expect(arms.analysis.profile == .calibrated && arms.analysis.mode == .recommended)
    }
  }

  /// The names of options, in camel case, are keys too.
  @Test func optionsNameSettingsInFiles() throws {
    var settings = BarPathCommandSettings()
    try settings.apply(json: #"{"gap": 3, "minRomCm": 8, "plateCm": 40}"#.utf8)
    #expect(settings.analysis.gapFillFrames == 3 && settings.analysis.minimumRomCm == 8)
    #expect(settings.analysis.plateDiameterCm == 40)
  }

  @Test func theDocumentationHasTheTables() throws {
    try check(BarPathCommandSettings.self, in: "barpath.md")
    try check(BehaviorCommandSettings.self, in: "behavior.md")
    try check(ArmDriftCommandSettings.self, in: "arm-drift.md")
  }

  private func check<Settings: AnalysisSettings>(_ type: Settings.Type, in page: String) throws {
    let head = ["| setting | option | default | range | |", "|---|---|---|---|---|"]
    let expected =
      head
      + Settings.fields.map { field in
        let option = field.option.map { "`--\($0)`" + (field.isFlag ? ", `--no-\($0)`" : "") } ?? ""
        let standard = field.value(in: Settings()).map { "`\($0)`" } ?? ""
        return
          "| `\(field.name)` | \(option) | \(standard) | \(field.expected + (field.unit.map { " \($0)" } ?? "")) | \(field.meaning) |"
      }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "docs/\(page)")
    var lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: head[0]), "\(page) has no table of settings")
    let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
    if ProcessInfo.processInfo.environment["APUS_RENEW_DOCS"] != nil {
      lines.replaceSubrange(start..<end, with: expected)
      try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(Array(lines[start..<end]) == expected, "\(page): APUS_RENEW_DOCS=1 writes the table")
    }
  }
}
