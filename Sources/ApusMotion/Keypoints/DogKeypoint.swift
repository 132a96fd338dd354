/// The 24 body points of a dog, in the order every window of the behaviour classifier uses.
///
/// The raw value is the point's index `k`: its coordinates are the features `2k` (x) and `2k + 1` (y) of a frame.
/// The order is that of the classifier's training metadata (the CVAT annotation guide), not that of any detector:
/// ``KeypointOrder`` says which other orders can be read.
public enum DogKeypoint: Int, CaseIterable, Sendable, Hashable {
  case nose, leftEye, rightEye, leftEar, rightEar, throat, withers
  case leftFrontShoulder, leftFrontElbow, leftFrontPaw
  case rightFrontShoulder, rightFrontElbow, rightFrontPaw
  case center
  case leftHip, leftKnee, leftBackPaw
  case rightHip, rightKnee, rightBackPaw
  case tailBase, tailMid1, tailMid2, tailTip

  /// How many keypoints a pose has: 24.
  public static let count = 24

  /// The name used in files and metadata, such as `left_front_paw`.
  public var name: String { Self.names[rawValue] }

  /// The keypoint with a given `name`, or nil when there is none.
  public init?(name: String) {
    guard let index = Self.names.firstIndex(of: name) else { return nil }
    self.init(rawValue: index)
  }

  /// The 24 names in index order.
  public static let names = [
    "nose", "left_eye", "right_eye", "left_ear", "right_ear", "throat", "withers",
    "left_front_shoulder", "left_front_elbow", "left_front_paw",
    "right_front_shoulder", "right_front_elbow", "right_front_paw",
    "center",
    "left_hip", "left_knee", "left_back_paw",
    "right_hip", "right_knee", "right_back_paw",
    "tail_base", "tail_mid_1", "tail_mid_2", "tail_tip",
  ]
}
