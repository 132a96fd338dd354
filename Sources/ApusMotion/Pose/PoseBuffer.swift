import ApusBase

/// The last frames of a stream: a ring of 48 numbers a frame, oldest dropped first.
///
/// Frames are stored one after the other as they come (frame-major); the network wants one row of time for each of the
/// 48 features (channel-major), so reading out transposes. ``push(_:timestamp:)`` costs 48 stores whatever the
/// capacity; ``export(into:standardization:)`` costs 48 · capacity.
public struct PoseBuffer: Sendable {
  /// How many frames the buffer holds when full.
  public let capacity: Int
  /// How many frames it holds now, 0...capacity.
  public private(set) var count = 0

  private var values: [Float]
  private var observed: [KeypointSet]
  private var timestamps: [Double]
  /// Where the next frame goes; when the buffer is full, also where the oldest is.
  private var head = 0

  /// The largest capacity accepted: 65,536 frames, 12 MiB of numbers.
  public static let maximumCapacity = 65_536

  /// - Throws: ``MotionConfigurationError/windowLengthOutOfRange(_:)`` unless the capacity is in 1...65,536.
  public init(capacity: Int = 100) throws(MotionConfigurationError) {
    guard (1...Self.maximumCapacity).contains(capacity) else { throw .windowLengthOutOfRange(capacity) }
    self.capacity = capacity
    values = [Float](repeating: 0, count: capacity * PoseVector.featureCount)
    observed = [KeypointSet](repeating: [], count: capacity)
    timestamps = [Double](repeating: 0, count: capacity)
  }

  /// Whether the buffer holds a whole window.
  public var isFull: Bool { count == capacity }

  /// Empties the buffer.
  public mutating func reset() {
    count = 0
    head = 0
  }

  /// Adds a frame; when the buffer is full, the oldest goes.
  ///
  /// - Parameter timestamp: the frame's time in seconds.
  public mutating func push(_ vector: PoseVector, timestamp: Double) {
    let start = head * PoseVector.featureCount
    for feature in 0..<PoseVector.featureCount {
      values[start + feature] = vector.values[feature]
    }
    observed[head] = vector.observed
    timestamps[head] = timestamp
    head = head + 1 == capacity ? 0 : head + 1
    count = min(count + 1, capacity)
  }

  /// The keypoints seen in a frame, or nil outside 0..<count. Frame 0 is the oldest.
  public func observed(inFrame index: Int) -> KeypointSet? {
    (0..<count).contains(index) ? observed[slot(index)] : nil
  }

  /// The time of a frame in seconds, or nil outside 0..<count. Frame 0 is the oldest.
  public func timestamp(ofFrame index: Int) -> Double? {
    (0..<count).contains(index) ? timestamps[slot(index)] : nil
  }

  /// Seconds from the oldest frame to the newest; 0 with fewer than two. A hundred frames at 10 a second span 9.9 s.
  public var windowSeconds: Double {
    guard count > 1 else { return 0 }
    return timestamps[slot(count - 1)] - timestamps[slot(0)]
  }

  /// The share of keypoints that were not seen, 0...1, over the frames held; 0 when there are none.
  public var missingFraction: Double {
    guard count > 0 else { return 0 }
    let missing = (0..<count).reduce(0) { $0 + DogKeypoint.count - observed[slot($1)].count }
    return Double(missing) / Double(count * DogKeypoint.count)
  }

  /// The keypoints that were seen in none of the frames held.
  public var neverSeen: KeypointSet {
    KeypointSet.all.subtracting((0..<count).reduce(into: KeypointSet()) { $0.formUnion(observed[slot($1)]) })
  }

  /// Writes the window `[48, capacity]`, channel-major: feature `c` of frame `t` goes to `c * capacity + t`, `t` = 0
  /// the oldest. Feature 2k is x of keypoint k, 2k + 1 its y.
  ///
  /// - Parameters:
  ///   - destination: exactly 48 · capacity numbers.
  ///   - standardization: applied to every number on its way, zeros of missing points included.
  /// - Throws: ``InsufficientFrames`` when the buffer is not full;
  ///   ``MotionConfigurationError/wrongWindowSize(found:expected:)`` when the destination has another size.
  public func export(
    into destination: UnsafeMutableBufferPointer<Float>, standardization: Standardization? = nil
  ) throws {
    guard isFull else { throw InsufficientFrames(available: count, required: capacity) }
    guard destination.count == values.count else {
      throw MotionConfigurationError.wrongWindowSize(found: destination.count, expected: values.count)
    }
    let features = PoseVector.featureCount
    values.withUnsafeBufferPointer { source in
      for time in 0..<capacity {
        let frame = slot(time) * features
        for feature in 0..<features {
          destination[feature * capacity + time] = source[frame + feature]
        }
      }
    }
    standardization?.apply(to: destination, windowLength: capacity)
  }

  /// Writes the window `[48, capacity]`, channel-major, into an array of exactly 48 · capacity numbers.
  ///
  /// - Throws: ``InsufficientFrames``, ``MotionConfigurationError/wrongWindowSize(found:expected:)``.
  public func export(into window: inout [Float], standardization: Standardization? = nil) throws {
    try window.withUnsafeMutableBufferPointer { try export(into: $0, standardization: standardization) }
  }

  /// The window `[48, capacity]` as a new array, channel-major.
  ///
  /// - Throws: ``InsufficientFrames`` when the buffer is not full.
  public func window(standardization: Standardization? = nil) throws -> [Float] {
    var window = [Float](repeating: 0, count: values.count)
    try export(into: &window, standardization: standardization)
    return window
  }

  /// Where frame `index`, counted from the oldest, lies in the ring.
  private func slot(_ index: Int) -> Int {
    let oldest = isFull ? head : 0
    let position = oldest + index
    return position < capacity ? position : position - capacity
  }
}

/// Too few frames for a window: an outcome of a stream that ended early, not a prediction.
public struct InsufficientFrames: ApusError, Sendable, Hashable {
  /// How many frames there are.
  public let available: Int
  /// How many a window needs.
  public let required: Int

  /// A window with too few frames.
  public init(available: Int, required: Int) {
    self.available = available
    self.required = required
  }
}

extension InsufficientFrames: CustomStringConvertible {
  /// Such as `insufficient_frames: 37/100`.
  public var description: String { "insufficient_frames: \(available)/\(required)" }
}

extension InsufficientFrames {
  /// The data are at fault.
  public var fault: Fault { .data }
}
