import ApusMotion
import ArgumentParser

/// The settings of `apus arm-drift`: how arms are measured, and how their files are read.
struct ArmDriftCommandSettings: AnalysisSettings {
  var analysis = ArmDriftSettings()
  var reading = ArmReaderOptions()

  static let fields: [SettingField<ArmDriftCommandSettings>] =
    ArmDriftSettings.fields.map { $0.lifted(to: \ArmDriftCommandSettings.analysis) }
    + ArmReaderOptions.fields.map { $0.lifted(to: \ArmDriftCommandSettings.reading) }
}

/// The settings of a test of two arms: a file, names with values, and options, each over the ones before.
struct ArmDriftSettingOptions: ParsableArguments {
  @OptionGroup var source: SettingOptions<ArmDriftCommandSettings>

  @Option(ArmDriftSettings.self, "profile") var profile: SettingArgument?
  @Option(ArmDriftSettings.self, "mode") var mode: SettingArgument?
  @Option(ArmReaderOptions.self, "fps") var fps: SettingArgument?
  @Option(ArmReaderOptions.self, "width") var width: SettingArgument?
  @Option(ArmReaderOptions.self, "height") var height: SettingArgument?
  @Option(ArmReaderOptions.self, "space") var space: SettingArgument?

  func value(recorder: SessionRecorder?) throws -> ArmDriftCommandSettings {
    try source.value(from: ArmDriftCommandSettings(), options: settingArguments, recorder: recorder)
  }
}
