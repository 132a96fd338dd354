/// Four boundaries that make a level from 0 to 4 of a mean asymmetry.
///
/// No boundary has been validated on patients. The versions were published one after the other, for measures that
/// differ, and contradict each other; here all of them divide the same measure, so that they can be compared. The raw
/// value is the spelling on the command line.
public enum ArmDriftProfile: String, CaseIterable, Sendable, Hashable {
  /// 0.20, 0.35, 0.50, 0.70: the default.
  case robust = "robust-v1"
  /// The same boundaries, published with another rule for ``legacyDetects(meanAsymmetry:level:)``.
  case keypointFixed = "keypoint-fixed"
  /// 0.15, 0.25, 0.40, 0.60.
  case realWorld = "real-world"
  /// 0.05, 0.15, 0.30, 0.50.
  case nihssCompliant = "nihss-compliant"
  /// 0.03, 0.10, 0.20, 0.35.
  case calibrated
  /// 0.01, 0.03, 0.08, 0.15, once meant for differences between the bytes of two halves of a picture.
  case imageBytes = "image-bytes"

  /// The lowest mean asymmetry of levels 1, 2, 3 and 4.
  public var boundaries: [Double] {
    switch self {
    case .robust, .keypointFixed: [0.20, 0.35, 0.50, 0.70]
    case .realWorld: [0.15, 0.25, 0.40, 0.60]
    case .nihssCompliant: [0.05, 0.15, 0.30, 0.50]
    case .calibrated: [0.03, 0.10, 0.20, 0.35]
    case .imageBytes: [0.01, 0.03, 0.08, 0.15]
    }
  }

  /// An asymmetry this much below a boundary counts as on it: one half is rarely exactly one half after a square root.
  public static let slack = 1e-9

  /// How many boundaries the asymmetry reaches: 0...4.
  public func level(meanAsymmetry: Double) -> Int {
    boundaries.count { meanAsymmetry >= $0 - Self.slack }
  }

  /// What each version called a detected drift, in ``ArmDriftMode/legacy``.
  func legacyDetects(meanAsymmetry: Double, level: Int) -> Bool {
    switch self {
    case .robust: meanAsymmetry > 0.05
    case .keypointFixed: meanAsymmetry > 0.35
    case .realWorld, .nihssCompliant, .calibrated, .imageBytes: level > 0
    }
  }
}

/// What is added to the level of a profile.
///
/// The raw value is the spelling on the command line.
public enum ArmDriftMode: String, CaseIterable, Sendable, Hashable {
  /// One level more if the asymmetry grows by more than 0.01 a second, or an arm ends more than 10° below its own
  /// start.
  case recommended
  /// What was published: one level more for each of a growth above 0.01 a second, a mean velocity beyond ±0.02 a
  /// second, and a stability below 0.5, which is 0 for fewer than ten samples. The severity stays that of the level
  /// before.
  case legacy
}

/// The settings of an arm drift analysis.
public struct ArmDriftSettings: AnalysisSettings, Hashable {
  /// Which boundaries make a level of the mean asymmetry.
  public var profile = ArmDriftProfile.robust
  /// What change over time adds to the level.
  public var mode = ArmDriftMode.recommended

  /// The defaults.
  public init() {}

  /// The table of settings, in the order in which they are written.
  public static let fields: [SettingField<ArmDriftSettings>] = [
    .choice("profile", \.profile, option: "profile", "which boundaries make a level of the mean asymmetry"),
    .choice(
      "mode", \.mode, option: "mode",
      "what change over time adds: one level at most, or, legacy, up to three as once published"),
  ]
}
