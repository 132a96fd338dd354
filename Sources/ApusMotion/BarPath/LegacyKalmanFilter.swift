/// The original application's Kalman filter: the position is a random walk, each axis by itself.
///
/// `P⁻ = P + Q; K = P⁻ / (P⁻ + R); x += K · (z − x); P = (1 − K) · P⁻` with Q = 0.01 and R = 0.1. It settles at
/// K = 0.270156, and is an exponential average from there on.
struct LegacyKalmanFilter: Sendable {
  enum Start: Sendable {
    /// At the first point: x = z, P = R.
    case firstPoint
    /// At 0 with P = 1, as the original: the first output is 9 % short of the first point.
    case origin
  }

  private static let (processNoise, measurementNoise) = (0.01, 0.1)
  private let start: Start
  private var state: (position: BarPoint, variance: Double)?

  init(start: Start = .firstPoint) { self.start = start }

  /// The filtered point; nil for nil.
  mutating func next(_ point: BarPoint?) -> BarPoint? {
    guard let point else { return nil }
    if state == nil, start == .firstPoint {
      state = (point, Self.measurementNoise)
      return point
    }
    let (before, variance) = state ?? (BarPoint(x: 0, y: 0), 1)
    let predicted = variance + Self.processNoise
    let gain = predicted / (predicted + Self.measurementNoise)
    let position = BarPoint(x: before.x + gain * (point.x - before.x), y: before.y + gain * (point.y - before.y))
    state = (position, (1 - gain) * predicted)
    return position
  }

  mutating func restart() { state = nil }

  static func smooth(_ points: [BarPoint?], breaks: [Bool]? = nil, start: Start = .firstPoint) -> [BarPoint?] {
    var filter = LegacyKalmanFilter(start: start)
    return points.indices.map { index in
      if breaks?[index] == true { filter.restart() }
      return filter.next(points[index])
    }
  }
}
