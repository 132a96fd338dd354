/// Which column of a CSV file holds what; the form is described at ``BarFrameFormat/csv``.
struct BarCSVHeader: Sendable {
  typealias Point = (x: Int, y: Int)

  let columns: CSVColumns
  let bar: Point
  let leftWrist: Point?
  let rightWrist: Point?
  /// The column of the time, and how many of its units a second has.
  let time: (place: Int, perSecond: Double)?
  let frame: Int?
  let width: Int?
  let height: Int?
  let space: Int?
  let lift: Int?

  /// - Throws: when a column is missing or occurs twice.
  init(_ bytes: [UInt8], options: BarReaderOptions) throws(RowFault) {
    let columns = try CSVColumns(header: bytes)
    func point(_ x: String, _ y: String) throws(RowFault) -> Point? {
      if columns[x] == nil, columns[y] == nil { return nil }
      return (try columns.place(of: x), try columns.place(of: y))
    }
    var bar: Point?
    for (x, y) in [("bar_x", "bar_y"), ("x_px", "y_px"), ("x", "y")] where bar == nil { bar = try point(x, y) }
    guard let bar else { throw .missingField("column bar_x (or x_px, or x)") }
    self.bar = bar
    leftWrist = try point("wrist_l_x", "wrist_l_y")
    rightWrist = try point("wrist_r_x", "wrist_r_y")
    frame = columns["frame"]
    if let place = columns["t"] ?? columns["timestamp"] {
      time = (place, 1)
    } else {
      time = columns["timestamp_ms"].map { ($0, 1000) }
    }
    guard time != nil || options.framesPerSecond != nil else {
      throw .missingField("column t (or timestamp, or timestamp_ms), without a frame rate to fill it in,")
    }
    (width, height, space, lift) = (columns["width"], columns["height"], columns["space"], columns["lift"])
    self.columns = columns
  }
}

extension BarRecord {
  /// Reads one row.
  init(csv bytes: [UInt8], header: BarCSVHeader) throws(RowFault) {
    let row = try CSVTableRow(bytes, of: header.columns)
    func point(_ place: BarCSVHeader.Point?) throws(RowFault) -> PosePoint? {
      guard let place else { return nil }
      return try row.point(x: place.x, y: place.y)
    }
    if let (place, perSecond) = header.time { timestamp = try row.number(place).map { $0 / perSecond } }
    frameNumber = try row.number(header.frame)
    width = try row.number(header.width)
    height = try row.number(header.height)
    space = try row.space(header.space)
    lift = row.text(header.lift)
    observation = .center(try point(header.bar).map { BarPoint(x: $0.x, y: $0.y) })
    let (left, right) = (try point(header.leftWrist), try point(header.rightWrist))
    if left != nil || right != nil { pose = BarPose(leftWrist: left, rightWrist: right) }
  }
}
