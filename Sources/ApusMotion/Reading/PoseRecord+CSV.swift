/// Which column of a CSV file holds what; the form is described at ``PoseFormat/csv``.
struct PoseCSVHeader: Sendable {
  struct Point: Sendable {
    var x: Int
    var y: Int
    var confidence: Int?
  }

  let columns: CSVColumns
  let timestamp: Int?
  let width: Int?
  let height: Int?
  let space: Int?
  let points: [Point]

  /// - Throws: when a column is missing or occurs twice.
  init(_ bytes: [UInt8], options: PoseReaderOptions) throws(RowFault) {
    let columns = try CSVColumns(header: bytes)
    func place(_ name: String, orDefault hasDefault: Bool) throws(RowFault) -> Int? {
      hasDefault ? columns[name] : try columns.place(of: name)
    }
    timestamp = try place("t", orDefault: options.framesPerSecond != nil)
    width = try place("width", orDefault: options.width != nil)
    height = try place("height", orDefault: options.height != nil)
    space = columns["space"]
    var points: [Point] = []
    for name in options.order.pointNames {
      points.append(
        Point(
          x: try columns.place(of: name + "_x"), y: try columns.place(of: name + "_y"),
          confidence: columns[name + "_confidence"]))
    }
    (self.columns, self.points) = (columns, points)
  }
}

extension PoseRecord {
  /// Reads one row.
  init(csv bytes: [UInt8], header: PoseCSVHeader) throws(RowFault) {
    let row = try CSVTableRow(bytes, of: header.columns)
    timestamp = try row.number(header.timestamp)
    width = try row.number(header.width)
    height = try row.number(header.height)
    space = try row.space(header.space)
    points.reserveCapacity(header.points.count)
    for point in header.points { points.append(try row.point(x: point.x, y: point.y, confidence: point.confidence)) }
  }
}
