import ApusMedia

/// Something that was found in a picture.
public struct Detection: Sendable, Hashable {
  /// Where, in pixels of the picture, clipped to it.
  public var box: PixelBox
  /// The index of its class.
  public var classIndex: Int
  /// How sure the network is, 0 to 1.
  public var score: Float
  /// Its joints, for a network that finds poses; else empty. They may lie outside the picture.
  public var keypoints: [DetectedKeypoint]
  /// Its box as it is turned, for a network that finds such; ``box`` is the upright one around it. It may reach outside
  /// the picture.
  public var rotatedBox: RotatedBox?
  /// Which pixels belong to it, for a network that says so.
  public var mask: DetectionMask?

  /// A detection with its numbers as they are.
  public init(
    box: PixelBox, classIndex: Int, score: Float, keypoints: [DetectedKeypoint] = [], rotatedBox: RotatedBox? = nil,
    mask: DetectionMask? = nil
  ) {
    self.box = box
    self.classIndex = classIndex
    self.score = score
    self.keypoints = keypoints
    self.rotatedBox = rotatedBox
    self.mask = mask
  }
}

/// A joint, in pixels of the picture.
public struct DetectedKeypoint: Sendable, Hashable {
  /// To the right of the picture's left edge.
  public var x: Float
  /// Down from the picture's upper edge.
  public var y: Float
  /// How sure the network is that it can be seen, 0 to 1; nil for networks that do not say.
  public var visibility: Float?

  /// A joint with its numbers as they are.
  public init(x: Float, y: Float, visibility: Float? = nil) {
    self.x = x
    self.y = y
    self.visibility = visibility
  }
}

/// The 17 joints of a person in the order of the COCO data set, and which of them a body connects.
public enum PersonKeypoint: Int, Sendable, Hashable, CaseIterable {
  case nose, leftEye, rightEye, leftEar, rightEar, leftShoulder, rightShoulder, leftElbow, rightElbow, leftWrist,
    rightWrist, leftHip, rightHip, leftKnee, rightKnee, leftAnkle, rightAnkle

  /// Pairs of joints between which a line is drawn.
  public static let connections: [(PersonKeypoint, PersonKeypoint)] = [
    (.leftAnkle, .leftKnee), (.leftKnee, .leftHip), (.rightAnkle, .rightKnee), (.rightKnee, .rightHip),
    (.leftHip, .rightHip), (.leftShoulder, .leftHip), (.rightShoulder, .rightHip), (.leftShoulder, .rightShoulder),
    (.leftShoulder, .leftElbow), (.rightShoulder, .rightElbow), (.leftElbow, .leftWrist), (.rightElbow, .rightWrist),
    (.leftEye, .rightEye), (.nose, .leftEye), (.nose, .rightEye), (.leftEye, .leftEar), (.rightEye, .rightEar),
    (.leftEar, .leftShoulder), (.rightEar, .rightShoulder),
  ]
}
