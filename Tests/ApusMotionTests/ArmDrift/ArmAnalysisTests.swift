import Testing

@testable import ApusMotion

/// What was wrong with the published analyses does not happen here, and what is required does.
@Suite struct ArmAnalysisTests {
  private func reason(_ outcome: ArmDriftResult) -> ArmDriftInsufficientData.Reason? {
    guard case .insufficientData(let data) = outcome else { return nil }
    return data.reason
  }

  /// The right arm sinks from 0° to `degrees` between 4 s and 8 s of 12 s.
  private func sinking(left: Double = 0, right: Double) -> [ArmFrame] {
    armFrames { time in
      let part = min(max((time - 4) / 4, 0), 1)
      return armFrame(
        time, left: wrist(left: true, degrees: left * part), right: wrist(left: false, degrees: right * part))
    }
  }

  @Test func anglesAreThoseOfPixelsNotOfFractions() throws {
    // 9:16: the horizontal 0.3 are 216 pixels, the vertical 0.2 are 256.
    let frame = armFrame(0, left: (0.9, 0.6), width: 720, height: 1280)
    let samples = ArmSamples(try ArmRecording(frames: [frame])).samples
    let measures = try #require(samples.first?.measures)
    #expect(abs(measures.leftAngle - 49.844) < 1e-3)
    #expect(abs(measures.leftLength - (216.0 * 216 + 256 * 256).squareRoot()) < 1e-9)
    #expect(measures.rightAngle == 0)
    #expect(abs(measures.verticalDifference - 0.2) < 1e-12)
  }

  @Test func theSameArmsInAnySpaceAreTheSame() throws {
    let frames = sinking(right: 30)
    let expected = try #require(try ArmTest().report(on: frames))
    for space in [ImageSpace.pixel, .vision] {
      let other = frames.map { frame in
        var other = frame
        other.space = space
        for keypoint in ArmKeypoint.allCases {
          guard let point = frame[keypoint] else { continue }
          other[keypoint] =
            space == .pixel
            ? PosePoint(x: point.x * 1000, y: point.y * 1000) : PosePoint(x: point.x, y: 1 - point.y)
        }
        return other
      }
      let report = try #require(try ArmTest().report(on: other))
      #expect(abs(report.asymmetry.mean - expected.asymmetry.mean) < 1e-9)
      #expect(abs(report.right.drift - expected.right.drift) < 1e-6)
    }
  }

  @Test func aHorizontalReferenceArmHasItsFullLength() throws {
    let frames = armFrames { armFrame($0, right: (0.1, 0.41)) }
    let report = try #require(try ArmTest().report(on: frames))
    #expect(report.asymmetry.mean < 0.034)
  }

  @Test func oneArmThatSinksIsNamed() throws {
    let report = try #require(try ArmTest().report(on: sinking(right: 20)))
    #expect(report.driftSide == .right && report.lowerSide == .right)
    #expect(abs(report.right.startAngle) < 1e-6)
    #expect(abs(report.right.drift - 20) < 1e-6 && abs(report.left.drift) < 1e-6)
    // 10° of 20° are reached half way between 4 s and 8 s.
    #expect(abs(try #require(report.right.timeToDrift) - 6) <= 1.001 / 30)
    #expect(report.left.timeToDrift == nil)
    #expect(report.message.contains("right arm"))
    // The mean asymmetry is half of a = sin 20° = 0.342: level 0, and one for the drift.
    #expect(report.asymmetry.mean < 0.2)
    #expect(report.estimatedMotorLevel == 1 && report.severity == "mild" && report.isDriftDetected)
  }

  @Test func twoArmsThatSinkTogetherAreADrift() throws {
    let report = try #require(try ArmTest().report(on: sinking(left: 40, right: 40)))
    #expect(report.asymmetry.mean < 1e-6)
    #expect(report.driftSide == .both && report.hasBilateralLowArms)
    #expect(report.estimatedMotorLevel == 1)
    let legacy = try #require(try ArmTest(mode: .legacy).report(on: sinking(left: 40, right: 40)))
    #expect(legacy.estimatedMotorLevel == 0)
  }

  @Test func anArmThatRisesHasNotDrifted() throws {
    let report = try #require(try ArmTest().report(on: sinking(right: -15)))
    #expect(abs(report.right.drift - -15) < 1e-6)
    #expect(report.driftSide == .none)
    #expect(report.lowerSide == .left)
  }

