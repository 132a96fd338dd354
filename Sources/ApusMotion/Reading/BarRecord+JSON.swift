import ApusBase

extension BarRecord {
  /// Reads one line of JSON; the form is described at ``BarFrameFormat/jsonLines``.
  init(json bytes: [UInt8], options: BarReaderOptions) throws(RowFault) {
    var parser = BarJSONParser(scanner: JSONScanner(bytes), options: options)
    do throws(JSONScanner.Failure) {
      self = try parser.record()
    } catch {
      throw parser.fault ?? .malformed(column: error.column, message: error.message)
    }
  }
}

/// The grammar of a frame. A failure of meaning rather than of syntax is left in `fault`.
private struct BarJSONParser {
  var scanner: JSONScanner
  let options: BarReaderOptions
  var fault: RowFault?

  init(scanner: JSONScanner, options: BarReaderOptions) {
    self.scanner = scanner
    self.options = options
  }

  mutating func record() throws(JSONScanner.Failure) -> BarRecord {
    var record = BarRecord()
    var observation: BarObservation?
    var lifter: Person?
    var hasPose = false
    try object("one JSON object a line", known: Self.frameKeys) { (parser, key) throws(JSONScanner.Failure) in
      switch key {
      case "t": record.timestamp = try parser.optionalNumber(key)
      case "frame": record.frameNumber = try parser.optionalNumber(key)
      case "width": record.width = try parser.optionalNumber(key)
      case "height": record.height = try parser.optionalNumber(key)
      case "space": record.space = try parser.space()
      case "lift": record.lift = try parser.name("the name of a lift")
      case "bar":
        guard observation == nil else { throw parser.fail(.duplicateField("bar beside detections")) }
        observation = .center(try parser.point("bar").map { BarPoint(x: $0.x, y: $0.y) })
      case "detections":
        guard observation == nil else { throw parser.fail(.duplicateField("bar beside detections")) }
        observation = .detections(try parser.detections(lifter: &lifter))
      case "pose":
        hasPose = true
        record.pose = try parser.scanner.takeNull() ? nil : parser.pose()
      default: try parser.scanner.skipValue()
      }
    }
    try scanner.expectEnd()
    guard let observation else { throw fail(.missingField("detections")) }
    record.observation = observation
    if !hasPose { record.pose = lifter?.pose }
    return record
  }

  private static let frameKeys = ["t", "frame", "width", "height", "space", "lift", "bar", "detections", "pose"]
  private static let boxKeys = ["x", "y", "w", "h", "box", "confidence", "score", "class", "keypoints"]
  private static let poseKeys = [
    "left_wrist", "right_wrist", "left_elbow", "right_elbow", "left_hip", "right_hip", "visibility",
  ]

  /// A person whose joints are known, and how large the box is.
  struct Person {
    var area: Double
    var pose: BarPose
  }

  private mutating func detections(lifter: inout Person?) throws(JSONScanner.Failure) -> [BarDetection] {
    if try scanner.takeNull() { return [] }
    var detections: [BarDetection] = []
    var index = 0
    try array("detections") { (parser) throws(JSONScanner.Failure) in
      let (detection, name, pose) = try parser.detection(index)
      index += 1
      if name == parser.options.personClass {
        let area = detection.width * detection.height
        if let pose, lifter.map({ area > $0.area }) ?? true { lifter = Person(area: area, pose: pose) }
      } else if name.map({ parser.options.plateClasses.contains($0) }) ?? true {
        detections.append(detection)
      }
    }
    return detections
  }

  private mutating func detection(
    _ index: Int
  ) throws(JSONScanner.Failure) -> (BarDetection, name: String?, BarPose?) {
    var place: String { "detection \(index)" }
    var (x, y, width, height, confidence, score): (Double?, Double?, Double?, Double?, Double?, Double?)
    var corners: [Double]?
    var name: String?
    var pose: BarPose?
    try object("an object, \(place)", known: Self.boxKeys) { (parser, key) throws(JSONScanner.Failure) in
      switch key {
      case "x": x = try parser.optionalNumber("\(place) x")
      case "y": y = try parser.optionalNumber("\(place) y")
      case "w": width = try parser.optionalNumber("\(place) w")
      case "h": height = try parser.optionalNumber("\(place) h")
      case "confidence": confidence = try parser.optionalNumber("\(place) confidence")
      case "score": score = try parser.optionalNumber("\(place) score")
      case "box": corners = try parser.corners(place)
      case "class": name = try parser.name("the name of a class")
      case "keypoints": pose = try parser.scanner.takeNull() ? nil : parser.keypoints(place)
      default: try parser.scanner.skipValue()
      }
    }
    guard let confidence = confidence ?? score else {
      throw fail(.missingField("\(place) confidence (or score)"))
    }
    if let corners {
      let (width, height) = (corners[2] - corners[0], corners[3] - corners[1])
      let box = BarDetection(x: corners[0], y: corners[1], width: width, height: height, confidence: confidence)
      return (box, name, pose)
    }
    guard let x, let y, let width, let height else {
      let missing = x == nil ? "x" : y == nil ? "y" : width == nil ? "w" : "h"
      throw fail(.missingField("\(place) \(missing) (or box)"))
    }
    return (BarDetection(x: x, y: y, width: width, height: height, confidence: confidence), name, pose)
  }

  private mutating func corners(_ place: @autoclosure () -> String) throws(JSONScanner.Failure) -> [Double] {
    var corners: [Double] = []
    try array("box") { (parser) throws(JSONScanner.Failure) in
      let value = try parser.number("\(place()) box")
      guard corners.count < 4 else { throw parser.fail(Self.wrongCorners(place(), "more")) }
      corners.append(value)
    }
    guard corners.count == 4 else { throw fail(Self.wrongCorners(place(), "\(corners.count)")) }
    return corners
  }

