@testable import ApusMotion

/// A frame of a person with shoulders at (0.60, 0.40) and (0.40, 0.40), in fractions of a square image: the left arm
/// is on the image's right, as a camera in front of the person sees it.
func armFrame(
  _ timestamp: Double, left: (Double, Double)? = (0.9, 0.4), right: (Double, Double)? = (0.1, 0.4),
  width: Double = 1000, height: Double = 1000, space: ImageSpace = .normalizedTopLeft
) -> ArmFrame {
  var points: [ArmKeypoint: PosePoint] = [
    .leftShoulder: PosePoint(x: 0.6, y: 0.4), .rightShoulder: PosePoint(x: 0.4, y: 0.4),
  ]
  points[.leftWrist] = left.map { PosePoint(x: $0.0, y: $0.1) }
  points[.rightWrist] = right.map { PosePoint(x: $0.0, y: $0.1) }
  return ArmFrame(timestamp: timestamp, width: width, height: height, space: space, points: points)
}

/// Frames at `rate` a second for `seconds`, each made from its time.
func armFrames(seconds: Double = 12, rate: Double = 30, _ frame: (Double) -> ArmFrame) -> [ArmFrame] {
  (0..<Int(seconds * rate)).map { frame(Double($0) / rate) }
}

/// A wrist whose arm, as long as the one that is held out (0.3), points `degrees` below the horizontal.
func wrist(left: Bool, degrees: Double) -> (Double, Double) {
  let radians = degrees * .pi / 180
  // Taylor's series to the 12th power: exact to nine digits below 60°, with no library.
  let square = radians * radians
  let cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))))
  let sine = radians * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))))
  return (left ? 0.6 + 0.3 * cosine : 0.4 - 0.3 * cosine, 0.4 + 0.3 * sine)
}

/// An analysis with settings of its own.
struct ArmTest {
  var profile = ArmDriftProfile.robust
  var mode = ArmDriftMode.recommended

  func outcome(of frames: [ArmFrame], subjectLeftIsImageLeft: Bool? = nil) throws -> ArmDriftResult {
    var settings = ArmDriftSettings()
    (settings.profile, settings.mode) = (profile, mode)
    return ArmDriftAnalysis.analyze(
      try ArmRecording(frames: frames, subjectLeftIsImageLeft: subjectLeftIsImageLeft), settings: settings)
  }

  /// What frames measure, nil where that is no level.
  func report(on frames: [ArmFrame], subjectLeftIsImageLeft: Bool? = nil) throws -> ArmDriftMeasurement? {
    guard case .measured(let found) = try outcome(of: frames, subjectLeftIsImageLeft: subjectLeftIsImageLeft)
    else { return nil }
    return found
  }
}
