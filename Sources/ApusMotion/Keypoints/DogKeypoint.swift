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

/// The 25 joints that Apple's Vision finds on an animal (`VNAnimalBodyPoseObservation`), in the order in which
/// Apus expects them when they come as an array.
///
/// Vision itself hands them out as a dictionary, which has no order; this one is that of Apus: ears, eyes, nose, neck, legs
/// (left front, right front, left back, right back; elbow, knee, paw each), tail. Vision has no joint for the withers,
/// the shoulders, the hips, the centre of the body, or the throat.
public enum VisionDogJoint: Int, CaseIterable, Sendable, Hashable {
  case leftEarTop, leftEarMiddle, leftEarBottom
  case rightEarTop, rightEarMiddle, rightEarBottom
  case leftEye, rightEye, nose, neck
  case leftFrontElbow, leftFrontKnee, leftFrontPaw
  case rightFrontElbow, rightFrontKnee, rightFrontPaw
  case leftBackElbow, leftBackKnee, leftBackPaw
  case rightBackElbow, rightBackKnee, rightBackPaw
  case tailTop, tailMiddle, tailBottom

  /// How many joints there are: 25.
  public static let count = 25

  /// The snake_case name used in CSV headers and messages, such as `left_ear_bottom`.
  public var name: String { Self.names[rawValue] }

  /// The 25 names in index order.
  public static let names = [
    "left_ear_top", "left_ear_middle", "left_ear_bottom",
    "right_ear_top", "right_ear_middle", "right_ear_bottom",
    "left_eye", "right_eye", "nose", "neck",
    "left_front_elbow", "left_front_knee", "left_front_paw",
    "right_front_elbow", "right_front_knee", "right_front_paw",
    "left_back_elbow", "left_back_knee", "left_back_paw",
    "right_back_elbow", "right_back_knee", "right_back_paw",
    "tail_top", "tail_middle", "tail_bottom",
  ]
}

/// The 24 joints of the StanfordExtra data set (and of the `dog-pose` data sets derived from it), in their order.
public enum StanfordExtraJoint: Int, CaseIterable, Sendable, Hashable {
  case leftFrontPaw, leftFrontKnee, leftFrontElbow
  case leftRearPaw, leftRearKnee, leftRearElbow
  case rightFrontPaw, rightFrontKnee, rightFrontElbow
  case rightRearPaw, rightRearKnee, rightRearElbow
  case tailStart, tailEnd
  case leftEarBase, rightEarBase
  case nose, chin
  case leftEarTip, rightEarTip
  case leftEye, rightEye
  case withers, throat

  /// How many joints there are: 24.
  public static let count = 24

  /// The snake_case name used in CSV headers and messages, such as `left_rear_elbow`.
  public var name: String { Self.names[rawValue] }

  /// The 24 names in index order.
  public static let names = [
    "left_front_paw", "left_front_knee", "left_front_elbow",
    "left_rear_paw", "left_rear_knee", "left_rear_elbow",
    "right_front_paw", "right_front_knee", "right_front_elbow",
    "right_rear_paw", "right_rear_knee", "right_rear_elbow",
    "tail_start", "tail_end", "left_ear_base", "right_ear_base", "nose", "chin",
    "left_ear_tip", "right_ear_tip", "left_eye", "right_eye", "withers", "throat",
  ]
}
