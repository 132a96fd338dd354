/// A box in which a detector sees a plate or a bar.
///
/// `x` and `y` are the corner with the lowest coordinates, in the frame's ``ImageSpace``: the upper left one, or in
/// Vision's space the lower left.
public struct BarDetection: Sendable, Hashable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double
  /// How sure the detector is, 0...1.
  public var confidence: Double

  public init(x: Double, y: Double, width: Double, height: Double, confidence: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.confidence = confidence
  }
}

/// What is known of the lifter in one frame; positions in the frame's ``ImageSpace``, nil for what was not found.
public struct BarPose: Sendable, Hashable {
  public var leftWrist: PosePoint?
  public var rightWrist: PosePoint?
  public var leftElbow: PosePoint?
  public var rightElbow: PosePoint?
  public var leftHip: PosePoint?
  public var rightHip: PosePoint?
  /// How visible the points without a confidence of their own are, 0...1; nil is wholly.
  public var visibility: Double?

  public init(
    leftWrist: PosePoint? = nil, rightWrist: PosePoint? = nil, leftElbow: PosePoint? = nil,
    rightElbow: PosePoint? = nil, leftHip: PosePoint? = nil, rightHip: PosePoint? = nil, visibility: Double? = nil
  ) {
    self.leftWrist = leftWrist
    self.rightWrist = rightWrist
    self.leftElbow = leftElbow
    self.rightElbow = rightElbow
    self.leftHip = leftHip
    self.rightHip = rightHip
    self.visibility = visibility
  }

  /// The points with their names in files.
  var named: [(name: String, point: PosePoint?)] {
    [
      ("left_wrist", leftWrist), ("right_wrist", rightWrist), ("left_elbow", leftElbow),
      ("right_elbow", rightElbow), ("left_hip", leftHip), ("right_hip", rightHip),
    ]
  }
}

/// Where the bar may be in a frame.
public enum BarObservation: Sendable, Hashable {
  /// What a detector found; which one is the bar is for the analysis to say.
  case detections([BarDetection])
  /// The bar's centre, chosen already; nil where it was not seen.
  case center(BarPoint?)
}

/// A position.
public struct BarPoint: Sendable, Hashable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  func distance(to other: BarPoint) -> Double {
    let (dx, dy) = (x - other.x, y - other.y)
    return (dx * dx + dy * dy).squareRoot()
  }
}

/// What is known of one video frame.
///
/// A frame is plain data from outside and may hold anything; the analysis checks it before it uses it.
public struct BarFrame: Sendable, Hashable {
  /// Seconds since any fixed moment; increases from frame to frame, by a microsecond at least.
  public var timestamp: Double
  /// Width of the image in pixels, above 0; nil where it is unknown, which only centres in pixels allow.
  public var width: Double?
  /// Height of the image in pixels, above 0; nil as with `width`.
  public var height: Double?
  /// What all coordinates in the frame mean.
  public var space: ImageSpace
  public var observation: BarObservation
  public var pose: BarPose?

  public init(
    timestamp: Double, width: Double?, height: Double?, space: ImageSpace = .pixel, observation: BarObservation,
    pose: BarPose? = nil
  ) {
    self.timestamp = timestamp
    self.width = width
    self.height = height
    self.space = space
    self.observation = observation
    self.pose = pose
  }

  /// Timestamps beyond ±1e10 s, which is three centuries, are refused: they are milliseconds, or nonsense.
  public static let timestampLimit = 1e10
  /// Two frames are at least so many seconds apart.
  public static let leastInterval = 1e-6
  /// Coordinates and sizes beyond ±1e7 pixels are refused.
  public static let coordinateLimit = 1e7
}
