/// Smoothing by an exponential moving average: `s_0 = p_0`, `s_i = α · p_i + (1 − α) · s_{i−1}`.
struct PathAverage: Sendable {
  let alpha: Double
  /// Whether the average begins anew after a frame without a point; the original application goes on from before it.
  var restartsAfterGap = true
  private var state: BarPoint?

  init(alpha: Double, restartsAfterGap: Bool = true) {
    self.alpha = alpha
    self.restartsAfterGap = restartsAfterGap
  }

  /// The smoothed point; nil for nil.
  mutating func next(_ point: BarPoint?) -> BarPoint? {
    guard let point else {
      if restartsAfterGap { state = nil }
      return nil
    }
    let smoothed = state.map {
      BarPoint(x: alpha * point.x + (1 - alpha) * $0.x, y: alpha * point.y + (1 - alpha) * $0.y)
    }
    state = smoothed ?? point
    return state
  }

  /// The point before was the last before a break.
  mutating func restart() { state = nil }

  static func smooth(
    _ points: [BarPoint?], alpha: Double, breaks: [Bool]? = nil, restartsAfterGap: Bool = true
  ) -> [BarPoint?] {
    var average = PathAverage(alpha: alpha, restartsAfterGap: restartsAfterGap)
    return points.indices.map { index in
      if breaks?[index] == true { average.restart() }
      return average.next(points[index])
    }
  }

  /// Forwards, and the result backwards: no lag, and twice as smooth.
  static func smoothBothWays(_ points: [BarPoint?], alpha: Double, breaks: [Bool]) -> [BarPoint?] {
    let forwards = smooth(points, alpha: alpha, breaks: breaks)
    // Seen from behind, a break lies before the frame that it comes after.
    let backwards = Array(breaks.dropFirst() + [false]).reversed()
    return smooth(forwards.reversed(), alpha: alpha, breaks: Array(backwards)).reversed()
  }
}
