import Testing

@testable import ApusMotion

/// What the specification of the bar path analysis demands, by its numbers. Expected values were worked out by hand.
@Suite struct BarPathAcceptanceTests {
  private func expect(_ found: [Double?], _ expected: [Double?], within tolerance: Double) {
    #expect(found.count == expected.count)
    for (found, expected) in zip(found, expected) {
      guard let found, let expected else {
        #expect((found == nil) == (expected == nil))
        continue
      }
      #expect(abs(found - expected) <= tolerance, "\(found), expected \(expected)")
    }
  }

  @Test("AT4.1: an exponential average of 0.25")
  func average() {
    let points = zip([100.0, 105, 110, 115], [100.0, 102, 104, 106]).map { Optional(BarPoint(x: $0, y: $1)) }
    let smoothed = PathAverage.smooth(points, alpha: 0.25)
    #expect(smoothed.map { $0?.x } == [100, 101.25, 103.4375, 106.328125])
    #expect(smoothed.map { $0?.y } == [100, 100.5, 101.375, 102.53125])
  }

  @Test("AT4.2: the original's Kalman filter")
  func originalFilter() {
    let constant = path([100, 100, 100, 100])
    let original = LegacyKalmanFilter.smooth(constant, start: .origin)
    expect(original.map { $0?.y }, [90.9910, 95.5177, 97.2029, 98.1049], within: 1e-4)
    expect(LegacyKalmanFilter.smooth(constant).map { $0?.y }, [100, 100, 100, 100], within: 1e-12)
    let rising = LegacyKalmanFilter.smooth(path([100, 105, 110, 115])).map { $0?.y }
    expect(rising, [100, 102.6190, 105.4545, 108.5685], within: 1e-4)
  }

  @Test("AT4.3: gaps up to the limit are filled")
  func gaps() {
    func filled(_ ys: [Double?], limit: Int) -> [Double?] {
      GapFill.fill(path(ys), timestamps: times(ys.count), limit: limit).points.map { $0?.y }
    }
    expect(filled([100, nil, nil, 110], limit: 3), [100, 103.3333, 106.6667, 110], within: 1e-4)
    let gap = { (length: Int) -> [Double?] in [1] + [Double?](repeating: nil, count: length) + [Double(length + 2)] }
    #expect(filled(gap(4), limit: 2) == gap(4))
    expect(filled(gap(8), limit: 8), (1...10).map(Double.init), within: 1e-12)
    #expect(filled(gap(9), limit: 8) == gap(9))
    #expect(filled(gap(1), limit: 0) == gap(1))
    #expect(filled([nil, 5, nil, nil], limit: 3) == [nil, 5, nil, nil])
    #expect(GapFill.fill(path(gap(2)), timestamps: times(4), limit: 8).isFilled == [false, true, true, false])
  }

  @Test("AT4.4: 10 px down a frame at 30 fps and 2 px/cm is −150 cm/s")
  func velocity() {
    let found = PathVelocity.upward(path([100, 110, 120]), timestamps: times(3), scale: 2)
    expect(found, [nil, -150, -150], within: 1e-9)
  }

