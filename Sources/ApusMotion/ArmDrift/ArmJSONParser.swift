import ApusBase

/// What can be said once for a file, or for each of its frames.
struct ArmSettings {
  var width: Double?
  var height: Double?
  var space: ImageSpace?
  var framesPerSecond: Double?
  var testDuration: Double?
  var subjectLeftIsImageLeft: Bool?
}

/// A frame as it stands in a file, before anything is filled in.
struct ArmRecord {
  var line: Int
  var timestamp: Double?
  var pictureNumber: Int?
  var settings = ArmSettings()
  /// In a detection, those of the surest person.
  var points: [ArmKeypoint: PosePoint]
  /// Everybody with points, where a detection has several.
  var people: [ArmPerson] = []
  /// Whether the points come from a detection.
  var isDetection = false
}

/// The grammar of recordings of arms; the forms are described at ``ArmRecording/init(json:options:)``.
struct ArmJSONParser: JSONGrammar {
  /// Whether the text was the body of an envelope.
  let isBody: Bool
  private(set) var settings = ArmSettings()
  private(set) var records: [ArmRecord] = []
  /// The text in an envelope, to be read next.
  private(set) var body: String?

  private let bytes: [UInt8]
  var scanner: JSONScanner
  /// A failure of meaning rather than of syntax.
  private var reason: ArmDriftError.Reason?
  /// Whether a fault belongs to the frame that comes next.
  private var isInFrame = false
  /// The bytes up to `counted` hold `line - 1` line ends.
  private var (counted, line) = (0, 1)

  init(_ bytes: [UInt8], isBody: Bool) {
    self.bytes = bytes
    self.isBody = isBody
    scanner = JSONScanner(bytes, endName: "the end of the text")
  }

  private static let comma = UInt8(ascii: ",")
  private static let opening = UInt8(ascii: "[")
  private static let closing = UInt8(ascii: "]")

