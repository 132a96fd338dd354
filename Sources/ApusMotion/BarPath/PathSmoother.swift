/// The constant-velocity filter run over a whole path and smoothed backwards (Rauch, Tung and Striebel), so that every
/// point rests on the frames before it and after it.
enum PathSmoother {
  /// How noisy a bar's acceleration is, in (frame heights)²/s³. A lift's bar accelerates by about a height per second
  /// squared for a few tenths of a second.
  static let processNoise = 0.02
  /// The noise of detections where it cannot be measured, in frame heights.
  static let measurementDeviation = 0.002
  /// No path is taken for more exact than this, in frame heights.
  static let leastDeviation = 0.0001

  /// - Parameters:
  ///   - points: the measured path. Its gaps are filled from the motion where `isFilled` says so, and where they are
  ///     not filled the path begins anew.
  ///   - height: of the frame in pixels, the measure of all noise.
  static func smooth(
    _ points: [BarPoint?], isFilled: [Bool], timestamps: [Double], breaks: [Bool], height: Double
  ) -> [BarPoint?] {
    let deviation = max(
      deviation(of: points, timestamps: timestamps) ?? measurementDeviation * height, leastDeviation * height)
    var result = [BarPoint?](repeating: nil, count: points.count)
    var start = 0
    while start < points.count {
      guard points[start] != nil else {
        start += 1
        continue
      }
      var end = start + 1
      while end < points.count, !breaks[end], points[end] != nil || isFilled[end] { end += 1 }
      let filter = KalmanFilter(
        processNoise: processNoise * height * height, measurementNoise: deviation * deviation)
      smooth(points, timestamps, start..<end, filter, into: &result)
      start = end
    }
    return result
  }

  private static func smooth(
    _ points: [BarPoint?], _ timestamps: [Double], _ range: Range<Int>, _ filter: KalmanFilter,
    into result: inout [BarPoint?]
  ) {
    typealias State = KalmanFilter.State
    var filter = filter
    var steps: [(predicted: State, filtered: State)] = []
    steps.reserveCapacity(range.count)
    for index in range {
      let dt = index > range.lowerBound ? timestamps[index] - timestamps[index - 1] : 0
      guard let step = filter.next(points[index], after: dt) else { return }
      steps.append(step)
    }
    var later: State?
    for offset in steps.indices.reversed() {
      var state = steps[offset].filtered
      if let later {
        let dt = timestamps[range.lowerBound + offset + 1] - timestamps[range.lowerBound + offset]
        state = smoothed(state, before: later, predicted: steps[offset + 1].predicted, dt: dt)
      }
      result[range.lowerBound + offset] = state.position
      later = state
    }
  }

  /// `x + C · (x_later − x_predicted)` with `C = P · Fᵀ · P_predicted⁻¹`.
  private static func smoothed(
    _ state: KalmanFilter.State, before later: KalmanFilter.State,
    predicted: KalmanFilter.State, dt: Double
  ) -> KalmanFilter.State {
    let (pp, pv, vv) = state.covariance
    let (a, b, d) = predicted.covariance
    let determinant = a * d - b * b
    guard determinant > 0, determinant.isFinite else { return state }
    let (m11, m12, m21, m22) = (pp + dt * pv, pv, pv + dt * vv, vv)
    let c11 = (m11 * d - m12 * b) / determinant
    let c12 = (m12 * a - m11 * b) / determinant
    let c21 = (m21 * d - m22 * b) / determinant
    let c22 = (m22 * a - m21 * b) / determinant
    var result = state
    let (dx, dvx) = (later.position.x - predicted.position.x, later.velocity.x - predicted.velocity.x)
    let (dy, dvy) = (later.position.y - predicted.position.y, later.velocity.y - predicted.velocity.y)
    result.position.x += c11 * dx + c12 * dvx
    result.position.y += c11 * dy + c12 * dvy
    result.velocity.x += c21 * dx + c22 * dvx
    result.velocity.y += c21 * dy + c22 * dvy
    return result
  }

  /// The standard deviation of a path's noise, vertically, from how far each point lies from the parabola through one
  /// point before it and two after it; the median, so that jumps do not count. Nil with fewer than 16 such points.
  static func deviation(of points: [BarPoint?], timestamps: [Double]) -> Double? {
    guard points.count >= 19 else { return nil }
    var residuals: [Double] = []
    for index in 1..<(points.count - 2) {
      let places = [index - 1, index + 1, index + 2]
      guard let point = points[index] else { continue }
      let others = places.compactMap { points[$0] }
      guard others.count == 3 else { continue }
      let times = places.map { timestamps[$0] - timestamps[index] }
      var (value, norm) = (0.0, 1.0)
      for i in 0..<3 {
        var weight = 1.0
        for j in 0..<3 where j != i { weight *= times[j] / (times[j] - times[i]) }
        value += weight * others[i].y
        norm += weight * weight
      }
      residuals.append(abs(point.y - value) / norm.squareRoot())
    }
    guard residuals.count >= 16 else { return nil }
    // The median of |x| of a normal distribution is 0.6745 standard deviations.
    return residuals.sorted()[residuals.count / 2] / 0.6745
  }
}
