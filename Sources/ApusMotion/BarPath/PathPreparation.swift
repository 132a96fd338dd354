/// Where a path cannot be followed from one frame to the next, since too much time lies between them.
struct PathBreaks: Sendable {
  /// The usual time between two frames in seconds: the median; nil with fewer than two frames.
  let interval: Double?
  /// Frames a second, without what rounding of times near each other leaves: 30 of --fps 30.
  var rate: Double? {
    interval.map { interval in
      let rate = 1 / interval
      return rate > 1 && rate < 1e9 ? (rate * 1e6).rounded() / 1e6 : rate
    }
  }

  /// Whether the path is broken between frame i − 1 and frame i.
  let isBreak: [Bool]

  /// - Parameters:
  ///   - timestamps: increasing, in seconds.
  ///   - limit: the longest gap in frames that may be filled; a pause in which more frames are lost is a break.
  init(timestamps: [Double], limit: Int) {
    let intervals = zip(timestamps, timestamps.dropFirst()).map { $1 - $0 }
    interval = intervals.isEmpty ? nil : intervals.sorted()[intervals.count / 2]
    var isBreak = [Bool](repeating: false, count: timestamps.count)
    if let interval {
      let longest = Double(max(limit, 1) + 1) * interval * (1 + 1e-6)
      for (index, seconds) in intervals.enumerated() { isBreak[index + 1] = seconds > longest }
    }
    self.isBreak = isBreak
  }
}

/// Fills short gaps in a path.
enum GapFill {
  /// Puts points on the straight line between its ends into every gap of up to `limit` frames:
  /// `p = a + (b − a) · (t − t_a) / (t_b − t_a)`.
  ///
  /// A gap has an end on both sides: what is missing at the start and at the end stays missing, and so does a gap
  /// that the path's breaks run through.
  ///
  /// - Returns: the path, and which points were filled in.
  static func fill(
    _ points: [BarPoint?], timestamps: [Double], limit: Int, breaks: [Bool]? = nil
  ) -> (points: [BarPoint?], isFilled: [Bool]) {
    var result = points
    var isFilled = [Bool](repeating: false, count: points.count)
    var last: Int?
    for index in points.indices {
      guard let end = points[index] else { continue }
      if let start = last, index - start > 1, index - start - 1 <= limit, let a = points[start],
        breaks.map({ !$0[(start + 1)...index].contains(true) }) ?? true
      {
        for gap in (start + 1)..<index {
          let share = (timestamps[gap] - timestamps[start]) / (timestamps[index] - timestamps[start])
          result[gap] = BarPoint(x: a.x + (end.x - a.x) * share, y: a.y + (end.y - a.y) * share)
          isFilled[gap] = true
        }
      }
      last = index
    }
    return (result, isFilled)
  }
}

/// Turns positions so that up is up: by −angle about the image's centre.
struct GravityRotation: Sendable {
  let center: BarPoint
  private let (sine, cosine): (Double, Double)

  init(degrees: Double, center: BarPoint) {
    self.center = center
    (sine, cosine) = (Self.sine(degrees * .pi / 180), Self.sine((90 - abs(degrees)) * .pi / 180))
  }

  /// Of angles up to 90°, by the series: x − x³/3! + x⁵/5! − …
  private static func sine(_ x: Double) -> Double {
    var (sum, term) = (0.0, x)
    for n in 1...12 {
      sum += term
      term *= -x * x / Double(2 * n * (2 * n + 1))
    }
    return sum
  }

  func upright(_ point: BarPoint) -> BarPoint { turned(point, -sine) }

  /// The position in the picture of an upright one.
  func inPicture(_ point: BarPoint) -> BarPoint { turned(point, sine) }

  private func turned(_ point: BarPoint, _ sine: Double) -> BarPoint {
    let (dx, dy) = (point.x - center.x, point.y - center.y)
    return BarPoint(x: center.x + dx * cosine - dy * sine, y: center.y + dx * sine + dy * cosine)
  }
}

/// How fast a path goes up.
enum PathVelocity {
  /// `−(y_i − y_{i−1}) / (t_i − t_{i−1}) / scale`: positive is up, while y is measured downwards.
  ///
  /// - Parameter scale: pixels per cm for cm/s, 1 for px/s.
  /// - Returns: one value a point; nil for the first, next to a missing point, and across a break.
  static func upward(
    _ points: [BarPoint?], timestamps: [Double], scale: Double = 1, breaks: [Bool]? = nil
  ) -> [Double?] {
    points.indices.map { index in
      guard index > 0, breaks?[index] != true, let a = points[index - 1], let b = points[index] else { return nil }
      return (a.y - b.y) / (timestamps[index] - timestamps[index - 1]) / scale
    }
  }
}
