import Apus
import ApusMotion

/// Settings files of every analysis and reader.
struct SettingsTarget: JSONFuzzTarget {
  let name = "settings"
  let summary = "settings of arm drift, behaviour, bar paths and their readers, read and written"

  var dictionary: [String] { words + ["null", "true", "1e308", "-1", "0", "\"\"", "{", "}", ","] }

  private let words: [String] =
    ArmDriftSettings.fields.map { "\"\($0.name)\":" } + BehaviorSettings.fields.map { "\"\($0.name)\":" }
    + BehaviorSegmentSettings.fields.map { "\"\($0.name)\":" } + BarPathSettings.fields.map { "\"\($0.name)\":" }

  func seeds() -> [[UInt8]] {
    [
      ArmDriftSettings().jsonLine, BehaviorSettings().jsonLine, BehaviorSegmentSettings().jsonLine,
      BarPathSettings().jsonLine, BarReaderOptions().jsonLine, PoseReaderOptions().jsonLine,
      ArmReaderOptions().jsonLine,
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    let outcomes = [
      try read(ArmDriftSettings.self, input), try read(BehaviorSettings.self, input),
      try read(BehaviorSegmentSettings.self, input), try read(BarPathSettings.self, input),
      try read(BarReaderOptions.self, input), try read(PoseReaderOptions.self, input),
      try read(ArmReaderOptions.self, input),
    ]
    return outcomes.contains(.accepted) ? .accepted : .refused
  }

  private func read<Settings: AnalysisSettings & Equatable>(
    _ type: Settings.Type, _ input: UnsafeRawBufferPointer
  ) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: SettingsError.self) {
      let settings = try Settings(json: input)
      guard try Settings(json: settings.jsonLine.utf8) == settings else {
        throw FuzzFinding(message: "settings do not read back: \(settings.jsonLine)")
      }
    }
  }
}