  /// The joints of an arm and the hips among COCO's 17 keypoints.
  private mutating func keypoints(_ place: @autoclosure () -> String) throws(JSONScanner.Failure) -> BarPose {
    var points: [PosePoint?] = []
    try array("keypoints") { (parser) throws(JSONScanner.Failure) in
      let index = points.count
      guard index < 17 else { throw parser.fail(Self.wrongCount("\(place()) keypoints", "more", "17")) }
      let point = try parser.point("\(place()) keypoint \(index)")
      // COCO writes (0, 0, 0) for what is not there.
      points.append(point?.confidence == 0 ? nil : point)
    }
    guard points.count == 17 else { throw fail(Self.wrongCount("\(place()) keypoints", "\(points.count)", "17")) }
    return BarPose(
      leftWrist: points[9], rightWrist: points[10], leftElbow: points[7], rightElbow: points[8],
      leftHip: points[11], rightHip: points[12])
  }

  private mutating func pose() throws(JSONScanner.Failure) -> BarPose {
    var pose = BarPose()
    try object("an object, pose", known: Self.poseKeys) { (parser, key) throws(JSONScanner.Failure) in
      switch key {
      case "left_wrist": pose.leftWrist = try parser.point(key)
      case "right_wrist": pose.rightWrist = try parser.point(key)
      case "left_elbow": pose.leftElbow = try parser.point(key)
      case "right_elbow": pose.rightElbow = try parser.point(key)
      case "left_hip": pose.leftHip = try parser.point(key)
      case "right_hip": pose.rightHip = try parser.point(key)
      case "visibility": pose.visibility = try parser.optionalNumber(key)
      default: try parser.scanner.skipValue()
      }
    }
    return pose
  }

  /// `[x, y]`, `[x, y, confidence]` or null.
  private mutating func point(_ name: @autoclosure () -> String) throws(JSONScanner.Failure) -> PosePoint? {
    if try scanner.takeNull() { return nil }
    try scanner.expect(UInt8(ascii: "["), "[x, y], [x, y, confidence] or null for \(name())")
    let x = try number("\(name()) x")
    try scanner.expect(UInt8(ascii: ","), "',' and y")
    let y = try number("\(name()) y")
    var confidence: Double?
    if scanner.take(UInt8(ascii: ",")) { confidence = try optionalNumber("\(name()) confidence") }
    try scanner.expect(UInt8(ascii: "]"), "']': \(name()) has x, y and perhaps a confidence")
    return PosePoint(x: x, y: y, confidence: confidence)
  }

  /// - Parameter known: keys that may not come twice; few enough for one bit each.
  private mutating func object(
    _ what: @autoclosure () -> String, known: [String],
    _ member: (inout BarJSONParser, String) throws(JSONScanner.Failure) -> Void
  ) throws(JSONScanner.Failure) {
    var seen: UInt = 0
    try scanner.expect(UInt8(ascii: "{"), "'{': \(what())")
    guard !scanner.take(UInt8(ascii: "}")) else { return }
    repeat {
      let key = try scanner.string("a key in quotes")
      try scanner.expect(UInt8(ascii: ":"), "':' after a key")
      if let place = known.firstIndex(of: key) {
        guard seen >> place & 1 == 0 else { throw fail(.duplicateField(key)) }
        seen |= 1 << place
      }
      try member(&self, key)
    } while scanner.take(UInt8(ascii: ","))
    try scanner.expect(UInt8(ascii: "}"), "',' or '}'")
  }

  private mutating func array(
    _ name: @autoclosure () -> String, _ entry: (inout BarJSONParser) throws(JSONScanner.Failure) -> Void
  ) throws(JSONScanner.Failure) {
    try scanner.expect(UInt8(ascii: "["), "\(name()) to be an array")
    guard !scanner.take(UInt8(ascii: "]")) else { return }
    repeat { try entry(&self) } while scanner.take(UInt8(ascii: ","))
    try scanner.expect(UInt8(ascii: "]"), "',' or ']'")
  }

  private mutating func number(_ field: @autoclosure () -> String) throws(JSONScanner.Failure) -> Double {
    let value = try scanner.number("a number")
    guard value.isFinite else { throw fail(.notFinite(field: field(), value: value)) }
    return value
  }

  private mutating func optionalNumber(_ field: @autoclosure () -> String) throws(JSONScanner.Failure) -> Double? {
    try scanner.takeNull() ? nil : number(field())
  }

  /// A string, or a number as text; nil for null.
  private mutating func name(_ what: @autoclosure () -> String) throws(JSONScanner.Failure) -> String? {
    if try scanner.takeNull() { return nil }
    if scanner.peek() == UInt8(ascii: "\"") { return try scanner.string(what()) }
    return SettingValue.number(try number(what())).description
  }

  private mutating func space() throws(JSONScanner.Failure) -> ImageSpace? {
    if try scanner.takeNull() { return nil }
    let name = try scanner.string("the name of an image space")
    guard let space = ImageSpace(rawValue: name) else { throw fail(.unknownSpace(name)) }
    return space
  }

  private static func wrongCorners(_ place: String, _ found: String) -> RowFault {
    wrongCount("\(place) box", found, "4: x0, y0, x1, y1")
  }

  private static func wrongCount(_ field: String, _ found: String, _ expected: String) -> RowFault {
    .wrongValue(field: field, found: "\(found) values", expected: expected)
  }

  private mutating func fail(_ fault: RowFault) -> JSONScanner.Failure {
    self.fault = fault
    return scanner.unexpected("")
  }
}
