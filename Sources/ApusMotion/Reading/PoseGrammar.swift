import ApusBase

/// The lines of a file of poses, in any of their formats.
struct PoseGrammar: LineGrammar {
  typealias Frame = PoseFrame
  typealias Reason = PoseReadError.Reason

  let options: PoseReaderOptions
  private var format: PoseFormat
  private var csv: PoseCSVHeader?
  private var deepLabCut: DeepLabCutTable?
  private var sleap: SLEAPTable?

  /// Whether the first row of a table of DeepLabCut is named after a picture.
  private(set) var isOfPictures = false

  init(_ options: PoseReaderOptions) { (self.options, format) = (options, options.format) }

  var framesPerSecond: Double? { options.framesPerSecond }

  /// How a header's names of body parts became points.
  var keypointNames: KeypointNames? { deepLabCut?.columns?.names ?? sleap?.columns.names }

  mutating func record(_ line: [UInt8], isFirst: Bool) throws(RecordFailure<PoseFrame>) -> PoseRecord? {
    if isFirst, line.starts(with: Self.hdf5Mark) { throw RecordFailure(reason: .file(.hdf5), isInHeader: true) }
    if format == .automatic { format = Self.format(of: line) }
    let isHeader = format != .jsonLines && csv == nil && sleap == nil && deepLabCut?.columns == nil
    do throws(Reason) {
      switch format {
      case .jsonLines: return try PoseRecord(json: line, order: options.order)
      case .deepLabCut:
        if let columns = deepLabCut?.columns {
          isOfPictures = isOfPictures || columns.isOfPicture(line)
          return try columns.record(line, order: options.order)
        }
        var table = deepLabCut ?? DeepLabCutTable()
        try table.take(line, options: options)
        deepLabCut = table
      case .sleap:
        if var table = sleap {
          defer { sleap = table }
          return try table.record(line, order: options.order)
        }
        sleap = try SLEAPTable(header: line, options: options)
      case .csv, .automatic:
        if let csv { return try Reason.inRow { () throws(RowFault) in try PoseRecord(csv: line, header: csv) } }
        csv = try Reason.inRow { () throws(RowFault) in try PoseCSVHeader(line, options: options) }
      }
      return nil
    } catch {
      throw RecordFailure(reason: error, isInHeader: isHeader)
    }
  }

  func turn(of record: PoseRecord) -> RecordTurn { .isRead }

  func frame(of record: PoseRecord, at time: Double, after previous: Double?) throws(Reason) -> PoseFrame {
    guard let width = record.width ?? options.width else { throw .row(.missingField("width")) }
    guard let height = record.height ?? options.height else { throw .row(.missingField("height")) }
    let frame = PoseFrame(
      timestamp: time, width: width, height: height,
      space: record.space ?? options.space ?? options.order.defaultSpace, points: record.points,
      pictureNumber: record.pictureNumber ?? record.frameNumber.flatMap { Int(exactly: $0) })
    if let fault = frame.fault(order: options.order, after: previous) { throw .frame(fault) }
    return frame
  }

  private static let hdf5Mark = [0x89] + Array("HDF".utf8)

  private static func format(of line: [UInt8]) -> PoseFormat {
    let first = line.first { $0 != 0x20 && $0 != 0x09 }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return .jsonLines }
    // A line that cannot be cut into fields is refused by the reader of CSV.
    let fields = (try? CSVRow.fields(of: line)) ?? []
    if fields.first?.elementsEqual("scorer".utf8) == true { return .deepLabCut }
    // A table of poses may have a column of that name too, and no nodes.
    let isSLEAP = fields.contains { $0.elementsEqual("frame_idx".utf8) } && fields.contains { $0.ends(with: ".x") }
    return isSLEAP ? .sleap : .csv
  }
}

extension [UInt8] {
  fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

/// What one line says of a pose, before defaults are filled in and anything is checked against anything else.
struct PoseRecord: TimedRecord, Equatable {
  var timestamp: Double?
  /// Which frame of its video it is, where the file says that instead.
  var frameNumber: Double?
  /// The number of its picture, which says nothing of its time.
  var pictureNumber: Int?
  var width: Double?
  var height: Double?
  var space: ImageSpace?
  var points: [PosePoint?] = []
}