  @Test func changeOverTimeAddsOneLevelAtMost() throws {
    // It grows by 0.05 a second and ends 30° lower; both count once.
    let frames = armFrames { armFrame($0, right: wrist(left: false, degrees: min($0, 10) * 3)) }
    let report = try #require(try ArmTest().report(on: frames))
    #expect(report.asymmetry.trend > 0.01 && report.right.hasDrifted && report.asymmetry.meanVelocity > 0.02)
    #expect(report.estimatedMotorLevel == ArmDriftProfile.robust.level(meanAsymmetry: report.asymmetry.mean) + 1)
    #expect(report.severityLevel == report.estimatedMotorLevel)
    let legacy = try #require(try ArmTest(mode: .legacy).report(on: frames))
    // Trend and mean velocity say the same, and counted twice; the stability is high enough.
    #expect(legacy.estimatedMotorLevel == report.estimatedMotorLevel + 1)
    #expect(legacy.severityLevel == report.estimatedMotorLevel - 1)
  }

  @Test func noLevelIsAboveFour() throws {
    // The stiff arms part by 0.06 a second of asymmetry, which swings by 0.2 besides.
    let frames = armFrames { time in
      let swing = Int((time * 30).rounded()) % 2 == 0 ? 6.0 : -6.0
      return armFrame(
        time, left: wrist(left: true, degrees: -24 - time + swing), right: wrist(left: false, degrees: 24 + time))
    }
    for mode in ArmDriftMode.allCases {
      let report = try #require(try ArmTest(profile: .imageBytes, mode: mode).report(on: frames))
      #expect(report.estimatedMotorLevel == 4 && report.severity == "critical")
    }
  }

  @Test func armsThatPointAtTheCameraGiveNoLevel() throws {
    // Arms of 0.03 beside shoulders 0.2 apart: a hundredth of noise would be a third of asymmetry.
    let short = armFrames { armFrame($0, left: (0.63, 0.4), right: (0.37, 0.41)) }
    guard case .armsPointAtCamera(let widths)? = reason(try ArmTest().outcome(of: short)) else {
      throw Unexpected()
    }
    #expect(abs(widths - 0.154) < 1e-3)
    // Between a quarter and a half of the shoulder width there is one, marked.
    let half = armFrames { armFrame($0, left: (0.68, 0.4), right: (0.32, 0.4)) }
    let report = try #require(try ArmTest().report(on: half))
    #expect(report.quality == .low && report.qualityReason.contains("camera"))
  }

  @Test func armsOfUnlikeLengthGiveNoLevelInsteadOfAnotherUnit() throws {
    let frames = armFrames { armFrame($0, right: (0.3, 0.4)) }
    guard case .armLengthsDiffer(let share)? = reason(try ArmTest().outcome(of: frames)) else {
      throw Unexpected()
    }
    #expect(abs(share - 2.0 / 3) < 1e-9)
    let fair = try #require(try ArmTest().report(on: armFrames { armFrame($0, right: (0.2, 0.4)) }))
    #expect(fair.quality == .fair)
  }

  @Test func shortAndSparseRecordingsGiveNoLevel() throws {
    let analyzer = ArmTest()
    #expect(reason(try analyzer.outcome(of: [armFrame(0)])) == .tooFewSamples)
    #expect(reason(try analyzer.outcome(of: armFrames(seconds: 9.9) { armFrame($0) })) == .tooShort)
    #expect(try analyzer.report(on: armFrames(seconds: 10) { armFrame($0) }) != nil)
    // Twenty snapshots half a second apart are ten seconds.
    #expect(try analyzer.report(on: (0..<20).map { armFrame(Double($0) / 2) }) != nil)
    // Two seconds apart they show half a second each: 10 of 38.5 s.
    guard case .insufficientData(let sparse) = try analyzer.outcome(of: (0..<20).map { armFrame(Double($0) * 2) })
    else { throw Unexpected() }
    #expect(sparse.reason == .tooManyHoles)
    #expect(abs(sparse.coverage.seconds - 38.5) < 1e-9 && abs(sparse.coverage.seenSeconds - 10) < 1e-9)
    #expect(sparse.coverage.gaps == 19 && sparse.description.contains("its frames are 2.0 s apart"))
    // Thirty a second, in milliseconds.
    #expect(reason(try analyzer.outcome(of: armFrames { armFrame($0 * 1000) })) == .tooManyHoles)
    // Of frames 0.6 s apart five sixths of the time are seen, of those 0.7 s apart five sevenths.
    let slow = try #require(try analyzer.report(on: (0..<20).map { armFrame(Double($0) * 0.6) }))
    #expect(slow.json.contains(#""fps":1.66666"#))
    #expect(reason(try analyzer.outcome(of: (0..<20).map { armFrame(Double($0) * 0.7) })) == .tooManyHoles)
    // Frames dropped where it does not matter: a second at each end.
    let ends = armFrames(seconds: 1) { armFrame($0) } + armFrames(seconds: 1) { armFrame($0 + 10) }
    #expect(reason(try analyzer.outcome(of: ends)) == .tooManyHoles)
  }

