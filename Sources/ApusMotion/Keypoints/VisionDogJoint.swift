/// The 25 joints that Apple's Vision finds on an animal (`VNAnimalBodyPoseObservation`), in the order in which
/// Apus expects them when they come as an array.
///
/// Vision itself hands them out as a dictionary, which has no order; this one is ours: ears, eyes, nose, neck, legs
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
