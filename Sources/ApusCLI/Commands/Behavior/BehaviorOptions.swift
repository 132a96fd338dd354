import Apus
import ApusMotion
import ArgumentParser

/// The settings of `apus behavior`: how poses are read, classified, and made into segments.
struct BehaviorCommandSettings: AnalysisSettings {
  var reading = PoseReaderOptions()
  var analysis = BehaviorSettings()
  /// Files of 48 numbers each: means to subtract, and standard deviations to divide by.
  var mean: String?
  var std: String?

  static let fields: [SettingField<BehaviorCommandSettings>] =
    PoseReaderOptions.fields.map { $0.lifted(to: \BehaviorCommandSettings.reading) }
    + BehaviorSettings.fields.map { $0.lifted(to: \BehaviorCommandSettings.analysis) } + [
      .text(
        "mean", \BehaviorCommandSettings.mean, expected: "a file", option: "mean",
        "48 means to subtract, a file of numbers; needs std"),
      .text(
        "std", \BehaviorCommandSettings.std, expected: "a file", option: "std",
        "48 standard deviations to divide by, a file of numbers; needs mean"),
    ]

  func validateTogether() throws(SettingsError) {
    try reading.validateTogether()
    try analysis.validateTogether()
    switch (mean, std) {
    case (nil, nil), (_?, _?): break
    case (let mean?, nil): throw .wrongValue(setting: "mean", found: mean, expected: "to have std beside it")
    case (nil, let std?): throw .wrongValue(setting: "std", found: std, expected: "to have mean beside it")
    }
  }

  /// The settings of the analysis with what the files ``mean`` and ``std`` hold.
  func analysis(recorder: SessionRecorder?) throws -> BehaviorSettings {
    var settings = analysis
    settings.order = reading.order
    if let mean, let std {
      // They may stand in settings that can be read once only.
      try CheckedFiles.current.add([mean], as: "--mean")
      try CheckedFiles.current.add([std], as: "--std")
      settings.standardization = try Standardization(
        meanText: Self.text(mean, digest: recorder?.digest("mean", mean)),
        stdText: Self.text(std, digest: recorder?.digest("std", std)))
    }
    return settings
  }

  /// 48 numbers need no more than this.
  private static let textLimit = 1 << 16

  private static func text(_ path: String, digest: InputDigest?) throws -> String {
    String(decoding: try ByteInput(path: path, digest: digest).readAll(limit: textLimit), as: UTF8.self)
  }
}

/// The settings of a behaviour analysis: a file, names with values, and options, each over the ones before.
struct BehaviorSettingOptions: ParsableArguments {
  @OptionGroup var source: SettingOptions<BehaviorCommandSettings>

  @OptionGroup(title: "Input") var input: PoseInputOptions
  @OptionGroup(title: "Classification") var classification: BehaviorClassificationOptions
  @OptionGroup(title: "Segments") var segments: BehaviorSegmentOptions

  /// Adds what is read to a plan.
  func plan(_ files: inout FilePlan) { source.plan(&files) }

  func value(recorder: SessionRecorder?) throws -> BehaviorCommandSettings {
    let groups: [any ParsableArguments] = [input, classification, segments]
    var options = groups.flatMap(\.settingArguments)
    if !input.map.isEmpty { options.append(SettingArgument("map", list: input.map)) }
    return try source.value(from: BehaviorCommandSettings(), options: options, recorder: recorder)
  }
}

/// What the lines of a pose file hold and what they leave out.
struct PoseInputOptions: ParsableArguments {
  @Option(PoseReaderOptions.self, "format") var format: SettingArgument?
  @Option(PoseReaderOptions.self, "keypointOrder") var keypointOrder: SettingArgument?
  @Option(PoseReaderOptions.self, "inputFps") var inputFps: SettingArgument?
  @Option(PoseReaderOptions.self, "width") var width: SettingArgument?
  @Option(PoseReaderOptions.self, "height") var height: SettingArgument?
  @Option(PoseReaderOptions.self, "space") var space: SettingArgument?
  @Option(help: PoseReaderOptions.help("map")) var map: [String] = []
  @Option(PoseReaderOptions.self, "individual") var individual: SettingArgument?
}

/// How a stream of poses is classified.
struct BehaviorClassificationOptions: ParsableArguments {
  @Option(BehaviorSettings.self, "fps") var fps: SettingArgument?
  @Option(BehaviorSettings.self, "stride") var stride: SettingArgument?
  @Option(BehaviorSettings.self, "missing") var missing: SettingArgument?
  @Option(BehaviorSettings.self, "threshold") var threshold: SettingArgument?
  @Option(BehaviorSettings.self, "minConfidence") var minConfidence: SettingArgument?
  @Option(BehaviorSettings.self, "maxGap") var maxGap: SettingArgument?
  @Option(BehaviorCommandSettings.self, "mean") var mean: SettingArgument?
  @Option(BehaviorCommandSettings.self, "std") var std: SettingArgument?
}

/// How predictions become segments.
struct BehaviorSegmentOptions: ParsableArguments {
  @Flag(help: "Print stretches of one behaviour, and totals, instead of a row for each window.")
  var segments = false

  @Option(BehaviorSegmentSettings.self, "enter") var enter: SettingArgument?
  @Option(BehaviorSegmentSettings.self, "leave") var leave: SettingArgument?
  @Option(BehaviorSegmentSettings.self, "minDuration") var minDuration: SettingArgument?
}

/// Where results of a behaviour go.
struct BehaviorOutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A row a prediction, with all probabilities; with --segments a row a segment.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var csv: String?

  @OptionGroup var files: ReportOptions

  @OptionGroup var frames: FrameOptions

  func validate() throws { try frames.validate(with: files) }

  /// Adds what is read and written to a plan.
  func plan(_ plan: inout FilePlan) {
    plan.writes(csv, as: "--csv")
    files.plan(&plan)
    frames.plan(&plan)
  }

  /// Whether anything goes to a file, so that the input is read to its end whether or not the output is read.
  var areWanted: Bool { csv != nil || files.needsResult || files.overlay != nil }

  /// Whether an option, and not the environment alone, asks for a file.
  var areNamed: Bool {
    [csv, files.report, files.charts, files.overlay, files.kept.session].contains { $0 != nil }
  }
}
