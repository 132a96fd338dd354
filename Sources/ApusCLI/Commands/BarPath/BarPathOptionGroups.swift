import Apus
import ApusMotion
import ArgumentParser

extension BarPathPreset: ExpressibleByArgument {}
extension BarUnits: ExpressibleByArgument {}
extension BarLiftType: ExpressibleByArgument {}
extension BarSmoothing: ExpressibleByArgument {}
extension BarMetricsPath: ExpressibleByArgument {}
extension BarDistanceUnit: ExpressibleByArgument {}
extension BarVideoQuality: ExpressibleByArgument {}
extension BarOverlaySize: ExpressibleByArgument {}

/// The settings of a bar path: a preset, a file, names with values, and options, each over the ones before.
struct BarPathSettingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Settings that go together: standard, low-light, fast, several-bars.", valueName: "name"))
  var preset = BarPathPreset.standard

  @Option(
    help: ArgumentHelp("A JSON file of settings; 'apus barpath --list-settings' lists them.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var settings: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("One setting, by its name in the file; may be repeated.", valueName: "name=value"))
  var assignments: [String] = []

  @OptionGroup(title: "Lift and scale") var lift: BarLiftOptions
  @OptionGroup(title: "Choice of the bar") var choice: BarChoiceOptions
  @OptionGroup(title: "Path and repetitions") var path: BarMeasureOptions

  /// Adds what is read to a plan.
  func plan(_ files: inout FilePlan) { files.reads(settings, as: "--settings") }

  func value(recorder: SessionRecorder? = nil) throws -> BarPathSettings {
    var settings = preset.settings
    if let path = self.settings {
      do {
        let file = try ByteInput(path: path, digest: recorder?.digest("settings", path))
        try settings.apply(json: file.readAll(limit: 1 << 20))
      } catch let error as BarPathSettingsError {
        throw CommandFailure(.badData, "\(path): \(error)")
      }
    }
    for text in assignments {
      guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
        throw CommandFailure(.usage, "--set \(text): NAME=VALUE was expected")
      }
      try settings.set(String(text[..<equals]), to: String(text[text.index(after: equals)...]))
    }
    for (key, value) in lift.values + choice.values + path.values {
      if let value { try settings.set(key, to: value) }
    }
    return settings
  }

  /// Every setting: its default, its range, and what it means.
  static var list: [String] {
    var table = TextTable()
    table.add(["setting", "default", "may be", "meaning"].map { Terminal.output.styled($0, .dim) })
    for field in BarPathSettings.fields {
      let value = field.value(in: BarPathSettings()).map { "\($0)" } ?? "–"
      table.add(field.key, value, field.expected + (field.unit.map { " \($0)" } ?? ""), field.meaning)
    }
    return table.lines
  }
}

/// Options in the place of settings: the setting's name in a file, and its value where the option was used.
private typealias SettingValues = [(key: String, value: String?)]

/// What is lifted, and how large it is in the picture.
struct BarLiftOptions: ParsableArguments {
  @Option(help: ArgumentHelp("squat, bench or deadlift.", valueName: "lift"))
  var lift: BarLiftType?

  @Option(help: ArgumentHelp("metric or imperial.", valueName: "units"))
  var units: BarUnits?

  @Option(name: .customLong("plate-cm"), help: ArgumentHelp("Diameter of the plates, 5 to 100; 45.", valueName: "cm"))
  var plateCm: Double?

  @Option(name: .customLong("plate-px"), help: ArgumentHelp("Diameter of a plate in the picture.", valueName: "pixels"))
  var platePx: Double?

  @Option(name: .customLong("pixels-per-cm"), help: ArgumentHelp("The scale, where it is known.", valueName: "n"))
  var pixelsPerCm: Double?

  @Option(
    name: .customLong("gravity-angle"),
    help: ArgumentHelp("How far up leans clockwise in the picture, -45 to 45.", valueName: "degrees"))
  var gravityAngle: Double?

  fileprivate var values: SettingValues {
    [
      ("liftType", lift?.rawValue), ("units", units?.rawValue), ("plateDiameterCm", plateCm?.description),
      ("plateDiameterPx", platePx?.description), ("pixelsPerCm", pixelsPerCm?.description),
      ("gravityAngle", gravityAngle?.description),
    ]
  }
}

