/// The points of two arms in one video frame, as a detector gave them.
public struct ArmFrame: Sendable, Hashable {
  /// Seconds since any fixed moment; increases from frame to frame by a microsecond or more.
  public var timestamp: Double
  /// Width of the image in pixels, above 0.
  public var width: Double
  /// Height of the image in pixels, above 0.
  public var height: Double
  /// What the points' coordinates mean.
  public var space: ImageSpace
  /// One entry for each ``ArmKeypoint``, in its order; nil is a point that was not found.
  public private(set) var points: [PosePoint?]
  /// The number of its picture among those of its video, from 0; nil where that is not said.
  public var pictureNumber: Int?

  /// - Parameters:
  ///   - points: the points that were found.
  ///   - pictureNumber: the number of its picture among those of its video.
  public init(
    timestamp: Double, width: Double, height: Double, space: ImageSpace, points: [ArmKeypoint: PosePoint],
    pictureNumber: Int? = nil
  ) {
    self.timestamp = timestamp
    self.width = width
    self.height = height
    self.space = space
    self.points = ArmKeypoint.allCases.map { points[$0] }
    self.pictureNumber = pictureNumber
  }

  /// A point as the detector gave it; nil where it was not found.
  public subscript(keypoint: ArmKeypoint) -> PosePoint? {
    get { points[keypoint.rawValue] }
    set { points[keypoint.rawValue] = newValue }
  }

  /// Images larger than this, in pixels a side, are refused: squares of their distances leave double precision.
  public static let sizeLimit = 1e9

  /// Two frames must be this far apart, in seconds, for a velocity between them to mean anything.
  public static let shortestInterval = 1e-6

  /// What is wrong with the frame, if anything is.
  func fault(after previous: Double?) -> ArmDriftError.Reason? {
    for (field, value) in [("t", timestamp), ("width", width), ("height", height)] where !value.isFinite {
      return .notFinite(field: field, value: value)
    }
    guard abs(timestamp) <= PoseFrame.timestampLimit else { return .timestampOutOfRange(timestamp) }
    guard width > 0, height > 0, width <= Self.sizeLimit, height <= Self.sizeLimit else {
      return .invalidImageSize(width: width, height: height)
    }
    for keypoint in ArmKeypoint.allCases {
      if let (part, value) = self[keypoint]?.notFinite {
        return .notFinite(field: "\(keypoint.name) \(part)", value: value)
      }
    }
    if let previous, timestamp - previous < Self.shortestInterval {
      return .timestampNotIncreasing(timestamp, previous: previous)
    }
    return nil
  }

  /// Where a point is, in pixels from the top left; nil where it was not found, its confidence is too low, or it lies
  /// outside the image. Points without a confidence are kept.
  func position(of keypoint: ArmKeypoint, minimumConfidence: Double) -> (x: Double, y: Double)? {
    guard let point = self[keypoint] else { return nil }
    if let confidence = point.confidence, confidence <= minimumConfidence { return nil }
    // The margin lets a point on the edge survive the rounding of a flipped y.
    let (x, y) = space.normalized(x: point.x, y: point.y, width: width, height: height)
    guard let inside = RangePolicy.clamp(margin: 0).apply((x, y)) else { return nil }
    return (inside.x * width, inside.y * height)
  }
}

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

/// A recording of two arms that are held out: frames in the order of time.
///
/// Every frame has been checked. A recording may still be too short or show too little; that is for
/// ``ArmDriftAnalysis`` to say.
public struct ArmRecording: Sendable, Hashable {
  /// One or more.
  public let frames: [ArmFrame]
  /// Whether the subject's left arm is on the image's left: true for a mirrored picture, or a person seen from behind.
  /// Nil where the file does not say. Where the labels disagree with it, they are exchanged.
  public let subjectLeftIsImageLeft: Bool?
  /// How long the test was meant to last, in seconds, where the file says.
  public let testDuration: Double?
  /// How often the person in detections of several people was out of view for more than a second, and whoever was
  /// surest then was chosen instead: perhaps somebody else.
  public let personChanges: Int

  /// More frames than this, more than nine hours at 30 a second, are refused.
  public static let frameLimit = 1_000_000

  /// - Throws: ``ArmDriftError`` naming the frame: no frames, or too many; a number that is NaN or infinite; an image
  ///   without size; a time that does not come after the one before. It names none where all points are in another
  ///   space than their frames say.
  public init(
    frames: [ArmFrame], subjectLeftIsImageLeft: Bool? = nil, testDuration: Double? = nil, personChanges: Int = 0
  ) throws(ArmDriftError) {
    guard !frames.isEmpty else { throw ArmDriftError(.noFrames) }
    guard frames.count <= Self.frameLimit else { throw ArmDriftError(.tooManyFrames(limit: Self.frameLimit)) }
    var previous: Double?
    for (index, frame) in frames.enumerated() {
      if let fault = frame.fault(after: previous) { throw ArmDriftError(fault, frameIndex: index) }
      previous = frame.timestamp
    }
    var fit = SpaceFit()
    for frame in frames {
      for case let point? in frame.points {
        fit.add(x: point.x, y: point.y, in: frame.space, width: frame.width, height: frame.height)
      }
    }
    if let mistake = fit.mistake { throw ArmDriftError(.spaceMistake(mistake)) }
    if let testDuration, !testDuration.isFinite {
      throw ArmDriftError(.notFinite(field: "test_duration", value: testDuration))
    }
    self.frames = frames
    self.subjectLeftIsImageLeft = subjectLeftIsImageLeft
    self.testDuration = testDuration
    self.personChanges = personChanges
  }
}
