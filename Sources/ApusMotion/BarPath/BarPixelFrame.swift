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
struct BarPixelFrame: Sendable {
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
}

extension BarFrame {
  /// Checks the frame and converts it.
  ///
  /// - Parameters:
  ///   - frameIndex: the frame's index in its stream, from 0, for the error.
  ///   - previous: the timestamp of the frame before, if there was one.
  ///   - minVisibility: points of the pose below it are left out.
  func pixels(
    frameIndex: Int, after previous: Double?, minVisibility: Double
  ) throws(BarFrameError) -> BarPixelFrame {
    do throws(BarFrameError.Reason.Box) {
      return try converted(after: previous, minVisibility: minVisibility)
    } catch {
      throw BarFrameError(frameIndex: frameIndex, reason: error.reason)
    }
  }

  private func converted(
    after previous: Double?, minVisibility: Double
  ) throws(BarFrameError.Reason.Box) -> BarPixelFrame {
    try check(timestamp, within: -Self.timestampLimit...Self.timestampLimit) { "timestamp" }
    if let previous, timestamp - previous < Self.leastInterval {
      throw .init(.timestampNotIncreasing(timestamp, previous: previous))
    }
    for (name, size) in [("width", width), ("height", height)] {
      guard let size else { continue }
      try check(size, within: 0...Self.coordinateLimit) { name }
      guard size > 0 else { throw .init(.outOfRange(field: name, value: size, expected: "pixels above 0")) }
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
      guard width != nil, height != nil else { throw .init(.missingImageSize) }
      frame.candidates.reserveCapacity(detections.count)
      for (index, detection) in detections.enumerated() {
        frame.candidates.append(try candidate(detection, index))
      }
    }
    if let pose { try add(pose, to: &frame, minVisibility: minVisibility) }
    return frame
  }

  private func candidate(
    _ box: BarDetection, _ index: Int
  ) throws(BarFrameError.Reason.Box) -> BarCandidate {
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

  private func add(
    _ pose: BarPose, to frame: inout BarPixelFrame, minVisibility: Double
  ) throws(BarFrameError.Reason.Box) {
    if let visibility = pose.visibility { try check(visibility, within: 0...1) { "pose visibility" } }
    var points: [BarPoint?] = []
    for (name, point) in pose.named {
      guard let point else {
        points.append(nil)
        continue
      }
      let position = try pixels(point.x, point.y) { name }
      if let confidence = point.confidence { try check(confidence, within: 0...1) { name + " visibility" } }
      points.append((point.confidence ?? pose.visibility ?? 1) >= minVisibility ? position : nil)
    }
    (frame.leftWrist, frame.rightWrist, frame.leftElbow, frame.rightElbow) =
      (points[0], points[1], points[2], points[3])
  }

  private func pixels(
    _ x: Double, _ y: Double, _ name: () -> String
  ) throws(BarFrameError.Reason.Box) -> BarPoint {
    if space != .pixel, width == nil || height == nil { throw .init(.missingImageSize) }
    try check(x, within: -.infinity ... .infinity) { name() + " x" }
    try check(y, within: -.infinity ... .infinity) { name() + " y" }
    let point = space.pixels(x: x, y: y, width: width ?? 1, height: height ?? 1)
    try check(point.x, within: -Self.coordinateLimit...Self.coordinateLimit) { name() + " x" }
    try check(point.y, within: -Self.coordinateLimit...Self.coordinateLimit) { name() + " y" }
    return BarPoint(x: point.x, y: point.y)
  }

  private func check(
    _ value: Double, within range: ClosedRange<Double>, _ name: () -> String
  ) throws(BarFrameError.Reason.Box) {
    guard value.isFinite else { throw .init(.notFinite(field: name(), value: value)) }
    guard range.contains(value) else {
      throw .init(.outOfRange(field: name(), value: value, expected: BarPathSettingField.range(range)))
    }
  }
}

extension BarFrameError.Reason {
  /// A reason on its way to the place that knows the frame's index.
  struct Box: Error {
    var reason: BarFrameError.Reason
    init(_ reason: BarFrameError.Reason) { self.reason = reason }
  }
}
