import ApusBase

/// How poses are written down.
public enum PoseFormat: String, CaseIterable, Sendable, Hashable {
  /// What the first line that is not blank says: JSON Lines if it begins with `{` or `[`, DeepLabCut if its first field
  /// is `scorer`, SLEAP if it has a column `frame_idx` and one that ends in `.x`, otherwise CSV. A JSON document with
  /// `skeletons` at its beginning is SLEAP's.
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
  /// From a body part's name in files of DeepLabCut and SLEAP to that of a point, before any other name.
  public var names: [String: String] = [:]
  /// The animal to read, in files of DeepLabCut and SLEAP with several: the name of an individual or a track.
  public var individual: String?

  public init() {}

  /// - Throws: ``MotionConfigurationError`` naming the first setting outside its range.
  public func validate() throws(MotionConfigurationError) {
    if let framesPerSecond { _ = try FrameThrottle(framesPerSecond: framesPerSecond) }
    for size in [width, height] {
      if let size, !(size.isFinite && size > 0) { throw .invalidImageSize(size) }
    }
    guard lineLimit >= 1 else { throw .invalidLineLimit(lineLimit) }
    for name in names.values.sorted() where !order.pointNames.contains(name) {
      throw .unknownKeypoint(name, order: order)
    }
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
/// A document of JSON alone is kept to its end.
public struct PoseFrameReader: Sendable {
  public let options: PoseReaderOptions

  /// The number of the line read last, from 1; 0 before the first.
  public var lineNumber: Int { lines.lineNumber }
  /// How many frames have been handed out; also the index of the next.
  public private(set) var frameCount = 0

  private var lines: LineBuffer
  private var format: PoseFormat
  private var csv: PoseCSVHeader?
  private var deepLabCut: DeepLabCutTable?
  private var sleap: SLEAPTable?
  /// Set until it is known whether lines follow or a document.
  private var opening: PoseOpening?
  /// The document so far.
  private var document: [UInt8]?
  private var documentNames: KeypointNames?
  private var records: ArraySlice<PoseRecord> = []
  private var hasEnded = false
  private var previousTimestamp: Double?
  private var clock: FrameClock

  /// - Throws: ``MotionConfigurationError`` for a setting outside its range.
  public init(options: PoseReaderOptions = PoseReaderOptions()) throws(MotionConfigurationError) {
    try options.validate()
    self.options = options
    format = options.format
    lines = LineBuffer(limit: options.lineLimit)
    clock = FrameClock(framesPerSecond: options.framesPerSecond)
    if format == .automatic || format == .sleap { opening = PoseOpening() }
  }

  /// The longest document that is read, in bytes.
  public static let documentLimit = 1 << 28

  /// How the body parts of a file of DeepLabCut or SLEAP became points; nil before its header has been read, and for
  /// other files.
  public var keypointNames: KeypointNames? {
    deepLabCut?.columns?.names ?? sleap?.columns.names ?? documentNames
  }

  /// Adds bytes, cut anywhere.
  public mutating func append(_ bytes: some Sequence<UInt8>) {
    if opening != nil {
      opening?.append(bytes)
      decide(isAtEnd: false)
    } else if document != nil {
      // One byte too many is enough to know.
      let room = Self.documentLimit + 1 - (document?.count ?? 0)
      document?.append(contentsOf: bytes.prefix(room))
    } else {
      lines.append(bytes)
    }
  }

  /// Adds a whole line; its end is added here.
  public mutating func append(line: some StringProtocol) {
    append(Array(line.utf8) + CollectionOfOne(0x0A))
  }

  /// Says that no more bytes will come, so that a last line without a line end is read.
  public mutating func finish() {
    decide(isAtEnd: true)
    hasEnded = true
    lines.end()
  }

  /// Hands the first bytes on, once they say to what.
  private mutating func decide(isAtEnd: Bool) {
    guard let first = opening, let decision = first.decision(isAtEnd: isAtEnd, format: format) else { return }
    opening = nil
    switch decision {
    case .lines: lines.append(first.bytes)
    case .document:
      format = .sleap
      document = first.bytes
    }
  }

  /// The next frame, or nil until more bytes come.
  ///
  /// - Throws: ``PoseReadError``, naming the line. The line is left out: asking again goes on with the one after it.
  public mutating func next() throws(PoseReadError) -> PoseFrame? {
    if hasEnded, let bytes = document {
      document = nil
      guard bytes.count <= Self.documentLimit else {
        throw PoseReadError(line: 1, frameIndex: nil, reason: .lineTooLong(limit: Self.documentLimit))
      }
      let labels = try SLEAPLabels(json: bytes, options: options)
      (records, documentNames) = (labels.records[...], labels.names)
    }
    if let record = records.popFirst() { return try frame(from: record) }
    while let line = lines.next() {
      guard case .bytes(var bytes) = line else {
        throw failure(.lineTooLong(limit: options.lineLimit), inHeader: false)
      }
      if lineNumber == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
      guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
      if lineNumber == 1, bytes.starts(with: Self.hdf5Mark) { throw failure(.hdf5, inHeader: true) }
      if format == .automatic { format = Self.format(of: bytes) }
      if let record = try parse(bytes) { return try frame(from: record) }
    }
    return nil
  }

  /// What a line says, or nil for a header.
  private mutating func parse(_ bytes: [UInt8]) throws(PoseReadError) -> PoseRecord? {
    let isHeader = format != .jsonLines && csv == nil && sleap == nil && deepLabCut?.columns == nil
    do throws(PoseReadError.Reason.Box) {
      switch format {
      case .jsonLines: return try PoseRecord(json: bytes, order: options.order)
      case .deepLabCut:
        if let columns = deepLabCut?.columns { return try columns.record(bytes, order: options.order) }
        var table = deepLabCut ?? DeepLabCutTable()
        try table.take(bytes, options: options)
        deepLabCut = table
      case .sleap:
        if var table = sleap {
          defer { sleap = table }
          return try table.record(bytes, order: options.order)
        }
        sleap = try SLEAPTable(header: bytes, options: options)
      case .csv, .automatic:
        if let csv { return try PoseRecord(csv: bytes, header: csv) }
        csv = try PoseCSVHeader(bytes, options: options)
      }
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
    // A frame that is refused does not count.
    var clock = clock
    let numbered = record.frameNumber.flatMap { number in options.framesPerSecond.map { Double(number) / $0 } }
    guard let timestamp = clock.time(record.timestamp ?? numbered) else {
      throw failure(.missingField("t, the time in seconds, without a frame rate to fill it in,"))
    }
    let frame = PoseFrame(
      timestamp: timestamp, width: width, height: height, space: record.space ?? options.space, points: record.points)
    do {
      try frame.validate(order: options.order, frameIndex: frameCount, after: previousTimestamp)
    } catch {
      throw failure(.invalidFrame(error.reason))
    }
    self.clock = clock
    previousTimestamp = timestamp
    frameCount += 1
    return frame
  }

  private func failure(_ reason: PoseReadError.Reason, inHeader: Bool = false) -> PoseReadError {
    PoseReadError(line: max(1, lineNumber), frameIndex: inHeader ? nil : frameCount, reason: reason)
  }

  private static let hdf5Mark = [0x89] + Array("HDF".utf8)

  private static func format(of line: [UInt8]) -> PoseFormat {
    let first = line.first { $0 != 0x20 && $0 != 0x09 }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return .jsonLines }
    // A line whose fields cannot be told apart is for the reader of CSV to refuse.
    let fields = (try? CSVRow.fields(of: line)) ?? []
    if fields.first?.elementsEqual("scorer".utf8) == true { return .deepLabCut }
    // A table of our own may have a column of that name too, and no nodes.
    let isSLEAP = fields.contains { $0.elementsEqual("frame_idx".utf8) } && fields.contains { $0.ends(with: ".x") }
    return isSLEAP ? .sleap : .csv
  }
}

extension [UInt8] {
  fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

/// What one line says, before defaults are filled in and anything is checked against anything else.
struct PoseRecord: Equatable {
  var timestamp: Double?
  /// Which frame of its video it is, where the file says that instead.
  var frameNumber: Int?
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
