/// Which column of a CSV file holds what; the form is described at ``PoseFormat/csv``.
struct PoseCSVHeader: Sendable {
  struct Point: Sendable {
    var x: Int
    var y: Int
    var confidence: Int?
  }

  let columns: [String]
  let timestamp: Int?
  let width: Int?
  let height: Int?
  let space: Int?
  let points: [Point]

  /// - Throws: when a column is missing or occurs twice.
  init(_ bytes: [UInt8], options: PoseReaderOptions) throws(PoseReadError.Reason.Box) {
    columns = try CSVRow.fields(of: bytes).map { String(decoding: $0, as: UTF8.self) }
    var places: [String: Int] = [:]
    for (place, column) in columns.enumerated() where !column.isEmpty {
      guard places.updateValue(place, forKey: column) == nil else { throw .init(.duplicateField(column)) }
    }
    func place(_ column: String, orDefault hasDefault: Bool) throws(PoseReadError.Reason.Box) -> Int? {
      guard places[column] != nil || hasDefault else { throw .init(.missingField("column \(column)")) }
      return places[column]
    }
    timestamp = try place("t", orDefault: options.framesPerSecond != nil)
    width = try place("width", orDefault: options.width != nil)
    height = try place("height", orDefault: options.height != nil)
    space = places["space"]
    var points: [Point] = []
    for name in options.order.pointNames {
      guard let x = places[name + "_x"] else { throw .init(.missingField("column \(name)_x")) }
      guard let y = places[name + "_y"] else { throw .init(.missingField("column \(name)_y")) }
      points.append(Point(x: x, y: y, confidence: places[name + "_confidence"]))
    }
    self.points = points
  }
}

extension PoseRecord {
  /// Reads one row.
  init(csv bytes: [UInt8], header: PoseCSVHeader) throws(PoseReadError.Reason.Box) {
    let fields = try CSVRow.fields(of: bytes)
    guard fields.count == header.columns.count else {
      throw .init(.wrongColumnCount(found: fields.count, expected: header.columns.count))
    }
    func number(_ place: Int?) throws(PoseReadError.Reason.Box) -> Double? {
      guard let place else { return nil }
      return try CSVRow.number(fields[place], column: header.columns[place])
    }
    timestamp = try number(header.timestamp)
    width = try number(header.width)
    height = try number(header.height)
    if let place = header.space, !fields[place].isEmpty {
      let name = String(decoding: fields[place], as: UTF8.self)
      guard let space = ImageSpace(rawValue: name) else { throw .init(.unknownSpace(name)) }
      self.space = space
    }
    points.reserveCapacity(header.points.count)
    for point in header.points {
      let x = try number(point.x)
      let y = try number(point.y)
      let confidence = try number(point.confidence)
      switch (x, y) {
      case (let x?, let y?): points.append(PosePoint(x: x, y: y, confidence: confidence))
      case (nil, nil): points.append(nil)
      default:
        let empty = header.columns[x == nil ? point.x : point.y]
        throw .init(.wrongValue(field: empty, found: "", expected: "a number, or x and y both empty"))
      }
    }
  }
}

/// A row of comma-separated fields, as RFC 4180 has them; no field reaches over a line end.
enum CSVRow {
  /// Spellings of numbers that are none, in lower case.
  static let notFinite: [Substring: Double] = [
    "nan": .nan, "-nan": .nan, "inf": .infinity, "-inf": -.infinity,
    "infinity": .infinity, "-infinity": -.infinity,
  ]

  /// The number in a field, or nil where the field is empty.
  static func number(_ field: [UInt8], column: String) throws(PoseReadError.Reason.Box) -> Double? {
    guard !field.isEmpty else { return nil }
    if let value = DecimalNumber.whole(field) {
      guard value.isFinite else { throw .init(.invalidFrame(.notFinite(field: column, value: value))) }
      return value
    }
    let text = String(decoding: field, as: UTF8.self)
    if let value = notFinite[text.lowercased().drop { $0 == "+" }] {
      throw .init(.invalidFrame(.notFinite(field: column, value: value)))
    }
    throw .init(.wrongValue(field: column, found: text, expected: "a number or nothing"))
  }

  /// The fields without quotes and without blanks around them.
  static func fields(of bytes: [UInt8]) throws(PoseReadError.Reason.Box) -> [[UInt8]] {
    let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var fields: [[UInt8]] = []
    var index = 0
    while true {
      while index < bytes.count, isBlank(bytes[index]) { index += 1 }
      if index < bytes.count, bytes[index] == quote {
        let opening = index
        var field: [UInt8] = []
        index += 1
        while true {
          guard index < bytes.count else {
            throw .init(.malformed(column: opening + 1, message: "quoted field without an end"))
          }
          if bytes[index] == quote {
            index += 1
            guard index < bytes.count, bytes[index] == quote else { break }
          }
          field.append(bytes[index])
          index += 1
        }
        while index < bytes.count, isBlank(bytes[index]) { index += 1 }
        guard index == bytes.count || bytes[index] == comma else {
          throw .init(.malformed(column: index + 1, message: "expected ',' after a quoted field"))
        }
        fields.append(field)
      } else {
        let start = index
        while index < bytes.count, bytes[index] != comma { index += 1 }
        var end = index
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        fields.append(Array(bytes[start..<end]))
      }
      guard index < bytes.count else { return fields }
      index += 1
    }
  }
}
