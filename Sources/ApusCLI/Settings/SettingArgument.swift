import Apus
import ApusMotion
import ArgumentParser

/// What an option says of a setting, found good by the setting's row in the table.
struct SettingArgument: Sendable {
  var name: String
  var value: Value

  enum Value: Sendable {
    case text(String)
    /// What an option says that may come more than once.
    case list([String])
  }

  init(_ name: String, _ text: String) { (self.name, value) = (name, .text(text)) }

  init(_ name: String, list: [String]) { (self.name, value) = (name, .list(list)) }

  func apply<Settings: AnalysisSettings>(to settings: inout Settings) throws(SettingsError) {
    let field = try Settings.field(named: name)
    switch value {
    case .text(let text): try field.set(text: text, in: &settings)
    case .list(let texts): try field.set(.list(texts), in: &settings)
    }
  }
}

extension SettingField {
  /// `The longest gap that is filled in (an integer, 0 to 16 frames; default 8).`
  func help(defaults: Settings) -> String {
    let unit = unit.map { " \($0)" } ?? ""
    let standard = value(in: defaults).map { "; default \($0)" } ?? ""
    let range = isFlag ? String(standard.dropFirst(2)) : expected + unit + standard
    return meaning.capitalizedFirst + (range.isEmpty ? "." : " (\(range)).")
  }
}

extension AnalysisSettings {
  /// The help of a setting's option.
  static func help(_ name: String) -> ArgumentHelp? {
    (try? field(named: name)).map { field in
      ArgumentHelp(stringLiteral: field.help(defaults: Self())).named(
        field.unit ?? (field.choices.isEmpty ? "value" : "name"))
    }
  }

  /// The name of a setting's option.
  fileprivate static func optionName(_ name: String) -> NameSpecification {
    .customLong((try? field(named: name))?.option ?? name)
  }
}

extension ArgumentHelp {
  fileprivate func named(_ valueName: String) -> ArgumentHelp {
    var help = self
    help.valueName = valueName
    return help
  }
}

extension Option where Value == SettingArgument? {
  /// The option of a setting: name, help and check are those of its row.
  init<Settings: AnalysisSettings>(_ settings: Settings.Type, _ name: String) {
    let choices = (try? Settings.field(named: name))?.choices ?? []
    self.init(
      name: Settings.optionName(name), help: Settings.help(name), completion: choices.isEmpty ? nil : .list(choices)
    ) { text in
      let field = try Settings.field(named: name)
      var settings = Settings()
      do {
        try field.set(text: text, in: &settings)
      } catch {
        throw ValidationError("expected \(field.expected)")
      }
      return SettingArgument(field.name, text)
    }
  }
}

extension Flag where Value == Bool? {
  /// The option of a setting that is true or false, and its `--no-` form. The property has the setting's name.
  init<Settings: AnalysisSettings>(_ settings: Settings.Type, _ name: String) {
    self.init(name: Settings.optionName(name), inversion: .prefixedNo, help: Settings.help(name))
  }
}

extension ParsableArguments {
  /// The settings among the options that were used.
  var settingArguments: [SettingArgument] {
    Mirror(reflecting: self).children.compactMap { child in
      if let option = child.value as? Option<SettingArgument?> { return option.wrappedValue }
      guard let flag = (child.value as? Flag<Bool?>)?.wrappedValue, let label = child.label else { return nil }
      return SettingArgument(String(label.drop { $0 == "_" }), "\(flag)")
    }
  }
}
