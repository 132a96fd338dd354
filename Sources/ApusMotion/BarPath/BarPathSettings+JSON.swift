import ApusBase

extension BarPathSettings {
  /// Reads settings from a JSON object; what it leaves out keeps its default, as does what is null.
  ///
  /// The keys are those of ``fields``. Those of a calibration file, `lift_type`, `gravity_angle`, `pixels_per_cm`,
  /// `plate_diameter_px` and `plate_diameter_cm`, are taken too.
  ///
  /// - Throws: ``BarPathSettingsError`` for text that is no JSON object, an unknown or repeated key, or a value outside
  ///   its range.
  public init(json: some Sequence<UInt8>) throws(BarPathSettingsError) {
    self.init()
    try apply(json: json)
  }

  /// Changes what a JSON object names, and leaves the rest as it is. See ``init(json:)``.
  public mutating func apply(json: some Sequence<UInt8>) throws(BarPathSettingsError) {
    var scanner = JSONScanner(Array(json))
    var settings = self
    var failure: BarPathSettingsError?
    do throws(JSONScanner.Failure) {
      try scanner.settings { (field, value) throws(BarPathSettingsError) in
        try field.set(value, in: &settings)
      } onFailure: {
        failure = $0
      }
    } catch {
      throw failure ?? .malformed(column: error.column, message: error.message)
    }
    self = settings
  }

  /// Changes one setting from text, as on a command line: `smoothingType`, `kalman`.
  ///
  /// - Throws: ``BarPathSettingsError`` for an unknown key or a value outside its range.
  public mutating func set(_ key: String, to text: String) throws(BarPathSettingsError) {
    let field = try Self.field(named: key)
    let value: BarPathSettingField.Value =
      switch text {
      case "true": .flag(true)
      case "false": .flag(false)
      default: DecimalNumber.whole(Array(text.utf8)).map { .number($0) } ?? .text(text)
      }
    try field.set(value, in: &self)
  }

  /// All settings as a JSON object on one line; reads back as the same settings.
  public var jsonLine: String { jsonObject.text }

  var jsonObject: JSONObject {
    var object = JSONObject()
    for field in Self.fields {
      switch field.value(in: self) {
      case .number(let value)?:
        if let count = Int(exactly: value) { object.add(field.key, count) } else { object.add(field.key, value) }
      case .text(let text)?: object.add(field.key, text)
      case .flag(let flag)?: object.add(field.key, flag)
      case nil: continue
      }
    }
    return object
  }

  private static let calibrationKeys = [
    "lift_type": "liftType", "gravity_angle": "gravityAngle", "pixels_per_cm": "pixelsPerCm",
    "plate_diameter_px": "plateDiameterPx", "plate_diameter_cm": "plateDiameterCm",
  ]

  fileprivate static func field(named key: String) throws(BarPathSettingsError) -> BarPathSettingField {
    let name = calibrationKeys[key] ?? key
    if let field = fields.first(where: { $0.key == name }) { return field }
    let near = fields.compactMap { field in
      editDistance(Array(field.key.utf8), Array(key.utf8), transpositions: true, limit: 3).map { (field.key, $0) }
    }
    throw .unknownField(key, nearest: near.min { $0.1 < $1.1 }?.0)
  }
}

extension JSONScanner {
  /// An object of settings. A failure of meaning rather than of syntax is handed to `onFailure` first.
  fileprivate mutating func settings(
    _ set: (BarPathSettingField, BarPathSettingField.Value) throws(BarPathSettingsError) -> Void,
    onFailure: (BarPathSettingsError) -> Void
  ) throws(Failure) {
    func checked<Result>(_ body: () throws(BarPathSettingsError) -> Result) throws(Failure) -> Result {
      do throws(BarPathSettingsError) {
        return try body()
      } catch {
        onFailure(error)
        throw unexpected("")
      }
    }
    var seen: Set<String> = []
    try expect(UInt8(ascii: "{"), "'{': an object of settings")
    if !take(UInt8(ascii: "}")) {
      repeat {
        let key = try string("a key in quotes")
        try expect(UInt8(ascii: ":"), "':' after a key")
        let field = try checked { () throws(BarPathSettingsError) in
          let field = try BarPathSettings.field(named: key)
          guard seen.insert(field.key).inserted else { throw .duplicateField(key) }
          return field
        }
        if try takeNull() { continue }
        let value: BarPathSettingField.Value =
          switch peek() {
          case UInt8(ascii: "\"")?: .text(try string("a setting"))
          case UInt8(ascii: "t")?, UInt8(ascii: "f")?: .flag(try boolean("a setting"))
          default: .number(try number("a number, a string, true or false"))
          }
        try checked { () throws(BarPathSettingsError) in try set(field, value) }
      } while take(UInt8(ascii: ","))
      try expect(UInt8(ascii: "}"), "',' or '}'")
    }
    try expectEnd()
  }
}
