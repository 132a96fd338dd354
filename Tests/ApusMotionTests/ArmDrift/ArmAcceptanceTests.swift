import Foundation
import Testing

@testable import ApusMotion

/// Values computed by hand from the shoulders of `armFrame` and the wrists given.
@Suite struct ArmAcceptanceTests {
  private func level(
    _ profile: ArmDriftProfile = .robust, left: (Double, Double) = (0.9, 0.4), right: (Double, Double)
  ) throws -> Int {
    let frames = armFrames { armFrame($0, left: left, right: right) }
    return try #require(try ArmTest(profile: profile).report(on: frames)).estimatedMotorLevel
  }

  @Test func armsHeldOutAreNormal() throws {
    let report = try #require(try ArmTest().report(on: armFrames { armFrame($0) }))
    #expect(report.asymmetry.mean == 0)
    #expect(report.estimatedMotorLevel == 0)
    #expect(report.severity == "normal" && report.driftSeverity == "none")
    #expect(!report.isDriftDetected)
    #expect(report.driftSide == .none && report.lowerSide == .none && !report.hasBilateralLowArms)
  }

  @Test func aSmallDifferenceIsBelowTheFirstBoundary() throws {
    let frames = armFrames { armFrame($0, right: (0.1, 0.46)) }
    let report = try #require(try ArmTest().report(on: frames))
    let measures = try #require(report.samples.first?.measures)
    #expect(abs(measures.rightLength / 1000 - 0.305941) < 1e-6)
    #expect(abs(measures.meanLength / 1000 - 0.302971) < 1e-6)
    #expect(abs(report.asymmetry.mean - 0.198039) < 1e-6)
    #expect(report.estimatedMotorLevel == 0)
    #expect(!report.isDriftDetected)
    #expect(report.lowerSide == .right)
    let expected: [ArmDriftProfile: Int] = [.imageBytes: 4, .calibrated: 2, .nihssCompliant: 2, .realWorld: 1]
    for (profile, value) in expected { #expect(try level(profile, right: (0.1, 0.46)) == value, "\(profile)") }
    // What was published called the same a drift of level 0.
    let legacy = try #require(try ArmTest(mode: .legacy).report(on: frames))
    #expect(legacy.isDriftDetected && legacy.estimatedMotorLevel == 0)
  }

  @Test func profilesDifferOnALargerDifference() throws {
    let frames = armFrames { armFrame($0, right: (0.1, 0.5)) }
    #expect(abs(try #require(try ArmTest().report(on: frames)).asymmetry.mean - 0.324555) < 1e-6)
    let expected: [ArmDriftProfile: Int] = [
      .robust: 1, .keypointFixed: 1, .realWorld: 2, .calibrated: 3, .nihssCompliant: 3, .imageBytes: 4,
    ]
    for (profile, value) in expected { #expect(try level(profile, right: (0.1, 0.5)) == value, "\(profile)") }
  }

  @Test func aBoundaryBelongsToTheLevelAboveIt() throws {
    // sqrt(0.3² + 0.16²) = 0.34, (0.3 + 0.34) / 2 = 0.32, 0.16 / 0.32 = 0.5.
    #expect(try level(right: (0.1, 0.56)) == 3)
    #expect(ArmDriftProfile.robust.level(meanAsymmetry: 0.5 - 2e-9) == 2)
    #expect(ArmDriftProfile.robust.level(meanAsymmetry: 0.5 - 5e-10) == 3)
  }

  @Test func asymmetryAboveOneIsTheWorstNotTheLeast() throws {
    let frames = armFrames { armFrame($0, left: (0.9, 0.2), right: (0.1, 0.6)) }
    let report = try #require(try ArmTest().report(on: frames))
    #expect(abs(report.asymmetry.mean - 1.109400) < 1e-6)
    #expect(report.estimatedMotorLevel == 4 && report.severity == "critical")
    let hanging = armFrames { armFrame($0, right: (0.4, 0.7)) }
    let other = try #require(try ArmTest().report(on: hanging))
    #expect(abs(other.asymmetry.mean - 1) < 1e-9)
    #expect(other.estimatedMotorLevel == 4)
    #expect(abs(other.right.endAngle - 90) < 1e-9)
  }

  @Test func twoLowArmsAreSeen() throws {
    let frames = armFrames { armFrame($0, left: (0.9, 0.55), right: (0.1, 0.55)) }
    for mode in ArmDriftMode.allCases {
      let report = try #require(try ArmTest(mode: mode).report(on: frames))
      #expect(report.asymmetry.mean == 0 && report.estimatedMotorLevel == 0)
      #expect(report.hasBilateralLowArms)
      #expect(abs(report.left.endAngle - 26.565051) < 1e-5 && abs(report.right.endAngle - 26.565051) < 1e-5)
    }
  }

  /// A squat with the hands at the bar, for example.
  @Test func armsThatAreNotHeldOutAreSaid() throws {
    let raised = try #require(
      try ArmTest().report(on: armFrames { armFrame($0, left: (0.65, 0.1), right: (0.35, 0.1)) }))
    #expect(!raised.areArmsHeldOut && raised.notes.contains { $0.hasPrefix("neither arm is held out at the start") })
    #expect(raised.message.contains("the level says nothing"))
    // One that hangs beside one that is held out is what the test is for.
    let hanging = try #require(try ArmTest().report(on: armFrames { armFrame($0, right: (0.4, 0.7)) }))
    #expect(hanging.areArmsHeldOut)
  }

  @Test func aMissingWristIsNoScore() throws {
    let outcome = try ArmTest().outcome(of: armFrames { armFrame($0, right: nil) })
    guard case .insufficientData(let data) = outcome else { throw Unexpected() }
    #expect(data.reason == .tooFewValidFrames(rarest: .rightWrist, found: 0))
    #expect(data.description.contains("right_wrist was found in 0"))
    let object = try object(outcome.json)
    #expect(object["status"] as? String == "insufficient_data")
    #expect(
      Set(object.keys).isDisjoint(with: [
        "nihss_motor_score", "nihss_total", "clinical_score", "drift_detected", "severity", "drift_severity",
        "y_difference", "asymmetry_score", "pronation_detected",
      ]))
    #expect(object["disclaimer"] as? String == ArmDriftNotice.disclaimer)
  }

