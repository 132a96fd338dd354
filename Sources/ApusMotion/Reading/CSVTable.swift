import ApusBase

/// The columns of a table whose first row names them.
struct CSVColumns: Sendable {
  let names: [String]
  private let places: [String: Int]

  /// - Throws: when a name occurs twice; columns without a name may.
  init(header bytes: [UInt8]) throws(RowFault) {
    names = try CSVRow.texts(of: bytes)
    var places: [String: Int] = [:]
    for (place, name) in names.enumerated() where !name.isEmpty {
      guard places.updateValue(place, forKey: name) == nil else { throw .duplicateField(name) }
    }
    self.places = places
  }

  /// Where the column of this name is, from 0.
  subscript(name: String) -> Int? { places[name] }

  /// Where a column is that must be there.
  func place(of name: String) throws(RowFault) -> Int {
    guard let place = places[name] else { throw .missingField("column \(name)") }
    return place
  }
}

/// A row of such a table. Where there is no column for it there is no value either.
struct CSVTableRow {
  private let columns: CSVColumns
  private let fields: [[UInt8]]

  /// - Throws: when the row has another number of fields than the header.
  init(_ bytes: [UInt8], of columns: CSVColumns) throws(RowFault) {
    fields = try CSVRow.fields(of: bytes)
    self.columns = columns
    guard fields.count == columns.names.count else {
      throw .wrongColumnCount(found: fields.count, expected: columns.names.count)
    }
  }

  func text(_ place: Int?) -> String? {
    place.map { String(decoding: fields[$0], as: UTF8.self) }
  }

  /// Nil for an empty field too.
  func number(_ place: Int?) throws(RowFault) -> Double? {
    guard let place else { return nil }
    return try CSVRow.number(fields[place], column: columns.names[place])
  }

  /// Nil for an empty field too.
  func space(_ place: Int?) throws(RowFault) -> ImageSpace? {
    guard let name = text(place), !name.isEmpty else { return nil }
    guard let space = ImageSpace(rawValue: name) else { throw .unknownSpace(name) }
    return space
  }

  /// Nil where neither x nor y is given.
  func point(x: Int, y: Int, confidence: Int? = nil) throws(RowFault) -> PosePoint? {
    switch (try number(x), try number(y), try number(confidence)) {
    case (let x?, let y?, let confidence): return PosePoint(x: x, y: y, confidence: confidence)
    case (nil, nil, _): return nil
    case (let found, _, _):
      let empty = columns.names[found == nil ? x : y]
      throw .wrongValue(field: empty, found: "", expected: "a number, or x and y both empty")
    }
  }
}

extension RowFault {
  static func unknownSpace(_ name: String) -> Self {
    let known = ImageSpace.allCases.map(\.rawValue).joined(separator: ", ")
    return .wrongValue(field: "space", found: name, expected: "one of \(known)")
  }
}
