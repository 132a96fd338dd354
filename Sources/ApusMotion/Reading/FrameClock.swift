/// Fills in times that are left out, counted from the last that was given, or from 0.
struct FrameClock: Sendable {
  let framesPerSecond: Double?
  private var lastGiven = 0.0
  private var framesSince = 0

  init(framesPerSecond: Double?) { self.framesPerSecond = framesPerSecond }

  /// The time of the next frame; nil where it is neither given nor known.
  mutating func time(_ given: Double?) -> Double? {
    if let given {
      (lastGiven, framesSince) = (given, 1)
      return given
    }
    guard let framesPerSecond else { return nil }
    defer { framesSince += 1 }
    return lastGiven + Double(framesSince) / framesPerSecond
  }
}