  mutating func parse() throws(ArmDriftError) {
    do throws(JSONScanner.Failure) {
      var form: Form?
      while scanner.peek() != nil {
        let next = try object()
        if let form, form != next || form.isWhole { throw fail(.mixedForms(form.rawValue, next.rawValue)) }
        form = next
      }
    } catch {
      let line = line(atColumn: error.column)
      let start = bytes[..<min(bytes.count, error.column - 1)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      let reason = reason ?? .malformed(column: error.column - start, message: error.message)
      var failure = ArmDriftError(reason, line: line, frameIndex: isInFrame ? records.count : nil)
      failure.isInBody = isBody
      throw failure
    }
    if body == nil, records.isEmpty {
      var failure = ArmDriftError(.noFrames)
      failure.isInBody = isBody
      throw failure
    }
  }

  /// The keys that hold frames. The raw value is the key.
  private enum Form: String, CaseIterable {
    case frames
    case history = "keypoints_history"
    case keypoints, detections
    case body

    /// Whether one object is all there is.
    var isWhole: Bool { self != .keypoints && self != .detections }
  }

  /// One object of the outermost level.
  private mutating func object() throws(JSONScanner.Failure) -> Form {
    let place = scanner.position
    var form: Form?
    var record = ArmRecord(line: line(atColumn: place + 1), points: [:])
    var hasStatus = false
    try members { (parser, key) throws(JSONScanner.Failure) in
      if let found = Form(rawValue: key) {
        if let form { throw parser.fail(.mixedForms(form.rawValue, key)) }
        form = found
      }
      switch key {
      case "frames", "keypoints_history": try parser.frames(key)
      case "keypoints":
        parser.isInFrame = true
        record.points = try parser.namedPoints()
      case "detections":
        parser.isInFrame = true
        record.isDetection = true
        let people = try parser.detections()
        record.points = people.surest.map { people[$0].points } ?? [:]
        if people.count > 1 { record.people = people }
      case "body":
        guard !parser.isBody else { throw parser.fail(.mixedForms("body", "body")) }
        parser.body = try parser.scanner.string("the text of the body")
      case "isBase64Encoded":
        guard try !parser.scanner.boolean("true or false") else {
          throw parser.fail(.wrongValue(field: key, found: "true", expected: "false: a body in base64 is not read"))
        }
      case "statusCode":
        hasStatus = true
        try parser.scanner.skipValue()
      default: try parser.common(key, into: &record)
      }
    }
    guard let form else {
      throw fail(.missingField(hasStatus ? "body" : "keypoints, keypoints_history, frames or detections"))
    }
    if !form.isWhole {
      try append(record)
      isInFrame = false
    }
    try merge(record.settings)
    return form
  }

  /// What is said of all frames must be said once, or alike.
  private mutating func merge(_ found: ArmSettings) throws(JSONScanner.Failure) {
    if let flag = found.subjectLeftIsImageLeft, let before = settings.subjectLeftIsImageLeft, flag != before {
      throw fail(
        .wrongValue(field: "subject_left_is_image_left", found: "\(flag)", expected: "\(before), as before"))
    }
    settings.subjectLeftIsImageLeft = found.subjectLeftIsImageLeft ?? settings.subjectLeftIsImageLeft
    settings.framesPerSecond = found.framesPerSecond ?? settings.framesPerSecond
    settings.testDuration = found.testDuration ?? settings.testDuration
    settings.width = settings.width ?? found.width
    settings.height = settings.height ?? found.height
    settings.space = settings.space ?? found.space
  }

  /// The array of frames of a whole recording.
  private mutating func frames(_ name: String) throws(JSONScanner.Failure) {
    try list(name) { (parser) throws(JSONScanner.Failure) in
      parser.isInFrame = true
      if parser.scanner.peek() == UInt8(ascii: "\"") {
        throw parser.fail(
          .wrongValue(field: name, found: "text", expected: "objects with keypoints: pictures are not read"))
      }
      var record = ArmRecord(line: parser.line(atColumn: parser.scanner.position + 1), points: [:])
      var hasPoints = false
      try parser.members { (parser, key) throws(JSONScanner.Failure) in
        if key == "keypoints" {
          record.points = try parser.namedPoints()
          hasPoints = true
        } else {
          try parser.common(key, into: &record)
        }
      }
      guard hasPoints else { throw parser.fail(.missingField("keypoints")) }
      try parser.append(record)
      parser.isInFrame = false
    }
  }

  private mutating func append(_ record: ArmRecord) throws(JSONScanner.Failure) {
    guard records.count < ArmRecording.frameLimit else {
      throw fail(.tooManyFrames(limit: ArmRecording.frameLimit))
    }
    records.append(record)
  }

  /// A member that frames and files share; others are passed over.
  private mutating func common(_ key: String, into record: inout ArmRecord) throws(JSONScanner.Failure) {
    switch key {
    case "t", "timestamp":
      guard record.timestamp == nil else { throw fail(.duplicateField("t")) }
      record.timestamp = try optional(key)
    case "frame": record.pictureNumber = try scanner.pictureNumber()
    case "width": record.settings.width = try optional(key)
    case "height": record.settings.height = try optional(key)
    case "fps":
      record.settings.framesPerSecond = try optional(key)
      if let rate = record.settings.framesPerSecond, !(rate > 0 && (1 / rate).isFinite) {
        throw fail(.wrongValue(field: key, found: "\(rate)", expected: "frames per second above 0"))
      }
    case "test_duration": record.settings.testDuration = try optional(key)
    case "subject_left_is_image_left":
      record.settings.subjectLeftIsImageLeft = try scanner.takeNull() ? nil : scanner.boolean("true or false")
    case "space", "coordinate_space":
      if try scanner.takeNull() { return }
      let name = try scanner.string("the name of an image space")
      guard let space = ImageSpace(rawValue: name) else {
        let known = ImageSpace.allCases.map(\.rawValue).joined(separator: ", ")
        throw fail(.wrongValue(field: key, found: name, expected: "one of \(known)"))
      }
      record.settings.space = space
    default: try scanner.skipValue()
    }
  }

  /// `{"left_wrist": {"x": …, "y": …, "confidence": …}, …}`; null is a point that was not found.
  private mutating func namedPoints() throws(JSONScanner.Failure) -> [ArmKeypoint: PosePoint] {
    var points: [ArmKeypoint: PosePoint] = [:]
    try members { (parser, name) throws(JSONScanner.Failure) in
      guard let keypoint = ArmKeypoint(name: name) else { return try parser.scanner.skipValue() }
      if try parser.scanner.takeNull() { return }
      var (x, y, confidence): (Double?, Double?, Double?)
      try parser.members { (parser, key) throws(JSONScanner.Failure) in
        switch key {
        case "x": x = try parser.number("\(name) x")
        case "y": y = try parser.number("\(name) y")
        case "confidence": confidence = try parser.scanner.takeNull() ? nil : parser.number("\(name) confidence")
        default: try parser.scanner.skipValue()
        }
      }
      guard let x else { throw parser.fail(.missingField("\(name) x")) }
      guard let y else { throw parser.fail(.missingField("\(name) y")) }
      points[keypoint] = PosePoint(x: x, y: y, confidence: confidence)
    }
    return points
  }

  /// The people with points; `score` may be named `confidence`, which counts where both are there.
  private mutating func detections() throws(JSONScanner.Failure) -> [ArmPerson] {
    var people: [ArmPerson] = []
    try list("detections") { (parser) throws(JSONScanner.Failure) in
      var (isPerson, points): (Bool, [ArmKeypoint: PosePoint]?) = (true, nil)
      var (score, confidence): (Double?, Double?)
      try parser.members { (parser, key) throws(JSONScanner.Failure) in
        switch key {
        case "class": isPerson = try parser.scanner.string("the name of a class") == "person"
        case "score": score = try parser.number("score")
        case "confidence": confidence = try parser.optional("confidence")
        case "keypoints":
          if try parser.scanner.takeNull() { return }
          points = try parser.cocoPoints()
        default: try parser.scanner.skipValue()
        }
      }
      if isPerson, let points { people.append(ArmPerson(score: confidence ?? score ?? 0, points: points)) }
    }
    return people
  }

  /// `[[x, y, v], …]`, 17 of them; null is a point that was not found.
  private mutating func cocoPoints() throws(JSONScanner.Failure) -> [ArmKeypoint: PosePoint] {
    var points: [ArmKeypoint: PosePoint] = [:]
    var index = 0
    try list("keypoints") { (parser) throws(JSONScanner.Failure) in
      defer { index += 1 }
      if try parser.scanner.takeNull() { return }
      let keypoint = ArmKeypoint(rawValue: index - ArmKeypoint.leftShoulder.cocoIndex)
      var name: String { keypoint?.name ?? "keypoint \(index)" }
      try parser.scanner.expect(Self.opening, "[x, y, v] or null for keypoint \(index)")
      let x = try parser.number("\(name) x")
      try parser.scanner.expect(Self.comma, "',' and y")
      let y = try parser.number("\(name) y")
      let confidence = parser.scanner.take(Self.comma) ? try parser.number("\(name) v") : nil
      try parser.scanner.expect(Self.closing, "']': a keypoint has x, y and v")
      if let keypoint { points[keypoint] = PosePoint(x: x, y: y, confidence: confidence) }
    }
    guard index == ArmKeypoint.cocoCount else {
      throw fail(
        .wrongValue(field: "keypoints", found: "\(index) points", expected: "the \(ArmKeypoint.cocoCount) of COCO"))
    }
    return points
  }

  // MARK: - Syntax

  mutating func duplicate(_ key: String) -> JSONScanner.Failure { fail(.duplicateField(key)) }

  private mutating func optional(_ field: String) throws(JSONScanner.Failure) -> Double? {
    try scanner.takeNull() ? nil : number(field)
  }

  private mutating func number(_ field: @autoclosure () -> String) throws(JSONScanner.Failure) -> Double {
    let value = try scanner.number("a number for \(field())")
    guard value.isFinite else { throw fail(.notFinite(field: field(), value: value)) }
    return value
  }

  private mutating func fail(_ reason: ArmDriftError.Reason) -> JSONScanner.Failure {
    self.reason = reason
    return scanner.unexpected("")
  }

  /// The number of the line that a column lies on, counted on from the one asked for last.
  private mutating func line(atColumn column: Int) -> Int {
    let end = min(max(counted, column - 1), bytes.count)
    for index in counted..<end where bytes[index] == 0x0A { line += 1 }
    counted = end
    return line
  }
}
