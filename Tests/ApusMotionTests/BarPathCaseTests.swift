import Testing

@testable import ApusMotion

/// What real recordings come with: nothing in them, gaps, two bars, bad numbers.
@Suite struct BarPathCaseTests {
  private func frame(
    _ t: Double, _ boxes: [(x: Double, y: Double, confidence: Double)], wrist: (Double, Double)? = nil,
    elbow: (Double, Double)? = nil, wristVisibility: Double = 0.9
  ) -> BarFrame {
    BarFrame(
      timestamp: t, width: 1280, height: 720,
      observation: .detections(
        boxes.map {
          BarDetection(x: $0.x - 50, y: $0.y - 50, width: 100, height: 100, confidence: $0.confidence)
        }),
      pose: BarPose(
        leftWrist: wrist.map { PosePoint(x: $0.0, y: $0.1, confidence: wristVisibility) },
        leftElbow: elbow.map { PosePoint(x: $0.0, y: $0.1, confidence: 0.9) }))
  }

  private func picked(_ frames: [BarFrame], _ settings: BarPathSettings = BarPathSettings()) throws -> [Double?] {
    try BarPathAnalysis.analyze(frames, settings: settings).samples.map { $0.detected?.x }
  }

  @Test func noFramesAndOneFrame() throws {
    let none = try BarPathAnalysis.analyze([])
    #expect(none.samples.isEmpty && none.reps.isEmpty && none.framesPerSecond == nil && none.summary.bestRep == nil)
    #expect(none.warnings.contains(.tooFewFrames(0)) && none.warnings.contains(.noBar))
    #expect(none.csv() == BarPathCSV.header + "\n")
    let one = try BarPathAnalysis.analyze([frame(5, [(600, 300, 0.9)])])
    #expect(one.samples.count == 1 && one.samples[0].smoothed == BarPoint(x: 600, y: 300))
    #expect(one.samples[0].velocity == nil && one.warnings.contains(.tooFewFrames(1)))
    #expect(BarPathWarning.tooFewFrames(1).description == "1 frame: a path needs two or more")
    #expect(BarPathWarning.tooFewFrames(0).description == "0 frames: a path needs two or more")
    #expect(!one.jsonLine.contains("\"fps\""))
  }

  @Test func noBarAnywhere() throws {
    let result = try BarPathAnalysis.analyze((0..<50).map { frame(Double($0) / 30, []) })
    #expect(result.reps.isEmpty && result.windows.isEmpty && result.missingCount == 50)
    #expect(result.warnings == [.noBar, .notCalibrated])
    #expect(result.summary.averageRom == 0)
  }

  @Test func onlyConfidentDetectionsCount() throws {
    #expect(try picked([frame(0, [(600, 300, 0.35)])]) == [nil])
    #expect(try picked([frame(0, [(600, 300, 0.36), (700, 300, 0.2)])]) == [600])
  }

  @Test func amongEqualsTheFirst() throws {
    #expect(try picked([frame(0, [(600, 300, 0.8), (700, 300, 0.8)])]) == [600])
  }

  @Test func wristsDecideAndElbowsHalf() throws {
    let boxes = [(x: 300.0, y: 300.0, confidence: 0.8), (x: 660.0, y: 300.0, confidence: 0.6)]
    #expect(try picked([frame(0, boxes)]) == [300])
    #expect(try picked([frame(0, boxes, wrist: (660, 300))]) == [660])
    // 360 px are half a height: a wrist takes 1.0 from the far box, an elbow 0.5.
    #expect(try picked([frame(0, boxes, elbow: (660, 300))]) == [660])
    let wristsOnly = BarPathSettings().with { $0.elbowFallback = false }
    #expect(try picked([frame(0, boxes, elbow: (660, 300))], wristsOnly) == [300])
    #expect(try picked([frame(0, boxes, wrist: (660, 300), wristVisibility: 0.4)]) == [300])
    let selector = BarSelector(settings: BarPathSettings())
    let pixels = try frame(0, boxes, elbow: (660, 300)).checked(after: nil).visible(from: 0.5)
    #expect(abs(selector.score(pixels.candidates[0], in: pixels, previous: nil) - 0.3) < 1e-12)
  }

