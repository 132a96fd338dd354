/// A place where the bar may be, in pixels.
struct BarCandidate: Sendable, Hashable {
  var center: BarPoint
  /// Of the box.
  var size: BarSize
  var confidence: Double
}

/// How large a box is, in pixels; nothing where it is unknown.
struct BarSize: Sendable, Hashable {
  var width = 0.0
  var height = 0.0

  /// A round plate seen from aside is narrower than high.
  var larger: Double { max(width, height) }
}

/// A checked frame in pixels from the top left.
struct BarPixelFrame: Sendable, Hashable {
  var timestamp: Double
  var width: Double?
  var height: Double?
  /// In the order of the file; the bar alone where it was chosen already.
  var candidates: [BarCandidate] = []
  /// Whether the candidates need no choice.
  var isChosen = false
  var leftWrist: BarPoint?
  var rightWrist: BarPoint?
  var leftElbow: BarPoint?
  var rightElbow: BarPoint?
  /// How visible these four are, in their order.
  var visibility = SIMD4<Double>(repeating: 1)

  /// The frame without joints that are less visible.
  func visible(from least: Double) -> Self {
    var frame = self
    if visibility[0] < least { frame.leftWrist = nil }
    if visibility[1] < least { frame.rightWrist = nil }
    if visibility[2] < least { frame.leftElbow = nil }
    if visibility[3] < least { frame.rightElbow = nil }
    return frame
  }
}

extension BarFrame {
  /// Checks everything but the time of the frame before, and converts to pixels.
  func converted() throws(Fault) -> BarPixelFrame {
    try check(timestamp, within: -Self.timestampLimit...Self.timestampLimit) { "timestamp" }
    for (name, size) in [("width", width), ("height", height)] {
      guard let size else { continue }
      try check(size, within: 0...Self.coordinateLimit) { name }
      guard size > 0 else { throw .outOfRange(field: name, value: size, expected: "pixels above 0") }
    }
    var frame = BarPixelFrame(timestamp: timestamp, width: width, height: height)
    switch observation {
    case .center(let center):
      frame.isChosen = true
      if let center {
        frame.candidates = [
          BarCandidate(center: try pixels(center.x, center.y) { "bar" }, size: BarSize(), confidence: 1)
        ]
      }
    case .detections(let detections):
      guard width != nil, height != nil else { throw .missingImageSize }
      frame.candidates.reserveCapacity(detections.count)
      for (index, detection) in detections.enumerated() {
        frame.candidates.append(try candidate(detection, index))
      }
    }
    if let pose { try add(pose, to: &frame) }
    return frame
  }

  private func candidate(
    _ box: BarDetection, _ index: Int
  ) throws(Fault) -> BarCandidate {
    let name = { (part: String) in "detection \(index) \(part)" }
    try check(box.confidence, within: 0...1) { name("confidence") }
    for (part, size) in [("width", box.width), ("height", box.height)] {
      try check(size, within: 0...Self.coordinateLimit) { name(part) }
    }
    let center = try pixels(box.x + box.width / 2, box.y + box.height / 2) { name("box") }
    let (width, height) = space == .pixel ? (1, 1) : (width ?? 1, height ?? 1)
    return BarCandidate(
      center: center, size: BarSize(width: box.width * width, height: box.height * height), confidence: box.confidence)
  }

  private func add(_ pose: BarPose, to frame: inout BarPixelFrame) throws(Fault) {
    if let visibility = pose.visibility { try check(visibility, within: 0...1) { "pose visibility" } }
    var points: [BarPoint?] = []
    for (index, (name, point)) in pose.named.enumerated() {
      guard let point else {
        points.append(nil)
        continue
      }
      let position = try pixels(point.x, point.y) { name }
      if let confidence = point.confidence { try check(confidence, within: 0...1) { name + " visibility" } }
      points.append(position)
      // Hips are read and checked, and nothing is computed from them.
      if index < frame.visibility.scalarCount { frame.visibility[index] = point.confidence ?? pose.visibility ?? 1 }
    }
    (frame.leftWrist, frame.rightWrist, frame.leftElbow, frame.rightElbow) =
      (points[0], points[1], points[2], points[3])
  }

  private func pixels(
    _ x: Double, _ y: Double, _ name: () -> String
  ) throws(Fault) -> BarPoint {
    if space != .pixel, width == nil || height == nil { throw .missingImageSize }
    try check(x, within: -.infinity ... .infinity) { name() + " x" }
    try check(y, within: -.infinity ... .infinity) { name() + " y" }
    let point = space.pixels(x: x, y: y, width: width ?? 1, height: height ?? 1)
    try check(point.x, within: -Self.coordinateLimit...Self.coordinateLimit) { name() + " x" }
    try check(point.y, within: -Self.coordinateLimit...Self.coordinateLimit) { name() + " y" }
    return BarPoint(x: point.x, y: point.y)
  }

  private func check(
    _ value: Double, within range: ClosedRange<Double>, _ name: () -> String
  ) throws(Fault) {
    guard value.isFinite else { throw .notFinite(field: name(), value: value) }
    guard range.contains(value) else {
      throw .outOfRange(field: name(), value: value, expected: SettingRange.within(range).text)
    }
  }
}
