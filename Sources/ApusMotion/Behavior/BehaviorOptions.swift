/// The settings of a ``BehaviorStream``. The defaults are those of the original application.
public struct BehaviorOptions: Sendable, Hashable {
  /// Which points the frames have.
  public var order = KeypointOrder.cvat
  /// What takes the place of a point that was not seen.
  public var missing = MissingPolicy.zero
  /// What happens to points outside the image.
  public var range = RangePolicy.standard
  /// Points with a lower confidence are missing. Nil takes the order's own: 0.3 for Vision, none otherwise.
  public var minimumConfidence: Double?
  /// How many frames a second are used; the others are dropped. Nil uses every frame.
  public var framesPerSecond: Double? = 10
  /// A prediction for every how many used frames, once the window is full; 1 or more.
  public var stride = 1
  /// Below this confidence the label is "uncertain"; 0...1.
  public var threshold: Float = 0.7
  /// A longer pause between two frames, in seconds, empties the window: its frames would not belong together. Nil
  /// never does.
  public var maximumGap: Double? = 1
  /// Applied to every window, for models trained on standardised poses.
  public var standardization: Standardization?

  public init() {}

  /// - Throws: ``MotionConfigurationError`` naming the first setting outside its range.
  public func validate() throws(MotionConfigurationError) {
    if let framesPerSecond { _ = try FrameThrottle(framesPerSecond: framesPerSecond) }
    if case .hold(let frames) = missing, frames < 0 { throw .invalidHold(frames) }
    if case .clamp(let margin) = range, !(margin.isFinite && margin >= 0) { throw .invalidMargin(margin) }
    if let minimumConfidence, !minimumConfidence.isFinite { throw .invalidMinimumConfidence(minimumConfidence) }
    guard stride >= 1 else { throw .invalidStride(stride) }
    guard (0...1).contains(threshold) else { throw .invalidThreshold(threshold) }
    if let maximumGap, !(maximumGap > 0) { throw .invalidMaximumGap(maximumGap) }
  }
}
