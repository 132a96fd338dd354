/// One setting: its key in files, what it may be, and what it means.
public struct BarPathSettingField: Sendable {
  public let key: String
  /// What it may be, such as `0.3 to 0.9`.
  public let expected: String
  /// What it is measured in; nil for bare numbers and words.
  public let unit: String?
  public let meaning: String

  /// What a file or a flag can say.
  public enum Value: Sendable, Hashable {
    case number(Double)
    case text(String)
    case flag(Bool)
  }

  /// The setting in `settings`; nil where it is not set.
  public func value(in settings: BarPathSettings) -> Value? { read(settings) }

  /// Changes the setting.
  ///
  /// - Throws: ``BarPathSettingsError`` for a value of another kind or outside the range.
  public func set(_ value: Value, in settings: inout BarPathSettings) throws(BarPathSettingsError) {
    guard write(&settings, value) else {
      throw .wrongValue(field: key, found: value.description, expected: expected)
    }
  }

  let read: @Sendable (BarPathSettings) -> Value?
  /// Whether the value was taken.
  let write: @Sendable (inout BarPathSettings, Value) -> Bool
}

extension BarPathSettingField.Value: CustomStringConvertible {
  public var description: String {
    switch self {
    case .number(let value): value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    case .text(let text): text
    case .flag(let flag): "\(flag)"
    }
  }
}

extension BarPathSettingField {
  fileprivate typealias Path<Value> = WritableKeyPath<BarPathSettings, Value> & Sendable

  /// `0.3 to 0.9`.
  static func range(_ range: ClosedRange<Double>) -> String {
    "\(Value.number(range.lowerBound)) to \(Value.number(range.upperBound))"
  }

  fileprivate static func number(
    _ key: String, _ path: any Path<Double>, _ range: ClosedRange<Double>, _ unit: String? = nil, _ meaning: String
  ) -> Self {
    Self(key: key, expected: Self.range(range), unit: unit, meaning: meaning) {
      .number($0[keyPath: path])
    } write: { settings, value in
      guard case .number(let number) = value, range.contains(number) else { return false }
      settings[keyPath: path] = number
      return true
    }
  }

  fileprivate static func optional(
    _ key: String, _ path: any Path<Double?>, _ range: ClosedRange<Double>, _ unit: String, _ meaning: String
  ) -> Self {
    Self(key: key, expected: Self.range(range), unit: unit, meaning: meaning) {
      $0[keyPath: path].map(Value.number)
    } write: { settings, value in
      guard case .number(let number) = value, range.contains(number) else { return false }
      settings[keyPath: path] = number
      return true
    }
  }

  fileprivate static func count(
    _ key: String, _ path: any Path<Int>, _ range: ClosedRange<Int>, _ unit: String, _ meaning: String
  ) -> Self {
    let expected = "an integer, \(range.lowerBound) to \(range.upperBound)"
    return Self(key: key, expected: expected, unit: unit, meaning: meaning) {
      .number(Double($0[keyPath: path]))
    } write: { settings, value in
      guard case .number(let number) = value, let count = Int(exactly: number), range.contains(count) else {
        return false
      }
      settings[keyPath: path] = count
      return true
    }
  }

  fileprivate static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, _ path: any Path<Choice>, _ meaning: String
  ) -> Self {
    let expected = "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")
    return Self(key: key, expected: expected, unit: nil, meaning: meaning) {
      .text($0[keyPath: path].rawValue)
    } write: { settings, value in
      guard case .text(let text) = value, let choice = Choice(rawValue: text) else { return false }
      settings[keyPath: path] = choice
      return true
    }
  }

  fileprivate static func flag(_ key: String, _ path: any Path<Bool>, _ meaning: String) -> Self {
    Self(key: key, expected: "true or false", unit: nil, meaning: meaning) {
      .flag($0[keyPath: path])
    } write: { settings, value in
      guard case .flag(let flag) = value else { return false }
      settings[keyPath: path] = flag
      return true
    }
  }
}

extension BarPathSettings {
  /// Every setting, in the order in which they are written.
  public static let fields: [BarPathSettingField] = [
    .choice("modelSize", \.modelSize, "the detector that an application uses; changes nothing here"),
    .number("minPoseVisibility", \.minPoseVisibility, 0.3...0.9, nil, "least visibility of a point of the pose"),
    .number("yoloConfidence", \.yoloConfidence, 0.2...0.8, nil, "detections above this confidence are candidates"),
    .count("gapFillFrames", \.gapFillFrames, 0...16, "frames", "the longest gap that is filled in"),
    .choice("smoothingType", \.smoothingType, "how the drawn path is smoothed"),
    .number("smoothingAlpha", \.smoothingAlpha, 0.1...0.5, nil, "weight of the new sample in an average"),
    .number("liftStartSpeedPxPerSec", \.liftStartSpeedPxPerSec, 20...100, "px/s", "speed at which the bar moves"),
    .number("liftStartHysteresis", \.liftStartHysteresis, 0.3...0.9, nil, "share of it below which the bar rests"),
    .choice("units", \.units, "what lengths and speeds are shown in"),
    .choice("exportVideoQuality", \.exportVideoQuality, "size of an exported video at most"),
    .choice("exportOverlaySize", \.exportOverlaySize, "size of what is drawn on it"),
    .choice("liftType", \.liftType, "which phases make a repetition"),
    .number("gravityAngle", \.gravityAngle, -45...45, "degrees", "how far up leans clockwise in the picture"),
    .number("plateDiameterCm", \.plateDiameterCm, 5...100, "cm", "diameter of the plates"),
    .optional("plateDiameterPx", \.plateDiameterPx, 1...100_000, "px", "diameter of a plate in the picture"),
    .optional("pixelsPerCm", \.pixelsPerCm, 0.01...1000, "px/cm", "the scale, where it is known"),
    .number("wristWeight", \.wristWeight, 0...10, nil, "loss for distance from the wrists"),
    .number("previousWeight", \.previousWeight, 0...10, nil, "loss for distance from the position before"),
    .choice("distanceUnit", \.distanceUnit, "what these distances are measured in"),
    .flag("elbowFallback", \.elbowFallback, "elbows at half weight where no wrist is visible"),
    .flag("previousExpires", \.previousExpires, "forget the position before after a gap too long to fill"),
    .count("recheckFrames", \.recheckFrames, 1...30, "frames", "after how many the first choice is settled"),
    .number("jumpGate", \.jumpGate, 0...2, "heights", "farthest move from one sighting to the next; 0: any"),
    .number(
      "sizeGate", \.sizeGate, 0...1, nil, "part by which the plate may look larger or smaller than lately; 0: any"),
    .choice("metricsPath", \.metricsPath, "the path that repetitions are measured on"),
    .number("depthReferenceCm", \.depthReferenceCm, 1...300, "cm", "range of motion that is full depth"),
    .number("minimumRomCm", \.minimumRomCm, 1...100, "cm", "least range of motion of a repetition"),
  ]

  /// - Throws: ``BarPathSettingsError/wrongValue(field:found:expected:)`` for the first setting outside its range.
  public func validate() throws(BarPathSettingsError) {
    var copy = self
    for field in Self.fields {
      if let value = field.value(in: self) { try field.set(value, in: &copy) }
    }
  }
}
