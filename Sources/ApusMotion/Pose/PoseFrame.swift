/// One point of a pose as its detector gave it: a position in the frame's ``ImageSpace``, perhaps a confidence.
public struct PosePoint: Sendable, Hashable {
  /// Horizontal position, rightwards.
  public var x: Double
  /// Vertical position, in the direction the frame's space says.
  public var y: Double
  /// How sure the detector was, usually 0...1; nil where it does not say.
  public var confidence: Double?

  /// A point.
  public init(x: Double, y: Double, confidence: Double? = nil) {
    self.x = x
    self.y = y
    self.confidence = confidence
  }

  /// Name and value of the first number that is NaN or infinite.
  var notFinite: (part: String, value: Double)? {
    if !x.isFinite { return ("x", x) }
    if !y.isFinite { return ("y", y) }
    if let confidence, !confidence.isFinite { return ("confidence", confidence) }
    return nil
  }
}

/// The pose found in one video frame.
///
/// A frame is plain data from outside and may hold anything; ``validate(order:frameIndex:after:)`` says what is wrong
/// with it.
public struct PoseFrame: Sendable, Hashable {
  /// Seconds since any fixed moment; increases from frame to frame.
  public var timestamp: Double
  /// Width of the image in pixels, above 0.
  public var width: Double
  /// Height of the image in pixels, above 0.
  public var height: Double
  /// What the points' coordinates mean.
  public var space: ImageSpace
  /// The points in the order of a ``KeypointOrder`` (24, or 25 from Vision); nil is a point that was not found.
  public var points: [PosePoint?]
  /// The number of its picture among those of its video, from 0; nil where that is not said.
  public var pictureNumber: Int?

  /// A frame of any content.
  public init(
    timestamp: Double, width: Double, height: Double, space: ImageSpace = .pixel, points: [PosePoint?],
    pictureNumber: Int? = nil
  ) {
    self.timestamp = timestamp
    self.width = width
    self.height = height
    self.space = space
    self.points = points
    self.pictureNumber = pictureNumber
  }

  /// A frame from Vision's joints, to be read with ``KeypointOrder/vision25``: joints without an entry are missing,
  /// and y runs upwards as Vision has it.
  public init(timestamp: Double, width: Double, height: Double, visionJoints: [VisionDogJoint: PosePoint]) {
    self.init(
      timestamp: timestamp, width: width, height: height, space: .vision,
      points: VisionDogJoint.allCases.map { visionJoints[$0] })
  }

  /// Timestamps beyond ±1e15 s are refused: nothing meaningful can be said about intervals between them.
  public static let timestampLimit = 1e15

  /// Checks everything that must hold before the frame's numbers are used.
  ///
  /// - Parameters:
  ///   - order: which points the frame should have.
  ///   - frameIndex: the frame's index in its stream, from 0, for the error.
  ///   - previous: the timestamp of the frame before, if there was one.
  /// - Throws: ``PoseFrameError`` for a wrong number of points, a width or height that is not above 0, a NaN or
  ///   infinity anywhere, or a timestamp that does not come after `previous`.
  public func validate(
    order: KeypointOrder, frameIndex: Int, after previous: Double? = nil
  ) throws(PoseFrameError) {
    if let fault = fault(order: order, after: previous) { throw PoseFrameError(frameIndex: frameIndex, reason: fault) }
  }

  /// What is wrong with the frame, if anything is.
  func fault(order: KeypointOrder, after previous: Double?) -> Fault? {
    guard points.count == order.pointCount else {
      return .wrongPointCount(found: points.count, expected: order.pointCount, order: order)
    }
    guard timestamp.isFinite else { return .notFinite(field: "timestamp", value: timestamp) }
    guard abs(timestamp) <= Self.timestampLimit else { return .timestampOutOfRange(timestamp) }
    guard width.isFinite else { return .notFinite(field: "width", value: width) }
    guard height.isFinite else { return .notFinite(field: "height", value: height) }
    guard width > 0, height > 0 else { return .invalidImageSize(width: width, height: height) }
    for (index, point) in points.enumerated() {
      guard let (part, value) = point?.notFinite else { continue }
      return .notFinite(field: "\(order.label(index)) \(part)", value: value)
    }
    if let previous, timestamp <= previous { return .timestampNotIncreasing(timestamp, previous: previous) }
    return nil
  }
}
