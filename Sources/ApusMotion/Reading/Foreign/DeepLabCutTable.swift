import ApusBase

/// The header of a DeepLabCut CSV file, row by row; the form is described at ``PoseFormat/deepLabCut``.
struct DeepLabCutTable: Sendable {
  /// Set once the last row of the header has been read.
  private(set) var columns: NamedColumns?

  private var individuals: [String]?
  private var bodyParts: [String]?
  private var count = 0

  /// Takes a row of the header.
  mutating func take(_ bytes: [UInt8], options: PoseReaderOptions) throws(PoseReadError.Reason) {
    let fields = try PoseReadError.Reason.inRow { () throws(RowFault) in try CSVRow.texts(of: bytes) }
    if count > 0, fields.count != count {
      throw .row(.wrongColumnCount(found: fields.count, expected: count))
    }
    count = fields.count
    switch fields[0] {
    case "scorer": break
    case "individuals", "individual": individuals = fields
    case "bodyparts": bodyParts = fields
    case "coords": columns = try table(coordinates: fields, options: options)
    default:
      throw .row(
        .wrongValue(
          field: "the first field of the header", found: fields[0],
          expected: "scorer, individuals, bodyparts or coords"))
    }
  }

  private func table(
    coordinates: [String], options: PoseReaderOptions
  ) throws(PoseReadError.Reason) -> NamedColumns {
    guard let bodyParts else { throw .row(.missingField("the row bodyparts")) }
    // A row's index is its first column, and those after it that are no body part.
    let indexColumns = bodyParts.dropFirst().firstIndex { !$0.isEmpty } ?? count
    let individual = try individual(in: indexColumns..<count, options: options)
    var columns = NamedColumns(count: count)
    columns.frameColumns = 0..<indexColumns
    for column in indexColumns..<count where individual == nil || individuals?[column] == individual {
      let name = bodyParts[column]
      switch coordinates[column] {
      case "x": try columns.add(\.x, column, of: name)
      case "y": try columns.add(\.y, column, of: name)
      case "likelihood": try columns.add(\.confidence, column, of: name)
      case let other:
        throw .row(.wrongValue(field: "coords of \(name)", found: other, expected: "x, y or likelihood"))
      }
    }
    try columns.finish(options: options)
    return columns
  }

  /// Whose columns are read; nil where the file has one animal and does not name it.
  private func individual(
    in range: Range<Int>, options: PoseReaderOptions
  ) throws(PoseReadError.Reason) -> String? {
    guard let individuals else {
      if let wanted = options.individual { throw .file(.unknownIndividual(wanted, among: [])) }
      return nil
    }
    var names: [String] = []
    for name in individuals[range] where !names.contains(name) {
      names.append(name)
      guard names.count <= 1000 else { throw .file(.severalIndividuals(names)) }
    }
    if let wanted = options.individual {
      guard names.contains(wanted) else {
        throw .file(.unknownIndividual(wanted, among: names))
      }
      return wanted
    }
    // "single" holds the points that belong to no animal.
    let animals = names.filter { $0 != "single" }
    guard animals.count <= 1 else { throw .file(.severalIndividuals(animals)) }
    return animals.first ?? names.first
  }
}

/// Which columns of a table hold which point.
struct NamedColumns: Sendable {
  struct Point: Sendable {
    var name: String
    var x: Int?
    var y: Int?
    var confidence: Int?
  }

  /// How many columns a row has.
  let count: Int
  /// The columns that say which frame a row is.
  var frameColumns = 0..<0
  /// The column with the name of the animal, if there is one.
  var trackColumn: Int?
  private(set) var points: [Point] = []
  /// Set by `finish`.
  private(set) var names: KeypointNames?
  private var places: [String: Int] = [:]

  init(count: Int) { self.count = count }

