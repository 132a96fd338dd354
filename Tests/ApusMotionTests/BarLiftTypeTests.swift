import Testing

@testable import ApusMotion

/// A path through given heights, each reached along half a cosine: what a lift looks like, with its parts known.
struct SketchedLift {
  /// Seconds and centimetres above the lowest point; the bar rests where two heights are equal.
  var points: [(t: Double, cm: Double)]
  var pixelsPerCm = 4.0
  var height = 1080.0

  func frames(fps: Double = 30, noise: Double = 0) -> [BarFrame] {
    var random = Noise(seed: 3)
    let count = Int((points.last?.t ?? 0) * fps)
    return (0...count).map { index in
      let t = Double(index) / fps
      let y = height - 60 - centimeters(t) * pixelsPerCm + noise * random.normal()
      return BarFrame(
        timestamp: t, width: 1920, height: height,
        observation: .center(BarPoint(x: 500 + noise * random.normal(), y: y)))
    }
  }

  private func centimeters(_ t: Double) -> Double {
    guard let next = points.firstIndex(where: { $0.t >= t }) else { return points.last?.cm ?? 0 }
    guard next > 0 else { return points[0].cm }
    let (a, b) = (points[next - 1], points[next])
    let x = (t - a.t) / (b.t - a.t)
    // (1 − cos πx) / 2, near enough: smooth at both ends.
    return a.cm + (b.cm - a.cm) * x * x * (3 - 2 * x)
  }

  /// Lifted to the hang, cleaned with a front squat, jerked, dropped.
  static let cleanAndJerk = SketchedLift(points: [
    (0, 0), (0.5, 0), (1.8, 70), (3.0, 25), (3.8, 110), (4.3, 75), (4.8, 75), (6.0, 140), (7.5, 140), (7.8, 120),
    (8.3, 190), (10, 195), (10.5, 195), (11.2, 0), (11.5, 0),
  ])
  static let clean = SketchedLift(points: [
    (0, 0), (0.5, 0), (1.6, 90), (2.1, 62), (2.5, 62), (3.6, 118), (5, 118), (5.6, 0), (6, 0),
  ])
  static let snatch = SketchedLift(points: [
    (0, 0), (0.5, 0), (1.6, 95), (2.0, 80), (2.5, 80), (3.9, 180), (5.5, 180), (6.2, 0), (6.5, 0),
  ])
  static let jerk = SketchedLift(points: [
    (0, 18), (1, 18), (1.3, 0), (1.8, 72), (3.5, 74), (4.5, 18), (5, 18),
  ])
  static func downAndUp(_ cm: Double) -> SketchedLift {
    SketchedLift(points: [
      (0, 100), (1, 100), (2.4, 100 - cm), (3.8, 100), (5, 100), (6.4, 100 - cm), (7.8, 100), (9, 100),
    ])
  }
  static func upAndDown(_ cm: Double, from low: Double) -> SketchedLift {
    SketchedLift(points: [(0, low), (1, low), (2.4, low + cm), (3, low + cm), (4.4, low), (5.4, low)])
  }
}

@Suite struct BarLiftTypeTests {
  private func analyzed(_ lift: SketchedLift, _ type: BarLiftType = .auto, scale: Bool = true) throws -> BarPathResult {
    try BarPathAnalysis.analyze(
      lift.frames(noise: 0.7),
      settings: BarPathSettings().with {
        $0.liftType = type
        $0.pixelsPerCm = scale ? lift.pixelsPerCm : nil
      })
  }

