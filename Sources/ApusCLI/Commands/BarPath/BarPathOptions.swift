import Apus
import ApusMotion
import ArgumentParser

extension BarPathPreset: ExpressibleByArgument {}

/// The settings of `apus barpath`: how the bar is followed and measured, and how files of detections are read.
struct BarPathCommandSettings: AnalysisSettings {
  var analysis = BarPathSettings()
  var reading = BarReaderOptions()

  static let fields: [SettingField<BarPathCommandSettings>] =
    BarPathSettings.fields.map { $0.lifted(to: \BarPathCommandSettings.analysis) }
    + BarReaderOptions.fields.map { $0.lifted(to: \BarPathCommandSettings.reading) }

  static let aliases = BarPathSettings.aliases

  func validateTogether() throws(SettingsError) {
    try analysis.validateTogether()
    try reading.validateTogether()
  }
}

/// The settings of a bar path: a preset, a file, names with values, and options, each over the ones before.
struct BarPathSettingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Settings that go together: standard, low-light, fast, several-bars.", valueName: "name"))
  var preset = BarPathPreset.standard

  @OptionGroup var source: SettingOptions<BarPathCommandSettings>

  @OptionGroup(title: "Lift and scale") var lift: BarLiftOptions
  @OptionGroup(title: "Choice of the bar") var choice: BarChoiceOptions
  @OptionGroup(title: "Path and repetitions") var path: BarMeasureOptions

  /// - Parameter others: settings that were given by options elsewhere.
  func value(_ others: [SettingArgument], recorder: SessionRecorder? = nil) throws -> BarPathCommandSettings {
    var start = BarPathCommandSettings()
    preset.apply(to: &start.analysis)
    let groups: [any ParsableArguments] = [lift, choice, path]
    return try source.value(
      from: start, options: groups.flatMap(\.settingArguments) + others, recorder: recorder)
  }
}

/// What is lifted, and how large it is in the picture.
struct BarLiftOptions: ParsableArguments {
  @Option(BarPathSettings.self, "liftType") var lift: SettingArgument?
  @Option(BarPathSettings.self, "units") var units: SettingArgument?
  @Option(BarPathSettings.self, "plateDiameterCm") var plateCm: SettingArgument?
  @Option(BarPathSettings.self, "plateDiameterPx") var platePx: SettingArgument?
  @Option(BarPathSettings.self, "pixelsPerCm") var pixelsPerCm: SettingArgument?
  @Option(BarPathSettings.self, "gravityAngle") var gravityAngle: SettingArgument?
}

/// Which of several plates is followed.
struct BarChoiceOptions: ParsableArguments {
  @Option(BarPathSettings.self, "yoloConfidence") var minConfidence: SettingArgument?
  @Option(BarPathSettings.self, "minPoseVisibility") var minVisibility: SettingArgument?
  @Option(BarPathSettings.self, "wristWeight") var wristWeight: SettingArgument?
  @Option(BarPathSettings.self, "previousWeight") var previousWeight: SettingArgument?
  @Option(BarPathSettings.self, "distanceUnit") var distanceUnit: SettingArgument?
  @Flag(BarPathSettings.self, "elbowFallback") var elbowFallback: Bool?
  @Flag(BarPathSettings.self, "previousExpires") var previousExpires: Bool?
  @Option(BarPathSettings.self, "recheckFrames") var recheckFrames: SettingArgument?
  @Option(BarPathSettings.self, "jumpGate") var jumpGate: SettingArgument?
  @Option(BarPathSettings.self, "sizeGate") var sizeGate: SettingArgument?
}

/// What is made of the positions of the bar.
struct BarMeasureOptions: ParsableArguments {
  @Option(BarPathSettings.self, "gapFillFrames") var gap: SettingArgument?
  @Option(BarPathSettings.self, "smoothingType") var smoothing: SettingArgument?
  @Option(BarPathSettings.self, "smoothingAlpha") var alpha: SettingArgument?
  @Option(BarPathSettings.self, "metricsPath") var metricsPath: SettingArgument?
  @Option(BarPathSettings.self, "liftStartSpeedPxPerSec") var startSpeed: SettingArgument?
  @Option(BarPathSettings.self, "liftStartHysteresis") var hysteresis: SettingArgument?
  @Option(BarPathSettings.self, "depthReferenceCm") var depthCm: SettingArgument?
  @Option(BarPathSettings.self, "minimumRomCm") var minRomCm: SettingArgument?
  @Option(BarPathSettings.self, "exportVideoQuality") var videoQuality: SettingArgument?
  @Option(BarPathSettings.self, "exportOverlaySize") var overlaySize: SettingArgument?
}

/// Where results of a bar path go.
struct BarPathOutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A row for each frame; scale and units go into a .json beside it.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var csv: String?

  @OptionGroup var files: ReportOptions

  /// Adds what is written to a plan.
  func plan(_ plan: inout FilePlan) {
    plan.writes(csv, as: "--csv")
    plan.writes(csv.map(Self.sidecar), as: "the .json beside --csv,")
    files.plan(&plan)
  }

  /// The file beside a table: its name with `.json` for `.csv`.
  static func sidecar(of path: String) -> String {
    (path.lowercased().hasSuffix(".csv") ? String(path.dropLast(4)) : path) + ".json"
  }
}
