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

/// Which size of detector was meant to find the plates. Applications write it; nothing here depends on it.
public enum BarModelSize: String, CaseIterable, Sendable, Hashable {
  /// A small detector.
  case small
  /// A medium detector.
  case medium
  /// A large detector.
  case large
}

/// How large an exported video is at most.
public enum BarVideoQuality: String, CaseIterable, Sendable, Hashable {
  /// 720 pixels on the shorter side.
  case hd = "720p"
  /// 1080 pixels on the shorter side.
  case fullHD = "1080p"
  /// 2160 pixels on the shorter side.
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
  /// Lines and text as they are elsewhere.
  case small
  /// One and a half times as large.
  case medium
  /// Twice as large.
  case large

  /// Compared with the smallest.
  public var scale: Double {
    switch self {
    case .small: 1
    case .medium: 1.5
    case .large: 2
    }
  }
}
