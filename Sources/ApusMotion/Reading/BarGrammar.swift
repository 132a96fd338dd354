import ApusBase

/// The lines of a file of detections or bar positions.
struct BarGrammar: LineGrammar {
  typealias Frame = BarFrame
  typealias Reason = BarReadError.Reason

  let options: BarReaderOptions
  /// The lift of the record read last, where the file names lifts.
  private(set) var lift: String?
  private var format: BarFrameFormat
  private var csv: BarCSVHeader?
  private var fit = SpaceFit()

  init(_ options: BarReaderOptions) { (self.options, format) = (options, options.format) }

  var framesPerSecond: Double? { options.framesPerSecond }

  mutating func record(_ line: [UInt8], isFirst: Bool) throws(RecordFailure<BarFrame>) -> BarRecord? {
    let first = line.first { $0 != 0x20 && $0 != 0x09 }
    if format != .jsonLines, first == UInt8(ascii: "#") { return nil }
    if format == .automatic {
      format = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .jsonLines : .csv
    }
    let isHeader = format == .csv && csv == nil
    do throws(RowFault) {
      if format == .jsonLines { return try BarRecord(json: line, options: options) }
      if let csv { return try BarRecord(csv: line, header: csv) }
      csv = try BarCSVHeader(line, options: options)
      return nil
    } catch {
      throw RecordFailure(reason: .row(error), isInHeader: isHeader)
    }
  }

  mutating func turn(of record: BarRecord) throws(Reason) -> RecordTurn {
    switch options.lift {
    case .named(let wanted):
      guard let name = record.lift else {
        throw .row(.missingField("lift, of which \(wanted.quotedForMessage) is to be read,"))
      }
      guard name == wanted else { return .isPassedOver }
    case .only:
      if let lift, let name = record.lift, lift != name { throw .file(.severalLifts(first: lift, found: name)) }
    case .each:
      if lift != nil, lift != record.lift {
        lift = record.lift
        return .startsAnew
      }
    }
    lift = record.lift
    try checkSpace(of: record)
    return .isRead
  }

  /// Adds what a record sees to what was seen, and checks that it may be in the space of its line.
  private mutating func checkSpace(of record: BarRecord) throws(Reason) {
    guard let width = record.width ?? options.width, let height = record.height ?? options.height else { return }
    let space = record.space ?? options.space
    func add(_ x: Double, _ y: Double) { fit.add(x: x, y: y, in: space, width: width, height: height) }
    switch record.observation {
    case .center(let center): if let center { add(center.x, center.y) }
    case .detections(let boxes):
      for box in boxes {
        add(box.x, box.y)
        add(box.x + box.width, box.y + box.height)
      }
    }
    if let mistake = fit.mistake { throw .frame(.spaceMistake(mistake)) }
  }

  func frame(of record: BarRecord, at time: Double, after previous: Double?) throws(Reason) -> BarFrame {
    let frame = BarFrame(
      timestamp: time, width: record.width ?? options.width, height: record.height ?? options.height,
      space: record.space ?? options.space, observation: record.observation, pose: record.pose,
      number: record.frameNumber.flatMap { Int(exactly: $0) })
    do throws(BarFrame.Fault) {
      _ = try frame.checked(after: previous)
    } catch {
      throw .frame(error)
    }
    return frame
  }
}

/// What one line says of a lift, before defaults are filled in and anything is checked against anything else.
struct BarRecord: TimedRecord, Equatable {
  var timestamp: Double?
  var frameNumber: Double?
  var width: Double?
  var height: Double?
  var space: ImageSpace?
  var observation = BarObservation.center(nil)
  var pose: BarPose?
  var lift: String?
}
