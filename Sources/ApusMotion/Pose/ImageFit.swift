/// Whether the points of a stream fit the images that they are said to lie in.
///
/// Points outside their image count as missing, one by one, as a dog that leaves the picture has them. But where many
/// do, the image is not that of the recording, and what is left of the dog would be classified all the same.
struct ImageFit: Sendable {
  private var count = 0
  private var outside = 0
  private var farthest = (x: 0.0, y: 0.0)
  /// Whether all points so far would fit into the corner pixel.
  private var areFractions = true
  private var areAllZero = true

  /// With more of the points outside, the image cannot be right.
  private static let mostOutside = 0.25

  mutating func add(_ frame: PoseFrame, range: RangePolicy) {
    guard case .clamp = range else { return }
    for case let point? in frame.points {
      count += 1
      let place = frame.space.normalized(x: point.x, y: point.y, width: frame.width, height: frame.height)
      if range.apply(place) == nil {
        outside += 1
        let (x, y) = (place.x * frame.width, place.y * frame.height)
        if abs(x) > abs(farthest.x) { farthest.x = x }
        if abs(y) > abs(farthest.y) { farthest.y = y }
      }
      if frame.space != .pixel
        || !SpaceFit.isInCorner(x: point.x, y: point.y, width: frame.width, height: frame.height)
      {
        areFractions = false
      }
      if point.x != 0 || point.y != 0 { areAllZero = false }
    }
  }

  /// What is wrong, if anything is, once there are points enough to tell.
  func fault(of frame: PoseFrame) -> PoseFrame.Fault? {
    guard count > 0 else { return nil }
    if areFractions, !areAllZero { return .fractionsForPixels(width: frame.width, height: frame.height) }
    let share = Double(outside) / Double(count)
    guard share > Self.mostOutside else { return nil }
    return .pointsOutsideImage(
      share: share, x: farthest.x, y: farthest.y, width: frame.width, height: frame.height)
  }
}
