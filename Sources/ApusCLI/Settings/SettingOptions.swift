import Apus
import ApusMotion
import ArgumentParser

/// Where the settings of an analysis come from: a file, names with values, and options, each over the ones before.
struct SettingOptions<Settings: AnalysisSettings>: ParsableArguments {
  @Option(
    name: .customLong("settings"),
    help: ArgumentHelp(
      #"A JSON object of settings by their names, as {"width": 640}; --list-settings lists them. --set and options go before it."#,
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var file: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "One setting, by its name in the file; may be repeated. Options go before it.", valueName: "name=value"))
  var assignments: [String] = []

  @Flag(help: "List the settings, with their defaults and ranges, and end.")
  var listSettings = false

  private static var byteLimit: Int { 1 << 20 }

  /// Adds what is read to a plan.
  func plan(_ files: inout FilePlan) { files.reads(file, as: "--settings") }

  /// The settings in effect.
  ///
  /// - Parameters:
  ///   - start: what they are where nothing is said.
  ///   - options: settings that have an option of their own, and were given by it.
  func value(from start: Settings, options: [SettingArgument], recorder: SessionRecorder?) throws -> Settings {
    var settings = start
    if let file {
      do {
        let input = try ByteInput(path: file, digest: recorder?.digest("settings", file))
        try settings.apply(json: input.readAll(limit: Self.byteLimit))
      } catch let error as SettingsError {
        throw CommandFailure(.badData, "\(file): \(error)")
      }
    }
    for text in assignments {
      guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
        throw CommandFailure(.usage, "--set \(text): NAME=VALUE was expected")
      }
      try settings.set(String(text[..<equals]), to: String(text[text.index(after: equals)...]))
    }
    for option in options { try option.apply(to: &settings) }
    try settings.validate()
    return settings
  }

  private struct Row: Encodable {
    var name, expected, meaning: String
    var option, unit: String?
    var standard: SettingValue?

    enum CodingKeys: String, CodingKey {
      case name, expected, meaning, option, unit
      case standard = "default"
    }

    init(_ field: SettingField<Settings>) {
      (name, expected, meaning) = (field.name, field.expected, field.meaning)
      (option, unit) = (field.option.map { "--\($0)" }, field.unit)
      standard = field.value(in: Settings())
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(expected, forKey: .expected)
      try container.encode(meaning, forKey: .meaning)
      try container.encodeIfPresent(option, forKey: .option)
      try container.encodeIfPresent(unit, forKey: .unit)
      switch standard {
      case .number(let value)?: try container.encode(value, forKey: .standard)
      case .flag(let flag)?: try container.encode(flag, forKey: .standard)
      case .text(let text)?: try container.encode(text, forKey: .standard)
      case .list(let texts)?: try container.encode(texts, forKey: .standard)
      case nil: break
      }
    }
  }

  /// Every setting: its default, what it may be, its option, and what it means.
  static func writeList(asJSON: Bool) throws {
    if asJSON { return try Output.line(jsonText(["settings": Settings.fields.map(Row.init)])) }
    var table = TextTable()
    table.add(["setting", "option", "default", "may be", "meaning"].map { Terminal.output.styled($0, .dim) })
    for field in Settings.fields {
      table.add(
        field.name, field.option.map { "--\($0)" } ?? "", field.value(in: Settings()).map { "\($0)" } ?? "–",
        field.expected + (field.unit.map { " \($0)" } ?? ""), field.meaning)
    }
    for line in table.lines { try Output.line(line) }
  }
}

extension SessionRecorder {
  /// Every setting of a table, as it is in effect.
  func set<Settings: AnalysisSettings>(_ values: Settings) {
    for field in Settings.fields {
      switch field.value(in: values) {
      case .number(let value)?: settings.add(field.name, value)
      case .flag(let flag)?: settings.add(field.name, flag)
      case .text, .list: settings.add(field.name, field.value(in: values)?.description)
      case nil: continue
      }
    }
  }
}

extension ValidationError {
  /// A command without the file that it is to read.
  static var missingFile: ValidationError { ValidationError("Missing expected argument '<file>', a file or '-'.") }
}
