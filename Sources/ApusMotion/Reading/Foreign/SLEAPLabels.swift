import ApusBase

/// A SLEAP labels file in JSON, as far as its frames go; the form is described at ``PoseFormat/sleap``.
///
/// Nodes stand once for all skeletons; an instance names its points by the index of their node. Skeletons, videos,
/// suggestions and how the file was made are passed over.
struct SLEAPLabels {
  private(set) var records: [PoseRecord] = []
  private(set) var names: KeypointNames?

  /// More frames than this are refused.
  static let frameLimit = 10_000_000

  init(json bytes: [UInt8], options: PoseReaderOptions) throws(PoseReadError) {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    var parser = SLEAPLabelsParser(scanner: JSONScanner(bytes, endName: "the end of the file"))
    do throws(JSONScanner.Failure) {
      try parser.parse()
    } catch {
      let before = bytes.prefix(error.column - 1)
      let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      throw PoseReadError(
        line: 1 + before.count { $0 == 0x0A }, frameIndex: nil,
        reason: .row(parser.fault ?? .malformed(column: error.column - start, message: error.message)))
    }
    do throws(PoseReadError.Reason) {
      try take(parser, options: options)
    } catch {
      throw PoseReadError(line: 1, frameIndex: nil, reason: error)
    }
  }

  private mutating func take(
    _ parser: SLEAPLabelsParser, options: PoseReaderOptions
  ) throws(PoseReadError.Reason) {
    let names = try KeypointNames(parser.nodes, order: options.order, map: options.names)
    self.names = names
    let track = try options.individual.map { (wanted) throws(PoseReadError.Reason) in
      guard let index = parser.tracks.firstIndex(of: wanted) else {
        throw .file(.unknownIndividual(wanted, among: parser.tracks))
      }
      return index
    }
    // The track of the frames before; nil before the first, the inner one for an animal without a track.
    var seen: Int??
    for frame in parser.frames.sorted(by: { $0.number < $1.number }) {
      let instances = frame.instances.filter { track == nil || $0.track == track }
      guard let instance = instances.first else { continue }
      if track == nil {
        guard instances.count == 1, seen == nil || seen == .some(instance.track) else {
          throw .file(.severalIndividuals(parser.tracks))
        }
        seen = .some(instance.track)
      }
      var record = PoseRecord(space: .pixel)
      record.frameNumber = Double(frame.number)
      record.points = [PosePoint?](repeating: nil, count: options.order.pointCount)
      for (node, point) in instance.points {
        guard names.places.indices.contains(node) else {
          throw .row(
            .wrongValue(field: "a point's node", found: "\(node)", expected: "0 to \(names.places.count - 1)"))
        }
        if let place = names.places[node] { record.points[place] = point }
      }
      records.append(record)
    }
  }
}

/// The grammar of a labels file. A failure of meaning rather than of syntax is left in `fault`.
private struct SLEAPLabelsParser: JSONGrammar {
  struct Instance {
    var track: Int?
    var points: [(node: Int, point: PosePoint)] = []
  }

  struct Frame {
    var number = 0
    var instances: [Instance] = []
  }

  var scanner: JSONScanner
  var nodes: [String] = []
  var tracks: [String] = []
  var frames: [Frame] = []
  var fault: RowFault?

  private static let (comma, close) = (UInt8(ascii: ","), UInt8(ascii: "]"))

  init(scanner: JSONScanner) { self.scanner = scanner }

  mutating func parse() throws(JSONScanner.Failure) {
    try members { (parser, key) throws(JSONScanner.Failure) in
      switch key {
      case "nodes":
        try parser.list(key) { (parser) throws(JSONScanner.Failure) in
          try parser.members { (parser, key) throws(JSONScanner.Failure) in
            if key == "name" {
              parser.nodes.append(try parser.scanner.string("the name of a node"))
            } else {
              try parser.scanner.skipValue()
            }
          }
        }
      case "tracks": try parser.list(key) { (parser) throws(JSONScanner.Failure) in try parser.track() }
      case "labels": try parser.list(key) { (parser) throws(JSONScanner.Failure) in try parser.frame() }
      default: try parser.scanner.skipValue()
      }
    }
    try scanner.expectEnd()
  }

  /// `[first frame, name]`.
  private mutating func track() throws(JSONScanner.Failure) {
    try scanner.expect(UInt8(ascii: "["), "[frame, name], a track")
    try scanner.skipValue()
    try scanner.expect(Self.comma, "',' and the name of a track")
    tracks.append(try scanner.string("the name of a track"))
    while scanner.take(Self.comma) { try scanner.skipValue() }
    try scanner.expect(Self.close, "']'")
  }

  private mutating func frame() throws(JSONScanner.Failure) {
    guard frames.count < SLEAPLabels.frameLimit else {
      throw fail(
        .wrongValue(field: "labels", found: "more frames", expected: "\(SLEAPLabels.frameLimit) or fewer"))
    }
    var frame = Frame()
    try members { (parser, key) throws(JSONScanner.Failure) in
      switch key {
      case "frame_idx": frame.number = try parser.wholeNumber(key)
      case "_instances":
        try parser.list(key) { (parser) throws(JSONScanner.Failure) in
          frame.instances.append(try parser.instance())
        }
      default: try parser.scanner.skipValue()
      }
    }
    frames.append(frame)
  }

  private mutating func instance() throws(JSONScanner.Failure) -> Instance {
    var instance = Instance()
    try members { (parser, key) throws(JSONScanner.Failure) in
      switch key {
      case "track": instance.track = try parser.scanner.takeNull() ? nil : parser.wholeNumber(key)
      case "_points":
        try parser.members { (parser, name) throws(JSONScanner.Failure) in
          guard let node = NamedColumns.wholeNumber(Array(name.utf8)) else {
            throw parser.fail(.wrongValue(field: "a point's node", found: name, expected: "an integer"))
          }
          if let point = try parser.point(node) { instance.points.append((node, point)) }
        }
      default: try parser.scanner.skipValue()
      }
    }
    return instance
  }

  /// `{"x": …, "y": …, "score": …}`; a point with NaN was not found.
  private mutating func point(_ node: Int) throws(JSONScanner.Failure) -> PosePoint? {
    var (x, y, score): (Double?, Double?, Double?)
    try members { (parser, key) throws(JSONScanner.Failure) in
      switch key {
      case "x": x = try parser.scanner.number("a number")
      case "y": y = try parser.scanner.number("a number")
      case "score": score = try parser.scanner.number("a number")
      default: try parser.scanner.skipValue()
      }
    }
    guard let x, let y else { throw fail(.missingField("x or y of node \(node)")) }
    return x.isNaN || y.isNaN ? nil : PosePoint(x: x, y: y, confidence: score)
  }

  private mutating func wholeNumber(_ field: String) throws(JSONScanner.Failure) -> Int {
    let value = try scanner.number("an integer")
    guard abs(value) < 1e15, let number = Int(exactly: value) else {
      throw fail(.wrongValue(field: field, found: "\(value)", expected: "an integer"))
    }
    return number
  }

  mutating func duplicate(_ key: String) -> JSONScanner.Failure { fail(.duplicateField(key)) }

  private mutating func fail(_ fault: RowFault) -> JSONScanner.Failure {
    self.fault = fault
    return scanner.unexpected("")
  }
}