/// Which of several plates is followed.
struct BarChoiceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Detections above this confidence are candidates, 0.2 to 0.8; 0.35.", valueName: "score"))
  var minConfidence: Double?

  @Option(help: ArgumentHelp("Least visibility of a point of the pose, 0.3 to 0.9; 0.5.", valueName: "score"))
  var minVisibility: Double?

  @Option(help: ArgumentHelp("Loss for a frame's height from the wrists, 0 to 10; 2.", valueName: "n"))
  var wristWeight: Double?

  @Option(help: ArgumentHelp("Loss for a frame's height from where the bar was, 0 to 10; 3.", valueName: "n"))
  var previousWeight: Double?

  @Option(help: ArgumentHelp("What these distances are measured in: frameHeight or mixed.", valueName: "unit"))
  var distanceUnit: BarDistanceUnit?

  @Flag(inversion: .prefixedNo, help: "Take elbows, at half weight, where no wrist is visible.")
  var elbowFallback: Bool?

  @Flag(inversion: .prefixedNo, help: "Forget where the bar was after a gap too long to fill.")
  var previousExpires: Bool?

  @Option(help: ArgumentHelp("After how many frames the first choice is settled, 1 to 30; 5.", valueName: "frames"))
  var recheckFrames: Int?

  @Option(
    help: ArgumentHelp(
      "Farthest move from one sighting to the next, 0 to 2; 0 allows any; 0.25.", valueName: "heights"))
  var jumpGate: Double?

  @Option(
    help: ArgumentHelp(
      "Part by which the plate may look larger or smaller than lately, 0 to 1; 0 allows any; 0.25.", valueName: "part"))
  var sizeGate: Double?

  fileprivate var values: SettingValues {
    [
      ("yoloConfidence", minConfidence?.description), ("minPoseVisibility", minVisibility?.description),
      ("wristWeight", wristWeight?.description), ("previousWeight", previousWeight?.description),
      ("distanceUnit", distanceUnit?.rawValue), ("elbowFallback", elbowFallback?.description),
      ("previousExpires", previousExpires?.description), ("recheckFrames", recheckFrames?.description),
      ("jumpGate", jumpGate?.description), ("sizeGate", sizeGate?.description),
    ]
  }
}

/// What is made of the positions of the bar.
struct BarMeasureOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The longest gap that is filled in, 0 to 16; 8.", valueName: "frames"))
  var gap: Int?

  @Option(
    help: ArgumentHelp(
      "How the drawn path is smoothed: ema, emaForwardBackward, kalman or kalmanParity.", valueName: "kind"))
  var smoothing: BarSmoothing?

  @Option(help: ArgumentHelp("Weight of the new sample in an average, 0.1 to 0.5; 0.25.", valueName: "weight"))
  var alpha: Double?

  @Option(help: ArgumentHelp("The path that is measured: kalman, filled or smoothed.", valueName: "path"))
  var metricsPath: BarMetricsPath?

  @Option(help: ArgumentHelp("Speed at which the bar moves, 20 to 100; 50.", valueName: "px/s"))
  var startSpeed: Double?

  @Option(help: ArgumentHelp("Share of it below which the bar rests, 0.3 to 0.9; 0.6.", valueName: "share"))
  var hysteresis: Double?

  @Option(name: .customLong("depth-cm"), help: ArgumentHelp("Range of motion that is full depth; 40.", valueName: "cm"))
  var depthCm: Double?

  @Option(
    name: .customLong("min-rom-cm"), help: ArgumentHelp("Least range of motion of a repetition; 5.", valueName: "cm"))
  var minRomCm: Double?

  @Option(help: ArgumentHelp("The size of an overlay at most: 720p, 1080p or 4K; 1080p.", valueName: "size"))
  var videoQuality: BarVideoQuality?

  @Option(help: ArgumentHelp("Size of what is drawn on it: small, medium or large.", valueName: "size"))
  var overlaySize: BarOverlaySize?

  fileprivate var values: SettingValues {
    [
      ("gapFillFrames", gap?.description), ("smoothingType", smoothing?.rawValue),
      ("smoothingAlpha", alpha?.description),
      ("metricsPath", metricsPath?.rawValue), ("liftStartSpeedPxPerSec", startSpeed?.description),
      ("liftStartHysteresis", hysteresis?.description), ("depthReferenceCm", depthCm?.description),
      ("minimumRomCm", minRomCm?.description), ("exportVideoQuality", videoQuality?.rawValue),
      ("exportOverlaySize", overlaySize?.rawValue),
    ]
  }
}
