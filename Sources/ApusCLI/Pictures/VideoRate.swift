import ApusMedia

extension Y4MHeader.Rate {
  /// What is nearly an integer, or one of the rates of television (30000 : 1001), is that; others are to a thousandth.
  /// - Parameter framesPerSecond: 30 stands in for what is no number.
  init(nearest framesPerSecond: Double) throws(VideoError) {
    let value = framesPerSecond.isFinite ? min(max(framesPerSecond, 0.001), 1e6) : 30
    let (whole, television) = (value.rounded(), (value * 1.001).rounded())
    let tolerance = 0.005 * value
    let isTelevision =
      television.truncatingRemainder(dividingBy: 24) == 0
      || television.truncatingRemainder(dividingBy: 30) == 0
    if isTelevision, abs(value - television / 1.001) < min(tolerance, abs(value - whole)) {
      try self.init(frames: Int(television) * 1000, seconds: 1001)
    } else if abs(value - whole) < tolerance {
      try self.init(frames: Int(whole), seconds: 1)
    } else {
      try self.init(frames: Int((value * 1000).rounded()), seconds: 1000)
    }
  }

  /// The rate of frames at these times: by the median of their distances, so that pauses do not count. Nil for fewer
  /// than two.
  init?(of times: [Double]) throws(VideoError) {
    let steps = zip(times.dropFirst(), times).map { $0 - $1 }.sorted()
    guard !steps.isEmpty else { return nil }
    let middle = (steps[(steps.count - 1) / 2] + steps[steps.count / 2]) / 2
    try self.init(nearest: 1 / middle)
  }
}
