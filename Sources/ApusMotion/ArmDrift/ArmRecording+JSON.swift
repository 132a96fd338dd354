/// What a file of arms may leave out.
public struct ArmReaderOptions: AnalysisSettings, Hashable {
  /// Frames a second for frames without a time: the first is at 0 s, each other 1 / fps after the one before. If nil,
  /// every frame needs a time, unless the file has `fps`.
  public var framesPerSecond: Double?
  /// The width of frames without one, in pixels; if nil, every frame needs its own.
  public var width: Double?
  /// The height of frames without one, in pixels; if nil, every frame needs its own.
  public var height: Double?
  /// The space of frames without one; if nil, every frame needs its own. Detections are in pixels unless they say
  /// otherwise.
  public var space: ImageSpace?

  /// The defaults.
  public init() {}

  /// The table of settings, in the order in which they are written.
  public static let fields: [SettingField<ArmReaderOptions>] = [
    .optional(
      "fps", \.framesPerSecond, .above(0), "frames/s", option: "fps", "frames a second, for frames without a time"),
    .optional("width", \.width, .above(0), "px", option: "width", "the image's width, for frames without 'width'"),
    .optional("height", \.height, .above(0), "px", option: "height", "the image's height, for frames without 'height'"),
    .optionalChoice("space", \.space, option: "space", "space of frames without 'coordinate_space'"),
  ]
}

extension ArmRecording {
  /// The longest text that is read, in bytes.
  public static let byteLimit = 1 << 28

  /// Reads a recording from JSON. What a frame says counts before what the file says, that before `options`. Four
  /// forms, one a file:
  ///
  /// - frames: `{"fps", "width", "height", "coordinate_space", "subject_left_is_image_left", "frames": [{"t",
  ///   "keypoints": {"left_wrist": {"x", "y", "confidence"}, …}}, …]}`;
  /// - a history: the same with `keypoints_history` and `timestamp` instead of `frames` and `t`;
  /// - a frame a line: `{"t", "width", "height", "coordinate_space", "keypoints": {…}}`; one such object alone is a
  ///   single frame;
  /// - detections a line: `{"t", "width", "height", "detections": [{"class": "person", "score", "box", "keypoints":
  ///   [[x, y, v], … 17 of COCO]}]}`; of several people the one with the highest score (or `confidence`) at first, and
  ///   then the same one as far as the shoulders show it: see ``ArmRecording/personChanges``.
  ///
  /// Each may be the text in `body` of an envelope `{"statusCode", "headers", "body"}`. Points are named as
  /// ``ArmKeypoint`` has them; other points and other keys are passed over.
  ///
  /// - Throws: ``ArmDriftError`` naming line and frame.
  public init(json bytes: [UInt8], options: ArmReaderOptions = ArmReaderOptions()) throws(ArmDriftError) {
    guard bytes.count <= Self.byteLimit else { throw ArmDriftError(.tooLong(limit: Self.byteLimit)) }
    var bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    var parser = ArmJSONParser(bytes, isBody: false)
    try parser.parse()
    if let body = parser.body {
      parser = ArmJSONParser(Array(body.utf8), isBody: true)
      try parser.parse()
    }
    var timeline = FrameTimeline(framesPerSecond: parser.settings.framesPerSecond ?? options.framesPerSecond)
    var frames: [ArmFrame] = []
    frames.reserveCapacity(parser.records.count)
    // Where nobody else is ever in view, there is nobody to be taken for somebody else.
    var follower = parser.records.contains { !$0.people.isEmpty } ? ArmPersonFollower() : nil
    for (index, record) in parser.records.enumerated() {
      do throws(ArmDriftError.Reason) {
        let frame = try timeline.next(at: record.timestamp) { (time, previous) throws(ArmDriftError.Reason) in
          try record.frame(at: time, after: previous, of: parser.settings, options, &follower)
        }
        guard let frame else { throw .missingField("t, the time in seconds, without a frame rate to fill it in,") }
        frames.append(frame)
      } catch {
        var error = ArmDriftError(error, line: record.line, frameIndex: index)
        error.isInBody = parser.isBody
        throw error
      }
    }
    try self.init(
      frames: frames, subjectLeftIsImageLeft: parser.settings.subjectLeftIsImageLeft,
      testDuration: parser.settings.testDuration, personChanges: follower?.changes ?? 0)
  }
}

extension ArmRecord {
  /// The checked frame of a record, with what it leaves out from the file or else from the options.
  fileprivate func frame(
    at time: Double, after previous: Double?, of file: ArmSettings, _ options: ArmReaderOptions,
    _ follower: inout ArmPersonFollower?
  ) throws(ArmDriftError.Reason) -> ArmFrame {
    guard let width = settings.width ?? file.width ?? options.width else { throw .missingField("width") }
    guard let height = settings.height ?? file.height ?? options.height else { throw .missingField("height") }
    guard let space = settings.space ?? file.space ?? (isDetection ? .pixel : options.space) else {
      throw .missingField("coordinate_space")
    }
    var frame = ArmFrame(
      timestamp: time, width: width, height: height, space: space, points: points, pictureNumber: pictureNumber)
    if let fault = frame.fault(after: previous) { throw fault }
    if follower != nil {
      let everybody = people.isEmpty && !points.isEmpty ? [ArmPerson(score: 0, points: points)] : people
      let chosen = follower?.points(among: everybody, in: frame) ?? [:]
      for keypoint in ArmKeypoint.allCases { frame[keypoint] = chosen[keypoint] }
    }
    return frame
  }
}
