/// When a bar comes to rest or turns, between two frames.
///
/// Near its end a movement is so slow that noise hides the last frame of it: a frame or two too few are some per cent
/// of its duration. But the frames a little before say when it will end. The speed of a lift rises and falls about as
/// half a sine wave does, and then `asin √(distance left / whole distance)` falls evenly with time: a straight line
/// through it, from 20 % of the distance to 3 %, reaches 0 when the bar stands.
enum TurningPoint {
  private static let shares = 0.03...0.2

  /// - Parameters:
  ///   - end: the frame that is the first or last of the movement as far as speeds can tell.
  ///   - other: its other end; the frames from `end` to it are looked at.
  ///   - level: the height at which the bar stands.
  ///   - distance: of the whole movement, above 0.
  /// - Returns: seconds; the time of the frame `end` where too few frames say more.
  static func time(
    end: Int, other: Int, level: Double, distance: Double, path: [BarPoint?], timestamps: [Double]
  ) -> Double {
    var (count, sumX, sumXX, sumT, sumXT) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for index in stride(from: end, through: other, by: end < other ? 1 : -1) {
      guard let point = path[index] else { continue }
      let share = abs(point.y - level) / distance
      if share > shares.upperBound { break }
      if share < shares.lowerBound { continue }
      // The series of asin √share.
      let x = share.squareRoot() * (1 + share / 6 + 3 * share * share / 40)
      let t = timestamps[index] - timestamps[end]
      count += 1
      sumX += x
      sumXX += x * x
      sumT += t
      sumXT += x * t
    }
    let determinant = count * sumXX - sumX * sumX
    guard count >= 2, determinant > 1e-9 else { return timestamps[end] }
    let found = (sumT * sumXX - sumX * sumXT) / determinant
    // Never farther from the frame than a third of the movement.
    let limit = abs(timestamps[other] - timestamps[end]) / 3
    return timestamps[end] + min(max(found, -limit), limit)
  }
}
