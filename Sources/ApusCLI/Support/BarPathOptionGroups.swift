import Apus
import ApusMotion
import ArgumentParser

extension BarPathPreset: ExpressibleByArgument {}
extension BarUnits: ExpressibleByArgument {}
extension BarLiftType: ExpressibleByArgument {}

/// The settings of a bar path: a preset, a file, and single ones, each over the ones before.
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

  @Option(help: ArgumentHelp("squat, bench or deadlift.", valueName: "lift"))
  var lift: BarLiftType?

  @Option(help: ArgumentHelp("metric or imperial.", valueName: "units"))
  var units: BarUnits?

  @Option(name: .customLong("plate-cm"), help: ArgumentHelp("Diameter of the plates; 45.", valueName: "cm"))
  var plateCm: Double?

  @Option(name: .customLong("plate-px"), help: ArgumentHelp("Diameter of a plate in the picture.", valueName: "pixels"))
  var platePx: Double?

  @Option(name: .customLong("pixels-per-cm"), help: ArgumentHelp("The scale, where it is known.", valueName: "n"))
  var pixelsPerCm: Double?

  @Option(
    name: .customLong("gravity-angle"), help: ArgumentHelp("How far up leans clockwise in the picture.", valueName: "degrees"))
  var gravityAngle: Double?

  @Option(help: ArgumentHelp("ema, emaForwardBackward, kalman or kalmanParity.", valueName: "kind"))
  var smoothing: String?

  @Option(help: ArgumentHelp("Detections above this confidence are candidates, 0.2 to 0.8.", valueName: "score"))
  var minConfidence: Double?

  @Option(help: ArgumentHelp("The longest gap that is filled in, 0 to 16.", valueName: "frames"))
  var gap: Int?

  func value() throws -> BarPathSettings {
    var settings = preset.settings
    if let path = self.settings {
      do {
        try settings.apply(json: ByteInput(path: path).readAll(limit: 1 << 20))
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
    if let lift { settings.liftType = lift }
    if let units { settings.units = units }
    let numbers: [(String, String?)] = [
      ("plateDiameterCm", plateCm.map { "\($0)" }), ("plateDiameterPx", platePx.map { "\($0)" }),
      ("pixelsPerCm", pixelsPerCm.map { "\($0)" }), ("gravityAngle", gravityAngle.map { "\($0)" }),
      ("smoothingType", smoothing), ("yoloConfidence", minConfidence.map { "\($0)" }),
      ("gapFillFrames", gap.map { "\($0)" }),
    ]
    for case let (key, value?) in numbers { try settings.set(key, to: value) }
    return settings
  }

  /// Every setting: what it is when nobody says, what it may be, and what it means.
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
