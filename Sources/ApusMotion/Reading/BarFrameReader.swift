import ApusBase

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
  /// `"bar": [x, y]` or null in the place of `detections` is a bar that was chosen already. `"frame": 12` gives the
  /// time, with a frame rate, where `t` does not. Other keys are passed over.
  case jsonLines = "jsonl"
  /// A header, then one position of the bar a row; lines that begin with `#` are passed over.
  ///
  /// Columns are `bar_x` and `bar_y` (or `x_px`, `y_px`, or `x`, `y`); the time as `t` or `timestamp` in seconds,
  /// `timestamp_ms`, or `frame` with a frame rate; if wanted `width`, `height`, `space`, `wrist_l_x`, `wrist_l_y`,
  /// `wrist_r_x`, `wrist_r_y`, and `lift`, the name of the lift that the row belongs to. The order of columns is free,
  /// others are passed over, an empty field is a value that is missing. ``BarPathCSV`` reads back.
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
public struct BarReaderOptions: Sendable, Hashable {
  public var format = BarFrameFormat.automatic
  /// Frames per second for frames without a time. Frames with a number are at number / fps; the others 1 / fps after
  /// the frame before, the first at 0. If nil, every frame needs a time.
  public var framesPerSecond: Double?
  /// The space of frames without `space`.
  public var space = ImageSpace.pixel
  /// The size of frames that do not say it, in pixels; nil makes it a must for detections and fractions.
  public var width: Double?
  public var height: Double?
  /// What the detector calls what is on the bar.
  public var plateClasses: Set<String> = ["plate"]
  /// What the detector calls the lifter.
  public var personClass = "person"
  public var lift = BarLiftSelection.only
  /// The longest line accepted, in bytes without its end.
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

/// Reads frames with detections or bar positions from bytes as they come: from a file, or from a pipe.
///
/// ```swift
/// var reader = try BarFrameReader()
/// while let chunk = nextChunk() {
///   reader.append(chunk)
///   while let frame = try reader.next() { try stream.push(frame) }
/// }
/// reader.finish()
/// while let frame = try reader.next() { try stream.push(frame) }
/// ```
///
/// Bytes are kept until the frame they belong to is taken, so memory does not grow with the input. Every frame handed
/// out is one that ``BarPathStream/push(_:)`` takes. Blank lines and a byte order mark are passed over.
public struct BarFrameReader: Sendable {
  public let options: BarReaderOptions

  /// The number of the line read last, from 1; 0 before the first.
  public var lineNumber: Int { lines.lineNumber }
  /// How many frames of the present lift have been handed out; also the index of the next.
  public private(set) var frameCount = 0
  /// The lift of the frame handed out last, where the file names lifts.
  public private(set) var lift: String?

  private var lines: LineBuffer
  private var format: BarFrameFormat
  private var csv: BarCSVHeader?
  private var previousTimestamp: Double?
  private var clock: FrameClock

  /// - Throws: ``MotionConfigurationError`` for a setting outside its range.
  public init(options: BarReaderOptions = BarReaderOptions()) throws(MotionConfigurationError) {
    try options.validate()
    self.options = options
    format = options.format
    lines = LineBuffer(limit: options.lineLimit)
    clock = FrameClock(framesPerSecond: options.framesPerSecond)
  }

  /// Adds bytes, cut anywhere.
  public mutating func append(_ bytes: some Sequence<UInt8>) { lines.append(bytes) }

  /// Says that no more bytes will come, so that a last line without a line end is read.
  public mutating func finish() { lines.end() }

  /// The next frame, or nil until more bytes come.
  ///
  /// - Throws: ``BarReadError``, naming the line. The line is left out: asking again goes on with the one after it.
  public mutating func next() throws(BarReadError) -> BarFrame? {
    while let line = lines.next() {
      guard case .bytes(var bytes) = line else {
        throw failure(.unreadable(.lineTooLong(limit: options.lineLimit)))
      }
      if lineNumber == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
      guard let first = bytes.first(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
      if format != .jsonLines, first == UInt8(ascii: "#") { continue }
      if format == .automatic {
        format = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .jsonLines : .csv
      }
      if let record = try parse(bytes), try isWanted(record.lift) { return try frame(from: record) }
    }
    return nil
  }

  /// What a line says, or nil for a header.
  private mutating func parse(_ bytes: [UInt8]) throws(BarReadError) -> BarRecord? {
    let isHeader = format == .csv && csv == nil
    do throws(PoseReadError.Reason.Box) {
      if format == .jsonLines { return try BarRecord(json: bytes, options: options) }
      if let csv { return try BarRecord(csv: bytes, header: csv) }
      csv = try BarCSVHeader(bytes, options: options)
      return nil
    } catch {
      throw failure(.unreadable(error.reason), inHeader: isHeader)
    }
  }

  /// Whether a row is of the lift that is read. A new lift starts anew.
  private mutating func isWanted(_ name: String?) throws(BarReadError) -> Bool {
    switch options.lift {
    case .named(let wanted):
      guard let name else {
        throw failure(.unreadable(.missingField("lift, of which \(wanted.quotedForMessage) is to be read,")))
      }
      guard name == wanted else { return false }
    case .only:
      if let lift, let name, lift != name { throw failure(.severalLifts(first: lift, found: name)) }
    case .each:
      if lift != nil, lift != name {
        (frameCount, previousTimestamp) = (0, nil)
        clock = FrameClock(framesPerSecond: options.framesPerSecond)
      }
    }
    lift = name
    return true
  }

  private mutating func frame(from record: BarRecord) throws(BarReadError) -> BarFrame {
    // That of the next frame, if this one can be used.
    var clock = clock
    let numbered = record.frame.flatMap { number in options.framesPerSecond.map { number / $0 } }
    guard let timestamp = clock.time(record.timestamp ?? numbered) else {
      let field = "the time in seconds, without a frame rate to fill it in,"
      throw failure(.unreadable(.missingField(record.frame == nil ? field : "\(field) beside the frame's number")))
    }
    let frame = BarFrame(
      timestamp: timestamp, width: record.width ?? options.width, height: record.height ?? options.height,
      space: record.space ?? options.space, observation: record.observation, pose: record.pose)
    do {
      _ = try frame.pixels(frameIndex: frameCount, after: previousTimestamp, minVisibility: 0)
    } catch {
      throw failure(.invalidFrame(error.reason))
    }
    self.clock = clock
    previousTimestamp = timestamp
    frameCount += 1
    return frame
  }

  private func failure(_ reason: BarReadError.Reason, inHeader: Bool = false) -> BarReadError {
    BarReadError(line: lineNumber, frameIndex: inHeader ? nil : frameCount, reason: reason)
  }
}

/// What one line says, before defaults are filled in and anything is checked against anything else.
struct BarRecord: Equatable {
  var timestamp: Double?
  /// The frame's number.
  var frame: Double?
  var width: Double?
  var height: Double?
  var space: ImageSpace?
  var observation = BarObservation.center(nil)
  var pose: BarPose?
  var lift: String?
}
