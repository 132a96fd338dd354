import Testing

@testable import ApusMotion

@Suite struct BehaviorStreamTests {
  @Test func slidesOneFrameAtATime() throws {
    let classifier = try ScriptedClassifier(windowLength: 3) { window in
      // Feature 0 over time is the window's only varying row.
      #expect(window.count == 144)
      return ScriptedClassifier.peak(window[2], at: Int((window[0] * 10).rounded()))
    }
    var stream = try BehaviorStream(classifier: classifier, settings: .everyFrame)
    var results: [BehaviorPrediction] = []
    for index in 0..<6 {
      if let result = try stream.push(frame(Double(index) / 10, x: Double(index) / 10)) { results.append(result) }
    }
    #expect(results.map(\.frameIndex) == [2, 3, 4, 5])
    #expect(results.map(\.rawLabel) == ["sit", "down", "stand", "stay"])
    #expect(results.map(\.confidence) == [0.2, 0.3, 0.4, 0.5])
    #expect(results.map(\.timestamp) == [0.2, 0.3, 0.4, 0.5])
    #expect(results.allSatisfy { abs($0.windowSeconds - 0.2) < 1e-12 && $0.missingFraction == 0 })
  }

  /// Ten frames, nine steps: 0.9 s at the ten frames a second that the model learned.
  @Test(arguments: [
    (10.0, false), (8.1, false), (13.2, false), (7.9, true), (13.5, true), (5.0, true), (30.0, true),
  ])
  func aRateThatWasNotLearnedIsSaid(rate: Double, isOdd: Bool) throws {
    func last(learned: Double?) throws -> BehaviorPrediction {
      let classifier = try ScriptedClassifier(windowLength: 10, framesPerSecond: learned) { _ in
        ScriptedClassifier.peak(0.9, at: 0)
      }
      var stream = try BehaviorStream(classifier: classifier, settings: .everyFrame)
      return try #require(try (0..<10).compactMap { try stream.push(frame(Double($0) / rate)) }.last)
    }
    let prediction = try last(learned: 10)
    #expect((prediction.unlearnedRate != nil) == isOdd)
    #expect(prediction.jsonLine.contains("\"warning\"") == isOdd)
    if let found = prediction.unlearnedRate {
      #expect(abs(found.framesPerSecond - rate) < 1e-9 && found.learnedFramesPerSecond == 10)
      #expect(abs(found.windowSeconds - 9 / rate) < 1e-12 && abs(found.learnedSeconds - 0.9) < 1e-12)
      var result = try BehaviorResult(info: BehaviorModelInfo(name: "scripted", windowLength: 10, framesPerSecond: 10))
      result.push(.prediction(prediction))
      #expect(result.unlearnedRate == found && result.jsonLine.contains("\(found)"))
      #expect(BehaviorPage(result, source: "poses").html.contains("\(found)"))
    }
    #expect(try last(learned: nil).unlearnedRate == nil)
  }