  /// A neighbour's bar is surer in the first frame alone; five frames later it is clear which is meant.
  @Test func theFirstChoiceIsLookedAtAgain() throws {
    let frames = (0..<10).map { index in
      let time = Double(index) / 30
      return index == 0
        ? frame(time, [(200, 300, 0.95)])
        : frame(time, [(200, 300, 0.6), (640, 300, 0.9)], wrist: (640, 320))
    }
    #expect(try picked(frames) == [nil] + [Double?](repeating: 640, count: 9))
    var stream = try BarPathStream()
    let live = try frames.map { try stream.push($0).bar?.x }
    #expect(live[0] == 200 && live[5...].allSatisfy { $0 == 640 })
    // The same at the end of a video that is shorter than that.
    #expect(try picked(Array(frames.prefix(3))) == [nil, 640, 640])
  }

  @Test func twoBarsThatCross() throws {
    // Side by side, one going up and one going down, closest at a tenth of a height.
    let frames = (0..<61).map { index in
      let y = 200 + 5 * Double(index)
      return frame(Double(index) / 30, [(712, 700 - y, 0.9), (640, y, 0.85)], wrist: (640, y - 10))
    }
    #expect(try picked(frames).allSatisfy { $0 == 640 })
  }

  @Test func aJumpIsNoMotion() throws {
    let frames = (0..<20).map { index in
      frame(Double(index) / 30, index == 10 ? [(1000, 100, 0.99)] : [(600, 300, 0.8)])
    }
    let found = try picked(frames)
    #expect(found[10] == nil && found[9] == 600 && found[11] == 600)
    let open = try picked(frames, BarPathSettings().with { $0.jumpGate = 0 })
    #expect(open[10] == 1000)
  }

  /// A smaller plate lies beside the bar's, which is missed for three frames.
  @Test func anotherPlateIsNotTakenForOneThatIsMissed() throws {
    let frames = (0..<20).map { index in
      let own = BarDetection(x: 550, y: 250, width: 96, height: 100, confidence: 0.9)
      let other = BarDetection(x: 600, y: 260, width: 66, height: 60, confidence: 0.6)
      return BarFrame(
        timestamp: Double(index) / 30, width: 1280, height: 720,
        observation: .detections((8..<11).contains(index) ? [other] : [own, other]), pose: nil)
    }
    #expect(try picked(frames) == (0..<20).map { (8..<11).contains($0) ? nil : 598 })
    let open = try picked(frames, BarPathSettings().with { $0.sizeGate = 0 })
    #expect(open[8] == 633)
  }

  /// A plate that comes nearer grows, and stays the bar's.
  @Test func aPlateMayGrow() throws {
    let frames = (0..<60).map { index in
      let side = 100 * (1 + Double(index) / 60)
      return BarFrame(
        timestamp: Double(index) / 30, width: 1280, height: 720,
        observation: .detections([
          BarDetection(x: 600 - side / 2, y: 300 - side / 2, width: side, height: side, confidence: 0.9)
        ]), pose: nil)
    }
    #expect(try picked(frames).allSatisfy { $0 == 600 })
  }

  /// After more frames than are filled, the bar may be anywhere.
  @Test func thePlaceBeforeExpires() throws {
    func frames(gap: Int) -> [BarFrame] {
      (0..<(20 + gap)).map { index -> BarFrame in
        let t = Double(index) / 30
        if index < 10 { return frame(t, [(300, 300, 0.8)]) }
        return index < 10 + gap ? frame(t, []) : frame(t, [(900, 300, 0.8)])
      }
    }
    #expect(try picked(frames(gap: 9)).last == 900)
    #expect(try picked(frames(gap: 8))[18...].prefix(1) == [900], "the frame that makes it too long begins anew")
    #expect(try picked(frames(gap: 3))[13] == nil)
  }

  /// The bar leaves the picture in the middle of a lift: the path does, too, and starts again.
  @Test func theBarLeaves() throws {
    let lift = SyntheticLift(reps: 3)
    let frames = lift.frames(times: times(390)).enumerated().map { index, frame in
      var frame = frame
      if (160..<240).contains(index) { frame.observation = .detections([]) }
      return frame
    }
    let result = try BarPathAnalysis.analyze(frames)
    #expect(result.samples[170].position == nil && result.samples[170].smoothed == nil)
    #expect(result.samples[240].velocity == nil && result.samples[241].velocity != nil)
    #expect(result.reps.count == 2)
    #expect(result.warnings.contains(.barOftenMissing(missing: 80, frames: 390)))
    // From frame 159 to frame 240.
    #expect(result.warnings.contains { if case .barLost(1, let s) = $0 { abs(s - 2.7) < 1e-9 } else { false } })
  }

  /// The frames of three squats, of which the bottoms are in frames 75, 195 and 315; the bar is not seen in some.
  private func squats(lost: Range<Int>) -> [BarFrame] {
    SyntheticLift(reps: 3).frames(times: times(390)).enumerated().map { index, frame in
      var frame = frame
      if lost.contains(index) { frame.observation = .detections([]) }
      return frame
    }
  }

