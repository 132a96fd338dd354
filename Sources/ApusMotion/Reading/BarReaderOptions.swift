/// How detections and bar positions are written down.
public enum BarFrameFormat: String, CaseIterable, Sendable, Hashable {
  /// JSON Lines if the first line that is not blank begins with `{` or `[`, otherwise CSV.
  case automatic
  /// One JSON object a line, one line a frame:
  ///
  ///     {"t": 0.1, "width": 640, "height": 480, "space": "pixel",
  ///      "detections": [{"x": 10, "y": 20, "w": 90, "h": 90, "confidence": 0.8, "class": "plate"}],
  ///      "pose": {"left_wrist": [x, y], "right_wrist": [x, y, visibility], …, "visibility": 0.9}}
  ///
  /// `x` and `y` are the box's corner with the lowest coordinates. A box may be `"box": [x0, y0, x1, y1]` instead, and
  /// its confidence be named `score`, as a detector's own lines have them. `class` is optional: of boxes that have one,
  /// those of ``BarReaderOptions/plateClasses`` are candidates, and the largest of
  /// ``BarReaderOptions/personClass`` with 17 COCO `"keypoints": [[x, y, visibility], …]` is the lifter where there
  /// is no `pose`. `pose` has `left_` and `right_` `wrist`, `elbow` and `hip`; null is a point that was not found.
  /// `"bar": [x, y]` or null in the place of `detections` is a bar that was chosen already. `"frame": 12` is the
  /// frame's number, and gives the time, with a frame rate, where `t` does not. Other keys are passed over.
  case jsonLines = "jsonl"
  /// A header, then one position of the bar a row; lines that begin with `#` are passed over.
  ///
  /// Columns are `bar_x` and `bar_y` (or `x_px`, `y_px`, or `x`, `y`); the time as `t` or `timestamp` in seconds,
  /// `timestamp_ms`, or with a frame rate `frame`, the frame's number; if wanted `frame` beside a time, `width`,
  /// `height`, `space`, `wrist_l_x`, `wrist_l_y`, `wrist_r_x`, `wrist_r_y`, and `lift`, the name of the lift that the
  /// row belongs to. The order of columns is free, others are passed over, an empty field is a value that is missing.
  /// ``BarPathCSV`` reads back.
  case csv
}

/// Which lifts of a file with several are read.
public enum BarLiftSelection: Sendable, Hashable {
  /// The file has one lift; a second is an error.
  case only
  /// The lift of this name; the others are passed over.
  case named(String)
  /// All of them: time starts anew with each, and ``BarFrameReader/lift`` says which it is.
  case each
}

/// What a file may leave out, and limits on what it may hold.
public struct BarReaderOptions: AnalysisSettings, Hashable {
  /// How the frames are written down.
  public var format = BarFrameFormat.automatic
  /// Frames per second for frames without a time. Frames with a number are at number / fps; the others 1 / fps after
  /// the frame before, the first at 0. If nil, every frame needs a time.
  public var framesPerSecond: Double?
  /// The space of frames without `space`.
  public var space = ImageSpace.pixel
  /// The width of frames that do not say it, in pixels; if nil, detections and fractions need their own.
  public var width: Double?
  /// The height of frames that do not say it, in pixels; nil as with ``width``.
  public var height: Double?
  /// What the detector calls what is on the bar.
  public var plateClasses: Set<String> = ["plate"]
  /// What the detector calls the lifter.
  public var personClass = "person"
  /// Which lift of a file with several is read.
  public var lift = BarLiftSelection.only
  /// The longest line accepted, in bytes without its end.
  public var lineLimit = 1 << 20

  /// The defaults.
  public init() {}

  /// The table of settings, in the order in which they are written.
  public static let fields: [SettingField<BarReaderOptions>] = [
    .optional(
      "fps", \.framesPerSecond, .above(0), "frames/s", option: "fps", "frames a second, for frames without a time"),
    .optional("frameWidth", \.width, .above(0), "px", "width of frames whose file does not say it"),
    .optional("frameHeight", \.height, .above(0), "px", "height of frames whose file does not say it"),
    SettingField(
      "plateClass", option: "plate-class", expected: "a name",
      meaning: "what the network calls what is on the bar"
    ) { settings in
      let names = settings.plateClasses.sorted()
      return names.count == 1 ? .text(names[0]) : .list(names)
    } write: { settings, value in
      switch value {
      case .list(let names): settings.plateClasses = Set(names)
      case .text, .number: settings.plateClasses = [value.description]
      case .flag: return false
      }
      return true
    },
    SettingField(
      "liftName", option: "lift-name", expected: "a name", meaning: "which lift of a table with several"
    ) { settings in
      if case .named(let name) = settings.lift { .text(name) } else { nil }
    } write: { settings, value in
      switch value {
      case .text, .number: settings.lift = .named(value.description)
      case .flag, .list: return false
      }
      return true
    },
  ]

  /// Checks ``lineLimit``.
  ///
  /// - Throws: ``SettingsError``.
  public func validateTogether() throws(SettingsError) { try checkLineLimit(lineLimit) }
}