  /// A sure model is believed while every point that it needs is seen at least once in its window.
  @Test func withoutPointsThatItNeedsTheModelAbstains() throws {
    func predictions(without: [DogKeypoint], seenOnce: Bool = false) throws -> [BehaviorPrediction] {
      var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 0.95), settings: .everyFrame)
      return try (0..<100).compactMap { index in
        var frame = frame(Double(index) / 10)
        if !(seenOnce && index == 50) { for point in without { frame.points[point.rawValue] = nil } }
        return try stream.push(frame)
      }
    }
    let eight: [DogKeypoint] = [
      .withers, .leftFrontShoulder, .rightFrontShoulder, .center, .leftHip, .rightHip, .tailMid1, .tailMid2,
    ]
    let lacking = try #require(predictions(without: eight).first)
    #expect(lacking.label == BehaviorPrediction.uncertain)
    #expect(lacking.rawLabel == "sit" && lacking.confidence == 0.95)
    #expect(lacking.lackingPoints == [.leftHip, .rightHip])
    #expect(lacking.neverSeen.keypoints == eight)
    #expect(lacking.jsonLine.contains(#""lacking":["left_hip","right_hip"]"#))
    // What training left out, and any one point alone, may be gone.
    for known in [eight.filter(BehaviorModelInfo.usuallyDispensable.contains), [.nose], []] {
      let sure = try #require(predictions(without: known).first)
      #expect(sure.label == "sit" && !sure.isAbstention)
    }
    #expect(try predictions(without: eight, seenOnce: true).first?.label == "sit")
    // Nothing that is uncertain becomes a segment.
    var segmenter = try BehaviorSegmenter()
    for index in 0..<50 {
      let prediction = BehaviorPrediction(
        timestamp: Double(index) / 10, frameIndex: index, labels: ["a", "b"], probabilities: [0.99, 0.01],
        threshold: 0.7, missingFraction: 0.3, neverSeen: [.leftHip, .rightHip],
        lackingPoints: [.leftHip, .rightHip], windowSeconds: 9.9)
      #expect(segmenter.push(prediction) == nil)
    }
    #expect(segmenter.finish() == nil)
  }

  @Test func pointsOutsideTheStatedImageAreAnError() throws {
    func fault(width: Double, height: Double, scale: Double) throws -> PoseFrame.Fault? {
      var stream = try BehaviorStream(
        classifier: ScriptedClassifier(confidence: 1, windowLength: 3), settings: .everyFrame)
      do {
        for index in 0..<3 {
          let points = (0..<24).map { PosePoint(x: Double($0) / 24 * scale, y: Double($0) / 24 * scale) }
          _ = try stream.push(
            PoseFrame(timestamp: Double(index), width: width, height: height, space: .pixel, points: points))
        }
        return nil
      } catch let error as PoseFrameError {
        return error.reason
      }
    }
    #expect(try fault(width: 640, height: 480, scale: 480) == nil)
    // A sixth of the points leaves the picture, as a dog does.
    #expect(try fault(width: 640, height: 480, scale: 560) == nil)
    guard case .pointsOutsideImage(let share, let x, _, 640, 480)? = try fault(width: 640, height: 480, scale: 1080)
    else {
      Issue.record("points of 1080 pixels in an image of 480 rows were taken")
      return
    }
    #expect(share == 0.5 && x == 1035)
    guard case .fractionsForPixels? = try fault(width: 640, height: 480, scale: 1) else {
      Issue.record("fractions were taken for pixels")
      return
    }
  }

  @Test(arguments: [(1, [99, 100, 101, 102, 103, 104]), (2, [99, 101, 103]), (5, [99, 104]), (1000, [99])])
  func stride(stride: Int, expected: [Int]) throws {
    let options = BehaviorSettings.everyFrame.with { $0.stride = stride }
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 1), settings: options)
    #expect(try stream.push(count: 105).map(\.frameIndex) == expected)
  }

  @Test func throttleByDefault() throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 1))
    let results = try (0..<301).compactMap { try stream.push(frame(Double($0) / 30)) }
    #expect(results.map(\.frameIndex) == [297, 300])
    #expect(stream.acceptedCount == 101)
    #expect(abs(results[0].windowSeconds - 9.9) < 1e-9)
  }

  @Test func aGapEmptiesTheWindow() throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 1), settings: .everyFrame)
    #expect(try stream.push(count: 150).count == 51)
    // Frame 149 is at 14.9 s; 1.0 s later is not a gap, 1.1 s is.
    #expect(try stream.push(frame(15.9)) != nil)
    #expect(stream.gapCount == 0)
    #expect(try stream.push(frame(17.0)) == nil)
    #expect(stream.lastGap?.frameIndex == 151)
    #expect(stream.lastGap?.framesDiscarded == 100)
    #expect(abs((stream.lastGap?.seconds ?? 0) - 1.1) < 1e-9)
    #expect(stream.buffer.count == 1)
    #expect(try stream.push(count: 98, from: 171).isEmpty)
    #expect(try stream.push(frame(26.9)) != nil)
  }

  @Test func aGapForgetsHeldPointsAndTheThrottle() throws {
    let options = BehaviorSettings().with { $0.missing = .hold(frames: 5) }
    var stream = try BehaviorStream(
      classifier: ScriptedClassifier(confidence: 1, windowLength: 1), settings: options)
    _ = try stream.push(frame(0))
    var empty = frame(2.05)
    empty.points = Array(repeating: nil, count: 24)
    #expect(try stream.push(empty)?.missingFraction == 1)
    #expect(try stream.buffer.window().allSatisfy { $0 == 0 })
    #expect(try stream.push(frame(2.1)) == nil)
    #expect(try stream.push(frame(2.15)) != nil)
  }

  /// With a stride, the first full window after a gap is classified like the first of all.
  @Test func aGapStartsTheStrideAnew() throws {
    let options = BehaviorSettings.everyFrame.with { $0.stride = 7 }
    let classifier = try ScriptedClassifier(confidence: 1, windowLength: 3)
    var stream = try BehaviorStream(classifier: classifier, settings: options)
    #expect(try stream.push(count: 4).map(\.frameIndex) == [2])
    #expect(try stream.push(count: 4, from: 50).map(\.frameIndex) == [6])
  }

  /// 2.2 − 1.2 is a little above 1 in binary.
  @Test func roundingMakesNoGap() throws {
    #expect(2.2 - 1.2 > 1.0)
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 1))
    _ = try stream.push(frame(1.2))
    _ = try stream.push(frame(2.2))
    #expect(stream.gapCount == 0)
  }

  @Test func gapsCanBeAllowed() throws {
    let options = BehaviorSettings.everyFrame.with { $0.maximumGap = nil }
    var stream = try BehaviorStream(
      classifier: ScriptedClassifier(confidence: 1, windowLength: 2), settings: options)
    _ = try stream.push(frame(0))
    #expect(try stream.push(frame(1e6))?.windowSeconds == 1e6)
  }

  @Test func anAllMissingWindowStillRunsAndIsFlagged() throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 0.9), settings: .everyFrame)
    var last: BehaviorPrediction?
    for index in 0..<100 {
      var empty = frame(Double(index) / 10)
      empty.points = Array(repeating: nil, count: 24)
      last = try stream.push(empty)
    }
    let prediction = try #require(last)
    #expect(prediction.missingFraction == 1)
    #expect(prediction.rawLabel == "sit")
    #expect(prediction.label == BehaviorPrediction.uncertain)
  }

  @Test(arguments: [0, 1, 37, 99])
  func tooFewFrames(count: Int) throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 1))
    _ = try stream.push(count: count)
    let outcome = stream.summary.insufficientFrames
    #expect(outcome == InsufficientFrames(available: count, required: 100))
    #expect(outcome?.description == "insufficient_frames: \(count)/100")
  }

  @Test func enoughFrames() throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 1))
    _ = try stream.push(count: 120)
    let summary = stream.summary
    #expect(summary.insufficientFrames == nil)
    #expect(summary.frames == 120 && summary.accepted == 120 && summary.predictions == 21 && summary.gaps == 0)
  }

  @Test func aBadFrameIsLeftOutAndTheStreamGoesOn() throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 1), settings: .everyFrame)
    _ = try stream.push(count: 50)
    for bad in [frame(4.9), frame(1), frame(.nan), frame(5, count: 0), frame(5, x: .infinity)] {
      #expect(throws: PoseFrameError.self) { try stream.push(bad) }
    }
    #expect(stream.frameCount == 55 && stream.acceptedCount == 50)
    #expect(try stream.push(count: 50, from: 50).map(\.frameIndex) == [104])
  }

  /// A dropped frame is checked like any other: the throttle must not hide bad data.
  @Test func droppedFramesAreCheckedToo() throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 1))
    _ = try stream.push(frame(0))
    let error = try #require(throws: PoseFrameError.self) { try stream.push(frame(0.01, count: 3)) }
    #expect(error.frameIndex == 1)
  }

  @Test func resetStartsAnew() throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 1))
    _ = try stream.push(count: 150)
    stream.reset()
    #expect(stream.summary == (try BehaviorStream(classifier: ScriptedClassifier(confidence: 1))).summary)
    #expect(try stream.push(count: 100).map(\.frameIndex) == [99])
  }

  @Test func standardizationReachesTheModel() throws {
    let classifier = try ScriptedClassifier(windowLength: 1) { ScriptedClassifier.peak($0[0] / 8, at: 0) }
    let options = BehaviorSettings.everyFrame.with {
      $0.standardization = try? Standardization(
        mean: [Double](repeating: 0.25, count: 48), std: [Double](repeating: 0.125, count: 48))
    }
    var stream = try BehaviorStream(classifier: classifier, settings: options)
    #expect(try stream.push(frame(0, x: 0.75))?.confidence == 0.5)
  }

  @Test(arguments: [Float(0), 1])
  func thresholdEnds(threshold: Float) throws {
    let options = BehaviorSettings.everyFrame.with { $0.threshold = threshold }
    let classifier = try ScriptedClassifier(confidence: 0.99, windowLength: 1)
    var stream = try BehaviorStream(classifier: classifier, settings: options)
    #expect(try stream.push(frame(0))?.label == (threshold == 0 ? "sit" : "uncertain"))
  }

  @Test func everyBadSettingIsNamed() throws {
    let classifier = try ScriptedClassifier(confidence: 1)
    let cases: [((inout BehaviorSettings) -> Void, SettingsError)] = [
      (
        { $0.framesPerSecond = 0 },
        .wrongValue(setting: "fps", found: "0 in place of nil", expected: "0 or more")
      ),
      (
        { $0.missing = .hold(frames: -1) },
        .wrongValue(setting: "missing", found: "hold:-1", expected: "zero or hold:N")
      ),
      (
        { $0.range = .clamp(margin: -0.1) },
        .wrongValue(setting: "range", found: "-0.1", expected: "a margin of 0 or more")
      ),
      ({ $0.minimumConfidence = .infinity }, .wrongValue(setting: "minConfidence", found: "inf", expected: "a number")),
      ({ $0.stride = 0 }, .wrongValue(setting: "stride", found: "0", expected: "an integer, 1 or more")),
      ({ $0.threshold = 1.5 }, .wrongValue(setting: "threshold", found: "1.5", expected: "0 to 1")),
      (
        { $0.maximumGap = 0 },
        .wrongValue(setting: "maxGap", found: "0 in place of nil", expected: "0 or more")
      ),
    ]
    for (change, expected) in cases {
      #expect(throws: expected) {
        try BehaviorStream(classifier: classifier, settings: BehaviorSettings().with(change))
      }
    }
    #expect(throws: SettingsError.self) {
      try BehaviorStream(classifier: classifier, settings: BehaviorSettings().with { $0.threshold = .nan })
    }
  }

  @Test func aModelThatBreaksItsWordIsAnError() throws {
    func error(_ answer: [Float]) throws -> MotionConfigurationError? {
      let classifier = try ScriptedClassifier(windowLength: 1) { _ in answer }
      var stream = try BehaviorStream(classifier: classifier, settings: .everyFrame)
      do {
        _ = try stream.push(frame(0))
        return nil
      } catch {
        return error as? MotionConfigurationError
      }
    }
    #expect(try error([0.5, 0.5]) == .wrongProbabilityCount(found: 2, expected: 21))
    #expect(try error([]) == .wrongProbabilityCount(found: 0, expected: 21))
    var infinite = ScriptedClassifier.peak(0.5, at: 0)
    infinite[2] = .infinity
    #expect(try error(infinite) == .probabilityNotFinite(label: "stand", value: .infinity))
  }

  @Test func theModelsOwnErrorsPassThrough() throws {
    struct Broken: Error {}
    let classifier = try ScriptedClassifier(windowLength: 1) { _ in throw Broken() }
    var stream = try BehaviorStream(classifier: classifier)
    #expect(throws: Broken.self) { try stream.push(frame(0)) }
  }
}

@Suite struct BehaviorPredictionTests {
  private func prediction(_ probabilities: [Float]) -> BehaviorPrediction {
    BehaviorPrediction(
      timestamp: 1.5, frameIndex: 14, labels: ["a", "b", "c"], probabilities: probabilities, threshold: 0.7,
      missingFraction: 0, windowSeconds: 9.9)
  }

  @Test func theFirstOfEqualsWins() {
    #expect(prediction([0.25, 0.375, 0.375]).rawLabel == "b")
    #expect(prediction([0.25, 0.375, 0.375]).ranked.map(\.label) == ["b", "c", "a"])
  }

  @Test func lookUpByLabel() {
    let prediction = prediction([0.125, 0.75, 0.125])
    #expect(prediction["b"] == 0.75)
    #expect(prediction["d"] == nil)
    #expect(prediction.label == "b")
  }
}
