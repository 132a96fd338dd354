import ApusMedia

extension DogKeypoint {
  /// Which side of the body a point is on.
  public enum Side: Sendable, Hashable {
    case left, middle, right
  }

  /// Which side of the body the point is on.
  public var side: Side {
    if name.hasPrefix("left_") { return .left }
    return name.hasPrefix("right_") ? .right : .middle
  }

  /// Points that follow each other along the body: the back from nose to tail, ears over eyes, and the legs.
  public static let chains: [[DogKeypoint]] = [
    [.nose, .throat, .withers, .center, .tailBase, .tailMid1, .tailMid2, .tailTip],
    [.nose, .leftEye, .leftEar], [.nose, .rightEye, .rightEar],
    [.withers, .leftFrontShoulder, .leftFrontElbow, .leftFrontPaw],
    [.withers, .rightFrontShoulder, .rightFrontElbow, .rightFrontPaw],
    [.tailBase, .leftHip, .leftKnee, .leftBackPaw], [.tailBase, .rightHip, .rightKnee, .rightBackPaw],
  ]

  /// The bones of a skeleton: pairs of points that follow each other along a chain. A point that was not found is
  /// stepped over, so that a dog without a withers keeps its back.
  public static func bones(among found: KeypointSet) -> [(DogKeypoint, DogKeypoint)] {
    chains.flatMap { chain in
      let points = chain.filter(found.contains)
      return Array(zip(points, points.dropFirst()))
    }
  }
}

extension Canvas {
  /// A dog's skeleton: its left in one colour, its right in another, back, head and tail in a third.
  ///
  /// - Parameters:
  ///   - points: one for each ``DogKeypoint``, in pixels; nil is one that was not found.
  ///   - scale: pixels of this picture to one of the points'.
  public mutating func drawDog(_ points: [PosePoint?], scale: Double = 1) {
    guard points.count == DogKeypoint.count else { return }
    let places = points.map { $0.map { PixelPoint(x: $0.x * scale, y: $0.y * scale) } }
    var found = KeypointSet()
    for keypoint in DogKeypoint.allCases where places[keypoint.rawValue] != nil { found.insert(keypoint) }
    for (a, b) in DogKeypoint.bones(among: found) {
      guard let from = places[a.rawValue], let to = places[b.rawValue] else { continue }
      drawLine(from: from, to: to, width: 1.4 * lineWidth, color: Self.color(b.side))
    }
    drawSkeleton(points: places, edges: []) { Self.color(DogKeypoint(rawValue: $0)?.side ?? .middle) }
  }

  private static func color(_ side: DogKeypoint.Side) -> PixelColor {
    switch side {
    case .left: leftColor
    case .middle: PixelColor(0xFFD60A)
    case .right: rightColor
    }
  }
}
