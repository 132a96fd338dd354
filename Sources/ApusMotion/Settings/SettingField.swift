import ApusBase

/// What a settings file, a report or a command line can say of a setting.
public enum SettingValue: Sendable, Hashable {
  /// A number, integer or not.
  case number(Double)
  /// A word.
  case text(String)
  /// True or false.
  case flag(Bool)
  /// Several words.
  case list([String])
}

extension SettingValue: CustomStringConvertible {
  /// The value as a command line spells it; a list with commas.
  public var description: String {
    switch self {
    case .number(let value): value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    case .text(let text): text
    case .flag(let flag): "\(flag)"
    case .list(let texts): texts.joined(separator: ",")
    }
  }
}

/// One row of an analysis' table of settings: name, range, unit and meaning. The default is what the setting is in
/// `Settings()`.
///
/// Settings files, options and their help, checks, reports and the documentation follow from it. An object, for tables are
/// gone through for each file that is analysed.
public final class SettingField<Settings: Sendable>: Sendable {
  /// The name in settings files and reports.
  public let name: String
  /// The command line's option, without its dashes; nil for a setting that has none of its own.
  public let option: String?
  /// What it may be, such as `0.3 to 0.9`.
  public let expected: String
  /// What it is measured in; nil for bare numbers and words.
  public let unit: String?
  /// What it means, in a few words that begin a sentence.
  public let meaning: String
  /// The words it may be, for completion; empty for anything else.
  public let choices: [String]
  /// Whether it is true or false.
  public let isFlag: Bool
  /// `min-confidence` as `minConfidence`.
  let camelCaseOption: String?

  private let read: @Sendable (Settings) -> SettingValue?
  /// Whether the value was taken.
  private let write: @Sendable (inout Settings, SettingValue) -> Bool
  private let check: @Sendable (Settings) -> Bool

  /// The setting in `settings`; nil where it is not set.
  public func value(in settings: Settings) -> SettingValue? { read(settings) }

  /// Whether the setting is one that files may have, or not set.
  func isInRange(in settings: Settings) -> Bool { check(settings) }

  /// Changes the setting.
  ///
  /// - Throws: ``SettingsError/wrongValue(setting:found:expected:)`` for a value of another kind or outside the range.
  public func set(_ value: SettingValue, in settings: inout Settings) throws(SettingsError) {
    guard write(&settings, value) else {
      throw .wrongValue(setting: name, found: value.description, expected: expected)
    }
  }

  /// Changes the setting to what a text spells.
  ///
  /// - Throws: ``SettingsError/wrongValue(setting:found:expected:)`` for a value of another kind or outside the range.
  public func set(text: String, in settings: inout Settings) throws(SettingsError) {
    let flag: SettingValue? = text == "true" ? .flag(true) : text == "false" ? .flag(false) : nil
    let number = DecimalNumber.whole(Array(text.utf8)).map(SettingValue.number)
    for value in [.text(text), number, flag].compactMap({ $0 }) where write(&settings, value) { return }
    throw .wrongValue(setting: name, found: text, expected: expected)
  }

  /// A row of a kind of its own.
  ///
  /// - Parameters:
  ///   - read: the setting; nil where it is not set.
  ///   - write: takes a value, and says whether it could.
  public convenience init(
    _ name: String, option: String?, expected: String, unit: String? = nil, meaning: String, choices: [String] = [],
    isFlag: Bool = false, read: @escaping @Sendable (Settings) -> SettingValue?,
    write: @escaping @Sendable (inout Settings, SettingValue) -> Bool
  ) {
    self.init(
      name, option: option, expected: expected, unit: unit, meaning: meaning, choices: choices, isFlag: isFlag,
      check: { settings in
        var copy = settings
        return read(settings).map { write(&copy, $0) } ?? true
      }, read: read, write: write)
  }

