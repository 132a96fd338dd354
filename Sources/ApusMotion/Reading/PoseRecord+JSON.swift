import ApusBase

extension PoseRecord {
  /// Reads one line of JSON; the form is described at ``PoseFormat/jsonLines``.
  init(json bytes: [UInt8], order: KeypointOrder) throws(PoseReadError.Reason) {
    var parser = PoseJSONParser(scanner: JSONScanner(bytes), order: order)
    do throws(JSONScanner.Failure) {
      self = try parser.record()
    } catch {
      throw parser.reason ?? .row(.malformed(column: error.column, message: error.message))
    }
  }
}

/// The grammar of a frame. A failure of meaning rather than of syntax is left in `reason`.
private struct PoseJSONParser {
  var scanner: JSONScanner
  let order: KeypointOrder
  var reason: PoseReadError.Reason?

  private static let comma = UInt8(ascii: ",")
  private static let open = UInt8(ascii: "[")
  private static let close = UInt8(ascii: "]")

  init(scanner: JSONScanner, order: KeypointOrder) {
    self.scanner = scanner
    self.order = order
  }

  mutating func record() throws(JSONScanner.Failure) -> PoseRecord {
    var record = PoseRecord()
    var points: [PosePoint?]?
    var confidences: [Double?]?
    // One bit for each of the keys.
    var seen: UInt = 0
    try scanner.expect(UInt8(ascii: "{"), "'{': one JSON object a line")
    if !scanner.take(UInt8(ascii: "}")) {
      repeat {
        let key = try scanner.string("a key in quotes")
        try scanner.expect(UInt8(ascii: ":"), "':' after a key")
        if let place = Self.keys.firstIndex(of: key) {
          guard seen >> place & 1 == 0 else { throw fail(.row(.duplicateField(key))) }
          seen |= 1 << place
        }
        switch key {
        case "t", "width", "height":
          let value = try scanner.takeNull() ? nil : number(.member(key))
          switch key {
          case "t": record.timestamp = value
          case "width": record.width = value
          default: record.height = value
          }
        case "space": record.space = try space()
        case "keypoints":
          points = try list(key) { (parser, index) throws(JSONScanner.Failure) in try parser.point(index) }
        case "confidence":
          confidences = try list(key) { (parser, index) throws(JSONScanner.Failure) in
            try parser.scanner.takeNull() ? nil : parser.number(.point(index, "confidence"))
          }
        case "frame": record.pictureNumber = try scanner.pictureNumber()
        default: try scanner.skipValue()
        }
      } while scanner.take(Self.comma)
      try scanner.expect(UInt8(ascii: "}"), "',' or '}'")
    }
    try scanner.expectEnd()
    guard let points else { throw fail(.row(.missingField("keypoints"))) }
    record.points = points
    if let confidences { try merge(confidences, into: &record.points) }
    return record
  }

  private static let keys = ["t", "width", "height", "space", "keypoints", "confidence"]

  /// An array of exactly one entry a point. More are not even read.
  private mutating func list<Entry>(
    _ name: String, _ entry: (inout PoseJSONParser, Int) throws(JSONScanner.Failure) -> Entry
  ) throws(JSONScanner.Failure) -> [Entry] {
    try scanner.expect(Self.open, "\(name) to be an array")
    let expected = order.pointCount
    var entries: [Entry] = []
    entries.reserveCapacity(expected)
    if !scanner.take(Self.close) {
      repeat {
        guard entries.count < expected else {
          // Count the rest, for the message.
          var found = entries.count
          repeat {
            try scanner.skipValue()
            found += 1
          } while scanner.take(Self.comma)
          throw fail(wrongCount(name, found))
        }
        entries.append(try entry(&self, entries.count))
      } while scanner.take(Self.comma)
      try scanner.expect(Self.close, "',' or ']'")
    }
    guard entries.count == expected else { throw fail(wrongCount(name, entries.count)) }
    return entries
  }

  private func wrongCount(_ name: String, _ found: Int) -> PoseReadError.Reason {
    name == "keypoints"
      ? .frame(.wrongPointCount(found: found, expected: order.pointCount, order: order))
      : .row(.wrongValue(field: name, found: "\(found) values", expected: "\(order.pointCount), one a keypoint"))
  }

  private mutating func point(_ index: Int) throws(JSONScanner.Failure) -> PosePoint? {
    if try scanner.takeNull() { return nil }
    try scanner.expect(Self.open, "[x, y], [x, y, confidence] or null for keypoint \(index)")
    let x = try number(.point(index, "x"))
    try scanner.expect(Self.comma, "',' and y")
    let y = try number(.point(index, "y"))
    var confidence: Double?
    if scanner.take(Self.comma), try !scanner.takeNull() {
      confidence = try number(.point(index, "confidence"))
    }
    try scanner.expect(Self.close, "']': a keypoint has x, y and perhaps a confidence")
    return PosePoint(x: x, y: y, confidence: confidence)
  }

  /// What a number is, put into words only when there is something wrong with it.
  private enum Field {
    case member(String)
    case point(Int, String)
  }

  private mutating func number(_ field: Field) throws(JSONScanner.Failure) -> Double {
    let value = try scanner.number("a number")
    guard value.isFinite else {
      let name =
        switch field {
        case .member(let name): name
        case .point(let index, let part): "\(order.label(index)) \(part)"
        }
      throw fail(.row(.notFinite(field: name, value: value)))
    }
    return value
  }

  private mutating func space() throws(JSONScanner.Failure) -> ImageSpace? {
    if try scanner.takeNull() { return nil }
    let name = try scanner.string("the name of an image space")
    guard let space = ImageSpace(rawValue: name) else { throw fail(.row(.unknownSpace(name))) }
    return space
  }

  private mutating func merge(
    _ confidences: [Double?], into points: inout [PosePoint?]
  ) throws(JSONScanner.Failure) {
    for (index, confidence) in confidences.enumerated() {
      guard let confidence, let point = points[index] else { continue }
      guard point.confidence == nil else { throw fail(.row(.duplicateField("confidence of \(order.label(index))"))) }
      points[index]?.confidence = confidence
    }
  }

  private mutating func fail(_ reason: PoseReadError.Reason) -> JSONScanner.Failure {
    self.reason = reason
    return scanner.unexpected("")
  }
}
