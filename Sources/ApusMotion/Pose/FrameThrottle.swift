/// Lets a steady number of frames per second through, judged by their timestamps.
///
/// A frame passes when it is *due*. Due times lie on a grid from the first frame on, so a rate that divides the input's
/// comes out exactly: of frames 1/30 s apart, a throttle of 10 passes 0, 3, 6, … Comparing with the last accepted time
/// instead drops every fourth, because 0.1 has no exact binary form; for the same reason a frame may be 1e-6 s early.
/// When frames come too late for the grid, it starts anew at the late frame, so that no burst follows a pause.
public struct FrameThrottle: Sendable {
  /// Seconds between due times.
  public let interval: Double

  /// How early a frame may be, in seconds.
  public static let slack = 1e-6

  /// Start of the grid and how many steps after it the next frame is due. Counting steps instead of adding
  /// intervals keeps a stream of days from drifting.
  private var grid: (start: Double, steps: Double)?

  /// - Throws: ``MotionConfigurationError/invalidFrameRate(_:)`` unless the rate is a finite number above 0 (and not
  ///   so small that the interval is infinite).
  public init(framesPerSecond: Double) throws(MotionConfigurationError) {
    guard framesPerSecond.isFinite, framesPerSecond > 0, (1 / framesPerSecond).isFinite else {
      throw .invalidFrameRate(framesPerSecond)
    }
    interval = 1 / framesPerSecond
  }

  /// Whether the frame at this time passes; if so, the next due time moves on. A frame at no finite time does not, and
  /// changes nothing.
  ///
  /// - Parameter timestamp: seconds, not before the last one asked about.
  public mutating func accepts(_ timestamp: Double) -> Bool {
    guard timestamp.isFinite else { return false }
    guard let (start, steps) = grid else {
      grid = (timestamp, 1)
      return true
    }
    guard timestamp + Self.slack >= start + steps * interval else { return false }
    let next = start + (steps + 1) * interval
    grid = next > timestamp + Self.slack ? (start, steps + 1) : (timestamp, 1)
    return true
  }

  /// Forgets the grid: the next frame passes and starts a new one.
  public mutating func reset() { grid = nil }
}
