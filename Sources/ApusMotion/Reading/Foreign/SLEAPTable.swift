import ApusBase

/// The columns of a SLEAP analysis CSV file; the form is described at ``PoseFormat/sleap``.
struct SLEAPTable: Sendable {
  let columns: NamedColumns
  /// The track whose rows are read; nil until the first row, where none was asked for.
  private var track: String?
  private let isTrackGiven: Bool
  private var lastNumber: Int?

  init(header bytes: [UInt8], options: PoseReaderOptions) throws(PoseReadError.Reason) {
    let names = try PoseReadError.Reason.inRow { () throws(RowFault) in try CSVRow.texts(of: bytes) }
    var columns = NamedColumns(count: names.count)
    guard let frame = names.firstIndex(of: "frame_idx") else { throw .row(.missingField("column frame_idx")) }
    columns.frameColumns = frame..<frame + 1
    columns.trackColumn = names.firstIndex(of: "track")
    if columns.trackColumn == nil, let wanted = options.individual {
      throw .file(.unknownIndividual(wanted, among: []))
    }
    let nodes = Set(names.filter { $0.hasSuffix(".x") }.map { String($0.dropLast(2)) })
    for (column, name) in names.enumerated() {
      for (suffix, part) in [(".x", \NamedColumns.Point.x), (".y", \.y), (".score", \.confidence)]
      where name.hasSuffix(suffix) {
        let node = String(name.dropLast(suffix.count))
        // The score of an instance has no x beside it.
        if nodes.contains(node) { try columns.add(part, column, of: node) }
      }
    }
    try columns.finish(options: options)
    self.columns = columns
    track = options.individual
    isTrackGiven = options.individual != nil
  }

  /// The frame of a row, or nil for a row of another track than the one asked for.
  mutating func record(_ bytes: [UInt8], order: KeypointOrder) throws(PoseReadError.Reason) -> PoseRecord? {
    let fields = try PoseReadError.Reason.inRow { () throws(RowFault) in try CSVRow.fields(of: bytes) }
    guard fields.count == columns.count else {
      throw .row(.wrongColumnCount(found: fields.count, expected: columns.count))
    }
    if let column = columns.trackColumn {
      let found = String(decoding: fields[column], as: UTF8.self)
      let wanted = track ?? found
      track = wanted
      guard found == wanted else {
        if isTrackGiven { return nil }
        throw .file(.severalIndividuals([wanted, found]))
      }
    }
    guard let number = columns.frameNumber(of: fields) else {
      let text = columns.frameColumns.first.map { String(decoding: fields[$0], as: UTF8.self) } ?? ""
      throw .row(.wrongValue(field: "frame_idx", found: text, expected: "an integer"))
    }
    // Rows of one animal have a frame each.
    if number == lastNumber { throw .file(.severalIndividuals([])) }
    lastNumber = number
    var record = PoseRecord(space: .pixel)
    record.frameNumber = Double(number)
    record.points = try columns.points(of: fields, order: order)
    return record
  }
}
