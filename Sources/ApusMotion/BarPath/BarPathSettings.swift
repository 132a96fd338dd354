/// The settings of a bar path analysis. The defaults are those of the original application where it has the setting.
///
/// In files the keys are the names of the properties; ``fields`` is the table of their ranges.
public struct BarPathSettings: AnalysisSettings, Hashable {
  // What the original application offers.
  /// Which size of detector an application uses; changes nothing here.
  public var modelSize = BarModelSize.medium
  /// Points of a pose that are less visible are not used.
  public var minPoseVisibility = 0.5
  /// Only detections *more* confident than this are candidates.
  public var yoloConfidence = 0.35
  /// The longest run of frames without a bar that is filled in.
  public var gapFillFrames = 8
  /// How the drawn path is smoothed.
  public var smoothingType = BarSmoothing.ema
  /// The weight of the new sample in an average.
  public var smoothingAlpha = 0.25
  /// The bar moves once it is faster than this, in pixels per second.
  public var liftStartSpeedPxPerSec = 50.0
  /// It rests once it is slower than this share of the start speed.
  public var liftStartHysteresis = 0.6
  /// The units that lengths and speeds are shown in.
  public var units = BarUnits.metric
  /// The largest size of an exported video.
  public var exportVideoQuality = BarVideoQuality.fullHD
  /// How large lines and text on it are.
  public var exportOverlaySize = BarOverlaySize.small

  // The lift and the camera.
  /// What is lifted; in a result what it was taken for where this is ``BarLiftType/auto``.
  public var liftType = BarLiftType.auto
  /// How far the camera is tilted, in degrees: positive where up leans clockwise in the picture.
  public var gravityAngle = 0.0
  /// The diameter of the plates that are detected, in cm.
  public var plateDiameterCm = 45.0
  /// The diameter of a plate in pixels, measured by hand.
  public var plateDiameterPx: Double?
  /// The scale itself; goes before ``plateDiameterPx``.
  public var pixelsPerCm: Double?

  // The choice of the bar.
  /// What a candidate loses for each unit of distance from the wrists.
  public var wristWeight = 2.0
  /// What it loses for each unit of distance from the bar in the frame before.
  public var previousWeight = 3.0
  /// What these distances are measured in.
  public var distanceUnit = BarDistanceUnit.frameHeight
  /// Where no wrist is visible, the elbows count for half.
  public var elbowFallback = true
  /// The position before is forgotten after more than ``gapFillFrames`` frames without a bar.
  public var previousExpires = true
  /// The first choice is looked at again when so many frames are known.
  public var recheckFrames = 5
  /// No farther, in frame heights, may the bar move in 1/30 s or more between two sightings; in less time, less
  /// in proportion. 0 is no limit.
  public var jumpGate = 0.25
  /// By which part of its size the plate may look larger or smaller than lately. 0 is no limit.
  public var sizeGate = 0.25

  // The measures.
  /// The path that repetitions are measured on.
  public var metricsPath = BarMetricsPath.kalman
  /// The range of motion that is full depth, in cm.
  public var depthReferenceCm = 40.0
  /// Movements shorter than this, in cm, are not repetitions.
  public var minimumRomCm = 5.0

  /// The defaults.
  public init() {}
}

