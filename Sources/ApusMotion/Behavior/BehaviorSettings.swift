/// The settings of a behaviour analysis. The defaults are those of the original application.
public struct BehaviorSettings: AnalysisSettings, Hashable {
  /// Which points the frames have; it is said where they are read, in ``PoseReaderOptions/order``.
  public var order = KeypointOrder.cvat
  /// What happens to points outside the image.
  public var range = RangePolicy.standard
  /// How many frames a second are used; the others are dropped. Nil uses every frame.
  public var framesPerSecond: Double? = BehaviorModelInfo.usualFramesPerSecond
  /// A prediction for every how many used frames, once the window is full; 1 or more.
  public var stride = 1
  /// What takes the place of a point that was not seen.
  public var missing = MissingPolicy.zero
  /// Below this confidence the label is "uncertain"; 0...1.
  public var threshold: Float = 0.7
  /// Points with a lower confidence are missing. Nil takes the order's own: 0.3 for Vision, none otherwise.
  public var minimumConfidence: Double?
  /// A longer pause between two frames, in seconds, empties the window: its frames would not belong together. Nil
  /// never does.
  public var maximumGap: Double? = 1
  /// Applied to every window, for models trained on standardised poses.
  public var standardization: Standardization?
  /// How predictions become segments.
  public var segments = BehaviorSegmentSettings()

  /// The defaults.
  public init() {}

  /// The table of settings, in the order in which they are written.
  public static let fields: [SettingField<BehaviorSettings>] =
    [
      .optional(
        "fps", \.framesPerSecond, .above(0), zeroIsNil: true, "frames/s", option: "fps",
        "frames a second to use; more are left out; 0 uses every frame"),
      .count(
        "stride", \.stride, 1...Int.max, "frames", option: "stride",
        "classify every n-th used frame, once the window is full"),
      .spelled(
        "missing", \.missing, expected: "zero or hold:N", option: "missing",
        "what takes the place of a point not found; hold:N is its last place for at most N frames"),
      .single("threshold", \.threshold, .within(0...1), option: "threshold", "a lower confidence is called uncertain"),
      .optional(
        "minConfidence", \.minimumConfidence, .finite, option: "min-confidence",
        "points of lower confidence count as not found; 0.3 for vision-25 where it is not set"),
      .optional(
        "maxGap", \.maximumGap, .above(0), zeroIsNil: true, "seconds", option: "max-gap",
        "a longer pause between frames empties the window; 0 never does"),
    ] + BehaviorSegmentSettings.fields.map { $0.lifted(to: \.segments) }

  /// Checks the segments' settings against each other, and the margin of ``range``.
  ///
  /// - Throws: ``SettingsError``.
  public func validateTogether() throws(SettingsError) {
    if case .clamp(let margin) = range, !SettingRange.atLeast(0).contains(margin) {
      throw .wrongValue(setting: "range", found: "\(margin)", expected: "a margin of 0 or more")
    }
    try segments.validateTogether()
  }
}

/// How predictions become segments. The defaults fit predictions ten times a second.
public struct BehaviorSegmentSettings: AnalysisSettings, Hashable {
  /// A label needs this probability to begin a segment; 0...1.
  public var enter: Float = 0.7
  /// A label keeps its segment while it has this probability; 0...`enter`.
  public var leave: Float = 0.5
  /// Seconds that a label must last to begin a segment, and be gone to end one; 0 or more.
  public var minimumDuration = 0.5

  /// The defaults.
  public init() {}

  /// The table of settings, in the order in which they are written.
  public static let fields: [SettingField<BehaviorSegmentSettings>] = [
    .single("enter", \.enter, .within(0...1), option: "enter", "a segment begins at this confidence or more"),
    .single(
      "leave", \.leave, .within(0...1), option: "leave",
      "a segment goes on at this confidence or more; not above that at which it begins"),
    .number(
      "minDuration", \.minimumDuration, .atLeast(0), "seconds", option: "min-duration",
      "a behaviour lasts this long before it begins a segment, and is gone this long before it ends"),
  ]

  /// - Throws: ``SettingsError`` where ``leave`` is above ``enter``.
  public func validateTogether() throws(SettingsError) {
    guard leave <= enter else {
      throw .wrongValue(setting: "leave", found: "\(leave)", expected: "0 to \(enter), where a segment begins")
    }
  }
}
