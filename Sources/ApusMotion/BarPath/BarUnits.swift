import ApusBase

/// The units in which lengths and speeds are shown. Results are in cm and cm/s whatever they are.
public enum BarUnits: String, CaseIterable, Sendable, Hashable {
  /// Centimetres, and metres a second.
  case metric
  /// Inches, and inches a second.
  case imperial
}

extension BarUnits {
  /// Centimetres of an inch.
  public static let centimetersPerInch = 2.54

  /// A length of so many cm: in cm, or in inches.
  public func length(_ centimeters: Double) -> Double {
    self == .metric ? centimeters : centimeters / Self.centimetersPerInch
  }

  /// `40.0 cm` or `15.7 in`.
  public func lengthText(_ centimeters: Double) -> String {
    NumberText.fixed(length(centimeters), decimals: 1) + (self == .metric ? " cm" : " in")
  }

  /// `0.27 m/s` or `10.5 in/s`, as lifters read speeds, from cm/s.
  public func velocityText(_ centimetersPerSecond: Double) -> String {
    self == .metric
      ? NumberText.fixed(centimetersPerSecond / 100, decimals: 2) + " m/s"
      : NumberText.fixed(length(centimetersPerSecond), decimals: 1) + " in/s"
  }
}

extension BarPathResult {
  /// A length of the result with its unit, as the settings ask for it; in pixels without a scale.
  public func lengthText(_ length: Double) -> String {
    isCalibrated ? settings.units.lengthText(length) : NumberText.fixed(length, decimals: 1) + " px"
  }

  /// A speed of the result with its unit, as the settings ask for it; in px/s without a scale.
  public func velocityText(_ velocity: Double) -> String {
    isCalibrated ? settings.units.velocityText(velocity) : NumberText.fixed(velocity, decimals: 1) + " px/s"
  }
}
