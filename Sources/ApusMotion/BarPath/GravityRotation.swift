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
