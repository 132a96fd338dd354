/// How poses are written down.
public enum PoseFormat: String, CaseIterable, Sendable, Hashable {
  /// JSON Lines if the first line that is not blank begins with `{` or `[`, otherwise CSV.
  case automatic
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
}

/// What a file may leave out, and limits on what it may hold.
public struct PoseReaderOptions: Sendable, Hashable {
  public var format = PoseFormat.automatic
  /// Which points a frame has.
  public var order = KeypointOrder.cvat
  /// Frames per second for frames without `t`: the first is at 0 s, each other 1 / fps after the one before. Nil
  /// makes `t` a must.
  public var framesPerSecond: Double?
  /// The space of frames without `space`.
  public var space = ImageSpace.pixel
  /// The width of frames without `width`, in pixels; nil makes it a must.
  public var width: Double?
  /// The height of frames without `height`, in pixels; nil makes it a must.
  public var height: Double?
  /// The longest line accepted, in bytes without its end. A longer one is an error, so that a file without line
  /// ends does not end up in memory.
  public var lineLimit = 1 << 20

  public init() {}

  /// - Throws: ``MotionConfigurationError`` naming the first setting outside its range.
  public func validate() throws(MotionConfigurationError) {
    if let framesPerSecond { _ = try FrameThrottle(framesPerSecond: framesPerSecond) }
    for size in [width, height] {
      if let size, !(size.isFinite && size > 0) { throw .invalidImageSize(size) }
    }
    guard lineLimit >= 1 else { throw .invalidLineLimit(lineLimit) }
  }
}

/// Reads frames from bytes as they come: from a file, or from a pipe whose end is not in sight.
///
/// ```swift
/// var reader = try PoseFrameReader()
/// while let chunk = nextChunk() {
///   reader.append(chunk)
///   while let frame = try reader.next() { … }
/// }
/// reader.finish()
/// while let frame = try reader.next() { … }
/// ```
///
/// Bytes are kept until the frame they belong to is taken, so memory does not grow with the input. Every frame handed
/// out has passed ``PoseFrame/validate(order:frameIndex:after:)``. Blank lines and a byte order mark are passed over.
public struct PoseFrameReader: Sendable {
  public let options: PoseReaderOptions

  /// The number of the line read last, from 1; 0 before the first.
  public var lineNumber: Int { lines.lineNumber }
  /// How many frames have been handed out; also the index of the next.
  public private(set) var frameCount = 0

  private var lines: LineBuffer
  private var format: PoseFormat
  private var csv: PoseCSVHeader?
  private var previousTimestamp: Double?
  /// Times the input leaves out are counted from the last one it gave, or from 0: how many frames ago that was.
  private var lastGivenTime = 0.0
  private var framesSinceGivenTime = 0

  /// - Throws: ``MotionConfigurationError`` for a setting outside its range.
  public init(options: PoseReaderOptions = PoseReaderOptions()) throws(MotionConfigurationError) {
    try options.validate()
    self.options = options
    format = options.format
    lines = LineBuffer(limit: options.lineLimit)
  }

  /// Adds bytes, cut anywhere.
  public mutating func append(_ bytes: some Sequence<UInt8>) { lines.append(bytes) }

  /// Adds a whole line; its end is added here.
  public mutating func append(line: some StringProtocol) {
    lines.append(Array(line.utf8))
    lines.append(CollectionOfOne(0x0A))
  }

  /// Says that no more bytes will come, so that a last line without a line end is read.
  public mutating func finish() { lines.end() }

  /// The next frame, or nil until more bytes come.
  ///
  /// - Throws: ``PoseReadError``, naming the line. The line is left out: asking again goes on with the one after it.
  public mutating func next() throws(PoseReadError) -> PoseFrame? {
    while let line = lines.next() {
      guard case .bytes(var bytes) = line else {
        throw failure(.lineTooLong(limit: options.lineLimit), inHeader: false)
      }
      if lineNumber == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
      guard let first = bytes.first(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
      if format == .automatic {
        format = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .jsonLines : .csv
      }
      if let record = try parse(bytes) { return try frame(from: record) }
    }
    return nil
  }

  /// What a line says, or nil for a header.
  private mutating func parse(_ bytes: [UInt8]) throws(PoseReadError) -> PoseRecord? {
    let isHeader = format == .csv && csv == nil
    do throws(PoseReadError.Reason.Box) {
      if format == .jsonLines { return try PoseRecord(json: bytes, order: options.order) }
      if let csv { return try PoseRecord(csv: bytes, header: csv) }
      csv = try PoseCSVHeader(bytes, options: options)
      return nil
    } catch {
      throw failure(error.reason, inHeader: isHeader)
    }
  }

  private mutating func frame(from record: PoseRecord) throws(PoseReadError) -> PoseFrame {
    guard let width = record.width ?? options.width else {
      throw failure(.missingField("width"))
    }
    guard let height = record.height ?? options.height else {
      throw failure(.missingField("height"))
    }
    let timestamp: Double
    if let given = record.timestamp {
      timestamp = given
    } else if let rate = options.framesPerSecond {
      timestamp = lastGivenTime + Double(framesSinceGivenTime) / rate
    } else {
      throw failure(.missingField("t, the time in seconds, without a frame rate to fill it in,"))
    }
    let frame = PoseFrame(
      timestamp: timestamp, width: width, height: height, space: record.space ?? options.space, points: record.points)
    do {
      try frame.validate(order: options.order, frameIndex: frameCount, after: previousTimestamp)
    } catch {
      throw failure(.invalidFrame(error.reason))
    }
    if let given = record.timestamp { (lastGivenTime, framesSinceGivenTime) = (given, 0) }
    framesSinceGivenTime += 1
    previousTimestamp = timestamp
    frameCount += 1
    return frame
  }

  private func failure(_ reason: PoseReadError.Reason, inHeader: Bool = false) -> PoseReadError {
    PoseReadError(line: lineNumber, frameIndex: inHeader ? nil : frameCount, reason: reason)
  }
}

/// What one line says, before defaults are filled in and anything is checked against anything else.
struct PoseRecord: Equatable {
  var timestamp: Double?
  var width: Double?
  var height: Double?
  var space: ImageSpace?
  var points: [PosePoint?] = []
}

extension PoseReadError.Reason {
  /// A reason on its way to the place that knows the line's number.
  struct Box: Error {
    var reason: PoseReadError.Reason
    init(_ reason: PoseReadError.Reason) { self.reason = reason }
  }
}