  @Test func aTremorIsNoDrift() throws {
    // 0.10 ± 0.06 in turns, 20 s at 30 a second: σ is 0.06, so the stability 1 − 0.6.
    let times = (0..<600).map { Double($0) / 30 }
    let values = (0..<600).map { $0 % 2 == 0 ? 0.16 : 0.04 }
    let course = try #require(AsymmetryCourse(times: times, values: values))
    #expect(abs(try #require(course.stability) - 0.4) < 1e-6)
    #expect(abs(course.trend - -0.00003) < 1e-6)
    #expect(course.isTremorLike == true)
    #expect(ArmDriftProfile.robust.level(meanAsymmetry: course.mean) == 0)
    #expect(ArmDriftAnalysis.legacyIncrement(course) == 1)

    // The same from keypoints: arms of 0.3 that rise and sink by equal parts, d = a · 0.3.
    let frames = times.indices.map { index in
      let half = values[index] * 0.15
      let reach = (0.09 - half * half).squareRoot()
      return armFrame(times[index], left: (0.6 + reach, 0.4 - half), right: (0.4 - reach, 0.4 + half))
    }
    let recommended = try #require(try ArmTest().report(on: frames))
    #expect(abs(recommended.asymmetry.mean - 0.1) < 1e-9)
    #expect(abs(try #require(recommended.asymmetry.stability) - 0.4) < 1e-6)
    #expect(recommended.estimatedMotorLevel == 0 && recommended.asymmetry.isTremorLike == true)
    #expect(recommended.message.contains("tremor"))
    let legacy = try #require(try ArmTest(mode: .legacy).report(on: frames))
    #expect(legacy.estimatedMotorLevel == 1)
    // The severity stays that of the level before.
    #expect(legacy.severity == "normal")
  }

  @Test func fewSamplesHaveNoStability() throws {
    let six = try #require(AsymmetryCourse(times: [0, 2, 4, 6, 8, 10], values: Array(repeating: 0, count: 6)))
    #expect(six.stability == nil)
    #expect(ArmDriftAnalysis.legacyIncrement(six) == 1)
    let four = try ArmTest().outcome(of: (0..<4).map { armFrame(Double($0) * 4) })
    guard case .insufficientData(let data) = four else { throw Unexpected() }
    #expect(data.reason == .tooFewSamples)
  }

  @Test func theOutputDecodesAsClientsExpect() throws {
    let frames = armFrames { armFrame($0, right: (0.1, 0.5)) }
    let report = try #require(try ArmTest().report(on: frames))
    let answer = try JSONDecoder().decode(Answer.self, from: Data(report.json.utf8))
    #expect(answer.nihss_motor_score == 1 && answer.clinical_score == 1 && answer.nihss_total == 1)
    #expect(answer.drift_detected && !answer.pronation_detected && !answer.research_based)
    #expect(answer.test_quality.contains("enhanced"))
    #expect(answer.severity == "mild" && answer.drift_severity == "mild")
    #expect(answer.frames_analyzed == 360 && answer.fps == 30)
    #expect(abs(try #require(answer.temporal_metrics).mean_asymmetry - 0.324555) < 1e-6)
    #expect(abs(answer.y_difference - 0.324555) < 1e-6)
    let object = try object(report.json)
    #expect(object["disclaimer"] as? String == ArmDriftNotice.disclaimer)
    #expect(object["status"] as? String == "ok" && object["profile"] as? String == "robust-v1")
    #expect(abs(try #require(object["asymmetry_percent"] as? Double) - 32.4555) < 1e-4)
    #expect(abs(try #require(object["vertical_drift"] as? Double) - 0.1) < 1e-9)
  }

  /// What a client of the service decodes: eleven keys and, in the metrics, four that must be there.
  private struct Answer: Decodable {
    struct Metrics: Decodable {
      var mean_asymmetry, asymmetry_std, velocity_std, analysis_duration: Double
    }
    var drift_detected, pronation_detected: Bool
    var y_difference: Double
    var clinical_score, nihss_motor_score, nihss_total: Int
    var test_quality, severity, message, drift_severity: String
    var research_based: Bool
    var analysis_method, clinical_interpretation: String?
    var frames_analyzed, fps: Int?
    var drift_trend, mean_velocity, max_velocity, stability_score: Double?
    var temporal_metrics: Metrics?
  }

  private func object(_ json: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
  }
}

struct Unexpected: Error {}