  /// The right wrist falls out of the picture at 10.2 s of 12.5.
  @Test func armsThatLeaveThePictureAreSaid() throws {
    let frames = armFrames(seconds: 12.5) { armFrame($0, right: $0 < 10.19 ? (0.1, 0.4) : nil) }
    let report = try #require(try ArmTest().report(on: frames))
    #expect(report.estimatedMotorLevel == 0)
    #expect(abs(report.coverage.seconds - 12.5) < 1e-9 && abs(report.coverage.measuredSeconds - 10.2) < 1e-9)
    // The last frame is at 374/30 s, the last with both arms at 305/30.
    #expect(report.coverage.unseenAtStart == nil)
    #expect(abs(try #require(report.coverage.unseenAtEnd) - 2.3) < 1e-9)
    let note = "the arms were not both seen in the last 2.3 s: their end is measured before that"
    #expect(report.notes == [note] && report.message.hasSuffix("T" + note.dropFirst() + "."))
    #expect(report.json.contains(#""unseen_at_end_s":2.3"#) && !report.json.contains("unseen_at_start_s"))
    let late = armFrames(seconds: 12.5) { armFrame($0, right: $0 > 2.19 ? (0.1, 0.4) : nil) }
    let start = try #require(try ArmTest().report(on: late))
    #expect(start.notes.contains { $0.hasPrefix("the arms were not both seen in the first 2.2 s") })
    // A detector that misses what it then finds again is no arm that left.
    let missed = armFrames { armFrame($0, right: $0 < 11.8 ? (0.1, 0.4) : nil) }
    #expect(try #require(try ArmTest().report(on: missed)).notes.isEmpty)
  }

