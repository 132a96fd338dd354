/// Settings that go together for a kind of recording.
public enum BarPathPreset: String, CaseIterable, Sendable, Hashable {
  /// The defaults.
  case standard
  /// A dark room: less confident detections, longer gaps, more smoothing.
  case lowLight = "low-light"
  /// Fast lifts, or many frames a second: a higher start speed, shorter gaps, the Kalman filter.
  case fast
  /// Several bars in the picture: only confident detections.
  case severalBars = "several-bars"

  /// What the preset changes; everything else in `settings` stays.
  public func apply(to settings: inout BarPathSettings) {
    switch self {
    case .standard:
      settings = BarPathSettings()
    case .lowLight:
      settings.yoloConfidence = 0.3
      settings.minPoseVisibility = 0.4
      settings.gapFillFrames = 12
      settings.smoothingAlpha = 0.2
    case .fast:
      settings.liftStartSpeedPxPerSec = 80
      settings.gapFillFrames = 5
      settings.smoothingType = .kalman
    case .severalBars:
      settings.yoloConfidence = 0.45
    }
  }

  /// The defaults with the preset's changes.
  public var settings: BarPathSettings {
    var settings = BarPathSettings()
    apply(to: &settings)
    return settings
  }
}