  @Test(arguments: [true, false]) func aCleanAndJerkIsOneRepetition(scale: Bool) throws {
    let result = try analyzed(.cleanAndJerk, scale: scale)
    #expect(result.settings.liftType == .cleanAndJerk && result.askedLift == .auto)
    #expect(result.guess?.type == .cleanAndJerk && (result.guess?.confidence ?? 0) > 0.8)
    #expect(result.reps.count == 1)
    let phases = try #require(result.reps.first).phases
    #expect(
      phases.map(\.kind) == [
        .lift, .lowering, .pull, .catch, .recovery, .dip, .drive, .lockout, .drop,
      ])
    let unit = scale ? 1 : 4.0
    let expected: [(BarLiftPhase.Kind, Double, Double, Double, Double)] = [
      (.lift, 0, 70, 0.5, 1.8), (.lowering, 70, 25, 1.8, 3.0), (.pull, 25, 110, 3.0, 3.8), (.catch, 110, 75, 3.8, 4.3),
      (.recovery, 75, 140, 4.8, 6.0), (.dip, 140, 120, 7.5, 7.8), (.drop, 195, 0, 10.5, 11.2),
    ]
    for (kind, from, to, start, end) in expected {
      let phase = try #require(phases.first { $0.kind == kind })
      #expect(abs(phase.startHeight / unit - from) < 7, "\(kind) from \(phase.startHeight)")
      #expect(abs(phase.endHeight / unit - to) < 4, "\(kind) to \(phase.endHeight)")
      // Smooth ends are seen late, and left early.
      #expect(phase.startTime > start - 0.1 && phase.endTime < end + 0.1, "\(kind) \(phase.startTime)–\(phase.endTime)")
      #expect(phase.duration > 0.6 * (end - start), "\(kind) takes \(phase.duration)")
    }
    // Half a cosine's greatest speed is about 1.5 times its mean.
    let pull = try #require(phases.first { $0.kind == .pull })
    #expect(abs(pull.peakVelocity / unit - 1.5 * 85 / 0.8) < 20)
    let drive = try #require(phases.first { $0.kind == .drive })
    #expect(drive.meanVelocity > 0 && drive.endHeight / unit > 180)
    // A drop is no part of the repetition: it is not the bar's speed.
    let rep = try #require(result.reps.first)
    #expect(abs(rep.rom / unit - 195) < 4)
    #expect(rep.maxVelocity / unit < 230)
    #expect(result.jsonLine.contains(#""phase":"dip""#))
  }

  @Test func eachLiftLooksLikeItself() throws {
    let lifts: [(SketchedLift, BarLiftType)] = [
      (.clean, .clean), (.snatch, .snatch), (.jerk, .jerk), (.downAndUp(62), .squat), (.downAndUp(24), .bench),
      (.upAndDown(55, from: 0), .deadlift), (.upAndDown(55, from: 140), .press),
    ]
    for (lift, type) in lifts {
      let result = try analyzed(lift)
      #expect(result.guess?.type == type, "\(type): \(result.guess.map { "\($0)" } ?? "nothing")")
      #expect(result.guess?.isSure == true, "\(type): \(result.guess.map { "\($0)" } ?? "nothing")")
      #expect(result.settings.liftType == type)
      #expect(result.reps.count == (type == .squat || type == .bench ? 2 : 1), "\(type)")
    }
    #expect(try analyzed(.snatch).reps.first?.phases.map(\.kind) == [.pull, .catch, .recovery, .lockout, .drop])
    #expect(try analyzed(.clean).reps.first?.phases.map(\.kind) == [.pull, .catch, .recovery, .lockout, .drop])
    #expect(try analyzed(.jerk).reps.first?.phases.map(\.kind) == [.dip, .drive, .lockout, .drop])
    #expect(try analyzed(.downAndUp(62)).reps.first?.phases.map(\.kind) == [.descent, .ascent])
    #expect(try analyzed(.upAndDown(55, from: 0)).reps.first?.phases.map(\.kind) == [.pull, .lowering])
  }

  @Test func severalCleansAreSeveralRepetitions() throws {
    var twice = SketchedLift.clean
    twice.points += SketchedLift.clean.points.dropFirst().map { ($0.t + 6, $0.cm) }
    let result = try analyzed(twice)
    #expect(result.settings.liftType == .clean && result.reps.count == 2)
    #expect(result.reps.map(\.id) == [0, 1])
  }

  @Test func anotherLiftThanAskedForIsSaid() throws {
    let wrong = try analyzed(.cleanAndJerk, .squat)
    #expect(wrong.settings.liftType == .squat)
    let warning = try #require(wrong.warnings.first { $0.code == "unlikely_lift" })
    #expect("\(warning)".contains("does not look like a squat, but like clean and jerk"))
    #expect(try !analyzed(.downAndUp(62), .squat).warnings.contains { $0.code == "unlikely_lift" })
    #expect(try !analyzed(.cleanAndJerk, .any).warnings.contains { $0.code == "unlikely_lift" })
    #expect(try analyzed(.cleanAndJerk, .any).reps.count == 4)
  }

  @Test func aSquatIsMeasuredAsItAlwaysWas() throws {
    let (auto, asked) = (try analyzed(.downAndUp(62)), try analyzed(.downAndUp(62), .squat))
    #expect(auto.reps == asked.reps && auto.summary == asked.summary && auto.warnings == asked.warnings)
    #expect(auto.csv() == asked.csv())
    #expect(auto.settings == asked.settings)
  }

  @Test func whatMovedAndWhatForbadeItIsSaid() throws {
    func shortfall(_ lift: SketchedLift, _ change: (inout BarPathSettings) -> Void = { _ in }) throws -> BarMovement {
      let settings = BarPathSettings().with {
        $0.pixelsPerCm = lift.pixelsPerCm
        change(&$0)
      }
      let result = try BarPathAnalysis.analyze(lift.frames(), settings: settings)
      #expect(result.reps.isEmpty)
      for warning in result.warnings { if case .noReps(let movement?) = warning { return movement } }
      throw BarLiftTypeFailure()
    }
    let short = try shortfall(.upAndDown(4, from: 30))
    #expect(abs(short.rise - 4) < 0.2 && abs(short.time - 1) < 0.2)
    #expect(short.shortfall == .tooShort(least: 5))
    #expect("\(short)".contains("--min-rom-cm"))
    let slow = try shortfall(SketchedLift(points: [(0, 0), (1, 0), (9, 50), (10, 50)]))
    #expect(slow.shortfall == .tooSlow(least: 12.5))
    #expect(abs(slow.rise - 50) < 1)
    let other = try shortfall(SketchedLift(points: [(0, 0), (1, 0), (2.2, 50), (6, 50)])) { $0.liftType = .squat }
    #expect(other.shortfall == .otherLift(.squat))
    #expect("\(other)".contains("a way down and, within 3 s, one up"))
  }

  /// Three squats of 60 cm of which one is up, or down, at 15 cm/s: at most 22.5 cm/s, 45 px/s at 2 px a centimetre.
  @Test(arguments: [(1.2, 4.0), (4.0, 1.2)]) func aRepetitionThatDoesNotCountIsSaid(down: Double, up: Double) throws {
    var points = [(t: 0.0, cm: 100.0), (t: 1, cm: 100)]
    for (down, up) in [(1.5, 1.2), (down, up), (1.5, 1.2)] {
      let begin = points[points.count - 1].t
      points += [(begin + down, 40), (begin + down + up, 100), (begin + down + up + 1, 100)]
    }
    let lift = SketchedLift(points: points, pixelsPerCm: 2)
    let result = try analyzed(lift, .squat)
    #expect(result.reps.count == 2)
    let movements = result.warnings.compactMap {
      if case .uncountedMovement(let movement) = $0 { movement } else { nil }
    }
    let movement = try #require(movements.first)
    #expect(movements.count == 1 && abs(movement.rise - 60) < 1)
    #expect(abs(movement.time - (4.7 + down + 0.1 * up)) < 0.3)
    // The first and the last tenth of the time are 3 % of the way.
    #expect(abs(movement.duration - 0.8 * up) < 0.3)
    switch movement.shortfall {
    case .tooSlow(let least): #expect(up == 4 && least == 25)
    case .loweredTooSlowly(let peak, let least): #expect(down == 4 && abs(peak - 22.5) < 1.5 && least == 25)
    default: Issue.record("\(movement)")
    }
    #expect("\(movement)".contains("--start-speed"))
    #expect(result.warnings.contains { $0.code == "uncounted_movement" && "\($0)".hasPrefix("not counted") })
  }

  /// What every repetition has beside it is none: going out of the rack, a shift of weight, the way into the hang.
  @Test func whatIsCountedIsNotSaid() throws {
    var walkout = SketchedLift(points: [(0, 93), (0.6, 100), (3, 100)])
    walkout.points += SketchedLift.downAndUp(62).points.map { ($0.t + 4, $0.cm) }
    for (lift, type) in [
      (walkout, BarLiftType.squat), (.downAndUp(62), .bench), (.upAndDown(55, from: 0), .deadlift),
      (.cleanAndJerk, .clean), (.cleanAndJerk, .any),
    ] {
      let result = try analyzed(lift, type)
      #expect(!result.reps.isEmpty && !result.warnings.contains { $0.code == "uncounted_movement" }, "\(type)")
    }
  }

  /// What charts draw turns when the bar does, whatever the exported average does.
  @Test func chartsDoNotLag() throws {
    let result = try analyzed(.downAndUp(62))
    func lowest(_ point: (BarPathSample) -> BarPoint?) -> Double {
      let low = result.samples.prefix { $0.timestamp < 4 }.max { (point($0)?.y ?? 0) < (point($1)?.y ?? 0) }
      return low?.timestamp ?? 0
    }
    #expect(abs(lowest(\.drawn) - 2.4) < 0.05)
    #expect(lowest(\.smoothed) > 2.45)
    let series = BarPathCharts(result).height.series.first { $0.name == "smoothed" }
    let drawn = result.samples.compactMap { $0.drawn?.y }
    #expect(series?.points.compactMap(\.y).count == drawn.count)
    // Fastest up in the middle of the way, at 1.5 times its mean.
    let fastest = result.samples.prefix { $0.timestamp < 4 }.max { ($0.drawnVelocity ?? 0) < ($1.drawnVelocity ?? 0) }
    #expect(abs((fastest?.timestamp ?? 0) - 3.1) < 0.2)
    #expect(abs((fastest?.drawnVelocity ?? 0) - 1.5 * 62 / 1.4) < 6)
  }

  /// Whatever a path is, asking for any lift gives an answer.
  @Test(arguments: BarLiftType.allCases) func anyPathIsMeasured(type: BarLiftType) throws {
    var noise = Noise(seed: 9)
    let paths: [[Double?]] = [
      [], [1], [1, 1], [nil, nil, nil], [5, nil, 700], (0..<200).map { _ in 300 + 200 * noise.normal() },
      (0..<60).map { 900 - 15 * Double($0) }, (0..<60).map { 15 * Double($0) },
    ]
    for ys in paths {
      let frames = ys.enumerated().map { index, y in
        BarFrame(
          timestamp: Double(index) / 30, width: 1000, height: 1000,
          observation: .center(y.map { BarPoint(x: 5, y: $0) }))
      }
      let result = try BarPathAnalysis.analyze(frames, settings: BarPathSettings().with { $0.liftType = type })
      for rep in result.reps {
        #expect(rep.endTime > rep.startTime && rep.phases.allSatisfy { $0.endFrame > $0.startFrame })
        #expect(rep.concentricDuration > 0)
      }
      #expect(!result.jsonLine.contains("nan") && !result.jsonLine.contains("inf"))
    }
  }
}

private struct BarLiftTypeFailure: Error {}
