/// A box in which a detector sees a plate or a bar.
///
/// `x` and `y` are the corner with the lowest coordinates, in the frame's ``ImageSpace``: the upper left one, or in
/// Vision's space the lower left.
public struct BarDetection: Sendable, Hashable {
  /// Horizontal position of that corner, rightwards.
  public var x: Double
  /// Vertical position of that corner, in the direction that the frame's space says.
  public var y: Double
  /// 0 or more.
  public var width: Double
  /// 0 or more.
  public var height: Double
  /// How sure the detector is, 0...1.
  public var confidence: Double

  /// A box.
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
  /// The lifter's left wrist.
  public var leftWrist: PosePoint?
  /// The lifter's right wrist.
  public var rightWrist: PosePoint?
  /// The lifter's left elbow.
  public var leftElbow: PosePoint?
  /// The lifter's right elbow.
  public var rightElbow: PosePoint?
  /// The lifter's left hip.
  public var leftHip: PosePoint?
  /// The lifter's right hip.
  public var rightHip: PosePoint?
  /// How visible the points without a confidence of their own are, 0...1; nil is wholly.
  public var visibility: Double?

  /// A pose; points that are left out were not found.
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

/// A position; in results, in pixels from the top left of the picture.
public struct BarPoint: Sendable, Hashable {
  /// Rightwards.
  public var x: Double
  /// Downwards.
  public var y: Double

  /// A position.
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
/// A frame is data from outside and may hold anything. It is checked, and converted to pixels, when it is made or changed;
/// what is wrong with it is thrown by whatever takes it.
public struct BarFrame: Sendable, Hashable {
  /// Seconds since any fixed moment; increases from frame to frame, by a microsecond at least.
  public var timestamp: Double { didSet { check() } }
  /// Width of the image in pixels, above 0; nil where it is unknown, which only centres in pixels allow.
  public var width: Double? { didSet { check() } }
  /// Height of the image in pixels, above 0; nil as with `width`.
  public var height: Double? { didSet { check() } }
  /// What all coordinates in the frame mean.
  public var space: ImageSpace { didSet { check() } }
  /// Where the bar may be.
  public var observation: BarObservation { didSet { check() } }
  /// What is known of the lifter; nil where nothing is.
  public var pose: BarPose? { didSet { check() } }
  /// Which frame of its video it is, where that is known; results name it so. Nil is the one after the frame before.
  public var number: Int?

  /// The frame in pixels, or what is wrong with it.
  private var pixels: Result<BarPixelFrame, Fault> = .failure(.missingImageSize)

  /// A frame of any content.
  public init(
    timestamp: Double, width: Double?, height: Double?, space: ImageSpace = .pixel, observation: BarObservation,
    pose: BarPose? = nil, number: Int? = nil
  ) {
    self.timestamp = timestamp
    self.width = width
    self.height = height
    self.space = space
    self.observation = observation
    self.pose = pose
    self.number = number
    check()
  }

  private mutating func check() {
    do throws(Fault) {
      pixels = .success(try converted())
    } catch {
      pixels = .failure(error)
    }
  }

  /// Timestamps beyond ±1e10 s, which is three centuries, are refused: they are milliseconds, or nonsense.
  public static let timestampLimit = 1e10
  /// Two frames are at least so many seconds apart.
  public static let leastInterval = 1e-6
  /// Coordinates and sizes beyond ±1e7 pixels are refused.
  public static let coordinateLimit = 1e7

  /// The frame in pixels.
  ///
  /// - Parameter previous: the timestamp of the frame before, if there was one.
  /// - Throws: what is wrong with the frame, or with its time after that one.
  func checked(after previous: Double?) throws(Fault) -> BarPixelFrame {
    if let previous, abs(timestamp) <= Self.timestampLimit, timestamp - previous < Self.leastInterval {
      throw .timestampNotIncreasing(timestamp, previous: previous)
    }
    return try pixels.get()
  }
}