  @Test("AT4.5: a plate of 180 px is 4 px/cm")
  func calibration() throws {
    let calibration = try BarCalibration(plateDiameterPx: 180)
    #expect(calibration.pixelsPerCm == 4)
    let rom = 160 / calibration.pixelsPerCm
    #expect(rom == 40)
    #expect(abs(BarUnits.imperial.length(rom) - 15.748) < 5e-4)
    #expect(throws: SettingsError.wrongValue(setting: "plateDiameterPx", found: "0", expected: "1 to 100000")) {
      try BarCalibration(plateDiameterPx: 0)
    }
    #expect(throws: SettingsError.self) { try BarCalibration(plateDiameterPx: .nan) }
    #expect(throws: SettingsError.self) { try BarCalibration(pixelsPerCm: -1) }
  }

  @Test("AT4.6: windows of motion")
  func windows() {
    func windows(_ speeds: [Double?]) -> [LiftWindow] {
      LiftWindow.windows(
        speeds: speeds, timestamps: times(speeds.count), startSpeed: 50, hysteresis: 0.6, gapLimit: 8)
    }
    func run(_ speed: Double, _ count: Int) -> [Double?] { Array(repeating: speed, count: count) }
    #expect(windows(run(10, 10) + run(100, 20) + run(10, 10)) == [LiftWindow(start: 10, end: 29)])
    #expect(windows(run(10, 10) + run(100, 14) + run(10, 10)).isEmpty)
    #expect(windows(run(10, 10) + run(100, 15) + run(10, 10)) == [LiftWindow(start: 10, end: 24)])
    #expect(windows(run(10, 10) + run(100, 3)).isEmpty)
    // Two slow frames end nothing, two fast ones begin nothing.
    #expect(
      windows(run(10, 5) + run(100, 10) + run(10, 2) + run(100, 10) + run(10, 5)) == [LiftWindow(start: 5, end: 26)])
    #expect(windows(run(10, 5) + run(100, 2) + run(10, 30)).isEmpty)
    // Between the two thresholds the bar goes on as it was.
    #expect(windows(run(10, 5) + run(100, 10) + run(40, 10) + run(10, 5)) == [LiftWindow(start: 5, end: 24)])
    #expect(windows(run(40, 40)).isEmpty)
  }

  @Test("AT4.6: a gap that is filled nowhere ends a window")
  func windowGaps() {
    func windows(gap: Int) -> [LiftWindow] {
      let speeds =
        [Double?](repeating: 100, count: 20) + [Double?](repeating: nil, count: gap)
        + [Double?](repeating: 100, count: 20)
      return LiftWindow.windows(
        speeds: speeds, timestamps: times(speeds.count), startSpeed: 50, hysteresis: 0.6, gapLimit: 8)
    }
    #expect(windows(gap: 8) == [LiftWindow(start: 0, end: 47)])
    #expect(windows(gap: 9) == [LiftWindow(start: 0, end: 19), LiftWindow(start: 29, end: 48)])
  }

  @Test("AT4.7: the scores of candidates")
  func scores() {
    func candidate(_ x: Double, _ y: Double, _ confidence: Double) -> BarCandidate {
      BarCandidate(
        center: BarPoint(x: x * 1000, y: y * 1000), size: BarSize(width: 100, height: 100), confidence: confidence)
    }
    let selector = BarSelector(settings: BarPathSettings())
    var frame = BarPixelFrame(timestamp: 0, width: 1000, height: 1000)
    frame.leftWrist = BarPoint(x: 420, y: 350)
    func score(_ candidate: BarCandidate, _ previous: BarPoint?) -> Double {
      selector.score(candidate, in: frame, previous: previous)
    }
    #expect(abs(score(candidate(0.45, 0.40, 0.9), nil) - 0.7834) < 5e-5)
    #expect(abs(score(candidate(0.65, 0.40, 0.7), nil) - 0.2293) < 5e-5)
    frame.leftWrist = BarPoint(x: 430, y: 360)
    let previous = BarPoint(x: 450, y: 400)
    #expect(abs(score(candidate(0.46, 0.41, 0.85), previous) - 0.6910) < 5e-5)
    #expect(abs(score(candidate(0.65, 0.40, 0.75), previous) - -0.2972) < 5e-5)
  }

  @Test("AT4.7: the first of the two is chosen both times")
  func choice() throws {
    var stream = try BarPathStream()
    func push(
      _ t: Double, wrist: (Double, Double), _ boxes: [(x: Double, y: Double, confidence: Double)]
    ) throws -> BarPoint? {
      let detections = boxes.map {
        BarDetection(x: $0.x - 0.05, y: $0.y - 0.05, width: 0.1, height: 0.1, confidence: $0.confidence)
      }
      return try stream.push(
        BarFrame(
          timestamp: t, width: 1000, height: 1000, space: .normalizedTopLeft, observation: .detections(detections),
          pose: BarPose(leftWrist: PosePoint(x: wrist.0, y: wrist.1), visibility: 0.9))
      ).bar
    }
    let first = try #require(try push(0, wrist: (0.42, 0.35), [(0.45, 0.40, 0.9), (0.65, 0.40, 0.7)]))
    #expect(abs(first.x - 450) < 1e-9)
    let second = try #require(try push(1 / 30.0, wrist: (0.43, 0.36), [(0.46, 0.41, 0.85), (0.65, 0.40, 0.75)]))
    #expect(abs(second.x - 460) < 1e-9)
  }

  @Test("AT4.8: three squats of 40 cm")
  func squats() throws {
    var ys = [Double](repeating: 400, count: 30)
    let lift = SyntheticLift(rest: 0)
    for _ in 0..<3 {
      ys += (1...45).map { lift.y(Double($0) / 30) }
      ys += (1...45).map { lift.y(1.5 + Double($0) / 30) }
      ys += [Double](repeating: 400, count: 30)
    }
    #expect(ys.count == 390)
    let points = path(ys)
    let lifted = LiftPath(
      detected: points, filled: points, isFilled: ys.map { _ in false }, timestamps: times(390),
      breaks: ys.map { _ in false }, height: 720)
    let calibration = try BarCalibration(pixelsPerCm: 4)
    let reps = lifted.measured(points, BarPathSettings(), calibration, frameHeight: nil).reps
    #expect(reps.map(\.startFrame) == [30, 150, 270])
    #expect(reps.map(\.endFrame) == [119, 239, 359])
    for rep in reps {
      #expect(abs(rep.rom - 40) <= 0.3)
      #expect(abs(rep.maxVelocity - 41.88) <= 0.1)
      #expect(abs(rep.peakConcentricVelocity - 41.88) <= 0.1)
      #expect(abs(rep.meanConcentricVelocity - 26.67) <= 0.3)
      #expect(abs(rep.concentricDuration - 1.5) < 1e-3)
      #expect(abs((rep.eccentricDuration ?? 0) - 1.5) < 1e-3)
      #expect(abs((rep.depthPercent ?? 0) - 100) <= 0.75)
    }
  }
}
