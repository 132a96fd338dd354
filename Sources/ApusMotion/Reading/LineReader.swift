import ApusBase

/// What the lines of a file of frames mean: a kind of frame, and the formats that it is written in.
protocol LineGrammar: Sendable {
  associatedtype Frame: ReadableFrame
  /// What one line says, before defaults are filled in and anything is checked against anything else.
  associatedtype Record: TimedRecord

  /// Frames per second for records without a time.
  var framesPerSecond: Double? { get }

  /// What a line says, or nil for a line without a frame: a header, a comment, another animal.
  ///
  /// - Parameter line: not blank, without its end.
  mutating func record(_ line: [UInt8], isFirst: Bool) throws(RecordFailure<Frame>) -> Record?

  /// Whether a record is read. Those of another recording in the same file may be passed over, or start anew.
  mutating func turn(of record: Record) throws(FrameReadError<Frame>.Reason) -> RecordTurn

  /// The checked frame of a record.
  func frame(of record: Record, at time: Double, after previous: Double?) throws(FrameReadError<Frame>.Reason) -> Frame
}

/// A record that may say when it was.
protocol TimedRecord {
  /// Seconds.
  var timestamp: Double? { get }
  /// Which frame of its video it is, where the file says that instead.
  var frameNumber: Double? { get }
}

/// What becomes of a record.
enum RecordTurn {
  case isRead, isPassedOver
  /// It is the first of another recording: frames and times count from it.
  case startsAnew
}

/// A line that cannot be read.
struct RecordFailure<Frame: ReadableFrame>: Error {
  var reason: FrameReadError<Frame>.Reason
  /// Whether it is a line without a frame.
  var isInHeader = false
}

/// Reads frames line by line from bytes as they come; what the lines mean is the grammar's.
///
/// It cuts lines, holds their limit, passes over blank ones and a byte order mark, fills in times, and says where a line
/// is wrong. A line that fails is left out, and the next one can be asked for.
struct LineReader<Grammar: LineGrammar>: Sendable {
  typealias ReadError = FrameReadError<Grammar.Frame>

  var grammar: Grammar
  private(set) var timeline: FrameTimeline
  private var lines: LineBuffer

  init(_ grammar: Grammar, lineLimit: Int) {
    self.grammar = grammar
    timeline = FrameTimeline(framesPerSecond: grammar.framesPerSecond)
    lines = LineBuffer(limit: lineLimit)
  }

  /// The number of the line read last, from 1; 0 before the first.
  var lineNumber: Int { lines.lineNumber }

  mutating func append(_ bytes: some Sequence<UInt8>) { lines.append(bytes) }

  mutating func finish() { lines.end() }

  /// The next frame, or nil until more bytes come.
  mutating func next() throws(ReadError) -> Grammar.Frame? {
    while let line = lines.next() {
      guard case .bytes(var bytes) = line else { throw failure(.row(.lineTooLong(limit: lines.limit))) }
      if lineNumber == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
      guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
      let record: Grammar.Record?
      do throws(RecordFailure<Grammar.Frame>) {
        record = try grammar.record(bytes, isFirst: lineNumber == 1)
      } catch {
        throw failure(error.reason, inHeader: error.isInHeader)
      }
      if let record, let frame = try frame(of: record) { return frame }
    }
    return nil
  }

  /// The frame of a record, checked against the one before; nil for one that is passed over. A record that fails leaves
  /// the times of those after it as they were.
  mutating func frame(of record: Grammar.Record) throws(ReadError) -> Grammar.Frame? {
    do throws(ReadError.Reason) {
      switch try grammar.turn(of: record) {
      case .isPassedOver: return nil
      case .startsAnew: timeline = FrameTimeline(framesPerSecond: grammar.framesPerSecond)
      case .isRead: break
      }
      let frame = try timeline.next(at: record.timestamp, number: record.frameNumber) {
        (time, previous) throws(ReadError.Reason) in
        try grammar.frame(of: record, at: time, after: previous)
      }
      guard let frame else { throw .row(FrameTimeline.missingTime) }
      return frame
    } catch {
      throw failure(error)
    }
  }

  func failure(_ reason: ReadError.Reason, inHeader: Bool = false) -> ReadError {
    ReadError(line: max(1, lineNumber), frameIndex: inHeader ? nil : timeline.frameCount, reason: reason)
  }
}

/// Frames one after the other: the time of each, counted on where a file leaves it out.
struct FrameTimeline: Sendable {
  /// How many frames there were; also the index of the next.
  private(set) var frameCount = 0
  /// The time of the last frame.
  private var previous: Double?
  private let framesPerSecond: Double?
  /// The last time that was given, or 0, and the frames since.
  private var (lastGiven, framesSince) = (0.0, 0)

  init(framesPerSecond: Double?) { self.framesPerSecond = framesPerSecond }

  static let missingTime = RowFault.missingField("t, the time in seconds, without a frame rate to fill it in,")

  /// The next frame.
  ///
  /// - Parameters:
  ///   - given: its time in seconds, where the file says it.
  ///   - number: which frame of its video it is, where the file says that instead.
  ///   - make: the frame at a time, checked against the time of the frame before. If it throws, nothing has changed.
  /// - Returns: nil where the time is neither given nor known.
  mutating func next<Frame, Failure: Error>(
    at given: Double?, number: Double? = nil, _ make: (_ time: Double, _ previous: Double?) throws(Failure) -> Frame
  ) throws(Failure) -> Frame? {
    let given = given ?? number.flatMap { number in framesPerSecond.map { number / $0 } }
    guard let time = given ?? framesPerSecond.map({ lastGiven + Double(framesSince) / $0 }) else { return nil }
    let frame = try make(time, previous)
    (lastGiven, framesSince) = given.map { ($0, 1) } ?? (lastGiven, framesSince + 1)
    (previous, frameCount) = (time, frameCount + 1)
    return frame
  }
}
