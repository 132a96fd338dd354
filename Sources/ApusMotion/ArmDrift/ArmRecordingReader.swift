/// What a file of arms may leave out.
public struct ArmReaderOptions: Sendable, Hashable {
  /// Frames a second for frames without a time: the first is at 0 s, each other 1 / fps after the one before. Nil makes
  /// the time a must, unless the file has `fps`.
  public var framesPerSecond: Double?
  /// The width of frames without one, in pixels; nil makes it a must.
  public var width: Double?
  /// The height of frames without one, in pixels; nil makes it a must.
  public var height: Double?
  /// The space of frames without one; nil makes it a must. Detections are in pixels unless they say otherwise.
  public var space: ImageSpace?

  public init() {}

  /// - Throws: ``MotionConfigurationError`` naming the first setting outside its range.
  public func validate() throws(MotionConfigurationError) {
    if let framesPerSecond { _ = try FrameThrottle(framesPerSecond: framesPerSecond) }
    for size in [width, height] {
      if let size, !(size.isFinite && size > 0) { throw .invalidImageSize(size) }
    }
  }
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
  ///   [[x, y, v], … 17 of COCO]}]}`, of which the person with the highest score counts.
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
    var clock = FrameClock(framesPerSecond: parser.settings.framesPerSecond ?? options.framesPerSecond)
    var frames: [ArmFrame] = []
    frames.reserveCapacity(parser.records.count)
    for (index, record) in parser.records.enumerated() {
      func fail(_ reason: ArmDriftError.Reason) -> ArmDriftError {
        var error = ArmDriftError(reason, line: record.line, frameIndex: index)
        error.isInBody = parser.isBody
        return error
      }
      guard let width = record.settings.width ?? parser.settings.width ?? options.width else {
        throw fail(.missingField("width"))
      }
      guard let height = record.settings.height ?? parser.settings.height ?? options.height else {
        throw fail(.missingField("height"))
      }
      guard
        let space = record.settings.space ?? parser.settings.space ?? (record.isDetection ? .pixel : options.space)
      else { throw fail(.missingField("coordinate_space")) }
      guard let timestamp = clock.time(record.timestamp) else {
        throw fail(.missingField("t, the time in seconds, without a frame rate to fill it in,"))
      }
      let frame = ArmFrame(timestamp: timestamp, width: width, height: height, space: space, points: record.points)
      if let fault = frame.fault(after: frames.last?.timestamp) { throw fail(fault) }
      frames.append(frame)
    }
    try self.init(
      frames: frames, subjectLeftIsImageLeft: parser.settings.subjectLeftIsImageLeft,
      testDuration: parser.settings.testDuration)
  }
}
