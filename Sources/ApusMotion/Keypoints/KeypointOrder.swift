/// Which points an input frame holds, and how they become the 24 of ``DogKeypoint``.
///
/// The raw value is the spelling on the command line.
public enum KeypointOrder: String, CaseIterable, Sendable, Hashable {
  /// The 24 points of ``DogKeypoint`` in their own order: nothing to do.
  case cvat
  /// The 24 points of ``StanfordExtraJoint``, passed on *by position*.
  ///
  /// The original model was trained on StanfordExtra poses labelled with the names of ``DogKeypoint``, so what it
  /// learned to call feature 0, "nose", is a left front paw. This order reproduces that; it is no conversion.
  case stanfordExtra = "stanford-extra"
  /// The 24 points of ``StanfordExtraJoint``, moved to the ``DogKeypoint`` that means the same place.
  ///
  /// Shoulders, centre and both middles of the tail have no counterpart and are missing. Hips take the rear elbows,
  /// ears the ear bases.
  case dogPose24 = "dog-pose-24"
  /// The 25 joints of ``VisionDogJoint``, moved to the ``DogKeypoint`` that means the same place.
  ///
  /// Shoulders, withers, centre and the first middle of the tail are missing; the throat takes the neck, hips take the
  /// back elbows, ears the ear bottoms. Points with a confidence below 0.3 are missing. Vision counts y upwards: such
  /// frames declare ``ImageSpace/vision``, which flips y.
  case vision25 = "vision-25"

  /// How many points a frame in this order has.
  public var pointCount: Int { pointNames.count }

  /// The names of a frame's points, in order: the columns of a CSV file, and what messages call them.
  public var pointNames: [String] {
    switch self {
    case .cvat: DogKeypoint.names
    case .stanfordExtra, .dogPose24: StanfordExtraJoint.names
    case .vision25: VisionDogJoint.names
    }
  }

  /// What messages call a point of a frame, such as `keypoint 3 (left_ear)`.
  func label(_ index: Int) -> String { "keypoint \(index) (\(pointNames[index]))" }

  /// The lowest confidence at which a point counts as seen, where the order's source defines one.
  public var defaultMinimumConfidence: Double? { self == .vision25 ? 0.3 : nil }

  /// The image space such frames usually come in: ``ImageSpace/vision`` from Vision, pixels otherwise.
  public var defaultSpace: ImageSpace { self == .vision25 ? .vision : .pixel }

  /// For each of the 24 keypoints, the index of the input point that takes its place, or nil where none does.
  public var sources: [Int?] {
    switch self {
    case .cvat, .stanfordExtra: Self.identity
    case .dogPose24: Self.fromStanfordExtra
    case .vision25: Self.fromVision
    }
  }

  private static let identity: [Int?] = (0..<DogKeypoint.count).map { $0 }

  private static let fromStanfordExtra = table { (keypoint) -> StanfordExtraJoint? in
    switch keypoint {
    case .nose: .nose
    case .leftEye: .leftEye
    case .rightEye: .rightEye
    case .leftEar: .leftEarBase
    case .rightEar: .rightEarBase
    case .throat: .throat
    case .withers: .withers
    case .leftFrontElbow: .leftFrontElbow
    case .leftFrontPaw: .leftFrontPaw
    case .rightFrontElbow: .rightFrontElbow
    case .rightFrontPaw: .rightFrontPaw
    case .leftHip: .leftRearElbow
    case .leftKnee: .leftRearKnee
    case .leftBackPaw: .leftRearPaw
    case .rightHip: .rightRearElbow
    case .rightKnee: .rightRearKnee
    case .rightBackPaw: .rightRearPaw
    case .tailBase: .tailStart
    case .tailTip: .tailEnd
    case .leftFrontShoulder, .rightFrontShoulder, .center, .tailMid1, .tailMid2: nil
    }
  }

  private static let fromVision = table { (keypoint) -> VisionDogJoint? in
    switch keypoint {
    case .nose: .nose
    case .leftEye: .leftEye
    case .rightEye: .rightEye
    case .leftEar: .leftEarBottom
    case .rightEar: .rightEarBottom
    case .throat: .neck
    case .leftFrontElbow: .leftFrontElbow
    case .leftFrontPaw: .leftFrontPaw
    case .rightFrontElbow: .rightFrontElbow
    case .rightFrontPaw: .rightFrontPaw
    case .leftHip: .leftBackElbow
    case .leftKnee: .leftBackKnee
    case .leftBackPaw: .leftBackPaw
    case .rightHip: .rightBackElbow
    case .rightKnee: .rightBackKnee
    case .rightBackPaw: .rightBackPaw
    case .tailBase: .tailTop
    case .tailMid2: .tailMiddle
    case .tailTip: .tailBottom
    case .withers, .leftFrontShoulder, .rightFrontShoulder, .center, .tailMid1: nil
    }
  }

  private static func table<Joint: RawRepresentable<Int>>(_ source: (DogKeypoint) -> Joint?) -> [Int?] {
    DogKeypoint.allCases.map { source($0)?.rawValue }
  }
}
