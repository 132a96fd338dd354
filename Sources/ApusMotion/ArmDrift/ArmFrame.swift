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

  /// - Parameter points: the points that were found.
  public init(
    timestamp: Double, width: Double, height: Double, space: ImageSpace, points: [ArmKeypoint: PosePoint]
  ) {
    self.timestamp = timestamp
    self.width = width
    self.height = height
    self.space = space
    self.points = ArmKeypoint.allCases.map { points[$0] }
  }

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