extension BarPathSettings {
  /// The table of settings, in the order in which they are written.
  public static let fields: [SettingField<BarPathSettings>] = [
    .choice("modelSize", \.modelSize, "the detector that an application uses; changes nothing here"),
    .number(
      "minPoseVisibility", \.minPoseVisibility, .within(0.3...0.9), option: "min-visibility",
      "least visibility of a wrist or an elbow"),
    .number(
      "yoloConfidence", \.yoloConfidence, .within(0.2...0.8), option: "min-confidence",
      "detections above this confidence are candidates"),
    .count("gapFillFrames", \.gapFillFrames, 0...16, "frames", option: "gap", "the longest gap that is filled in"),
    .choice("smoothingType", \.smoothingType, option: "smoothing", "how the drawn path is smoothed"),
    .number(
      "smoothingAlpha", \.smoothingAlpha, .within(0.1...0.5), option: "alpha",
      "weight of the new sample in an average"),
    .number(
      "liftStartSpeedPxPerSec", \.liftStartSpeedPxPerSec, .within(20...100), "px/s", option: "start-speed",
      "speed above which the bar moves"),
    .number(
      "liftStartHysteresis", \.liftStartHysteresis, .within(0.3...0.9), option: "hysteresis",
      "share of the start speed below which the bar rests"),
    .choice("units", \.units, option: "units", "what lengths and speeds are shown in"),
    .choice(
      "exportVideoQuality", \.exportVideoQuality, option: "video-quality",
      "largest size of an overlay; larger frames are made smaller"),
    .choice("exportOverlaySize", \.exportOverlaySize, option: "overlay-size", "size of lines and text on an overlay"),
    .choice(
      "liftType", \.liftType, option: "lift",
      "what is lifted, and so which phases make a repetition; auto: what the path looks like, a squat where it is not sure"
    ),
    .number(
      "gravityAngle", \.gravityAngle, .within(-45...45), "degrees", option: "gravity-angle",
      "how far up leans clockwise in the picture"),
    .number(
      "plateDiameterCm", \.plateDiameterCm, .within(5...100), "cm", option: "plate-cm", "diameter of the plates"),
    .optional(
      "plateDiameterPx", \.plateDiameterPx, .within(1...100_000), "px", option: "plate-px",
      "diameter of a plate in the picture, measured by hand; goes before what the boxes say"),
    .optional(
      "pixelsPerCm", \.pixelsPerCm, .within(0.01...1000), "px/cm", option: "pixels-per-cm",
      "the scale itself; goes before both diameters"),
    .number(
      "wristWeight", \.wristWeight, .within(0...10), option: "wrist-weight",
      "loss for a frame's height of distance from the wrists"),
    .number(
      "previousWeight", \.previousWeight, .within(0...10), option: "previous-weight",
      "loss for a frame's height of distance from where the bar was"),
    .choice(
      "distanceUnit", \.distanceUnit, option: "distance-unit",
      "what these distances are measured in; mixed: widths sideways, heights upwards"),
    .flag(
      "elbowFallback", \.elbowFallback, option: "elbow-fallback",
      "take elbows, at half weight, where no wrist is visible"),
    .flag(
      "previousExpires", \.previousExpires, option: "previous-expires",
      "forget where the bar was after a gap too long to fill"),
    .count(
      "recheckFrames", \.recheckFrames, 1...30, "frames", option: "recheck-frames",
      "after how many frames the first choice is settled"),
    .number(
      "jumpGate", \.jumpGate, .within(0...2), "heights", option: "jump-gate",
      "farthest move from one sighting to the next, in 1/30 s; 0 is any"),
    .number(
      "sizeGate", \.sizeGate, .within(0...1), option: "size-gate",
      "part by which the plate may look larger or smaller than lately; 0 is any"),
    .choice("metricsPath", \.metricsPath, option: "metrics-path", "the path that repetitions are measured on"),
    .number(
      "depthReferenceCm", \.depthReferenceCm, .within(1...300), "cm", option: "depth-cm",
      "range of motion that is full depth"),
    .number(
      "minimumRomCm", \.minimumRomCm, .within(1...100), "cm", option: "min-rom-cm",
      "least range of motion of a repetition"),
  ]

  /// The keys of a calibration file.
  public static let aliases = [
    "lift_type": "liftType", "gravity_angle": "gravityAngle", "pixels_per_cm": "pixelsPerCm",
    "plate_diameter_px": "plateDiameterPx", "plate_diameter_cm": "plateDiameterCm",
  ]
}

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
