/// What is lifted, and so which phases make a repetition.
public enum BarLiftType: String, CaseIterable, Sendable, Hashable {
  /// Down, then up.
  case squat
  /// Down, then up.
  case bench
  /// Up, then perhaps down.
  case deadlift
}

/// How the path that is drawn and exported is smoothed.
public enum BarSmoothing: String, CaseIterable, Sendable, Hashable {
  /// An exponential moving average. It lags (1 − α) / α frames behind.
  case ema
  /// The average run forwards and then backwards: no lag. A stream, which has no future, runs it forwards only.
  case emaForwardBackward
  /// A Kalman filter for constant velocity, smoothed backwards where the whole path is known.
  case kalman
  /// The original application's filter: a random walk, which comes to an average with α = 0.27.
  case kalmanParity
}

/// Which path speeds, turning points and ranges of motion are measured on.
public enum BarMetricsPath: String, CaseIterable, Sendable, Hashable {
  /// The Kalman-smoothed path: noise does not widen the range, and nothing lags.
  case kalman
  /// The path with its gaps filled and nothing else done to it.
  case filled
  /// The path as the smoothing setting leaves it. An average cuts the tops off: 1 to 5 % of the range are lost.
  case smoothed
}

/// What distances in the choice of the bar are measured in.
public enum BarDistanceUnit: String, CaseIterable, Sendable, Hashable {
  /// Frame heights, both ways.
  case frameHeight
  /// Widths horizontally and heights vertically, as the original application mixes them.
  case mixed
}

/// What people read lengths and speeds in. Inside everything is cm and cm/s.
public enum BarUnits: String, CaseIterable, Sendable, Hashable {
  case metric, imperial
}

/// Which size of detector was meant to find the plates. Applications write it; nothing here depends on it.
public enum BarModelSize: String, CaseIterable, Sendable, Hashable {
  case small, medium, large
}

/// How large an exported video is at most.
public enum BarVideoQuality: String, CaseIterable, Sendable, Hashable {
  case hd = "720p"
  case fullHD = "1080p"
  case ultraHD = "4K"

  /// Pixels of the shorter side.
  public var shortSide: Int {
    switch self {
    case .hd: 720
    case .fullHD: 1080
    case .ultraHD: 2160
    }
  }
}

/// How large what is drawn on an exported video is.
public enum BarOverlaySize: String, CaseIterable, Sendable, Hashable {
  case small, medium, large

  /// Compared with the smallest.
  public var scale: Double {
    switch self {
    case .small: 1
    case .medium: 1.5
    case .large: 2
    }
  }
}

/// The settings of a bar path analysis. The defaults are those of the original application where it has the setting.
///
/// In files the keys are the names of the properties; ``fields`` lists them with their ranges.
public struct BarPathSettings: Sendable, Hashable {
  // What the original application offers.
  public var modelSize = BarModelSize.medium
  /// Points of a pose that are less visible are not used.
  public var minPoseVisibility = 0.5
  /// Only detections *more* confident than this are candidates.
  public var yoloConfidence = 0.35
  /// The longest run of frames without a bar that is filled in.
  public var gapFillFrames = 8
  public var smoothingType = BarSmoothing.ema
  /// The weight of the new sample in an average.
  public var smoothingAlpha = 0.25
  /// The bar moves once it is faster than this, in pixels per second.
  public var liftStartSpeedPxPerSec = 50.0
  /// It rests once it is slower than this share of the start speed.
  public var liftStartHysteresis = 0.6
  public var units = BarUnits.metric
  public var exportVideoQuality = BarVideoQuality.fullHD
  public var exportOverlaySize = BarOverlaySize.small

  // The lift and the camera.
  public var liftType = BarLiftType.squat
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
  public var metricsPath = BarMetricsPath.kalman
  /// The range of motion that is full depth, in cm.
  public var depthReferenceCm = 40.0
  /// What moves less than this, in cm, is no repetition.
  public var minimumRomCm = 5.0

  public init() {}
}