  mutating func add(
    _ part: WritableKeyPath<Point, Int?>, _ column: Int, of name: String
  ) throws(PoseReadError.Reason) {
    let place = places[name] ?? points.count
    if place == points.count {
      points.append(Point(name: name))
      places[name] = place
    }
    guard points[place][keyPath: part] == nil else { throw .row(.duplicateField(name)) }
    points[place][keyPath: part] = column
  }

  /// Every point must have x and y, and one at least must be known.
  mutating func finish(options: PoseReaderOptions) throws(PoseReadError.Reason) {
    for point in points {
      guard point.x != nil else { throw .row(.missingField("x of \(point.name.quotedForMessage)")) }
      guard point.y != nil else { throw .row(.missingField("y of \(point.name.quotedForMessage)")) }
    }
    names = try KeypointNames(points.map(\.name), order: options.order, map: options.names)
  }

  /// The frame of a row.
  func record(_ bytes: [UInt8], order: KeypointOrder) throws(PoseReadError.Reason) -> PoseRecord {
    let fields = try PoseReadError.Reason.inRow { () throws(RowFault) in try CSVRow.fields(of: bytes) }
    var record = PoseRecord(space: .pixel)
    record.points = try points(of: fields, order: order)
    record.frameNumber = frameNumber(of: fields).map(Double.init)
    return record
  }

  /// The points of a row, in the order asked for.
  func points(
    of fields: [[UInt8]], order: KeypointOrder
  ) throws(PoseReadError.Reason) -> [PosePoint?] {
    guard fields.count == count else { throw .row(.wrongColumnCount(found: fields.count, expected: count)) }
    var result = [PosePoint?](repeating: nil, count: order.pointCount)
    for (point, place) in zip(points, names?.places ?? []) {
      guard let place, let xColumn = point.x, let yColumn = point.y else { continue }
      let x = try Self.number(fields[xColumn], "\(point.name) x")
      let y = try Self.number(fields[yColumn], "\(point.name) y")
      let confidence = try point.confidence.flatMap { (column) throws(PoseReadError.Reason) in
        try Self.number(fields[column], "\(point.name) confidence")
      }
      switch (x, y) {
      case (let x?, let y?): result[place] = PosePoint(x: x, y: y, confidence: confidence)
      case (nil, nil): break
      default:
        throw .row(
          .wrongValue(
            field: "\(point.name) \(x == nil ? "x" : "y")", found: "", expected: "a number, or x and y both empty"))
      }
    }
    return result
  }

  /// Whether a row is named after a picture: that of one which was labelled, or of a frame that was written out.
  func isOfPicture(_ bytes: [UInt8]) -> Bool {
    guard let last = frameColumns.last, let fields = try? CSVRow.fields(of: bytes), last < fields.count else {
      return false
    }
    let name = String(decoding: fields[last], as: UTF8.self).lowercased()
    return [".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff"].contains { name.hasSuffix($0) }
  }

  /// The number of a row's frame: the first field that is an integer, or the digits at the end of a picture's name.
  func frameNumber(of fields: [[UInt8]]) -> Int? {
    guard let last = frameColumns.last, last < fields.count else { return nil }
    let field = fields[last]
    if let number = Self.wholeNumber(field) { return number }
    let name = field.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.map { field[($0 + 1)...] }
    let stem = (name ?? field[...]).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).first ?? []
    return Self.wholeNumber(Array(stem.reversed().prefix { (0x30...0x39).contains($0) }.reversed()))
  }

  /// Programs in Python write what is missing as nothing, or as nan.
  private static func number(_ field: [UInt8], _ name: String) throws(PoseReadError.Reason) -> Double? {
    if field.count == 3, String(decoding: field, as: UTF8.self).lowercased() == "nan" { return nil }
    return try PoseReadError.Reason.inRow { () throws(RowFault) in try CSVRow.number(field, column: name) }
  }

  static func wholeNumber(_ field: [UInt8]) -> Int? {
    guard let value = DecimalNumber.whole(field), abs(value) < 1e15 else { return nil }
    return Int(exactly: value)
  }
}
