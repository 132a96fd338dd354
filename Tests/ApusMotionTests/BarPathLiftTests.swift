import Testing

@testable import ApusMotion

/// Whole lifts whose motion is known exactly, with all that cameras and detectors do to them.
@Suite struct BarPathLiftTests {
  /// Repetitions exact, range within 2 %, mean concentric velocity within 3 % of what the motion is.
  private func expect(
    _ lift: SyntheticLift, _ frames: [BarFrame], _ settings: BarPathSettings = BarPathSettings(),
    location: SourceLocation = #_sourceLocation
  ) throws {
    let result = try BarPathAnalysis.analyze(frames, settings: settings)
    #expect(result.reps.count == lift.reps, sourceLocation: location)
    let scale = try #require(result.calibration?.pixelsPerCm, sourceLocation: location)
    #expect(abs(scale - 4) < 0.01, sourceLocation: location)
    let rom = lift.travel / 4
    for rep in result.reps {
      #expect(abs(rep.rom / rom - 1) <= 0.02, "range \(rep.rom) of \(rom)", sourceLocation: location)
      let velocity = rom / lift.way
      #expect(
        abs(rep.meanConcentricVelocity / velocity - 1) <= 0.03,
        "mean velocity \(rep.meanConcentricVelocity) of \(velocity)", sourceLocation: location)
    }
  }

  private func steady(_ lift: SyntheticLift, fps: Double) -> [Double] {
    times(Int((lift.duration * fps).rounded()), fps: fps)
  }

  @Test(arguments: [24.0, 30, 60, 120])
  func frameRates(fps: Double) throws {
    let lift = SyntheticLift()
    try expect(lift, lift.frames(times: steady(lift, fps: fps)))
  }

  @Test(arguments: BarLiftType.allCases.filter { !$0.isOlympic })
  func liftTypes(type: BarLiftType) throws {
    var lift = SyntheticLift(reps: 4, travel: 200, way: 1, rest: 0.7)
    lift.startsUp = type == .deadlift
    lift.baseline = lift.startsUp ? 560 : 300
    try expect(lift, lift.frames(times: steady(lift, fps: 30)), BarPathSettings().with { $0.liftType = type })
  }

  @Test(arguments: [24.0, 30, 60], [1, 2, 3])
  func noise(fps: Double, seed: UInt64) throws {
    let lift = SyntheticLift()
    try expect(lift, lift.frames(times: steady(lift, fps: fps), noise: 0.7, seed: seed))
  }

  @Test(arguments: [24.0, 30, 60], [1, 2, 3])
  func droppedDetections(fps: Double, seed: UInt64) throws {
    let lift = SyntheticLift()
    try expect(lift, lift.frames(times: steady(lift, fps: fps), noise: 0.5, dropped: 0.2, seed: seed))
  }

  /// Frames come between 1/60 and 1/20 s apart.
  @Test(arguments: [4, 5, 6])
  func variableRate(seed: UInt64) throws {
    let lift = SyntheticLift()
    var (random, t, times) = (Noise(seed: seed), 0.0, [Double]())
    while t < lift.duration {
      times.append(t)
      t += 1 / 60 + random.uniform() / 30
    }
    try expect(lift, lift.frames(times: times, noise: 0.3, dropped: 0.1, seed: seed))
  }

  /// A mirror shows the same lift beside, and its plate is seen in every frame.
  @Test(arguments: [true, false])
  func mirror(hasPose: Bool) throws {
    let lift = SyntheticLift()
    let frames = lift.frames(times: steady(lift, fps: 30), dropped: 0.2, seed: 7) { t in
      [lift.box(x: 950, y: lift.y(t) * 0.6 + 100, confidence: 0.8)]
    } pose: { t in
      hasPose ? BarPose(leftWrist: PosePoint(x: 640, y: lift.y(t) - 20, confidence: 0.9)) : nil
    }
    try expect(lift, frames)
    let result = try BarPathAnalysis.analyze(frames)
    #expect(result.samples.allSatisfy { $0.detected.map { abs($0.x - 640) < 50 } ?? true })
  }

  @Test func pausedSquats() throws {
    let lift = SyntheticLift(reps: 2, pause: 1.5)
    try expect(lift, lift.frames(times: steady(lift, fps: 30)))
  }

  /// Without a rest between, the end of a repetition is the start of the next.
  @Test func touchAndGo() throws {
    var lift = SyntheticLift(reps: 5, way: 1, rest: 0)
    try expect(lift, lift.frames(times: steady(lift, fps: 30)))
    lift.startsUp = true
    try expect(lift, lift.frames(times: steady(lift, fps: 30)), BarPathSettings().with { $0.liftType = .deadlift })
  }

  /// A camera tilted by 20° sees the lift tilted; the setting turns it back.
  @Test func tiltedCamera() throws {
    let lift = SyntheticLift()
    let (sine, cosine) = (0.3420201433256687, 0.9396926207859084)
    let frames = times(Int(lift.duration * 30)).map { t in
      let dy = lift.y(t) - 360
      return BarFrame(
        timestamp: t, width: 1280, height: 720,
        observation: .detections([lift.box(x: 640 - dy * sine, y: 360 + dy * cosine)]))
    }
    try expect(lift, frames, BarPathSettings().with { $0.gravityAngle = 20 })
    let upright = try BarPathAnalysis.analyze(frames, settings: BarPathSettings().with { $0.gravityAngle = 20 })
    #expect(upright.reps.allSatisfy { $0.xDeviation < 0.01 })
    let tilted = try BarPathAnalysis.analyze(frames)
    #expect(tilted.reps.allSatisfy { abs($0.rom - 40 * cosine) < 0.2 && abs($0.xDeviation - 40 * sine) < 0.2 })
  }

  /// Fractions from the top left, from the bottom left, and pixels are the same lift; portrait as landscape.
  @Test(arguments: ImageSpace.allCases)
  func spaces(space: ImageSpace) throws {
    var lift = SyntheticLift()
    (lift.width, lift.height) = (720, 1280)
    let frames = lift.frames(times: steady(lift, fps: 30)).map { frame in
      var frame = frame
      guard case .detections(let boxes) = frame.observation, space != .pixel else { return frame }
      frame.space = space
      frame.observation = .detections(
        boxes.map { box in
          let y = box.y / 1280
          return BarDetection(
            x: box.x / 720, y: space == .vision ? 1 - y - box.height / 1280 : y, width: box.width / 720,
            height: box.height / 1280, confidence: box.confidence)
        })
      return frame
    }
    try expect(lift, frames)
  }

  /// The Kalman path is never worse than the average, which cuts off the turning points.
  @Test func smoothingTypes() throws {
    let lift = SyntheticLift(way: 0.6)
    let frames = lift.frames(times: steady(lift, fps: 30))
    func rom(_ smoothing: BarSmoothing, _ metrics: BarMetricsPath) throws -> Double {
      let settings = BarPathSettings().with { ($0.smoothingType, $0.metricsPath) = (smoothing, metrics) }
      let result = try BarPathAnalysis.analyze(frames, settings: settings)
      #expect(result.reps.count == 3)
      return result.summary.averageRom
    }
    for smoothing in BarSmoothing.allCases {
      #expect(abs(try rom(smoothing, .kalman) - 40) < 0.4)
      #expect(abs(try rom(smoothing, .filled) - 40) < 0.1)
    }
    #expect(try rom(.ema, .smoothed) < 39.5)
    #expect(try rom(.emaForwardBackward, .smoothed) < 39.5)
    #expect(abs(try rom(.kalman, .smoothed) - 40) < 0.4)
  }
}