  /// - Parameter check: whether a setting is one that `write` takes: for kinds of rows that can say it without a value on the
  ///   way.
  private init(
    _ name: String, option: String?, expected: String, unit: String? = nil, meaning: String, choices: [String] = [],
    isFlag: Bool = false, check: @escaping @Sendable (Settings) -> Bool,
    read: @escaping @Sendable (Settings) -> SettingValue?,
    write: @escaping @Sendable (inout Settings, SettingValue) -> Bool
  ) {
    (self.name, self.option, self.expected, self.unit) = (name, option, expected, unit)
    (self.meaning, self.choices, self.isFlag) = (meaning, choices, isFlag)
    (self.check, self.read, self.write) = (check, read, write)
    camelCaseOption = option.map(Self.camelCase)
  }

  private static func camelCase(_ option: String) -> String {
    let words = option.split(separator: "-")
    return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
  }

  /// The same row in the table of settings that hold these.
  public func lifted<Whole: Sendable>(to path: any WritableKeyPath<Whole, Settings> & Sendable) -> SettingField<Whole> {
    SettingField<Whole>(
      name, option: option, expected: expected, unit: unit, meaning: meaning, choices: choices, isFlag: isFlag,
      check: { self.check($0[keyPath: path]) }, read: { self.read($0[keyPath: path]) },
      write: { self.write(&$0[keyPath: path], $1) })
  }
}

/// The numbers that a setting may be.
enum SettingRange: Sendable {
  case within(ClosedRange<Double>)
  /// Greater than the bound, and finite.
  case above(Double)
  /// The bound or greater, and finite.
  case atLeast(Double)
  /// Any finite number.
  case finite

  func contains(_ value: Double) -> Bool {
    switch self {
    case .within(let range): range.contains(value)
    case .above(let bound): value.isFinite && value > bound
    case .atLeast(let bound): value.isFinite && value >= bound
    case .finite: value.isFinite
    }
  }

  /// Such as `0.3 to 0.9`.
  var text: String {
    func number(_ value: Double) -> String { SettingValue.number(value).description }
    return switch self {
    case .within(let range): "\(number(range.lowerBound)) to \(number(range.upperBound))"
    case .above(let bound): "above \(number(bound))"
    case .atLeast(let bound): "\(number(bound)) or more"
    case .finite: "a number"
    }
  }
}

/// Rows by the kind of their values.
extension SettingField {
  /// Where a setting is among the others.
  public typealias Path<Value> = WritableKeyPath<Settings, Value> & Sendable

  /// - Parameter zeroIsNil: whether 0 is a value in files, and nil in the settings.
  static func optional(
    _ name: String, _ path: any Path<Double?>, _ range: SettingRange, zeroIsNil: Bool = false, _ unit: String? = nil,
    option: String? = nil, _ meaning: String
  ) -> Self {
    let expected = zeroIsNil ? SettingRange.atLeast(0).text : range.text
    return Self(name, option: option, expected: expected, unit: unit, meaning: meaning) {
      guard zeroIsNil else { return $0[keyPath: path].map(SettingValue.number) }
      // A 0 in the settings themselves is not the 0 that files write for nil.
      return $0[keyPath: path] == 0 ? .text("0 in place of nil") : .number($0[keyPath: path] ?? 0)
    } write: { settings, value in
      guard case .number(let number) = value else { return false }
      let isZero = number == 0 && zeroIsNil
      guard isZero || range.contains(number) else { return false }
      settings[keyPath: path] = isZero ? nil : number
      return true
    }
  }

  static func number(
    _ name: String, _ path: any Path<Double>, _ range: SettingRange, _ unit: String? = nil, option: String? = nil,
    _ meaning: String
  ) -> Self {
    Self(
      name, option: option, expected: range.text, unit: unit, meaning: meaning,
      check: { range.contains($0[keyPath: path]) }
    ) {
      .number($0[keyPath: path])
    } write: { settings, value in
      guard case .number(let number) = value, range.contains(number) else { return false }
      settings[keyPath: path] = number
      return true
    }
  }