  /// Lost in a tenth of the frames, which are the way up of the first repetition: there are two, and it is said why.
  @Test func aLossIsSaidHoweverRareItIs() throws {
    let result = try BarPathAnalysis.analyze(squats(lost: 80..<120))
    #expect(result.reps.count == 2 && !result.reps.contains(where: \.isInterrupted))
    #expect(!result.warnings.contains { $0.code == "bar_often_missing" })
    let warning = try #require(result.warnings.first { $0.code == "bar_lost" })
    // From frame 79 to frame 120.
    #expect(
      warning.description
        == "the bar is out of sight once for longer than gaps are filled, for 1.37 s: what it did then is not measured")
    #expect(result.jsonLine.contains("\"code\":\"bar_lost\""))
    // What is filled is no loss.
    let filled = try BarPathAnalysis.analyze(squats(lost: 80..<88))
    #expect(filled.reps.count == 3 && !filled.warnings.contains { ["bar_lost", "interrupted_rep"].contains($0.code) })
  }

  @Test func lossesOfAPath() {
    let ys: [Double?] = [nil, nil, nil, 1, 1, nil, 1, nil, nil, nil, nil, 1, nil, nil]
    func losses(_ limit: Int) -> [Double] {
      let points = path(ys)
      let filled = GapFill.fill(points, timestamps: times(14, fps: 10), limit: limit)
      let lift = LiftPath(
        detected: points, filled: filled.points, isFilled: filled.isFilled, timestamps: times(14, fps: 10),
        breaks: ys.map { _ in false }, height: 720)
      return lift.losses(limit: limit).map { ($0 * 10).rounded() }
    }
    // In tenths of a second, from the frame before to the frame after, as far as there are any.
    #expect(losses(0) == [3, 2, 5, 2] && losses(1) == [3, 5, 2] && losses(2) == [3, 5])
    #expect(losses(3) == [5] && losses(4) == [])
  }

  /// The last way up is cut off in its middle: by the end of the recording, or since the bar is lost from there on.
  @Test func whatEndsOnItsWayIsInterrupted() throws {
    let all = squats(lost: 0..<0)
    for frames in [squats(lost: 335..<390), Array(all[..<335])] {
      let result = try BarPathAnalysis.analyze(frames)
      #expect(result.reps.map(\.isInterrupted) == [false, false, true])
      #expect(result.warnings.contains(.interruptedRep(id: 2)))
    }
    // With the bar at the top, nothing is missing.
    let whole = try BarPathAnalysis.analyze(Array(all[..<360]))
    #expect(whole.reps.map(\.isInterrupted) == [false, false, false])
  }

  /// Half a second of the way down has no frames at all.
  @Test func framesThatAreMissingInterruptToo() throws {
    let all = SyntheticLift(reps: 1).frames(times: times(150))
    let result = try BarPathAnalysis.analyze(Array(all[..<45] + all[60...]))
    #expect(result.reps.map(\.isInterrupted) == [true])
    #expect(result.warnings.contains(.timeGaps(1)) && result.warnings.contains(.interruptedRep(id: 0)))
    // Eight are as many as would be filled.
    let filled = try BarPathAnalysis.analyze(Array(all[..<45] + all[53...]))
    #expect(filled.reps.map(\.isInterrupted) == [false])
  }

  /// Lost on the way down for longer than gaps are filled: it is one repetition still, and says so.
  @Test func theBarIsLostDuringARepetition() throws {
    let lift = SyntheticLift(reps: 1)
    let frames = lift.frames(times: times(150)).enumerated().map { index, frame in
      var frame = frame
      if (45..<60).contains(index) { frame.observation = .detections([]) }
      return frame
    }
    let result = try BarPathAnalysis.analyze(frames)
    #expect(result.reps.count == 1 && abs(result.summary.averageRom - 40) < 0.4)
    #expect(result.reps.allSatisfy(\.isInterrupted) && result.warnings.contains(.interruptedRep(id: 0)))
    #expect(result.jsonLine.contains("\"interrupted\":true"))
    #expect(result.samples[50].position == nil && result.samples[50].repID == 0)
  }

  /// Two seconds without any frames are not slow motion.
  @Test func aPauseInTheRecording() throws {
    let frames = (0..<60).map { index in
      frame(Double(index) / 30 + (index >= 30 ? 2 : 0), [(600, index >= 30 ? 300 : 400, 0.9)])
    }
    let result = try BarPathAnalysis.analyze(frames)
    #expect(result.samples[30].velocity == nil && result.samples[30].smoothed?.y == 300)
    #expect(result.samples.allSatisfy { $0.velocity ?? 0 == 0 })
    #expect(result.warnings.contains(.timeGaps(1)))
  }

  /// A lift that is under way in the first or the last frame.
  @Test func cutOffAtBothEnds() throws {
    let lift = SyntheticLift(reps: 3)
    // From the middle of the first way down to the middle of the last way up.
    let all = lift.frames(times: times(390))
    let result = try BarPathAnalysis.analyze(Array(all[52..<335]))
    #expect(result.reps.count == 3)
    #expect(result.reps[1].rom > 39.5 && abs(result.reps[0].rom - 40) < 0.5)
    #expect(result.reps[2].endFrame == 282)
    #expect(result.reps.map(\.isInterrupted) == [true, false, true])
  }

  @Test func theBestRepetition() {
    func rep(_ id: Int, _ velocity: Double) -> BarRep? {
      let ys = [400, 400 - velocity, 400 - 2 * velocity]
      let phase = LiftPhase(isUp: true, start: 1, end: 2, displacement: 2 * velocity)
      return BarRep(
        id: id, span: RepSpan(eccentric: nil, concentric: phase), path: path(ys), velocity: [nil, velocity, velocity],
        timestamps: [0, 1, 2], pixelsPerUnit: 1, depthReference: nil, isInterrupted: false,
        parts: { _ in [] })
    }
    let summary = BarPathSummary(reps: [rep(0, 10), rep(1, 30), rep(2, 30)].compactMap { $0 })
    #expect(summary.bestRep == 1 && summary.repCount == 3)
    #expect(abs(summary.averageRom - 140 / 3.0) < 1e-9)
    #expect(abs(summary.averageMeanConcentricVelocity - 70 / 3.0) < 1e-9)
    #expect(BarPathSummary(reps: []).bestRep == nil)
    // What differs by rounding is equal.
    #expect(BarPathSummary(reps: [rep(0, 30), rep(1, 30.000001)].compactMap { $0 }).bestRep == 0)
    #expect(BarPathSummary(reps: [rep(0, 30), rep(1, 30.01)].compactMap { $0 }).bestRep == 1)
  }

  @Test func roundingDoesNotKeepDepthFromBeingReached() throws {
    func isReached(_ rom: Double) -> Bool? {
      let phase = LiftPhase(isUp: true, start: 1, end: 2, displacement: rom)
      return BarRep(
        id: 0, span: RepSpan(eccentric: nil, concentric: phase), path: path([400, 400 - rom / 2, 400 - rom]),
        velocity: [nil, 1, 1], timestamps: [0, 1, 2], pixelsPerUnit: 1, depthReference: 40,
        isInterrupted: false, parts: { _ in [] }
      )?.isDepthReached
    }
    #expect(isReached(39.99999) == true && isReached(40) == true && isReached(39.99) == false)
  }

  @Test func aRateOfFramesIsTheOneThatWasGiven() throws {
    let lift = SyntheticLift(reps: 1)
    #expect(try BarPathAnalysis.analyze(lift.frames(times: times(150))).framesPerSecond == 30)
  }

  @Test func depthIsNotCapped() throws {
    let lift = SyntheticLift(reps: 1, travel: 200)
    let rep = try #require(try BarPathAnalysis.analyze(lift.frames(times: times(150))).reps.first)
    #expect(abs((rep.depthPercent ?? 0) - 125) < 1 && rep.isDepthReached == true)
    let deep = BarPathSettings().with { $0.depthReferenceCm = 60 }
    let shallow = try #require(try BarPathAnalysis.analyze(lift.frames(times: times(150)), settings: deep).reps.first)
    #expect(shallow.isDepthReached == false)
  }

  @Test func smallMovesAreNoRepetitions() throws {
    let lift = SyntheticLift(reps: 3, travel: 18, way: 0.4)
    let result = try BarPathAnalysis.analyze(lift.frames(times: times(150)))
    #expect(result.reps.isEmpty && result.warnings.contains { $0.code == "no_reps" })
  }

  /// The larger of two sides that both err by three percent is two percent too large; so is the median of such.
  @Test func noiseDoesNotEnlargeTheScale() throws {
    var random = Noise(seed: 8)
    let frames = (0..<400).map { index -> BarFrame in
      let (width, height) = (180 * (1 + 0.03 * random.normal()), 180 * (1 + 0.03 * random.normal()))
      let box = BarDetection(x: 600, y: 400, width: width, height: height, confidence: 0.9)
      return BarFrame(timestamp: Double(index) / 30, width: 1280, height: 720, observation: .detections([box]))
    }
    let calibration = try #require(try BarPathAnalysis.analyze(frames).calibration)
    #expect(abs(calibration.pixelsPerCm - 4) < 0.02)
  }

  @Test func theScaleFromTheBoxes() throws {
    var random = Noise(seed: 3)
    var frames = (0..<100).map { index -> BarFrame in
      // Seen from aside a plate is narrower than high; a hundredth of noise, and one box in ten is nonsense.
      let side = index % 10 == 0 ? 400 : 180 * (1 + 0.01 * random.normal())
      let box = BarDetection(x: 600, y: 400 - side / 2, width: side * 0.6, height: side, confidence: 0.9)
      return BarFrame(timestamp: Double(index) / 30, width: 1280, height: 720, observation: .detections([box]))
    }
    // The median bears what is nonsense, and the gate rejects it.
    let anySize = BarPathSettings().with { $0.sizeGate = 0 }
    for (settings, count) in [(anySize, 100), (BarPathSettings(), 90)] {
      let calibration = try #require(try BarPathAnalysis.analyze(frames, settings: settings).calibration)
      #expect(abs(calibration.pixelsPerCm - 4) < 0.02)
      guard case .automatic(count, let spread) = calibration.source else {
        Issue.record("\(calibration.source)")
        continue
      }
      #expect(spread > 0.005 && spread < 0.03)
    }
    let bumper = BarPathSettings().with { $0.plateDiameterCm = 36 }
    #expect(abs(try #require(try BarPathAnalysis.analyze(frames, settings: bumper).calibration).pixelsPerCm - 5) < 0.03)
    let given = try BarPathAnalysis.analyze(frames, settings: BarPathSettings().with { $0.plateDiameterPx = 90 })
    #expect(try given.calibration == BarCalibration(plateDiameterPx: 90))
    for index in frames.indices where index % 2 == 0 {
      frames[index].observation = .detections([
        BarDetection(x: 600, y: 300, width: 300, height: 300, confidence: 0.9)
      ])
    }
    let unsure = try BarPathAnalysis.analyze(frames, settings: anySize)
    #expect(unsure.warnings.contains { if case .unsureCalibration = $0 { true } else { false } })
  }

  @Test func badNumbers() throws {
    let good = { (t: Double) in self.frame(t, [(600, 300, 0.9)]) }
    var cases: [(BarFrame, BarFrameError.Reason)] = []
    for t in [Double.nan, .infinity] {
      var stream = try BarPathStream()
      #expect(throws: BarFrameError.self) { try stream.push(good(t)) }
    }
    cases.append((good(1), .timestampNotIncreasing(1, previous: 1)))
    cases.append((good(0.5), .timestampNotIncreasing(0.5, previous: 1)))
    cases.append((frame(2, [(600, .infinity, 0.9)]), .notFinite(field: "detection 0 box y", value: .infinity)))
    cases.append(
      (
        frame(2, [(600, 300, 0.9), (600, 300, 90)]),
        .outOfRange(field: "detection 1 confidence", value: 90, expected: "0 to 1")
      ))
    var sizeless = good(2)
    sizeless.width = nil
    cases.append((sizeless, .missingImageSize))
    sizeless.width = 0
    cases.append((sizeless, .outOfRange(field: "width", value: 0, expected: "pixels above 0")))
    cases.append(
      (
        frame(2, [(1e300, 300, 0.9)]),
        .outOfRange(
          field: "detection 0 box x", value: 1e300, expected: "-10000000 to 10000000")
      ))
    let milliseconds = good(1e12)
    cases.append(
      (
        milliseconds, .outOfRange(field: "timestamp", value: 1e12, expected: "-10000000000 to 10000000000")
      ))
    var stream = try BarPathStream()
    try stream.push(good(1))
    for (index, (frame, reason)) in cases.enumerated() {
      #expect(throws: BarFrameError(frameIndex: index + 1, reason: reason)) { try stream.push(frame) }
    }
    // What came before is not lost, and the stream goes on.
    try stream.push(good(1.5))
    let result = stream.finish()
    #expect(result.samples.map(\.timestamp) == [1, 1.5])
    #expect(result.samples.map(\.frame) == [0, cases.count + 1])
  }

  @Test func imageSizeThatChanges() throws {
    var second = frame(1, [(600, 300, 0.9)])
    second.height = 1280
    let result = try BarPathAnalysis.analyze([frame(0, [(600, 300, 0.9)]), second])
    #expect(result.warnings.contains(.imageSizeChanged(frame: 1)))
  }
}
