/// The body points that the arm drift analysis knows. Left and right are the subject's own.
///
/// Wrists and shoulders are needed; elbows are read and checked, and nothing is computed from them.
public enum ArmKeypoint: Int, CaseIterable, Sendable, Hashable {
  case leftShoulder, rightShoulder, leftElbow, rightElbow, leftWrist, rightWrist

  /// The name in files, such as `left_wrist`.
  public var name: String { Self.names[rawValue] }

  /// The point with a given `name`, or nil when there is none.
  public init?(name: String) {
    guard let index = Self.names.firstIndex(of: name) else { return nil }
    self.init(rawValue: index)
  }

  /// The names in the order of the raw values.
  public static let names = [
    "left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist",
  ]

  /// The index among the 17 keypoints of COCO, whose points 5 to 10 are these six in this order.
  public var cocoIndex: Int { 5 + rawValue }

  /// How many keypoints COCO gives a person.
  static let cocoCount = 17

  /// The points without which a frame measures nothing.
  static let required: [ArmKeypoint] = [.leftWrist, .rightWrist, .leftShoulder, .rightShoulder]

  /// The same point of the other arm.
  var mirrored: ArmKeypoint { ArmKeypoint(rawValue: rawValue ^ 1) ?? self }
}
