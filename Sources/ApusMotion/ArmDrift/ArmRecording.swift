/// A recording of two arms that are held out: frames in the order of time.
///
/// Every frame has been checked. A recording may still be too short or show too little; that is for
/// ``ArmDriftAnalyzer`` to say.
public struct ArmRecording: Sendable, Hashable {
  /// One or more.
  public let frames: [ArmFrame]
  /// Whether the subject's left arm is on the image's left: true for a mirrored picture, or a person seen from behind.
  /// Nil where nobody says. Where the labels disagree with it, they are exchanged.
  public let subjectLeftIsImageLeft: Bool?
  /// How long the test was meant to last, in seconds, where the file says.
  public let testDuration: Double?

  /// More frames than this, more than nine hours at 30 a second, are refused.
  public static let frameLimit = 1_000_000

  /// - Throws: ``ArmDriftError`` naming the frame: no frames, or too many; a number that is NaN or infinite; an image
  ///   without size; a time that does not come after the one before.
  public init(
    frames: [ArmFrame], subjectLeftIsImageLeft: Bool? = nil, testDuration: Double? = nil
  ) throws(ArmDriftError) {
    guard !frames.isEmpty else { throw ArmDriftError(.noFrames) }
    guard frames.count <= Self.frameLimit else { throw ArmDriftError(.tooManyFrames(limit: Self.frameLimit)) }
    var previous: Double?
    for (index, frame) in frames.enumerated() {
      if let fault = frame.fault(after: previous) { throw ArmDriftError(fault, frameIndex: index) }
      previous = frame.timestamp
    }
    if let testDuration, !testDuration.isFinite {
      throw ArmDriftError(.notFinite(field: "test_duration", value: testDuration))
    }
    self.frames = frames
    self.subjectLeftIsImageLeft = subjectLeftIsImageLeft
    self.testDuration = testDuration
  }
}
