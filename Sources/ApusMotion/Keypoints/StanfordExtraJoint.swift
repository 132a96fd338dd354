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
