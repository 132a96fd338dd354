/// How poses are written down.
public enum PoseFormat: String, CaseIterable, Sendable, Hashable {
  /// What the first line that is not blank says: JSON Lines if it begins with `{` or `[`, DeepLabCut if its first field
  /// is `scorer`, SLEAP if it has a column `frame_idx` and one that ends in `.x`, otherwise CSV. A JSON document with
  /// `skeletons` at its beginning is SLEAP's.
  case automatic = "auto"
  /// One JSON object a line:
  /// `{"t": 0.1, "width": 640, "height": 480, "space": "pixel", "keypoints": [[x, y], [x, y, confidence], null, …]}`.
  ///
  /// `keypoints` has one entry for each point of the ``KeypointOrder``; null is a point that was not found. Instead
  /// of a third number, confidences may stand in `"confidence": [c, null, …]`, one entry a point. Other keys are
  /// passed over.
  case jsonLines = "jsonl"
  /// A header, then one frame a row: `t,width,height,space,nose_x,nose_y,nose_confidence,left_eye_x,…`.
  ///
  /// Every point of the ``KeypointOrder`` needs its `_x` and its `_y`; `_confidence` columns are optional; an empty
  /// field is a value that is missing. The order of columns is free, other columns are passed over, fields may be
  /// quoted.
  case csv
  /// DeepLabCut's CSV files, of labels and of predictions: header rows `scorer`, perhaps `individuals`, `bodyparts` and
  /// `coords` (`x`, `y` and perhaps `likelihood`), then a row a frame. A row begins with the number of its frame, or
  /// with the path of a picture whose name ends in it.
  ///
  /// Names of body parts become points as ``KeypointNames`` says; what is empty or `nan` was not found. Coordinates are
  /// pixels.
  case deepLabCut = "dlc"
  /// SLEAP's analysis CSV files (`track,frame_idx,instance.score,nose.x,nose.y,nose.score,…`, a row an animal and
  /// frame), and its labels as JSON (`nodes`, `tracks`, and `labels` with `frame_idx` and `_instances` of `_points`).
  /// Names and coordinates are as for ``deepLabCut``. A document of JSON is read as a whole.
  case sleap
}

/// What a file may leave out, and limits on what it may hold.
public struct PoseReaderOptions: AnalysisSettings, Hashable {
  /// How the poses are written down.
  public var format = PoseFormat.automatic
  /// Which points a frame has.
  public var order = KeypointOrder.cvat
  /// Frames per second for frames without `t`: the first is at 0 s, each other 1 / fps after the one before. If nil,
  /// every frame needs its time.
  public var framesPerSecond: Double?
  /// The width of frames without `width`, in pixels; if nil, every frame needs its own.
  public var width: Double?
  /// The height of frames without `height`, in pixels; if nil, every frame needs its own.
  public var height: Double?
  /// The space of frames without `space`; nil is the order's own: pixels, for `vision-25` Vision's.
  public var space: ImageSpace?
  /// From a body part's name in files of DeepLabCut and SLEAP to that of a point, before any other name.
  public var names: [String: String] = [:]
  /// The animal to read, in files of DeepLabCut and SLEAP with several: the name of an individual or a track.
  public var individual: String?
  /// The longest line accepted, in bytes without its end. A longer one is an error, so that a file without line
  /// ends does not end up in memory.
  public var lineLimit = 1 << 20

  /// The defaults.
  public init() {}

  /// The table of settings, in the order in which they are written.
  public static let fields: [SettingField<PoseReaderOptions>] = [
    .choice("format", \.format, option: "format", "how poses are written down"),
    .choice(
      "keypointOrder", \.order, option: "keypoint-order",
      "which points a frame has: cvat (the 24 in their own order), stanford-extra (passed on by position), dog-pose-24 "
        + "(StanfordExtra, moved to the points of the same meaning), vision-25 (Apple Vision)"),
    .optional(
      "inputFps", \.framesPerSecond, .above(0), "frames/s", option: "input-fps",
      "frames a second, for frames without 't'"),
    .optional("width", \.width, .above(0), "px", option: "width", "the image's width, for frames without 'width'"),
    .optional("height", \.height, .above(0), "px", option: "height", "the image's height, for frames without 'height'"),
    .optionalChoice(
      "space", \.space, option: "space", "space of frames without 'space'; pixel, for the order vision-25 vision"),
    SettingField(
      "map", option: "map", expected: "THEIRS=OURS, each of theirs once",
      meaning: "a body part of a DeepLabCut or SLEAP file, and the point it is; may be given again"
    ) { settings in
      settings.names.isEmpty ? nil : .list(settings.names.map { "\($0.key)=\($0.value)" }.sorted())
    } write: { settings, value in
      guard let names = Self.names(value) else { return false }
      settings.names = names
      return true
    },
    .text(
      "individual", \.individual, expected: "a name", option: "individual",
      "which animal of a DeepLabCut or SLEAP file to read"),
  ]

  /// Checks that points of ``names`` are points of ``order``, and ``lineLimit``.
  ///
  /// - Throws: ``SettingsError``.
  public func validateTogether() throws(SettingsError) {
    for name in names.values.sorted() where !order.pointNames.contains(name) {
      throw .wrongValue(setting: "map", found: name, expected: "a keypoint of the order \(order.rawValue)")
    }
    try checkLineLimit(lineLimit)
  }

  /// From `THEIRS=OURS`, one or several; nil for anything else.
  private static func names(_ value: SettingValue) -> [String: String]? {
    let pairs: [String]
    switch value {
    case .text(let text): pairs = [text]
    case .list(let texts): pairs = texts
    case .number, .flag: return nil
    }
    var names: [String: String] = [:]
    for pair in pairs {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, names.updateValue(parts[1], forKey: parts[0]) == nil else { return nil }
    }
    return names
  }
}

/// - Throws: for a limit on the length of a line below 1 byte.
func checkLineLimit(_ limit: Int) throws(SettingsError) {
  guard limit >= 1 else {
    throw .wrongValue(setting: "lineLimit", found: "\(limit)", expected: "an integer, 1 or more")
  }
}
