/// Which column of a CSV file holds what; the form is described at ``BarFrameFormat/csv``.
struct BarCSVHeader: Sendable {
  struct Point: Sendable {
    var x: Int
    var y: Int
  }

  let columns: [String]
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
  init(_ bytes: [UInt8], options: BarReaderOptions) throws(PoseReadError.Reason.Box) {
    columns = try CSVRow.fields(of: bytes).map { String(decoding: $0, as: UTF8.self) }
    var places: [String: Int] = [:]
    for (place, column) in columns.enumerated() where !column.isEmpty {
      guard places.updateValue(place, forKey: column) == nil else { throw .init(.duplicateField(column)) }
    }
    func point(_ x: String, _ y: String) throws(PoseReadError.Reason.Box) -> Point? {
      switch (places[x], places[y]) {
      case (let x?, let y?): return Point(x: x, y: y)
      case (nil, nil): return nil
      case (nil, _): throw .init(.missingField("column \(x)"))
      case (_, nil): throw .init(.missingField("column \(y)"))
      }
    }
    var bar: Point?
    for (x, y) in [("bar_x", "bar_y"), ("x_px", "y_px"), ("x", "y")] where bar == nil { bar = try point(x, y) }
    guard let bar else { throw .init(.missingField("column bar_x (or x_px, or x)")) }
    self.bar = bar
    leftWrist = try point("wrist_l_x", "wrist_l_y")
    rightWrist = try point("wrist_r_x", "wrist_r_y")
    frame = places["frame"]
    if let place = places["t"] ?? places["timestamp"] {
      time = (place, 1)
    } else {
      time = places["timestamp_ms"].map { ($0, 1000) }
    }
    guard time != nil || options.framesPerSecond != nil else {
      throw .init(.missingField("column t (or timestamp, or timestamp_ms), without a frame rate to fill it in,"))
    }
    (width, height, space, lift) = (places["width"], places["height"], places["space"], places["lift"])
  }
}

extension BarRecord {
  /// Reads one row.
  init(csv bytes: [UInt8], header: BarCSVHeader) throws(PoseReadError.Reason.Box) {
    let fields = try CSVRow.fields(of: bytes)
    guard fields.count == header.columns.count else {
      throw .init(.wrongColumnCount(found: fields.count, expected: header.columns.count))
    }
    func number(_ place: Int?) throws(PoseReadError.Reason.Box) -> Double? {
      guard let place else { return nil }
      return try CSVRow.number(fields[place], column: header.columns[place])
    }
    func point(_ point: BarCSVHeader.Point?) throws(PoseReadError.Reason.Box) -> BarPoint? {
      guard let point else { return nil }
      switch (try number(point.x), try number(point.y)) {
      case (let x?, let y?): return BarPoint(x: x, y: y)
      case (nil, nil): return nil
      case (let x, _):
        let empty = header.columns[x == nil ? point.x : point.y]
        throw .init(.wrongValue(field: empty, found: "", expected: "a number, or x and y both empty"))
      }
    }
    if let (place, perSecond) = header.time { timestamp = try number(place).map { $0 / perSecond } }
    frame = try number(header.frame)
    width = try number(header.width)
    height = try number(header.height)
    if let place = header.space, !fields[place].isEmpty {
      let name = String(decoding: fields[place], as: UTF8.self)
      guard let space = ImageSpace(rawValue: name) else { throw .init(.unknownSpace(name)) }
      self.space = space
    }
    if let place = header.lift { lift = String(decoding: fields[place], as: UTF8.self) }
    observation = .center(try point(header.bar))
    let left = try point(header.leftWrist).map { PosePoint(x: $0.x, y: $0.y) }
    let right = try point(header.rightWrist).map { PosePoint(x: $0.x, y: $0.y) }
    if left != nil || right != nil { pose = BarPose(leftWrist: left, rightWrist: right) }
  }
}
