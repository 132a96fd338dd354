/// How many pixels a centimetre has, and where that comes from.
public struct BarCalibration: Sendable, Hashable {
  /// Where a scale comes from.
  public enum Source: Sendable, Hashable {
    /// The scale was given.
    case given
    /// The diameter of a plate in pixels was given.
    case plate
    /// Measured on the boxes around the plate, in so many frames. `spread` is how far they differ: the middle half of
    /// the sizes, over the median.
    case automatic(frames: Int, spread: Double)
  }

  /// The scale, 0.01 to 1000.
  public let pixelsPerCm: Double
  /// Where it comes from.
  public let source: Source

  /// - Throws: ``SettingsError/wrongValue(field:found:expected:)`` unless the scale is 0.01 to 1000.
  public init(pixelsPerCm: Double) throws(SettingsError) {
    try self.init(pixelsPerCm, .given)
  }

  /// A plate of `diameterPx` pixels and `diameterCm` centimetres: `pixelsPerCm = diameterPx / diameterCm`.
  ///
  /// - Throws: ``SettingsError/wrongValue(field:found:expected:)`` for a diameter outside the range of its
  ///   setting.
  public init(plateDiameterPx diameterPx: Double, diameterCm: Double = 45) throws(SettingsError) {
    try Self.check("plateDiameterCm", diameterCm)
    try Self.check("plateDiameterPx", diameterPx)
    try self.init(diameterPx / diameterCm, .plate)
  }

  /// The scale from the sizes of the box around the plate, one a frame: of their median width and their median height
  /// the larger one is the diameter, for a round plate seen from aside is narrower than high. (The larger sides of all
  /// boxes would have a median that noise makes too large.) Nil where there are none above 0, or the scale that comes out
  /// is impossible.
  public init?(boxWidths: [Double], heights: [Double], diameterCm: Double) {
    let candidates = [boxWidths, heights].map { $0.filter { $0 > 0 && $0.isFinite }.sorted() }
    let sides = candidates[0].middle > candidates[1].middle ? candidates[0] : candidates[1]
    guard !sides.isEmpty else { return nil }
    let median = sides.middle
    let spread = (sides[sides.count * 3 / 4] - sides[sides.count / 4]) / median
    guard let found = try? Self(median / diameterCm, .automatic(frames: sides.count, spread: spread)) else {
      return nil
    }
    self = found
  }

  private init(_ pixelsPerCm: Double, _ source: Source) throws(SettingsError) {
    try Self.check("pixelsPerCm", pixelsPerCm)
    (self.pixelsPerCm, self.source) = (pixelsPerCm, source)
  }

  /// The range is that of the setting.
  private static func check(_ setting: String, _ value: Double) throws(SettingsError) {
    var settings = BarPathSettings()
    try BarPathSettings.field(named: setting).set(.number(value), in: &settings)
  }

  /// What the settings say of the scale, if anything.
  static func given(by settings: BarPathSettings) throws(SettingsError) -> BarCalibration? {
    if let scale = settings.pixelsPerCm { return try BarCalibration(pixelsPerCm: scale) }
    guard let plate = settings.plateDiameterPx else { return nil }
    return try BarCalibration(plateDiameterPx: plate, diameterCm: settings.plateDiameterCm)
  }
}

extension [Double] {
  /// The middle one of sorted numbers; 0 where there are none.
  fileprivate var middle: Double { isEmpty ? 0 : self[count / 2] }
}
