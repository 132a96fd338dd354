extension DogKeypoint {
  /// Which side of the body a point is on.
  public enum Side: Sendable, Hashable {
    case left, middle, right
  }

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