  /// A number in single precision, which is written as it was read: 0.7, and not the nearest `Float` to it.
  static func single(
    _ name: String, _ path: any Path<Float>, _ range: SettingRange, option: String? = nil, _ meaning: String
  ) -> Self {
    Self(name, option: option, expected: range.text, meaning: meaning) {
      .number(Double($0[keyPath: path].description) ?? Double($0[keyPath: path]))
    } write: { settings, value in
      guard case .number(let number) = value, range.contains(number) else { return false }
      settings[keyPath: path] = Float(number)
      return true
    }
  }

  static func count(
    _ name: String, _ path: any Path<Int>, _ range: ClosedRange<Int>, _ unit: String? = nil, option: String? = nil,
    _ meaning: String
  ) -> Self {
    let bounds =
      range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
    return Self(
      name, option: option, expected: "an integer, \(bounds)", unit: unit, meaning: meaning,
      check: { Int(exactly: Double($0[keyPath: path])).map(range.contains) ?? false }
    ) {
      .number(Double($0[keyPath: path]))
    } write: { settings, value in
      guard case .number(let number) = value, let count = Int(exactly: number), range.contains(count) else {
        return false
      }
      settings[keyPath: path] = count
      return true
    }
  }

  static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: any Path<Choice>, option: String? = nil, _ meaning: String
  ) -> Self {
    let choices = Choice.allCases.map(\.rawValue)
    let expected = "one of " + choices.joined(separator: ", ")
    return Self(name, option: option, expected: expected, meaning: meaning, choices: choices, check: { _ in true }) {
      .text($0[keyPath: path].rawValue)
    } write: { settings, value in
      guard case .text(let text) = value, let choice = Choice(rawValue: text) else { return false }
      settings[keyPath: path] = choice
      return true
    }
  }

  static func optionalChoice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: any Path<Choice?>, option: String? = nil, _ meaning: String
  ) -> Self {
    let choices = Choice.allCases.map(\.rawValue)
    let expected = "one of " + choices.joined(separator: ", ")
    return Self(name, option: option, expected: expected, meaning: meaning, choices: choices, check: { _ in true }) {
      ($0[keyPath: path]?.rawValue).map(SettingValue.text)
    } write: { settings, value in
      guard case .text(let text) = value, let choice = Choice(rawValue: text) else { return false }
      settings[keyPath: path] = choice
      return true
    }
  }

  static func flag(_ name: String, _ path: any Path<Bool>, option: String? = nil, _ meaning: String) -> Self {
    Self(name, option: option, expected: "true or false", meaning: meaning, isFlag: true, check: { _ in true }) {
      .flag($0[keyPath: path])
    } write: { settings, value in
      guard case .flag(let flag) = value else { return false }
      settings[keyPath: path] = flag
      return true
    }
  }

  /// A row of any text, such as a name or the path of a file.
  public static func text(
    _ name: String, _ path: any Path<String?>, expected: String, option: String? = nil, _ meaning: String
  ) -> Self {
    Self(name, option: option, expected: expected, meaning: meaning) {
      $0[keyPath: path].map(SettingValue.text)
    } write: { settings, value in
      switch value {
      case .text, .number: settings[keyPath: path] = value.description
      case .flag, .list: return false
      }
      return true
    }
  }

  /// A value with a spelling of its own.
  static func spelled<Value: LosslessStringConvertible & Sendable>(
    _ name: String, _ path: any Path<Value>, expected: String, option: String? = nil, _ meaning: String
  ) -> Self {
    Self(name, option: option, expected: expected, meaning: meaning) {
      .text($0[keyPath: path].description)
    } write: { settings, value in
      guard case .text(let text) = value, let found = Value(text) else { return false }
      settings[keyPath: path] = found
      return true
    }
  }
}
