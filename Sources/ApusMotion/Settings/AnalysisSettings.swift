import ApusBase

/// Settings that a table describes: its rows are all that is known of a setting's name, range and meaning.
public protocol AnalysisSettings: Sendable {
  /// The defaults.
  init()

  /// The table: every setting, in the order in which they are written.
  static var fields: [SettingField<Self>] { get }

  /// Other names under which a settings file may have a setting, and its own.
  static var aliases: [String: String] { get }

  /// Checks what no row can say by itself, such as two settings of which one must not exceed the other.
  ///
  /// - Throws: ``SettingsError``.
  func validateTogether() throws(SettingsError)
}

extension AnalysisSettings {
  /// None.
  public static var aliases: [String: String] { [:] }

  /// Nothing to check.
  public func validateTogether() throws(SettingsError) {}

  /// Checks every setting against its row.
  ///
  /// - Throws: ``SettingsError/wrongValue(setting:found:expected:)`` for the first setting outside its range.
  public func validate() throws(SettingsError) {
    for field in Self.fields where !field.isInRange(in: self) {
      var copy = self
      if let value = field.value(in: self) { try field.set(value, in: &copy) }
    }
    try validateTogether()
  }

  /// The row of a setting, by its name, its option's name in camel case, or another name that files have for it.
  ///
  /// - Throws: ``SettingsError/unknownSetting(_:nearest:)``.
  public static func field(named key: String) throws(SettingsError) -> SettingField<Self> {
    let name = aliases[key] ?? key
    if let field = fields.first(where: { $0.name == name }) ?? fields.first(where: { $0.camelCaseOption == name }) {
      return field
    }
    let letters = Array(key.utf8)
    let near = fields.compactMap { field in
      editDistance(Array(field.name.utf8), letters, transpositions: true, limit: 3).map { (field.name, $0) }
    }
    throw .unknownSetting(key, nearest: near.min { $0.1 < $1.1 }?.0)
  }

  /// Changes one setting from text, as on a command line: `smoothingType`, `kalman`.
  ///
  /// - Throws: ``SettingsError`` for an unknown name or a value outside its range.
  public mutating func set(_ key: String, to text: String) throws(SettingsError) {
    try Self.field(named: key).set(text: text, in: &self)
  }

  /// Reads settings from a JSON object; what it leaves out keeps its default, as does what is null.
  ///
  /// The keys are the names in ``fields``, or those of options in camel case.
  ///
  /// - Throws: ``SettingsError`` for text that is not a JSON object, an unknown or repeated key, or a value outside its
  ///   range.
  public init(json: some Sequence<UInt8>) throws(SettingsError) {
    self.init()
    try apply(json: json)
  }

  /// Changes what a JSON object names, and leaves the rest as it is. See ``init(json:)``.
  ///
  /// What no row can say by itself is left to ``validate()``: options may still change either setting.
  ///
  /// - Throws: ``SettingsError``, and leaves all settings as they were.
  public mutating func apply(json: some Sequence<UInt8>) throws(SettingsError) {
    var grammar = SettingsGrammar(scanner: JSONScanner(Array(json)), settings: self)
    do throws(JSONScanner.Failure) {
      try grammar.read()
    } catch {
      throw grammar.failure ?? .malformed(column: error.column, message: error.message)
    }
    self = grammar.settings
  }

  /// All settings as a JSON object on one line; reads back as the same settings.
  public var jsonLine: String { jsonObject.text }

  var jsonObject: JSONObject {
    var object = JSONObject()
    for field in Self.fields {
      switch field.value(in: self) {
      case .number(let value)?:
        if let count = Int(exactly: value) { object.add(field.name, count) } else { object.add(field.name, value) }
      case .text(let text)?: object.add(field.name, text)
      case .flag(let flag)?: object.add(field.name, flag)
      case .list(let texts)?: object.add(field.name, texts)
      case nil: continue
      }
    }
    return object
  }
}

/// The grammar of a settings file. A failure of meaning rather than of syntax is left in `failure`.
private struct SettingsGrammar<Settings: AnalysisSettings>: JSONGrammar {
  var scanner: JSONScanner
  var settings: Settings
  private(set) var failure: SettingsError?
  private var seen: Set<String> = []

  init(scanner: JSONScanner, settings: Settings) { (self.scanner, self.settings) = (scanner, settings) }

  mutating func duplicate(_ key: String) -> JSONScanner.Failure { fail(.duplicateSetting(key)) }

  mutating func read() throws(JSONScanner.Failure) {
    guard scanner.peek() == UInt8(ascii: "{") else { throw scanner.unexpected("expected an object of settings") }
    try members { (grammar, key) throws(JSONScanner.Failure) in
      do throws(SettingsError) {
        let field = try Settings.field(named: key)
        guard grammar.seen.insert(field.name).inserted else { throw .duplicateSetting(key) }
        guard let value = try grammar.value(of: field.name) else { return }
        try field.set(value, in: &grammar.settings)
      } catch {
        throw grammar.fail(error)
      }
    }
    try scanner.expectEnd()
  }

  /// The next value; nil for null. Syntax errors come out as ``SettingsError/malformed(column:message:)``.
  private mutating func value(of name: String) throws(SettingsError) -> SettingValue? {
    do throws(JSONScanner.Failure) {
      if try scanner.takeNull() { return nil }
      switch scanner.peek() {
      case UInt8(ascii: "\"")?: return .text(try scanner.string("a setting"))
      case UInt8(ascii: "t")?, UInt8(ascii: "f")?: return .flag(try scanner.boolean("a setting"))
      case UInt8(ascii: "[")?:
        var texts: [String] = []
        try list(name) { (grammar) throws(JSONScanner.Failure) in
          texts.append(try grammar.scanner.string("a string"))
        }
        return .list(texts)
      default: return .number(try scanner.number("a number, a string, strings, true or false"))
      }
    } catch {
      throw .malformed(column: error.column, message: error.message)
    }
  }

  private mutating func fail(_ error: SettingsError) -> JSONScanner.Failure {
    failure = error
    return scanner.unexpected("")
  }
}
