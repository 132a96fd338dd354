/// A stretch of frames in which the bar moves.
public struct LiftWindow: Sendable, Hashable {
  /// The first fast frame.
  public let start: Int
  /// The last frame before the bar rests; part of the window.
  public let end: Int

  /// Finds the windows in a series of speeds.
  ///
  /// A window begins with the first of three frames in a row that are faster than `startSpeed`, and ends before the
  /// first of three in a row slower than `startSpeed · hysteresis`. Frames without a speed count as neither, but more
  /// of them in a row than `gapLimit` end the window. What takes less than `minimumSeconds` is no window.
  ///
  /// - Parameters:
  ///   - speeds: without a sign, in px/s; nil where unknown.
  ///   - timestamps: in seconds, one a speed.
  public static func windows(
    speeds: [Double?], timestamps: [Double], startSpeed: Double, hysteresis: Double, gapLimit: Int,
    minimumSeconds: Double = 0.5
  ) -> [LiftWindow] {
    var finder = LiftWindowFinder(startSpeed: startSpeed, endSpeed: startSpeed * hysteresis, gapLimit: gapLimit)
    var windows: [LiftWindow] = []
    let count = min(speeds.count, timestamps.count)
    for index in 0..<count {
      if let window = finder.next(speeds[index]) { windows.append(window) }
    }
    if let window = finder.finish() { windows.append(window) }
    return windows.filter { window in
      // A speed is that of the way from the frame before.
      let before = window.start > 0 ? window.start - 1 : 0
      var seconds = timestamps[window.end] - timestamps[before]
      if window.start == 0, count > 1 { seconds += timestamps[1] - timestamps[0] }
      return seconds >= minimumSeconds - 1e-6
    }
  }
}

/// The state between two frames of the search for windows.
struct LiftWindowFinder: Sendable {
  let startSpeed: Double
  let endSpeed: Double
  let gapLimit: Int

  /// So many frames in a row confirm a start or an end.
  static let confirmation = 3

  private var index = 0
  private var start: Int?
  /// The frames in a row that speak for a change, and the first of them.
  private var (count, first) = (0, 0)
  private var unknown = 0
  /// The last frame that was not slow.
  private var lastFast = 0

  init(startSpeed: Double, endSpeed: Double, gapLimit: Int) {
    self.startSpeed = startSpeed
    self.endSpeed = endSpeed
    self.gapLimit = gapLimit
  }

  /// Whether the bar moves, as far as is known.
  var isMoving: Bool { start != nil }

  /// Takes the next speed; returns the window that it ends.
  mutating func next(_ speed: Double?) -> LiftWindow? {
    defer { index += 1 }
    guard let speed else {
      unknown += 1
      guard unknown > gapLimit else { return nil }
      return finish()
    }
    unknown = 0
    let speaks = start == nil ? speed > startSpeed : speed < endSpeed
    guard speaks else {
      count = 0
      if start != nil { lastFast = index }
      return nil
    }
    if count == 0 { first = index }
    count += 1
    guard count == Self.confirmation else { return nil }
    if start != nil { return finish() }
    (start, count, lastFast) = (first, 0, index)
    return nil
  }

  /// Ends the window that is open.
  mutating func finish() -> LiftWindow? {
    defer { (start, count) = (nil, 0) }
    return start.map { LiftWindow(start: $0, end: lastFast) }
  }
}