  /// The share of the time is that of the whole recording: 11 of 71.1 s, though most frames are of the eleven.
  @Test func timeWithoutArmsCountsAtTheEndsToo() throws {
    let seen = (0..<110).map { armFrame(Double($0) / 10) }
    let outcome = try ArmTest().outcome(of: seen + (1...24).map { armFrame(11 + 2.5 * Double($0), right: nil) })
    #expect(reason(outcome) == .tooManyHoles)
    guard case .insufficientData(let data) = outcome else { throw Unexpected() }
    #expect(abs(data.coverage.seconds - 71.1) < 1e-9 && abs(data.coverage.seenSeconds - 11) < 1e-9)
    #expect(data.coverage.validFrames == 110 && data.coverage.frames == 134)
    // Ten seconds are those of the arms.
    let late = armFrames(seconds: 12) { armFrame($0, right: $0 < 9.8 ? (0.1, 0.4) : nil) }
    #expect(reason(try ArmTest().outcome(of: late)) == .tooShort)
    #expect(
      try ArmTest().outcome(of: late).json.contains(
        "9.8 s from the first frame with both arms to the last, expected 10 s or more"))
  }

  @Test func messagesSayWhatIsWrong() throws {
    func text(_ frames: [ArmFrame]) throws -> String {
      guard case .insufficientData(let data) = try ArmTest().outcome(of: frames) else { throw Unexpected() }
      return data.description
    }
    // 299 frames that last 9.998 s.
    let short = (0..<299).map { armFrame(Double($0) * 9.998 / 299) }
    #expect(try text(short) == "insufficient_data: 9.998 s, expected 10 s or more")
    #expect(
      try text(armFrames(seconds: 8.5) { armFrame($0) }) == "insufficient_data: 8.5 s, expected 10 s or more")
    let on = armFrames { armFrame($0, left: (0.6, 0.4), right: (0.4, 0.4)) }
    #expect(
      try text(on)
        == "insufficient_data: the wrists lie on the shoulders in 360 of 360 frames: the arms have no length")
  }

  @Test func shortGapsAreFilledAndLongOnesAreNot() throws {
    func report(missing: ClosedRange<Int>) throws -> ArmDriftMeasurement? {
      let frames = armFrames { time in
        armFrame(time, right: missing.contains(Int((time * 30).rounded())) ? nil : (0.1, 0.4 + 0.01 * time))
      }
      return try ArmTest().report(on: frames)
    }
    // Six frames missing: 7/30 s between those that have the point.
    let filled = try #require(try report(missing: 60...65))
    #expect(filled.coverage.validFrames == 360 && filled.coverage.interpolatedFrames == 6)
    let measures = try #require(filled.samples[62].measures)
    #expect(filled.samples[62].isInterpolated)
    #expect(abs(measures.verticalDifference - -0.01 * 62 / 30) < 1e-9)
    // Eight: 9/30 s.
    let unfilled = try #require(try report(missing: 60...67))
    #expect(unfilled.coverage.validFrames == 352 && unfilled.coverage.interpolatedFrames == 0)
    #expect(unfilled.samples[62].measures == nil)
    #expect(try report(missing: 60...140) == nil)
  }

  @Test func doubtfulPointsAndPointsOutsideAreNotUsed() throws {
    func found(_ point: PosePoint) throws -> Bool {
      var frame = armFrame(0)
      frame[.leftWrist] = point
      return ArmSamples(try ArmRecording(frames: [frame])).samples[0].measures != nil
    }
    #expect(try found(PosePoint(x: 0.9, y: 0.4, confidence: 0.31)))
    #expect(try !found(PosePoint(x: 0.9, y: 0.4, confidence: 0.3)))
    #expect(try found(PosePoint(x: 1, y: 0)))
    #expect(try !found(PosePoint(x: 1.001, y: 0.4)))
    #expect(try !found(PosePoint(x: 0.9, y: -0.001)))
    // Wrists on the shoulders have no direction.
    var frame = armFrame(0, left: (0.6, 0.4), right: (0.4, 0.4))
    #expect(ArmSamples(try ArmRecording(frames: [frame])).samples[0].measures == nil)
    frame.height = 1
    #expect(ArmSamples(try ArmRecording(frames: [frame])).samples[0].measures == nil)
  }

  @Test func timesCountNotFrames() throws {
    // The same motion, every third frame dropped in the second half: the same drift at the same time.
    let all = sinking(right: 20)
    let some = all.enumerated().filter { $0.offset < 180 || $0.offset % 3 != 0 }.map(\.element)
    let report = try #require(try ArmTest().report(on: some))
    #expect(abs(report.right.drift - 20) < 1e-6)
    #expect(abs(try #require(report.right.timeToDrift) - 6) <= 2.001 / 30)
    #expect(report.coverage.gaps == 60)
    #expect(abs(report.coverage.longestInterval - 2.0 / 30) < 1e-9)
  }

  @Test func aDipIsNoDriftUntilItLasts() throws {
    func time(dip: Double) throws -> Double? {
      let frames = armFrames { time in
        armFrame(time, right: wrist(left: false, degrees: time >= 5 && time < 5 + dip ? 15 : 0))
      }
      return try #require(try ArmTest().report(on: frames)).right.timeToDrift
    }
    #expect(try time(dip: 0.4) == nil)
    #expect(abs(try #require(try time(dip: 0.7)) - 5) <= 1.001 / 30)
  }

  @Test func mirroredPicturesNameTheRightSide() throws {
    let frames = sinking(right: 20)
    for (flag, side) in [(nil, ArmSide.right), (false, .right), (true, .left)] {
      let report = try #require(try ArmTest().report(on: frames, subjectLeftIsImageLeft: flag))
      #expect(report.driftSide == side && report.areSidesExchanged == (flag == true))
      #expect(report.estimatedMotorLevel == 1)
    }
  }

  @Test func theCourseOfAnAsymmetryByHand() throws {
    // 0, 0.1, 0.1, 0.4, 0.4 at 0, 1, 2, 4, 5 s.
    let course = try #require(AsymmetryCourse(times: [0, 1, 2, 4, 5], values: [0, 0.1, 0.1, 0.4, 0.4]))
    #expect(abs(course.mean - 0.2) < 1e-12)
    #expect(course.minimum == 0 && course.maximum == 0.4 && course.duration == 5)
    // Squares of the deviations: 0.04, 0.01, 0.01, 0.04, 0.04.
    #expect(abs(course.deviation - 0.028.squareRoot()) < 1e-12)
    // Velocities 0.1, 0, 0.15, 0.
    #expect(abs(course.meanVelocity - 0.0625) < 1e-12 && abs(course.maximumVelocity - 0.15) < 1e-12)
    #expect(abs(course.velocityDeviation - 0.00421875.squareRoot()) < 1e-12)
    // Σ(t − 2.4)(a − 0.2) = 0.48 + 0.14 + 0.04 + 0.32 + 0.52 = 1.5, Σ(t − 2.4)² = 17.2.
    #expect(abs(course.trend - 1.5 / 17.2) < 1e-12)
    #expect(course.stability == nil && course.isTremorLike == nil)
    #expect(AsymmetryCourse(times: [0, 1, 2, 3], values: [0, 0, 0, 0]) == nil)
    let still = try #require(
      AsymmetryCourse(times: (0..<20).map { Double($0) / 30 }, values: Array(repeating: 0.3, count: 20)))
    // Runs of six, each followed by another sample: fourteen.
    #expect(still.stability == 1 && still.stablePeriods == 14 && still.isTremorLike == false)
  }

  @Test func slowMotionIsNoTremor() throws {
    let times = (0..<360).map { Double($0) / 30 }
    let course = try #require(AsymmetryCourse(times: times, values: times.map { $0 * 0.05 }))
    #expect(course.isTremorLike == false)
    let sparse = (0..<24).map { Double($0) / 2 }
    let swing = sparse.indices.map { $0 % 2 == 0 ? 0.2 : 0.0 }
    #expect(try #require(AsymmetryCourse(times: sparse, values: swing)).isTremorLike == nil)
  }

  @Test func theSameRecordingIsTheSameBytes() throws {
    let frames = sinking(left: 5, right: 20)
    let first = try ArmTest().outcome(of: frames).json
    #expect(try ArmTest().outcome(of: frames).json == first)
    #expect(first.hasPrefix(#"{"status":"ok","drift_detected":true,"pronation_detected":false,"y_difference":0."#))
    let csv = try #require(try ArmTest().report(on: frames)).csv
    #expect(csv.split(separator: "\n").count == 361)
    let header = "t,left_angle_deg,right_angle_deg,asymmetry,vertical_difference,interpolated"
    #expect(csv.hasPrefix(header + "\n0.0,0.0,0.0,0.0,"))
  }

  @Test func framesThatCannotBeAreRefused() throws {
    func reason(_ frames: [ArmFrame]) -> ArmDriftError? {
      do {
        _ = try ArmRecording(frames: frames)
        return nil
      } catch { return error }
    }
    #expect(reason([])?.reason == .noFrames)
    #expect(reason([armFrame(0), armFrame(0)])?.reason == .timestampNotIncreasing(0, previous: 0))
    #expect(reason([armFrame(0), armFrame(1e-9)])?.frameIndex == 1)
    #expect(reason([armFrame(1e300)])?.reason == .timestampOutOfRange(1e300))
    #expect(reason([armFrame(0, width: 0)])?.reason == .invalidImageSize(width: 0, height: 1000))
    #expect(reason([armFrame(0, width: 1e300)])?.reason == .invalidImageSize(width: 1e300, height: 1000))
    let bad = reason([armFrame(0), armFrame(1, right: (0.1, .nan))])
    #expect(bad?.description == "frame 1: right_wrist y is nan, expected a finite number")
    #expect(reason([armFrame(.infinity)])?.description == "frame 0: t is inf, expected a finite number")
  }

  @Test func pointsAreWhereTheyAreMeasured() throws {
    // The labels are exchanged, and the wrist of the frame at 0.1 s is filled in half way.
    var frames = armFrames(seconds: 1, rate: 10) { armFrame($0, left: (0.9, 0.4 + $0)) }
    frames[1][.leftWrist] = nil
    let samples = ArmSamples(try ArmRecording(frames: frames, subjectLeftIsImageLeft: true))
    #expect(samples.areSidesExchanged)
    let wrist = try #require(samples.position(of: .rightWrist, inFrame: 1))
    #expect(abs(wrist.x - 900) < 1e-9 && abs(wrist.y - 500) < 1e-9)
    #expect(samples.position(of: .leftShoulder, inFrame: 0) == PosePoint(x: 400, y: 400))
    #expect(samples.position(of: .leftElbow, inFrame: 0) == nil)
    #expect(
      samples.position(of: .leftWrist, inFrame: 10) == nil && samples.position(of: .leftWrist, inFrame: -1) == nil)
  }
}
