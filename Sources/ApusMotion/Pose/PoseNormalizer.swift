/// A frame as the network sees it: 48 numbers, and which keypoints they really come from.
public struct PoseVector: Sendable, Hashable {
  /// How many numbers a frame has: 2 for each of the 24 keypoints.
  public static let featureCount = 2 * DogKeypoint.count

  /// x₀, y₀, x₁, y₁, …, x₂₃, y₂₃: fractions of width and height from the top left. 48 values.
  public internal(set) var values: [Float]
  /// The keypoints seen in this very frame. A held position or a zero is not in the set.
  public internal(set) var observed: KeypointSet

  /// A frame in which nothing was seen.
  public init() {
    values = [Float](repeating: 0, count: Self.featureCount)
    observed = []
  }

  /// The position of a keypoint, (0, 0) where it is missing.
  public subscript(keypoint: DogKeypoint) -> (x: Float, y: Float) {
    (values[2 * keypoint.rawValue], values[2 * keypoint.rawValue + 1])
  }
}

/// Turns frames from a detector into the 48 numbers of the classifier: order of keypoints, image space, range,
/// missing points.
///
/// It is a value with a memory: ``MissingPolicy/hold(frames:)`` needs the last seen positions.
public struct PoseNormalizer: Sendable {
  /// Which points the frames have.
  public let order: KeypointOrder
  /// What takes the place of a point that was not seen.
  public let missing: MissingPolicy
  /// What happens to points outside the image.
  public let range: RangePolicy
  /// Points with a lower confidence are missing; points without one are kept. Nil keeps all.
  public let minimumConfidence: Double?

  private let sources: [Int?]
  private var lastSeen: [LastSeen?]

  private struct LastSeen: Sendable {
    var x: Float
    var y: Float
    var framesAgo: Int
  }

  /// - Parameter minimumConfidence: nil takes the order's own (0.3 for Vision, none otherwise).
  public init(
    order: KeypointOrder = .cvat, missing: MissingPolicy = .zero, range: RangePolicy = .standard,
    minimumConfidence: Double? = nil
  ) {
    self.order = order
    self.missing = missing
    self.range = range
    self.minimumConfidence = minimumConfidence ?? order.defaultMinimumConfidence
    sources = order.sources
    lastSeen = Array(repeating: nil, count: DogKeypoint.count)
  }

  /// Forgets the positions held for missing points.
  public mutating func reset() {
    lastSeen = Array(repeating: nil, count: DogKeypoint.count)
  }

  /// The frame's 48 numbers.
  ///
  /// - Throws: ``PoseFrameError`` where ``PoseFrame/validate(order:frameIndex:after:)`` does, and with
  ///   ``RangePolicy/unchecked`` for a coordinate that does not fit a `Float`. Nothing is remembered then.
  public mutating func normalize(_ frame: PoseFrame, frameIndex: Int = 0) throws(PoseFrameError) -> PoseVector {
    try frame.validate(order: order, frameIndex: frameIndex)
    return try normalize(validated: frame, frameIndex: frameIndex)
  }

  mutating func normalize(validated frame: PoseFrame, frameIndex: Int) throws(PoseFrameError) -> PoseVector {
    var vector = PoseVector()
    var memory = lastSeen
    for keypoint in DogKeypoint.allCases {
      let k = keypoint.rawValue
      if let source = sources[k], let point = position(of: frame.points[source], in: frame) {
        let x = Float(point.x)
        let y = Float(point.y)
        guard x.isFinite, y.isFinite else {
          let (part, value) = x.isFinite ? ("y", point.y) : ("x", point.x)
          let field = "\(order.label(source)) \(part) in single precision"
          throw PoseFrameError(frameIndex: frameIndex, reason: .notFinite(field: field, value: value))
        }
        vector.values[2 * k] = x
        vector.values[2 * k + 1] = y
        vector.observed.insert(keypoint)
        memory[k] = LastSeen(x: x, y: y, framesAgo: 0)
      } else if case .hold(let frames) = missing, let last = memory[k], last.framesAgo < frames {
        vector.values[2 * k] = last.x
        vector.values[2 * k + 1] = last.y
        memory[k]?.framesAgo += 1
      }
    }
    lastSeen = memory
    return vector
  }

  /// Where the 24 keypoints of ``DogKeypoint`` are in a frame, in pixels from the top left; nil where one counts as
  /// missing. Nothing is held or remembered. A frame with another number of points has none.
  public func pixelPositions(in frame: PoseFrame) -> [PosePoint?] {
    guard frame.points.count == order.pointCount else { return sources.map { _ in nil } }
    return sources.map { source in
      guard let source, let place = position(of: frame.points[source], in: frame) else { return nil }
      return PosePoint(x: place.x * frame.width, y: place.y * frame.height)
    }
  }

  private func position(of point: PosePoint?, in frame: PoseFrame) -> (x: Double, y: Double)? {
    guard let point else { return nil }
    if let minimumConfidence, let confidence = point.confidence, confidence < minimumConfidence { return nil }
    return range.apply(
      frame.space.normalized(x: point.x, y: point.y, width: frame.width, height: frame.height))
  }
}
