import Testing

@testable import ApusMotion

@Suite struct BarPathSettingsTests {
  private func settings(_ json: String) throws -> BarPathSettings { try BarPathSettings(json: json.utf8) }

  private func failure(_ json: String) -> SettingsError? {
    do {
      _ = try settings(json)
      return nil
    } catch {
      return error as? SettingsError
    }
  }

  /// The table of the original application: key, default, range.
  @Test func originalDefaults() {
    let settings = BarPathSettings()
    let expected: [(String, SettingValue, String)] = [
      ("modelSize", .text("medium"), "one of small, medium, large"),
      ("minPoseVisibility", .number(0.5), "0.3 to 0.9"),
      ("yoloConfidence", .number(0.35), "0.2 to 0.8"),
      ("gapFillFrames", .number(8), "an integer, 0 to 16"),
      ("smoothingType", .text("ema"), "one of ema, emaForwardBackward, kalman, kalmanParity"),
      ("smoothingAlpha", .number(0.25), "0.1 to 0.5"),
      ("liftStartSpeedPxPerSec", .number(50), "20 to 100"),
      ("liftStartHysteresis", .number(0.6), "0.3 to 0.9"),
      ("units", .text("metric"), "one of metric, imperial"),
      ("exportVideoQuality", .text("1080p"), "one of 720p, 1080p, 4K"),
      ("exportOverlaySize", .text("small"), "one of small, medium, large"),
    ]
    for (field, expected) in zip(BarPathSettings.fields, expected) {
      #expect(field.name == expected.0)
      #expect(field.value(in: settings) == expected.1)
      #expect(field.expected == expected.2)
    }
    #expect(throws: Never.self) { try settings.validate() }
    #expect(Set(BarPathSettings.fields.map(\.name)).count == BarPathSettings.fields.count)
  }

  @Test func fromJSON() throws {
    let found = try settings(
      #"{"smoothingType": "kalman", "gapFillFrames": 12, "yoloConfidence": 0.4, "elbowFallback": false}"#)
    #expect(found.smoothingType == .kalman && found.gapFillFrames == 12 && found.yoloConfidence == 0.4)
    #expect(!found.elbowFallback && found.units == .metric)
    #expect(try settings(#"{"units": null}"#) == BarPathSettings())
    #expect(try settings(" {\n \"jumpGate\" : 0 }\n").jumpGate == 0)
  }

  @Test func aCalibrationFileIsTakenToo() throws {
    var found = BarPathSettings().with { $0.smoothingType = .kalman }
    try found.apply(json: #"{"lift_type": "deadlift", "pixels_per_cm": 3.6, "gravity_angle": -2.5}"#.utf8)
    #expect(found.liftType == .deadlift && found.pixelsPerCm == 3.6 && found.gravityAngle == -2.5)
    #expect(found.smoothingType == .kalman)
  }

  @Test func whatIsWrittenReadsBack() throws {
    let changed = BarPathSettings().with {
      $0.pixelsPerCm = 3.14159
      $0.liftType = .bench
      $0.previousExpires = false
      $0.gravityAngle = -0.1
    }
    #expect(try settings(changed.jsonLine) == changed)
    #expect(try settings(BarPathSettings().jsonLine) == BarPathSettings())
    #expect(BarPathSettings().jsonLine.hasPrefix(#"{"modelSize":"medium","minPoseVisibility":0.5,"#))
  }

  @Test(arguments: [
    (#"{"smoothingAlfa": 1}"#, SettingsError.unknownSetting("smoothingAlfa", nearest: "smoothingAlpha")),
    (#"{"": 1}"#, .unknownSetting("", nearest: nil)),
    (#"{"units": "metric", "units": "metric"}"#, .duplicateSetting("units")),
    (#"{"pixelsPerCm": 4, "pixels_per_cm": 4}"#, .duplicateSetting("pixels_per_cm")),
    (#"{"smoothingAlpha": 0.6}"#, .wrongValue(setting: "smoothingAlpha", found: "0.6", expected: "0.1 to 0.5")),
    (#"{"smoothingAlpha": NaN}"#, .wrongValue(setting: "smoothingAlpha", found: "nan", expected: "0.1 to 0.5")),
    (#"{"smoothingAlpha": "x"}"#, .wrongValue(setting: "smoothingAlpha", found: "x", expected: "0.1 to 0.5")),
    (#"{"gapFillFrames": 17}"#, .wrongValue(setting: "gapFillFrames", found: "17", expected: "an integer, 0 to 16")),
    (
      #"{"recheckFrames": 2.5}"#,
      .wrongValue(setting: "recheckFrames", found: "2.5", expected: "an integer, 1 to 30")
    ),
    (#"{"jumpGate": 1e99}"#, .wrongValue(setting: "jumpGate", found: "1e+99", expected: "0 to 2")),
    (#"{"units": "US"}"#, .wrongValue(setting: "units", found: "US", expected: "one of metric, imperial")),
    (#"{"elbowFallback": 1}"#, .wrongValue(setting: "elbowFallback", found: "1", expected: "true or false")),
    (#"{"pixelsPerCm": 0}"#, .wrongValue(setting: "pixelsPerCm", found: "0", expected: "0.01 to 1000")),
  ])
  func badSettings(json: String, expected: SettingsError) {
    #expect(failure(json) == expected)
  }

  @Test(arguments: ["", "[]", "{", #"{"units""#, #"{"units": [1]}"#, "{} x", #"{"units": tru}"#])
  func noSettingsAtAll(json: String) {
    guard case .malformed(let column, let message)? = failure(json) else {
      Issue.record("\(json) is taken")
      return
    }
    #expect(column >= 1 && !message.isEmpty)
  }

  @Test func badFieldsInCode() {
    #expect(throws: SettingsError.self) { try BarPathSettings().with { $0.smoothingAlpha = .nan }.validate() }
    #expect(throws: SettingsError.self) {
      try BarPathStream(settings: BarPathSettings().with { $0.gapFillFrames = -1 })
    }
    #expect(throws: SettingsError.self) {
      try BarPathAnalysis.analyze([], settings: BarPathSettings().with { $0.pixelsPerCm = .infinity })
    }
  }

  @Test func fromTheCommandLine() throws {
    var settings = BarPathSettings()
    try settings.set("smoothingType", to: "kalman")
    try settings.set("gapFillFrames", to: "3")
    try settings.set("elbowFallback", to: "false")
    #expect(settings.smoothingType == .kalman && settings.gapFillFrames == 3 && !settings.elbowFallback)
    #expect(throws: SettingsError.unknownSetting("gapFilFrames", nearest: "gapFillFrames")) {
      try settings.set("gapFilFrames", to: "3")
    }
  }

  /// Every preset stays inside the ranges, and does what its name says.
  @Test(arguments: BarPathPreset.allCases)
  func presets(preset: BarPathPreset) throws {
    try preset.settings.validate()
    let settings = preset.settings
    switch preset {
    case .standard: #expect(settings == BarPathSettings())
    case .lowLight:
      #expect((0.25...0.3).contains(settings.yoloConfidence) && (0.4...0.45).contains(settings.minPoseVisibility))
      #expect((10...12).contains(settings.gapFillFrames) && (0.15...0.2).contains(settings.smoothingAlpha))
    case .fast:
      #expect((70...90).contains(settings.liftStartSpeedPxPerSec) && (4...6).contains(settings.gapFillFrames))
      #expect(settings.smoothingType == .kalman)
    case .severalBars: #expect((0.4...0.45).contains(settings.yoloConfidence))
    }
  }
}
